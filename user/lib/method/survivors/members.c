// SPDX-License-Identifier: GPL-2.0
/* members.c - which lines share the set of the level above. */
#include <math.h>
#include <string.h>

#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* Looked at together: few of one set, which would push each other out. */
#define TOGETHER 32

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
 * memory counts as one of the level below.
 */
static int keep_members(struct survivors *s, struct batch *b,
			unsigned int looks, struct failure *f)
{
	const struct sequence timed = { b->lines, b->count };
	double sums[TOGETHER] = { 0 }, ticks[TOGETHER];
	struct survivor_look look = { .timed = &timed,
				      .warm = true,
				      .ticks = ticks };
	size_t kept = 0;

	for (unsigned int i = 0; b->count && i < looks; i++) {
		int error = survivors_look(s, &look, f);

		if (error)
			return error;
		for (size_t j = 0; j < b->count; j++)
			sums[j] += fmin(ticks[j], s->below_ticks);
	}
	for (size_t j = 0; j < b->count; j++)
		if (sums[j] > looks * s->near_ticks)
			b->lines[kept++] = b->lines[j];
	b->count = kept;
	return 0;
}

int survivors_gather(struct survivors *s, size_t wanted, struct failure *f)
{
	struct batch fresh, likely = { .count = 0 };
	int error = 0;

	while (!error && s->member_count < wanted &&
	       s->pages_seen < s->page_count) {
		next_batch(s, &fresh);
		error = keep_members(s, &fresh, 1, f);
		for (size_t i = 0; !error && i < fresh.count; i++) {
			likely.lines[likely.count++] = fresh.lines[i];
			if (likely.count < TOGETHER)
				continue;
			error = keep_members(s, &likely, MEMBER_LOOKS, f);
			memcpy(s->members + s->member_count, likely.lines,
			       likely.count * sizeof(*likely.lines));
			s->member_count += likely.count;
			likely.count = 0;
		}
	}
	return error;
}
