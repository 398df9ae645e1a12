// SPDX-License-Identifier: GPL-2.0
/* members.c - more lines of the set of a minimal one. */
#include "method/evset/members.h"

#include "method/index/find.h"

/* Quick answers that have to agree. */
#define TIMES 2

/* Masks exclude most lines. */
static bool may_share(const struct evset_machine *e,
		      const struct index_function *function, uint64_t a,
		      uint64_t b)
{
	if (!function->rank)
		return true;
	return index_agree(function, a - e->window.begin + e->window.phys,
			   b - e->window.begin + e->window.phys) !=
	       VERDICT_COMPACT;
}

static int shares_set(struct evset_machine *e, const struct evset_set *set,
		      uint64_t line, enum outcome *outcome, struct failure *f)
{
	int error = 0;

	*outcome = outcome_if(!evset_holds(set->evictors, set->evictor_count,
					   line),
			      OUTCOME_OPEN);
	for (int i = 0; !error && *outcome == OUTCOME_DECIDED && i < TIMES;
	     i++) {
		enum verdict verdict = VERDICT_COMPACT;

		error = evset_congruent(&e->o, set, line, false, &verdict, f);
		*outcome = outcome_if(verdict == VERDICT_NON_COMPACT,
				      OUTCOME_OPEN);
	}
	return error;
}

int evset_collect(struct evset_machine *e, const struct evset_set *set,
		  const struct index_function *function, uint64_t *lines,
		  size_t most, size_t *count, struct failure *f)
{
	struct sequence candidates;
	int error = evset_places(
		e, (set->lines[0] - e->window.begin) % e->window.low_bytes, 0,
		e->window.bytes / e->window.low_bytes, &candidates, f);

	*count = 0;
	for (size_t i = 0; i < set->count && *count < most; i++)
		lines[(*count)++] = set->lines[i];
	for (size_t i = 0; !error && i < candidates.length && *count < most;
	     i++) {
		uint64_t line = candidates.offsets[i];
		enum outcome shares;

		if (evset_holds(set->lines, set->count, line) ||
		    !may_share(e, function, set->lines[0], line))
			continue;
		error = shares_set(e, set, line, &shares, f);
		if (shares == OUTCOME_DECIDED)
			lines[(*count)++] = line;
	}
	sequence_free(&candidates);
	return error;
}
