// SPDX-License-Identifier: GPL-2.0
/* find_class.c - the class that a minimal set belongs to. */
#include "method/evset/sort/sorting.h"

/* Classes of which one line each is tried at once. */
#define AT_ONCE 16
/* Tries, since a class that is overlooked would be counted twice. */
#define TRIES 2

/* A line of a class that can be walked beside a set. */
static uint64_t line_for(const struct evset_classes *c, size_t k,
			 const struct evset_set *set)
{
	size_t i = c->begin[k];

	while (i + 1 < c->begin[k + 1] && evset_set_holds(set, c->lines[i]))
		i++;
	return c->lines[i];
}

/*
 * A line of class @i evicts a set: they are one class, or the line is foreign
 * there. If some more than half of the lines of each do not fit together they
 * are one class; otherwise they fit with room to spare.
 */
static int check_evicting(struct sorting *s, const struct evset_set *set,
			  size_t i, size_t *k, struct failure *f)
{
	const struct evset_classes *c = s->c;
	enum verdict verdict = VERDICT_UNDECIDED;
	struct evset_set both = *set;
	size_t half = c->ways / 2 + 1, theirs = 0;
	int error;

	for (size_t j = c->begin[i]; j < c->begin[i + 1]; j++)
		theirs += evset_holds(set->evictors, set->evictor_count,
				      c->lines[j]);
	both.count = half;
	/* A set of the most ways has room for one more. */
	for (size_t j = c->begin[i]; theirs < half && j < c->begin[i + 1] &&
				     both.count <= EVSET_MOST_WAYS;
	     j++)
		if (!evset_set_holds(set, c->lines[j])) {
			both.lines[both.count++] = c->lines[j];
			theirs++;
		}
	error = evset_ask_set(s->o, &both, both.lines, both.count, false,
			      &verdict, f);
	*k = verdict == VERDICT_NON_COMPACT ? i : c->count;
	return error;
}

/* Which of some classes has a line that evicts a set, *k; c->count: none. A set
 * that misses without this line proves nothing.
 */
static int find_evicting(struct sorting *s, const struct evset_set *set,
			 size_t from, size_t n, size_t *k, struct failure *f)
{
	const struct evset_classes *c = s->c;
	enum verdict verdict = VERDICT_COMPACT;
	uint64_t lines[AT_ONCE];
	int error = 0;

	for (size_t i = 0; i < n; i++) {
		lines[i] = line_for(c, from + i, set);
		if (evset_set_holds(set, lines[i])) {
			bool same =
				evset_holds(set->lines, set->count, lines[i]);

			*k = same ? from + i : EVSET_UNCLEAR_CLASS;
			return 0;
		}
	}
	for (int i = 0; !error && verdict == VERDICT_COMPACT && i < TRIES; i++)
		error = evset_any_congruent(s->o, set, lines, n, false,
					    &verdict, f);
	for (size_t i = 0; !error && verdict != VERDICT_COMPACT && i < n; i++) {
		enum verdict one = VERDICT_UNDECIDED;

		error = evset_any_congruent(s->o, set, lines + i, 1, false,
					    &one, f);
		if (!error && one == VERDICT_NON_COMPACT)
			error = check_evicting(s, set, from + i, k, f);
		if (*k != c->count)
			return error;
	}
	if (verdict != VERDICT_COMPACT)
		error = error ? error :
				evset_ask_set(s->o, set, set->lines,
					      set->count - 1, false, &verdict,
					      f);
	if (verdict != VERDICT_COMPACT)
		*k = EVSET_UNCLEAR_CLASS;
	return error;
}

/* The other way round: whose set a line of a new one evicts. */
static int find_evicted(struct sorting *s, const struct evset_set *set,
			size_t *k, struct failure *f)
{
	const struct evset_classes *c = s->c;
	int error = 0;

	for (size_t i = 0; !error && *k == c->count && i < c->count; i++) {
		const struct evset_set *old = &c->sets[i];
		enum verdict verdict = VERDICT_UNDECIDED;
		uint64_t line = set->lines[0];

		for (size_t n = 1; n < set->count; n++)
			if (evset_set_holds(old, line))
				line = set->lines[n];
		if (evset_set_holds(old, line))
			continue;
		error = evset_any_congruent(s->o, old, &line, 1, false,
					    &verdict, f);
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = check_evicting(s, set, i, k, f);
	}
	return error;
}

int evset_find_class(struct sorting *s, const struct evset_set *set, size_t *k,
		     struct failure *f)
{
	const size_t count = s->c->count;
	enum verdict verdict = VERDICT_NON_COMPACT;
	int error = 0;

	*k = count;
	for (size_t i = 0; !error && *k == count && i < count; i += AT_ONCE)
		error = find_evicting(s, set, i,
				      count - i < AT_ONCE ? count - i : AT_ONCE,
				      k, f);
	if (!error && *k == count)
		error = find_evicted(s, set, k, f);
	/* If contention has ended, one line more fits now. */
	if (!error && *k == count)
		error = evset_ask_set(s->o, set, set->lines, set->count, false,
				      &verdict, f);
	if (verdict != VERDICT_NON_COMPACT)
		*k = EVSET_UNCLEAR_CLASS;
	return error;
}
