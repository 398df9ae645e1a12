// SPDX-License-Identifier: GPL-2.0
/* verify.c - controls that a minimal set has to pass before it counts. */
#include "method/evset/minimal/minimal.h"

#include <string.h>

/* All but line @without. */
static int ask_without(struct evset_oracle *o, const struct evset_set *set,
		       size_t without, enum verdict *verdict, struct failure *f)
{
	uint64_t rest[EVSET_MOST_WAYS + 1];
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++)
		if (i != without)
			rest[n++] = set->lines[i];
	return evset_ask_set(o, set, rest, n, true, verdict, f);
}

/* An evictor that belongs to the set would count as a line of it. */
static int verify_evictors(struct evset_oracle *o, const struct evset_set *set,
			   enum outcome *outcome, struct failure *f)
{
	size_t half = set->evictor_count / 2;
	int error = 0;

	for (int i = 0; !error && *outcome == OUTCOME_DECIDED && half && i < 2;
	     i++) {
		struct evset_set part = *set;

		part.evictor_count = i ? set->evictor_count - half : half;
		memmove(part.evictors, part.evictors + (i ? half : 0),
			part.evictor_count * sizeof(*part.evictors));
		error = evset_overflows(o, &part, true, outcome, f);
	}
	return error;
}

int evset_verify(struct evset_oracle *o, const struct evset_set *set,
		 enum outcome *outcome, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	*outcome = OUTCOME_OPEN;
	/* Without evictors the levels above may add to the set, as exclusive
	 * ones that have the same sets do.
	 */
	if (!set->count ||
	    (o->upper_evictors > 1 && set->evictor_count < o->upper_evictors))
		return 0;
	error = evset_overflows(o, set, true, outcome, f);
	for (size_t i = 0;
	     !error && *outcome == OUTCOME_DECIDED && i < set->count; i++) {
		error = ask_without(o, set, i, &verdict, f);
		*outcome = outcome_if(!error && verdict == VERDICT_COMPACT,
				      OUTCOME_OPEN);
	}
	if (!error && *outcome == OUTCOME_DECIDED)
		error = verify_evictors(o, set, outcome, f);
	return error;
}
