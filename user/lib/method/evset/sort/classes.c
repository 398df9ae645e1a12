// SPDX-License-Identifier: GPL-2.0
/* classes.c - lines sorted by the set that they share. */
#include "method/evset/sort/sorting.h"

#include <stdlib.h>
#include <string.h>

/* Tries in a row that gave no minimal set. */
#define MOST_FAILURES 40
/* Times in a row that nothing overflows any more. */
#define ENDS 3
/* Tries in vain of the remaining lines with each class. */
#define RESTS 3
/* Sets of fewer ways are soon filled by evictors. */
#define MANY_WAYS 12
#define ATTEMPTS 4

static int add_class(struct sorting *s, const struct evset_set *set,
		     const uint64_t *members, size_t member_count,
		     struct failure *f)
{
	struct evset_classes *c = s->c;
	size_t k;
	int error = evset_find_class(s, set, &k, f);

	if (error || k == EVSET_UNCLEAR_CLASS)
		return error;
	if (k == c->count) {
		c->sets[k] = *set;
		c->begin[k + 1] = c->begin[k];
		c->count++;
	}
	return evset_class_add(c, k, members, member_count, f);
}

/* The next attempt begins with other lines. */
static void rotate(struct evset_classes *c)
{
	size_t done = c->begin[c->count], left = c->line_count - done;
	size_t by = left / 3;

	for (size_t i = 0; by && i + by < left; i++) {
		uint64_t kept = c->lines[done + i];

		c->lines[done + i] = c->lines[done + i + by];
		c->lines[done + i + by] = kept;
	}
}

/* One class more, or more lines of a known one. */
static int sort_some(struct sorting *s, const struct evset_set *set,
		     uint64_t *members, struct failure *f)
{
	size_t n = set->count;
	int error;

	memcpy(members, set->lines, n * sizeof(*members));
	error = evset_sweep(s, set, members, &n, f);
	return error ? error : add_class(s, set, members, n, f);
}

/* As many lines of a set as fit now, and one more: fewer under contention. */
static int minimal_now(struct sorting *s, struct evset_set *set,
		       struct failure *f)
{
	size_t least = s->c->ways + 1 - evset_taken_ways(s->c->ways);
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	for (; !error && set->count >= least; set->count--) {
		error = evset_ask_set(s->o, set, set->lines, set->count - 1,
				      false, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			return error;
	}
	set->count = 0;
	return error;
}

/* Lines that were overlooked are too few to overflow. */
static int sort_rest(struct sorting *s, uint64_t *members, struct failure *f)
{
	const struct evset_classes *c = s->c;
	size_t idle = 0;
	int error = 0;

	for (size_t i = 0; !error && idle < RESTS * c->count &&
			   c->begin[c->count] < c->line_count;
	     i++) {
		size_t k = i % c->count, n = 0;
		struct evset_set set = c->sets[k];

		if (i && !k)
			evset_pause(s->o);
		error = minimal_now(s, &set, f);
		if (!error && set.count)
			error = evset_sweep(s, &set, members, &n, f);
		idle = n ? 0 : idle + 1;
		if (!error && n)
			error = evset_class_add(s->c, k, members, n, f);
	}
	return error;
}

static int sort(struct sorting *s, uint64_t *members, struct failure *f)
{
	const struct evset_classes *c = s->c;
	int error = 0, ends = 0;

	s->failures = 0;
	while (!error && ends < ENDS && s->failures < MOST_FAILURES &&
	       c->count < EVSET_MOST_CLASSES) {
		size_t sorted = c->begin[c->count];
		bool overflows = true;
		struct evset_set set;

		error = evset_next_set(s, &set, &overflows, f);
		ends = overflows ? 0 : ends + 1;
		if (!error && set.count)
			error = sort_some(s, &set, members, f);
		if (c->begin[c->count] > sorted) {
			s->failures = 0;
			continue;
		}
		s->failures++;
		rotate(s->c);
		evset_pause(s->o);
	}
	return error ? error : sort_rest(s, members, f);
}

/* Some of the spare lines, if the others are too few: known sets take theirs
 * first.
 */
static int sort_more(struct sorting *s, uint64_t *members, bool *more,
		     struct failure *f)
{
	struct evset_classes *c = s->c;
	size_t wanted = evset_lines_wanted(c);

	*more = wanted > c->line_count;
	c->spare -= wanted - c->line_count;
	c->line_count = wanted;
	/* A set overflows when it has some more lines than half of its ways, on
	 * average.
	 */
	if (c->count)
		evset_choose_group(s, c->count * c->ways / 2);
	return *more ? sort_rest(s, members, f) : 0;
}

static int sort_enough(struct sorting *s, uint64_t *members, struct failure *f)
{
	bool more = true;
	int error = 0;

	while (!error && more) {
		error = sort(s, members, f);
		if (!error)
			error = sort_more(s, members, &more, f);
	}
	return error;
}

static int sort_and_purify(struct sorting *s, uint64_t *members,
			   struct failure *f)
{
	size_t dropped = 1;
	int error = 0;

	for (int i = 0; !error && dropped && i < ATTEMPTS; i++) {
		error = sort_enough(s, members, f);
		if (!error)
			error = evset_purify(s, &dropped, f);
	}
	return error;
}

/* Two classes of one set, or one class of two sets, are sorted again. */
static int sort_and_check(struct sorting *s, uint64_t *members,
			  struct failure *f)
{
	struct evset_classes *c = s->c;
	int error = 0;

	for (int i = 0; !error && !c->checked && i < ATTEMPTS; i++) {
		size_t bad = 0;

		error = sort_and_purify(s, members, f);
		if (!error)
			error = evset_check_classes(s->o, c, &bad, f);
		c->checked = !error && c->count && bad == c->count;
		if (!error && bad < c->count)
			evset_dissolve(c, bad);
	}
	return error;
}

int evset_classify(struct evset_oracle *o, const struct evset_unsorted *u,
		   size_t ways, struct evset_classes *c, struct failure *f)
{
	struct sorting s = { .o = o, .c = c };
	size_t most = u->count + u->spare;
	uint64_t *members = calloc(most + EVSET_MOST_WAYS, sizeof(*members));
	int error;

	*c = (struct evset_classes){ .ways = ways,
				     .lines = u->lines,
				     .line_count = u->count,
				     .spare = u->spare };
	evset_choose_group(&s, u->prefix);
	o->more_evictors = ways >= MANY_WAYS;
	c->sets = calloc(EVSET_MOST_CLASSES, sizeof(*c->sets));
	if (members && c->sets)
		error = sort_and_check(&s, members, f);
	else
		error = prober_out_of_memory(f);
	free(members);
	o->more_evictors = false;
	return error;
}
