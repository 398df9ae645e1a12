// SPDX-License-Identifier: GPL-2.0
/* oracle.c - lists of lines put to an oracle, alone or beside a minimal set. */
#include "method/evset/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

int evset_ask(struct evset_oracle *o, const uint64_t *lines, size_t count,
	      bool final, enum verdict *verdict, struct failure *f)
{
	*verdict = VERDICT_COMPACT;
	if (!count)
		return 0;
	o->tests++;
	o->accesses += count;
	return o->compact(o->context, lines, count, final, verdict, f);
}

size_t evset_evictors_wanted(const struct evset_oracle *o)
{
	return (o->more_evictors ? 3 : 2) * o->upper_evictors;
}

void evset_pause(const struct evset_oracle *o)
{
	if (o->pause)
		o->pause(o->context);
}

size_t evset_with_evictors(const struct evset_set *set, const uint64_t *lines,
			   size_t count, uint64_t *list)
{
	memcpy(list, lines, count * sizeof(*list));
	memcpy(list + count, set->evictors, set->evictor_count * sizeof(*list));
	return count + set->evictor_count;
}

/* @lines first, then the evictors. */
static int ask_with_evictors(struct evset_oracle *o,
			     const struct evset_set *set, const uint64_t *lines,
			     size_t count, const uint64_t *more,
			     size_t more_count, bool final,
			     enum verdict *verdict, struct failure *f)
{
	size_t n = count + set->evictor_count + more_count;
	uint64_t *list = calloc(n, sizeof(*list));
	int error;

	if (!list)
		return prober_out_of_memory(f);
	n = evset_with_evictors(set, lines, count, list);
	if (more_count)
		memcpy(list + n, more, more_count * sizeof(*list));
	n += more_count;
	o->together = set->evictor_count ? count : 0;
	o->in_order = more_count;
	error = evset_ask(o, list, n, final, verdict, f);
	o->together = 0;
	o->in_order = false;
	free(list);
	return error;
}

int evset_ask_set(struct evset_oracle *o, const struct evset_set *set,
		  const uint64_t *lines, size_t count, bool final,
		  enum verdict *verdict, struct failure *f)
{
	return ask_with_evictors(o, set, lines, count, NULL, 0, final, verdict,
				 f);
}

int evset_overflows(struct evset_oracle *o, const struct evset_set *set,
		    bool final, enum outcome *outcome, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = evset_ask_set(o, set, set->lines, set->count, final,
				  &verdict, f);

	*outcome = outcome_if(!error && verdict == VERDICT_NON_COMPACT,
			      OUTCOME_OPEN);
	return error;
}

int evset_congruent(struct evset_oracle *o, const struct evset_set *set,
		    uint64_t line, bool final, enum verdict *verdict,
		    struct failure *f)
{
	uint64_t lines[EVSET_MOST_WAYS + 1];

	memcpy(lines, set->lines, set->count * sizeof(*lines));
	lines[set->count - 1] = line;
	return evset_ask_set(o, set, lines, set->count, final, verdict, f);
}

int evset_any_congruent(struct evset_oracle *o, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool final,
			enum verdict *verdict, struct failure *f)
{
	return ask_with_evictors(o, set, set->lines, set->count - 1, lines,
				 count, final, verdict, f);
}
