// SPDX-License-Identifier: GPL-2.0
/* stores.c - does a store bring the line (section 3.4)? */
#include "method/amp/share.h"

/*
 * Share of the level, so that nothing is evicted; and multiple of the levels
 * above, so that most stored lines have left them.
 */
#define PART_OF_IT 2
#define TIMES_ABOVE 2

/* The adjacent word: words that are walked may not be overwritten. */
static void beside(struct sequence *other, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++)
		other->offsets[i] = s->offsets[i] + sizeof(uint64_t);
}

/*
 * Flushed lines that are stored to, then loaded; the control loads them twice.
 */
static int take(struct amp_share *share, struct trial_block *b,
		struct failure *f)
{
	const uint64_t *bytes = share->context;
	struct amp_space *space = share->space;
	struct sequence s, other;
	struct walk_step steps[] = {
		{ .kind = STEP_FLUSH, .lines = &s },
		{ .kind = STEP_STORE, .lines = &other },
	};
	const struct walk_plan plan = { .samples = PROBER_BLOCK_SAMPLES,
					.steps = steps,
					.step_count = 2 };
	int error = amp_lines(space, *bytes, &s, f);

	if (error)
		return error;
	error = amp_lines(space, *bytes, &other, f);
	if (!error) {
		beside(&other, &s);
		error = amp_misses(space, &s, &plan, &b->of[TRIAL_TEST], f);
	}
	steps[1].kind = STEP_LOAD;
	if (!error)
		error = amp_misses(space, &s, &plan, &b->of[TRIAL_CONTROL], f);
	sequence_free(&s);
	sequence_free(&other);
	return error;
}

static uint64_t bytes_of(const struct amp_space *space,
			 const struct amp_geometry *g)
{
	uint64_t above = 0;

	for (size_t i = 0; i < space->x.upper_count; i++)
		above += xray_level_bytes(&space->x.upper[i]);
	if (g->size / PART_OF_IT < TIMES_ABOVE * above)
		return 0;
	return above ? TIMES_ABOVE * above : g->size / PART_OF_IT;
}

static void conclude(const struct amp_run *run, enum verdict verdict,
		     double bound, struct amp_parameter *to)
{
	if (run->wanted->decision == AMP_BY_VOTES) {
		amp_elect(to);
		return;
	}
	if (verdict == VERDICT_UNDECIDED) {
		parameter_undecided(
			&to->p, AMP_METHOD,
			"some lines that were stored to are there afterwards, some are not");
		return;
	}
	amp_measured(&to->p, verdict == VERDICT_COMPACT, bound);
}

int amp_find_write_allocate(const struct amp_run *run, struct amp_space *space,
			    const struct amp_geometry *g, struct amp_row *row,
			    struct failure *f)
{
	struct amp_parameter *to = &row->write_allocate;
	uint64_t bytes = bytes_of(space, g), before = space->accesses;
	struct amp_share share = {
		.space = space, .geometry = g, .take = take, .context = &bytes
	};
	struct budget_scope scope;
	enum verdict verdict = VERDICT_UNDECIDED;
	int votes[AMP_VOTES];
	size_t cast = 0;
	double bound;
	int error;

	if (!space->p->m->flushes_lines || !bytes) {
		parameter_undecided(
			&to->p, AMP_METHOD,
			bytes ? "single lines cannot be flushed here" :
				"levels above hold too large a part of what it holds");
		return 0;
	}
	amp_progress(space->p, row, "write-allocate");
	scope = budget_open(&space->p->budget);
	error = amp_share_decide(&share, votes, &cast, &verdict, f);
	bound = budget_close(&space->p->budget, &scope);
	if (error)
		return amp_cannot(to, error, f);
	for (size_t i = 0; i < cast; i++)
		amp_vote(to, !votes[i]);
	to->accesses = space->accesses - before;
	conclude(run, verdict, bound, to);
	return 0;
}
