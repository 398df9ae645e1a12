// SPDX-License-Identifier: GPL-2.0
/* rate_turn.c - turns of the sets that groups of random lines are held against.
 */
#include "method/evset/count/rate_turn.h"

/* Undecided groups in a row, before the controls of a set are checked in
 * between.
 */
#define UNCLEAR_MOST 2
/* A contended set rests for two to the power of its failures in a row, of at
 * most this number.
 */
#define MOST_FAILURES 5
/* Samples of all sets; one takes 40 microseconds on a Zen 3. */
#define MOST_SAMPLES 400000

void rates_count_group(struct evset_tally *t, enum verdict verdict)
{
	t->unclear += verdict == VERDICT_UNDECIDED;
	t->groups += verdict != VERDICT_UNDECIDED;
	t->congruent += verdict == VERDICT_NON_COMPACT;
}

bool rates_may_sample(const struct rates *r)
{
	uint64_t samples = 0;

	for (size_t k = 0; k < r->seen.count; k++)
		samples += r->each[k].samples;
	return samples < MOST_SAMPLES;
}

bool rates_is_next(struct rates *r, size_t k)
{
	if (r->rests[k])
		return !--r->rests[k];
	return true;
}

/* A verdict draws no error: verdicts on controls say how often one is wrong,
 * which is subtracted, and the bounds on the number of sets draw what they may
 * err.
 */
static int ask_group(struct evset_rate *s, uint64_t by, bool positive,
		     enum verdict *verdict, struct failure *f)
{
	uint64_t lines[EVSET_RATE_GROUP];

	if (positive)
		return evset_rate_ask(s, s->control, s->control_count, true,
				      verdict, f);
	evset_rate_draw(s, by, lines);
	return evset_rate_ask(s, lines, s->group, false, verdict, f);
}

/* A neighbour that begins to use the set in the middle of a turn ends the turn.
 */
static int ask_groups(struct evset_rate *s, uint64_t line_bytes, struct turn *t,
		      struct failure *f)
{
	size_t unclear = 0;
	int error = 0;

	for (size_t i = 0; !error && t->right && i < t->count; i++) {
		error = ask_group(s, t->distance[i] * line_bytes,
				  t->positive[i], &t->verdict[i], f);
		unclear = t->verdict[i] == VERDICT_UNDECIDED ? unclear + 1 : 0;
		if (error || unclear < UNCLEAR_MOST)
			continue;
		error = evset_rate_check(s, &t->right, f);
		unclear = 0;
	}
	return error;
}

int rates_ask_turn(struct rates *r, size_t k, struct turn *t, struct failure *f)
{
	struct evset_rate *s = &r->each[k];
	int error = evset_rate_check(s, &t->right, f);

	if (!error)
		error = ask_groups(s, r->line_bytes, t, f);
	if (!error && t->right)
		error = evset_rate_check(s, &t->right, f);
	if (t->right)
		r->failures[k] = 0;
	else if (r->failures[k] < MOST_FAILURES)
		r->failures[k]++;
	r->rests[k] = t->right ? 0 : 1U << r->failures[k];
	return error;
}
