// SPDX-License-Identifier: GPL-2.0
#include "method/amp/share.h"

/*
 * Share of the lines that counts as one "miss": a quarter is clearly not none,
 * an eighth may be contention.
 */
#define A_MISS 0.5
/* The paper's threshold. */
#define FAILURE_SHARE 0.8

int amp_lines(struct amp_space *space, uint64_t bytes, struct sequence *s,
	      struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = space->unit,
				 .outer = (size_t)(bytes / space->unit) };
	uint64_t base;

	if (!w.outer || !prober_choose_base(space->p, &w, &base))
		return fail(f, STATUS_FAILED, EAGAIN, "too little memory");
	return prober_build(space->p, &w, base, s, f);
}

int amp_misses(struct amp_space *space, const struct sequence *s,
	       const struct walk_plan *after, struct readings *r,
	       struct failure *f)
{
	struct walk_plan plan = *after;
	uint64_t each = s->length;

	if (space->stores)
		plan.flags |= WALK_STORES;
	for (size_t i = 0; i < plan.step_count; i++)
		each += plan.steps[i].lines->length;
	space->accesses += plan.samples * each;
	return amp_count(space, s, &plan, r, f);
}

/**
 * struct reading - a question that is decided, and voted on
 * @s: the question
 * @votes: (out) of amp_share_decide(); @cast of them
 */
struct reading {
	struct amp_share *s;
	int *votes;
	size_t *cast;
};

static int take(void *context, struct trial_block *b, struct failure *f)
{
	struct reading *r = context;
	int error = r->s->take(r->s, b, f);

	if (!error && r->votes && b->of[TRIAL_TEST].count &&
	    *r->cast < AMP_VOTES)
		r->votes[(*r->cast)++] = amp_least(b) >= FAILURE_SHARE;
	return error;
}

int amp_share_decide(struct amp_share *s, int votes[AMP_VOTES], size_t *cast,
		     enum verdict *verdict, struct failure *f)
{
	static const struct trial_ops ops = { .place = take };
	struct reading r = { .s = s, .votes = votes, .cast = cast };
	struct trial t = prober_trial(s->space->p, &ops, &r);

	t.miss = A_MISS;
	t.least_blocks = votes ? AMP_VOTES : 0;
	*cast = 0;
	return trial_run(&t, verdict, f);
}
