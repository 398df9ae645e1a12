// SPDX-License-Identifier: GPL-2.0
#include "amp_share.h"

#include <math.h>

#include "../observe/sampler.h"

/* Shares become "misses": a quarter of the lines is clearly not none, an eighth
 * may be what something else took.
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
	       const struct walk_plan *after, double *values, size_t *count,
	       struct failure *f)
{
	struct walk_plan plan = *after;
	uint64_t each = s->length;

	if (space->stores)
		plan.flags |= WALK_STORES;
	for (size_t i = 0; i < plan.step_count; i++)
		each += plan.steps[i].lines->length;
	space->accesses += plan.samples * each;
	return amp_count(space, s, &plan, values, count, f);
}

static bool most_missed(const struct amp_block *b)
{
	double least = INFINITY;

	for (size_t i = 0; i < b->tests; i++)
		least = fmin(least, b->test[i]);
	return least >= FAILURE_SHARE;
}

int amp_share_decide(struct amp_share *s, int votes[AMP_VOTES], size_t *cast,
		     enum verdict *verdict, struct failure *f)
{
	struct decision d;
	bool done = false;

	*cast = 0;
	decision_begin(&d, &s->space->p->rules);
	for (int i = 0; !done || (votes && i < AMP_VOTES); i++) {
		struct amp_block b = { .exposure = 1 };
		int error = s->take(s, &b, f);

		if (error)
			return error;
		if (votes && b.tests && *cast < AMP_VOTES)
			votes[(*cast)++] = most_missed(&b);
		if (!done)
			amp_add_block(&d, &b, A_MISS);
		done = done || decision_done(&d, verdict);
	}
	s->space->p->tests++;
	return 0;
}
