// SPDX-License-Identifier: GPL-2.0
/* classes.c - lines sorted by the set that they share. */
#include "method/evset/sort/sorting.h"

#include <stdlib.h>
#include <string.h>

/* Minimal sets in a row that were none. */
#define MOST_FAILURES 40
/* Nothing overflows any more, asked so many times. */
#define ENDS 3
/* What is left then is tried with each class, so often in vain. */
#define RESTS 3
/* Classes of which a line each is tried at once. */
#define AT_ONCE 16
/* A class that is missed would be counted twice. */
#define ASKED 2
/* Fewer are soon filled by padding. */
#define MANY_WAYS 12
#define UNCLEAR SIZE_MAX
#define ATTEMPTS 4

size_t evset_class_lines(const struct evset_classes *c, size_t i)
{
	return c->begin[i + 1] - c->begin[i];
}

void evset_classes_free(struct evset_classes *c)
{
	free(c->sets);
	c->sets = NULL;
}

/* Those of @lines that share the set, at the end of @members. @some: at least
 * one of them does, if answers are right.
 */
static int find_members(struct sorting *s, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool some,
			uint64_t *members, size_t *member_count,
			struct failure *f)
{
	enum verdict verdict = VERDICT_NON_COMPACT;
	size_t before = *member_count;
	int error = 0;

	if (!count)
		return 0;
	if (!some || count == 1)
		error = evset_any_congruent(s->o, set, lines, count, false,
					    &verdict, f);
	if (error || verdict != VERDICT_NON_COMPACT)
		return error;
	if (count == 1) {
		members[(*member_count)++] = *lines;
		return 0;
	}
	error = find_members(s, set, lines, count / 2, false, members,
			     member_count, f);
	if (error)
		return error;
	return find_members(s, set, lines + count / 2, count - count / 2,
			    *member_count == before, members, member_count, f);
}

/* Those of a group of lines, if the set does not miss without them. */
static int search_group(struct sorting *s, const struct evset_set *set,
			const uint64_t *group, size_t n, uint64_t *members,
			size_t *member_count, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	size_t before = *member_count;
	int error =
		find_members(s, set, group, n, false, members, member_count, f);

	if (!error && *member_count > before)
		error = evset_ask_set(s->o, set, set->lines, set->count - 1,
				      false, &verdict, f);
	if (verdict != VERDICT_COMPACT)
		*member_count = before;
	return error;
}

int evset_sweep(struct sorting *s, const struct evset_set *set,
		uint64_t *members, size_t *member_count, struct failure *f)
{
	const struct evset_classes *c = s->c;
	uint64_t group[EVSET_MOST_GROUP];
	size_t n = 0;
	int error = 0;

	for (size_t i = c->begin[c->count]; !error && i < c->line_count; i++) {
		uint64_t line = c->lines[i];

		if (!evset_holds(set->lines, set->count, line) &&
		    !evset_holds(set->padding, set->padding_count, line))
			group[n++] = line;
		if (n < s->group && i + 1 < c->line_count)
			continue;
		error = search_group(s, set, group, n, members, member_count,
				     f);
		n = 0;
	}
	return error;
}

/* Members among the lines that are left, which begin behind all classes, into
 * class @k.
 */
static int add_lines(struct evset_classes *c, size_t k, const uint64_t *members,
		     size_t member_count, struct failure *f)
{
	size_t done = c->begin[c->count], n = 0,
	       behind = done - c->begin[k + 1];
	uint64_t *found = calloc(member_count + 1, sizeof(*found));

	if (!found)
		return prober_out_of_memory(f);
	for (size_t i = done; i < c->line_count && n < member_count; i++) {
		uint64_t line = c->lines[i];

		if (!evset_holds(members, member_count, line))
			continue;
		c->lines[i] = c->lines[done + n];
		c->lines[done + n] = line;
		found[n++] = line;
	}
	memmove(c->lines + c->begin[k + 1] + n, c->lines + c->begin[k + 1],
		behind * sizeof(*c->lines));
	memcpy(c->lines + c->begin[k + 1], found, n * sizeof(*found));
	for (size_t i = k + 1; i <= c->count; i++)
		c->begin[i] += n;
	free(found);
	return 0;
}

/* Is a line in a list already? It cannot come twice. */
static bool is_in(const struct evset_set *set, uint64_t line)
{
	return evset_holds(set->lines, set->count, line) ||
	       evset_holds(set->padding, set->padding_count, line);
}

/* A line of a class that can be walked beside a set. */
static uint64_t line_beside(const struct evset_classes *c, size_t k,
			    const struct evset_set *set)
{
	size_t i = c->begin[k];

	while (i + 1 < c->begin[k + 1] && is_in(set, c->lines[i]))
		i++;
	return c->lines[i];
}

