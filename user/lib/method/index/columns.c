// SPDX-License-Identifier: GPL-2.0
/*
 * columns.c - the effect of each address bit on the set: bit-column search
 * (algorithms 3.3).
 *
 * The search goes from the highest bit down and tests whether a sum of higher
 * bits cancels the bit. Such sums select different sets, so one test can hold
 * many lines; bisecting finds the line that conflicts. All sums are tried, so a
 * bit that none cancels is independent of the earlier ones.
 */
#include <stdlib.h>

#include "method/index/search.h"
#include "method/index/tuning.h"

/* Most independent bits: more than 2^MOST sets would need too many sums. */
#define MOST_FREE 18

/**
 * struct sums - subsets of @bits things, the smaller ones first
 * @now: the next one; @bits 0 has the empty one only
 */
struct sums {
	uint64_t now;
	size_t bits;
	bool ended;
};

static void next_sum(struct sums *s)
{
	uint64_t low = s->now & -s->now, up = s->now + low, next;

	if (!s->now)
		next = 1;
	else
		next = up | ((s->now ^ up) / low) >> 2;
	if (next >> s->bits) {
		size_t size = (size_t)__builtin_popcountll(s->now) + 1;

		next = (UINT64_C(1) << size) - 1;
		s->ended = size > s->bits;
	}
	s->now = next;
}

static uint64_t sum_of(const struct index_search *s, uint64_t subset)
{
	uint64_t sum = 0;

	for (; subset; subset &= subset - 1)
		sum |= UINT64_C(1) << s->free[gf2_low_bit(subset)];
	return sum;
}

/* A line of the set that differs from @base in @bit and free bits; 0: none. */
static int find_column(struct index_search *s, uint64_t base, uint64_t bit,
		       uint64_t *lines, uint64_t *difference)
{
	struct sums sums = { .bits = s->free_count };
	size_t most = s->oracle->most_lines, which;

	*difference = 0;
	while (!sums.ended) {
		size_t count = 0;
		int end;

		for (; count < most && !sums.ended; next_sum(&sums))
			lines[count++] = base ^ bit ^ sum_of(s, sums.now);
		end = index_pick_member(s, lines, count, &which);
		if (end)
			return end;
		if (which < count) {
			*difference = base ^ lines[which];
			break;
		}
	}
	return INDEX_GOES_ON;
}

static int search_bit(struct index_search *s, unsigned int bit, uint64_t *lines)
{
	uint64_t base = s->lines[0], difference;
	int end;

	if (s->free_count > MOST_FREE ||
	    (UINT64_C(1) << s->free_count) >
		    MOST_QUESTIONS * s->oracle->most_lines)
		return index_open(
			s,
			"%zu address bits above bit %u seem to select a set: the index is no XOR of address bits, or the eviction set is wrong",
			s->free_count, bit);
	end = find_column(s, base, UINT64_C(1) << bit, lines, &difference);
	if (end)
		return end;
	if (!difference) {
		s->free[s->free_count++] = bit;
		return INDEX_GOES_ON;
	}
	end = index_confirm(s, base, difference);
	if (end)
		return end;
	gf2_add(&s->known, difference);
	index_keep_line(s, base ^ difference);
	return INDEX_GOES_ON;
}

int index_search_columns(struct index_search *s)
{
	uint64_t *lines = calloc(s->oracle->most_lines, sizeof(*lines));
	int end = INDEX_GOES_ON;

	if (!lines)
		return fail(s->f, STATUS_FAILED, ENOMEM,
			    "index: out of memory (free some)");
	s->free_count = 0;
	for (unsigned int bit = s->oracle->high_bit + 1;
	     !end && bit-- > s->oracle->low_bit;)
		if (!s->known.rows[bit])
			end = search_bit(s, bit, lines);
	free(lines);
	return end;
}
