// SPDX-License-Identifier: GPL-2.0
/* evset_classes.c - lines sorted by the set that they share. */
#include "evset_sorting.h"

#include <stdlib.h>
#include <string.h>

/* Minimal sets in a row that were none. */
#define MOST_FAILURES 40
/* Nothing overflows any more, asked so many times. */
#define ENDS 3
#define LEAST_GROUP 2
/* Classes of which a line each is tried at once. */
#define AT_ONCE 16
#define MOST_GROUP 64
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

/* So many that one in two groups has a line of some set: a set overflows when it
 * has some more than half of its ways on the average.
 */
static void choose_group(struct sorting *s, size_t prefix)
{
	s->group = prefix / s->c->ways;
	if (s->group > MOST_GROUP)
		s->group = MOST_GROUP;
	if (s->group < LEAST_GROUP)
		s->group = LEAST_GROUP;
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

/* All lines of the set among those left, but for its own. */
static int sweep(struct sorting *s, const struct evset_set *set,
		 uint64_t *members, size_t *member_count, struct failure *f)
{
	const struct evset_classes *c = s->c;
	uint64_t group[MOST_GROUP];
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

/* A line of a class that is no padding of a set. */
static uint64_t line_beside(const struct evset_classes *c, size_t k,
			    const struct evset_set *set)
{
	size_t i = c->begin[k];

	while (i + 1 < c->begin[k + 1] &&
	       evset_holds(set->padding, set->padding_count, c->lines[i]))
		i++;
	return c->lines[i];
}

/* Which of some classes has a line that evicts a set, *k; c->count: none. A set
 * that misses without it tells nothing.
 */
static int find_evicting(struct sorting *s, const struct evset_set *set,
			 size_t from, size_t n, size_t *k, struct failure *f)
{
	const struct evset_classes *c = s->c;
	enum verdict verdict = VERDICT_UNDECIDED, alone = VERDICT_COMPACT;
	uint64_t lines[AT_ONCE];
	int error;

	for (size_t i = 0; i < n; i++)
		lines[i] = line_beside(c, from + i, set);
	error = evset_any_congruent(s->o, set, lines, n, true, &verdict, f);
	for (size_t i = 0; !error && verdict != VERDICT_COMPACT && i < n; i++) {
		enum verdict one = VERDICT_UNDECIDED;

		error = evset_any_congruent(s->o, set, lines + i, 1, true, &one,
					    f);
		if (one == VERDICT_NON_COMPACT) {
			*k = from + i;
			break;
		}
	}
	if (!error && *k < c->count)
		error = evset_ask_set(s->o, set, set->lines, set->count - 1,
				      true, &alone, f);
	if (alone != VERDICT_COMPACT)
		*k = UNCLEAR;
	return error;
}

/* The class that a set belongs to, *k; c->count: it is a new one; UNCLEAR. */
static int find_class(struct sorting *s, const struct evset_set *set, size_t *k,
		      struct failure *f)
{
	const size_t count = s->c->count;
	int error = 0;

	*k = count;
	for (size_t i = 0; !error && *k == count && i < count; i += AT_ONCE)
		error = find_evicting(s, set, i,
				      count - i < AT_ONCE ? count - i : AT_ONCE,
				      k, f);
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

/* Lines of classes that are known, some of each, behind candidates: neither what
 * clears the levels above nor what takes its place is of the set then. Early on
 * there are too few of them; then there are many unknown classes to come from.
 */
static size_t add_known(const struct evset_classes *c, size_t wanted,
			uint64_t *lines)
{
	size_t n = 0;

	if (wanted > c->count * (c->ways * 3 / 4))
		return 0;
	for (; n < wanted; n++)
		lines[n] = c->lines[c->begin[n % c->count] + n / c->count];
	return n;
}

/* Does it miss, and not without its last line? Somebody else's line makes a set
 * smaller, which is no good when they go.
 */
static int check_minimal(struct sorting *s, struct evset_set *set,
			 struct failure *f)
{
	size_t ways = s->c->ways;
	enum verdict verdict = VERDICT_UNDECIDED;
	bool good = false;
	int error = 0;

	if (set->count > ways + 1 ||
	    set->count + evset_taken_ways(ways) < ways + 1)
		set->count = 0;
	if (set->count && set->count <= ways) {
		error = evset_steadily_minimal(s->o, set, &good, f);
	} else if (set->count) {
		error = evset_ask_set(s->o, set, set->lines, set->count, false,
				      &verdict, f);
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = evset_ask_set(s->o, set, set->lines,
					      set->count - 1, false, &verdict,
					      f);
		good = verdict == VERDICT_COMPACT;
	}
	if (!good)
		set->count = 0;
	return error;
}

/* Candidates of which some set overflows: what is left in front of known lines,
 * without which few lines would not be seen to miss. *count 0: none.
 */
static int gather(struct sorting *s, uint64_t *lines, size_t *count,
		  struct failure *f)
{
	const struct evset_classes *c = s->c;
	const uint64_t *rest = c->lines + c->begin[c->count];
	size_t left = c->line_count - c->begin[c->count], length = 0;
	size_t least = s->o->clearing > 1 ? s->o->clearing : 1;
	size_t known = least > 1 ? add_known(c, 4 * least, lines) : 0;
	size_t front = known / 2;
	int error = 0;

	*count = 0;
	if (front > least)
		least = front;
	memcpy(lines + front, rest, left * sizeof(*rest));
	if (front + left > least)
		error = evset_overflow(s->o, lines, front + left, least,
				       &length, f);
	if (error || !length)
		return error;
	/* What is just noticed may not be noticed again. */
	length -= front;
	length += length / 16;
	if (length > left)
		length = left;
	choose_group(s, length);
	memcpy(lines, rest, length * sizeof(*rest));
	*count = length + (known ? add_known(c, known, lines + length) : 0);
	return 0;
}

/* A minimal set of what is left; set->count 0: none. */
static int find_set(struct sorting *s, struct evset_set *set, bool *overflows,
		    struct failure *f)
{
	const struct evset_classes *c = s->c;
	size_t left = c->line_count - c->begin[c->count], count = 0;
	uint64_t *lines = calloc(left + 4 * s->o->clearing + 1, sizeof(*lines));
	int error;

	set->count = 0;
	if (!lines)
		return prober_out_of_memory(f);
	error = gather(s, lines, &count, f);
	*overflows = count;
	if (!error && count)
		error = evset_reduce(s->o, lines, count, set, f);
	free(lines);
	return error ? error : check_minimal(s, set, f);
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
	error = sweep(s, set, members, &n, f);
	return error ? error : add_class(s, set, members, n, f);
}

/* Lines that were missed are too few to overflow. */
static int sort_rest(struct sorting *s, uint64_t *members, struct failure *f)
{
	const struct evset_classes *c = s->c;
	int error = 0;

	for (size_t i = 0; !error && i < ENDS * c->count &&
			   c->begin[c->count] < c->line_count;
	     i++) {
		size_t k = i % c->count;
		size_t n = 0;

		error = sweep(s, &s->c->sets[k], members, &n, f);
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
		bool overflows = true;
		struct evset_set set;

		error = find_set(s, &set, &overflows, f);
		ends = overflows ? 0 : ends + 1;
		if (!error && set.count) {
			error = sort_some(s, &set, members, f);
			s->failures = 0;
		} else if (!error) {
			s->failures++;
			rotate(s->c);
		}
	}
	return error ? error : sort_rest(s, members, f);
}

static int sort_and_purify(struct sorting *s, uint64_t *members,
			   struct failure *f)
{
	size_t dropped = 1;
	int error = 0;

	for (int i = 0; !error && dropped && i < ATTEMPTS; i++) {
		error = sort(s, members, f);
		if (!error)
			error = evset_purify(s, &dropped, f);
	}
	return error;
}

int evset_classify(struct evset_oracle *o, uint64_t *lines, size_t count,
		   size_t prefix, size_t ways, struct evset_classes *c,
		   struct failure *f)
{
	struct sorting s = { .o = o, .c = c };
	uint64_t *members = calloc(count + EVSET_MOST_WAYS, sizeof(*members));
	int error;

	*c = (struct evset_classes){ .ways = ways,
				     .lines = lines,
				     .line_count = count };
	choose_group(&s, prefix);
	c->sets = calloc(EVSET_MOST_CLASSES, sizeof(*c->sets));
	if (members && c->sets)
		error = sort_and_purify(&s, members, f);
	else
		error = prober_out_of_memory(f);
	free(members);
	return error;
}