/*
 * A line of class @i evicts a set: they are one class, or the line is none of its
 * own. Some more than half of the lines of each do not fit together, or fit with
 * room to spare.
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
		theirs += evset_holds(set->padding, set->padding_count,
				      c->lines[j]);
	both.count = half;
	/* One more than fits is all that a set of the most ways has room for. */
	for (size_t j = c->begin[i]; theirs < half && j < c->begin[i + 1] &&
				     both.count <= EVSET_MOST_WAYS;
	     j++)
		if (!is_in(set, c->lines[j])) {
			both.lines[both.count++] = c->lines[j];
			theirs++;
		}
	error = evset_ask_set(s->o, &both, both.lines, both.count, false,
			      &verdict, f);
	*k = verdict == VERDICT_NON_COMPACT ? i : c->count;
	return error;
}

/* Which of some classes has a line that evicts a set, *k; c->count: none. A set
 * that misses without it tells nothing.
 */
static int find_evicting(struct sorting *s, const struct evset_set *set,
			 size_t from, size_t n, size_t *k, struct failure *f)
{
	const struct evset_classes *c = s->c;
	enum verdict verdict = VERDICT_COMPACT;
	uint64_t lines[AT_ONCE];
	int error = 0;

	for (size_t i = 0; i < n; i++) {
		lines[i] = line_beside(c, from + i, set);
		if (is_in(set, lines[i])) {
			bool same =
				evset_holds(set->lines, set->count, lines[i]);

			*k = same ? from + i : UNCLEAR;
			return 0;
		}
	}
	for (int i = 0; !error && verdict == VERDICT_COMPACT && i < ASKED; i++)
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
		*k = UNCLEAR;
	return error;
}

/* The same the other way round: whose set a line of a new one evicts. */
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
			if (is_in(old, line))
				line = set->lines[n];
		if (is_in(old, line))
			continue;
		error = evset_any_congruent(s->o, old, &line, 1, false,
					    &verdict, f);
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = check_evicting(s, set, i, k, f);
	}
	return error;
}

/* The class that a set belongs to, *k; c->count: it is a new one; UNCLEAR. */
static int find_class(struct sorting *s, const struct evset_set *set, size_t *k,
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
	/* Somebody may have left, and one line more would fit now. */
	if (!error && *k == count)
		error = evset_ask_set(s->o, set, set->lines, set->count, false,
				      &verdict, f);
	if (verdict != VERDICT_NON_COMPACT)
		*k = UNCLEAR;
	return error;
}

static int add_class(struct sorting *s, const struct evset_set *set,
		     const uint64_t *members, size_t member_count,
		     struct failure *f)
{
	struct evset_classes *c = s->c;
	size_t k;
	int error = find_class(s, set, &k, f);

	if (error || k == UNCLEAR)
		return error;
	if (k == c->count) {
		c->sets[k] = *set;
		c->begin[k + 1] = c->begin[k];
		c->count++;
	}
	return add_lines(c, k, members, member_count, f);
}

/* Others first, so that the next attempt is another one. */
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

/* One class more, or lines of one that is known. */
static int sort_some(struct sorting *s, const struct evset_set *set,
		     uint64_t *members, struct failure *f)
{
	size_t n = set->count;
	int error;

	memcpy(members, set->lines, n * sizeof(*members));
	error = evset_sweep(s, set, members, &n, f);
	return error ? error : add_class(s, set, members, n, f);
}

/* As many lines of a set as fit now, and one more: fewer where somebody else
 * keeps some.
 */
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

/* Lines that were missed are too few to overflow. */
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
			error = add_lines(s->c, k, members, n, f);
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

/* Some of the lines that are spare, if the others are too few: the sets that are
 * known take theirs first.
 */
static int sort_more(struct sorting *s, uint64_t *members, bool *more,
		     struct failure *f)
{
	struct evset_classes *c = s->c;
	size_t wanted = evset_lines_wanted(c);

	*more = wanted > c->line_count;
	c->spare -= wanted - c->line_count;
	c->line_count = wanted;
	/* A set overflows with some more than half of its ways. */
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

/* Two classes of one set, or one of two, are sorted again. */
static int sort_and_check(struct sorting *s, uint64_t *members,
			  struct failure *f)
{
	struct evset_classes *c = s->c;
	int error = 0;

	for (int i = 0; !error && !c->apart && i < ATTEMPTS; i++) {
		size_t bad = 0;

		error = sort_and_purify(s, members, f);
		if (!error)
			error = evset_check_classes(s->o, c, &bad, f);
		c->apart = !error && c->count && bad == c->count;
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
	o->more_padding = ways >= MANY_WAYS;
	c->sets = calloc(EVSET_MOST_CLASSES, sizeof(*c->sets));
	if (members && c->sets)
		error = sort_and_check(&s, members, f);
	else
		error = prober_out_of_memory(f);
	free(members);
	o->more_padding = false;
	return error;
}
