// SPDX-License-Identifier: GPL-2.0
/* check_set.c - controls of a set by which lines are to be sorted. */
#include "method/evset/sort/sorting.h"

/* Attempts, since one may be disturbed. */
#define TRIES 2
#define MOMENTS 4
#define MOMENTS_TRIED 10

int evset_needs_all(struct evset_oracle *o, struct evset_set *set,
		    enum outcome *outcome, struct failure *f)
{
	size_t last = set->count - 1;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (size_t i = 0; !error && *outcome == OUTCOME_DECIDED && i <= last;
	     i++) {
		uint64_t line = set->lines[i];

		set->lines[i] = set->lines[last];
		set->lines[last] = line;
		*outcome = OUTCOME_OPEN;
		for (int k = 0;
		     !error && *outcome != OUTCOME_DECIDED && k < TRIES; k++) {
			enum verdict verdict = VERDICT_UNDECIDED;

			error = evset_ask_set(o, set, set->lines, last, false,
					      &verdict, f);
			*outcome = outcome_if(verdict == VERDICT_COMPACT,
					      OUTCOME_OPEN);
			if (*outcome != OUTCOME_DECIDED)
				evset_pause(o);
		}
	}
	return error;
}

/*
 * Fits, does not fit, fits, in one moment, and in several moments: then all
 * lines are of the set. A foreign line with a neighbour's line in its place
 * would show when that line comes or goes. While it is there nothing fits.
 */
int evset_steadily_minimal(struct evset_oracle *o, const struct evset_set *set,
			   enum outcome *outcome, struct failure *f)
{
	int error = 0, moments = 0;

	for (int i = 0; !error && moments < MOMENTS && i < MOMENTS_TRIED; i++) {
		enum verdict verdict[3] = { VERDICT_NON_COMPACT };

		for (size_t k = 0; !error && k < 3; k++) {
			error = evset_ask_set(o, set, set->lines,
					      set->count - (k != 1), false,
					      &verdict[k], f);
			if (verdict[0] != VERDICT_COMPACT)
				break;
		}
		if (verdict[0] != VERDICT_COMPACT) {
			evset_pause(o);
			continue;
		}
		if (verdict[1] != VERDICT_NON_COMPACT)
			break;
		moments += verdict[2] == VERDICT_COMPACT;
	}
	*outcome = outcome_if(!error && moments == MOMENTS, OUTCOME_OPEN);
	return error;
}

/* A set of lines that have their classes sorts nothing. */
static bool are_known(const struct evset_classes *c,
		      const struct evset_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (!evset_holds(c->lines, c->begin[c->count], set->lines[i]))
			return false;
	return true;
}

/* A neighbour's line makes a set smaller; when it goes, the set is none. */
int evset_check_minimal(struct sorting *s, struct evset_set *set,
			struct failure *f)
{
	size_t ways = s->c->ways;
	const bool may = set->count && set->count <= ways + 1 &&
			 set->count + evset_taken_ways(ways) > ways &&
			 !are_known(s->c, set);
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	if (may)
		error = evset_needs_all(s->o, set, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = evset_steadily_minimal(s->o, set, &outcome, f);
	if (outcome != OUTCOME_DECIDED)
		set->count = 0;
	return error;
}
