// SPDX-License-Identifier: GPL-2.0
/* line.c - line size from a minimal set (algorithms: section 2.5). */
#include "method/evset/stages.h"
#include "method/evset/tuning.h"

#include <stdio.h>

#define LEAST_LINE_BYTES 8
#define MOST_LINE_BYTES 512
/* A prefetcher may bring lines in pairs: the least size counts, if members
 * agree on it.
 */
#define AGREEING 2
/* All evictors and their halves. */
#define PARTS 3

/* Is @set without its last line compact beside the evictors moved by @delta?
 * Otherwise beside one half of them: a line that has come into the set is in
 * the other half. *n: lines of @moved.
 */
static int move_evictors(struct evset_machine *e, const struct evset_set *set,
			 uint64_t delta, uint64_t *moved, size_t *n,
			 enum verdict *alone, struct failure *f)
{
	const size_t all = set->evictor_count, half = all / 2;
	const struct {
		size_t from, count;
	} parts[] = { { 0, all }, { 0, half }, { half, all - half } };
	int error = 0;

	*alone = VERDICT_UNDECIDED;
	for (size_t k = 0; !error && *alone != VERDICT_COMPACT && k < PARTS;
	     k++) {
		*n = parts[k].count;
		if (k && *n < e->o.upper_evictors)
			continue;
		for (size_t i = 0; i < *n; i++)
			moved[i] = set->evictors[parts[k].from + i] + delta;
		error = evset_any_congruent(&e->o, set, moved, *n, true, alone,
					    f);
	}
	return error;
}

/*
 * Is the word @delta bytes beyond a member in that member's line, or in its
 * set? The evictors, moved along, evict the word from the levels above, and
 * must not be in the set themselves.
 */
static int moves_along(struct evset_machine *e, const struct evset_set *set,
		       size_t member, uint64_t delta, enum verdict *verdict,
		       struct failure *f)
{
	struct evset_set without = *set;
	uint64_t more[EVSET_MOST_EVICTORS + 1];
	enum verdict alone;
	size_t n = 0;
	int error;

	without.lines[member] = set->lines[set->count - 1];
	/* They keep their distances, even if the word is still in the line. */
	more[0] = set->lines[member] + delta;
	error = move_evictors(e, &without, delta, more + 1, &n, &alone, f);
	*verdict = VERDICT_UNDECIDED;
	if (error || alone != VERDICT_COMPACT)
		return error;
	return evset_any_congruent(&e->o, &without, more, n + 1, true, verdict,
				   f);
}

/* If contention has ended, the set itself fits, and so does anything. */
static int confirm_set(struct evset_machine *e, const struct evset_set *set,
		       uint64_t found, uint64_t *bytes, struct failure *f)
{
	enum outcome outcome = OUTCOME_OPEN;
	int error = evset_overflows(&e->o, set, true, &outcome, f);

	*bytes = outcome == OUTCOME_DECIDED ? found : 0;
	return error;
}

static int line_of(struct evset_machine *e, const struct evset_set *set,
		   size_t member, uint64_t *bytes, struct failure *f)
{
	*bytes = 0;
	for (uint64_t d = LEAST_LINE_BYTES; d <= MOST_LINE_BYTES; d *= 2) {
		enum verdict verdict;
		int error = moves_along(e, set, member, d, &verdict, f);

		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_COMPACT)
			return confirm_set(e, set, d, bytes, f);
	}
	return 0;
}

/* Each miss above asks for the whole of a line of the level above. */
static void say_shorter(uint64_t found, char *reason, size_t size)
{
	snprintf(
		reason, size,
		"%llu bytes, less than above: lines moved by their size do not get past the levels above",
		(unsigned long long)found);
}

int evset_measure_line(struct evset_machine *e, const struct evset_set *set,
		       uint64_t *bytes, char *reason, size_t size,
		       struct failure *f)
{
	const struct xray *x = e->x;
	uint64_t above =
		x->upper_count ? x->upper[x->upper_count - 1].line_bytes : 0;
	uint64_t least = 0;
	int agreeing = 0;

	*bytes = 0;
	for (size_t i = 0;
	     i < LINE_MEMBERS &&
	     (i < LINE_MEMBERS / 2 || agreeing < AGREEING || least > above);
	     i++) {
		uint64_t found = 0;
		int error = line_of(e, set, i % set->count, &found, f);

		if (error)
			return error;
		if (found && found < above) {
			say_shorter(found, reason, size);
			return 0;
		}
		if (found && (!least || found < least)) {
			least = found;
			agreeing = 0;
		}
		agreeing += found && found == least;
	}
	if (agreeing >= AGREEING && (!x->upper_count || least <= above))
		*bytes = least;
	else if (agreeing >= AGREEING)
		snprintf(
			reason, size,
			"%llu bytes, more than above: a prefetcher may bring lines in pairs",
			(unsigned long long)least);
	else if (least)
		snprintf(reason, size,
			 "only one line of a set seems to have %llu bytes",
			 (unsigned long long)least);
	else
		snprintf(
			reason, size,
			"a line moved by its own size is not clearly in or out of its set");
	return 0;
}
