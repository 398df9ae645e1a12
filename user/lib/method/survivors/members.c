// SPDX-License-Identifier: GPL-2.0
/* members.c - which lines share the set of the level above. */
#include <math.h>
#include <string.h>

#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* Looked at together: few of one set, which would push each other out. */
#define TOGETHER 32
/* Times as many lines as can be of a set, and some that chance adds to few: then readings
 * do not show what they should.
 */
#define MORE_TIMES 2
#define MORE_LEAST (2 * TOGETHER)

/**
 * struct batch - lines that are looked at together
 * @lines: @count of them, none of them of the others' pages
 */
struct batch {
	uint64_t lines[TOGETHER];
	size_t count;
};

static bool pushes(const struct survivors *s, uint64_t line)
{
	for (size_t i = 0; i < s->push.length; i++)
		if (s->push.offsets[i] == line)
			return true;
	return false;
}

static void next_batch(struct survivors *s, struct batch *b)
{
	b->count = 0;
	while (b->count < TOGETHER && s->pages_seen < s->page_count) {
		uint64_t line =
			s->pages[s->pages_seen++] * SURVIVOR_PAGE_BYTES +
			s->place;

		if (!pushes(s, line))
			b->lines[b->count++] = line;
	}
}

/* Only those stay whose readings are beyond the level above on average, where one of
 * memory counts as one of the level below that is seldom longer.
 */
static int keep_members(struct survivors *s, struct batch *b,
			unsigned int looks, struct failure *f)
{
	const struct sequence timed = { b->lines, b->count };
	double sums[TOGETHER] = { 0 }, ticks[TOGETHER];
	struct survivor_look look = { .timed = &timed,
				      .warm = true,
				      .ticks = ticks };
	const double most = s->below_ticks + s->deviation;
	size_t kept = 0;

	for (unsigned int i = 0; b->count && i < looks; i++) {
		int error = survivors_look(s, &look, f);

		if (error)
			return error;
		for (size_t j = 0; j < b->count; j++)
			sums[j] += fmin(ticks[j], most);
	}
	for (size_t j = 0; j < b->count; j++)
		if (sums[j] > looks * s->near_ticks)
			b->lines[kept++] = b->lines[j];
	b->count = kept;
	return 0;
}

/* Lines at one place of all pages are of that part of the sets at most that a page has
 * lines of; an index that depends on the place otherwise, of fewer.
 */
static bool are_too_many(const struct survivors *s)
{
	const struct cache_result *above = s->above;
	double share;

	if (!parameter_is_measured(&above->sets) ||
	    !parameter_is_measured(&above->line_bytes))
		return false;
	share = SURVIVOR_PAGE_BYTES / above->line_bytes.value /
		above->sets.value;
	return (double)s->member_count >
	       MORE_LEAST + MORE_TIMES * share * (double)s->pages_seen;
}

int survivors_gather(struct survivors *s, size_t wanted, struct failure *f)
{
	struct batch fresh, likely = { .count = 0 };
	int error = 0;

	s->too_many = false;
	while (!error && s->member_count < wanted && !s->too_many &&
	       s->pages_seen < s->page_count) {
		next_batch(s, &fresh);
		error = keep_members(s, &fresh, s->first_looks, f);
		for (size_t i = 0; !error && i < fresh.count; i++) {
			likely.lines[likely.count++] = fresh.lines[i];
			if (likely.count < TOGETHER)
				continue;
			error = keep_members(s, &likely, s->member_looks, f);
			memcpy(s->members + s->member_count, likely.lines,
			       likely.count * sizeof(*likely.lines));
			s->member_count += likely.count;
			likely.count = 0;
			s->too_many = are_too_many(s);
		}
	}
	return error;
}
