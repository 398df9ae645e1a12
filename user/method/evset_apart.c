// SPDX-License-Identifier: GPL-2.0
/* evset_apart.c - controls that classes of lines have to pass. */
#include "evset_sorting.h"

/* Of so many other classes a line each is tried at once: among many more, one
 * miss is little.
 */
#define OTHERS 16
#define ATTEMPTS 4
#define TIMES 2

/* A line of each other class. */
static size_t choose_others(const struct evset_classes *c, size_t i,
			    const struct evset_set *set, size_t attempt,
			    uint64_t *others)
{
	size_t n = 0;

	for (size_t j = 0; j < c->count; j++) {
		size_t lines = evset_class_lines(c, j);
		uint64_t line = c->lines[c->begin[j] + (i + attempt) % lines];

		if (j != i &&
		    !evset_holds(set->padding, set->padding_count, line))
			others[n++] = line;
	}
	return n;
}

/* Members of a class from @from on, beside lines of other classes. */
static struct evset_set choose_set(const struct evset_classes *c, size_t i,
				   size_t from)
{
	struct evset_set set = c->sets[i];
	size_t lines = evset_class_lines(c, i), others = c->count - 1;

	set.count = c->ways + 1;
	for (size_t j = 0; j < set.count; j++)
		set.lines[j] = c->lines[c->begin[i] + (from + j) % lines];
	if (!others || set.padding_count > others * (c->ways / 2))
		return set;
	for (size_t j = 0; j < set.padding_count; j++) {
		size_t class = (i + 1 + j % others) % c->count;

		set.padding[j] = c->lines[c->begin[class] + j / others];
	}
	return set;
}

/* Is none of some lines of the set? Among many, something else may miss; then
 * they are asked about apart.
 */
static int none_congruent(struct evset_oracle *o, const struct evset_set *set,
			  const uint64_t *lines, size_t n, bool *none,
			  struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = evset_any_congruent(o, set, lines, n, true, &verdict, f);

	*none = !error && verdict == VERDICT_COMPACT;
	if (error || *none || n == 1)
		return error;
	error = none_congruent(o, set, lines, n / 2, none, f);
	if (error || !*none)
		return error;
	return none_congruent(o, set, lines + n / 2, n - n / 2, none, f);
}

/*
 * All lines are of the set then: one that is not, with somebody else's in its
 * place, would be seen when that comes or goes.
 */
int evset_steadily_minimal(struct evset_oracle *o, const struct evset_set *set,
			   bool *good, struct failure *f)
{
	int error = 0;

	*good = true;
	for (int i = 0; !error && *good && i < TIMES; i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		error = evset_ask_set(o, set, set->lines, set->count - 1, true,
				      &verdict, f);
		*good = verdict == VERDICT_COMPACT;
		if (error || !*good)
			break;
		error = evset_ask_set(o, set, set->lines, set->count, true,
				      &verdict, f);
		*good = verdict == VERDICT_NON_COMPACT;
	}
	*good &= !error;
	return error;
}

/* All lines of a class, so many at a time. */
static int check_members(struct evset_oracle *o, const struct evset_classes *c,
			 size_t i, bool *good, struct failure *f)
{
	size_t lines = evset_class_lines(c, i);
	int error = 0;

	*good = lines > c->ways;
	for (size_t from = 0; !error && *good && from < lines;
	     from += c->sets[i].count) {
		struct evset_set set = choose_set(c, i, from);

		*good = false;
		for (int k = 0; !error && !*good && k < ATTEMPTS; k++) {
			/* The one that gave the class, or fewer or more. */
			set.count = k ? c->ways + 2 - k : c->sets[i].count;
			error = evset_steadily_minimal(o, &set, good, f);
		}
	}
	return error;
}

/* No line of the other classes is of the set of a class. */
static int check_others(struct evset_oracle *o, const struct evset_classes *c,
			size_t i, size_t attempt, bool *good, struct failure *f)
{
	struct evset_set set = choose_set(c, i, attempt * c->ways);
	uint64_t others[EVSET_MOST_CLASSES];
	size_t n = choose_others(c, i, &set, attempt, others);
	int error = 0;

	set.count = c->sets[i].count;

	*good = true;
	for (size_t k = 0; !error && *good && k < n; k += OTHERS)
		error = none_congruent(o, &set, others + k,
				       n - k < OTHERS ? n - k : OTHERS, good,
				       f);
	return error;
}

int evset_check_classes(struct evset_oracle *o, const struct evset_classes *c,
			bool *good, struct failure *f)
{
	int error = 0;

	*good = c->count > 0;
	for (size_t i = 0; !error && *good && i < c->count; i++) {
		error = check_members(o, c, i, good, f);
		if (error || !*good)
			break;
		*good = false;
		for (size_t k = 0; !error && !*good && k < ATTEMPTS; k++)
			error = check_others(o, c, i, k, good, f);
	}
	return error;
}
