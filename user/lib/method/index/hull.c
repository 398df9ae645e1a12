// SPDX-License-Identifier: GPL-2.0
/* hull.c - the space of lines of a set, where no masks describe it. */
#include "method/index/hull.h"
#include "method/index/tuning.h"

#include <math.h>
#include <stdlib.h>

/*
 * Number of random places at which a bit is tested: with 28 slices fewer than
 * one bit in a thousand is missed.
 */
#define PLACES 192
#define MOST_FREE 13
/*
 * Lines of different sums in one test: for each set this share of its ways is
 * expected. Then a set is rarely filled by chance, which would only cost more
 * tests; with fewer ways chance would fill sets often.
 */
#define LEAST_WAYS 8

/* Keep a line only if it is decided that it belongs to the set. */
static int keep_member(struct index_search *s, struct index_hull *h,
		       uint64_t line, bool *yes)
{
	int end = index_is_member(s, line, yes);

	if (!end && *yes) {
		index_keep_line(s, line);
		gf2_add(&h->space, line ^ h->origin);
	}
	return end;
}

/* Return: number of different lines. */
static size_t draw_alike(struct index_search *s, const struct index_hull *h,
			 uint64_t sum, size_t most, uint64_t *lines)
{
	size_t count = 0;

	for (size_t i = 0; i < most; i++) {
		size_t same = 0;

		lines[count] = h->origin ^ sum ^ gf2_random(&h->space, &s->rng);
		while (lines[same] != lines[count])
			same++;
		count += same == count;
	}
	return count;
}

/*
 * Number of lines of one sum in a test, few enough that they fill no other set.
 */
static size_t alike_of(const struct index_search *s)
{
	const struct index_oracle *o = s->oracle;

	return o->most_alike < o->most_lines ? o->most_alike : o->most_lines;
}

/* Number of sets that the lines of the hull are spread over. */
static double sets_in_hull(const struct index_search *s,
			   const struct index_hull *h)
{
	double alike = (double)alike_of(s);
	double none = 1 - alike * (double)h->hits / (double)h->tried;

	return none > 0 ? 1 / (1 - pow(none, 1 / alike)) : 1;
}

/*
 * Test more lines if their sum is spread over many sets. Lines that differ only
 * in that sum cost least: each clears the levels above for the others.
 */
static size_t alike_in_hull(const struct index_search *s,
			    const struct index_hull *h)
{
	size_t alike = alike_of(s);
	double many = SHARE_OF_WAYS * (double)s->oracle->most_alike *
		      sets_in_hull(s, h);

	if (s->oracle->most_alike < LEAST_WAYS || many < (double)alike)
		return alike;
	return many < (double)s->oracle->most_lines / MOST_SHARES ?
		       (size_t)many :
		       s->oracle->most_lines / MOST_SHARES;
}

/*
 * Test lines that differ in sums of the remaining bits: each sum at @alike
 * random places in one test.
 */
static int try_round(struct index_search *s, struct index_hull *h,
		     const uint64_t *sums, size_t sum_count, size_t alike,
		     uint64_t *lines, bool *found)
{
	size_t most = s->oracle->most_lines, i = 0;

	while (i < sum_count) {
		size_t count = 0, which;
		int end;

		for (; i < sum_count && count + alike <= most; i++)
			count +=
				draw_alike(s, h, sums[i], alike, lines + count);
		end = index_pick_member(s, lines, count, &which);
		if (!end && which < count)
			end = keep_member(s, h, lines[which], found);
		if (end || *found)
			return end;
	}
	return INDEX_GOES_ON;
}

/*
 * Sums of bits that no line of the hull differs in. Sums of high bits are
 * adjacent: they leave the sets of the levels above unchanged.
 */
static size_t list_sums(struct index_search *s, const struct index_hull *h,
			uint64_t *sums)
{
	uint64_t bits[MOST_FREE];
	size_t count = 0;

	s->free_count = 0;
	for (unsigned int b = s->oracle->high_bit + 1;
	     b-- > s->oracle->low_bit;)
		if (!h->space.rows[b] && s->free_count++ < MOST_FREE)
			bits[s->free_count - 1] = UINT64_C(1) << b;
	if (s->free_count > MOST_FREE)
		return 0;
	for (uint64_t i = 1; i >> s->free_count == 0; i++) {
		sums[count] = 0;
		for (uint64_t left = i; left; left &= left - 1)
			sums[count] ^= bits[gf2_low_bit(left)];
		count++;
	}
	return count;
}

/* Single bits first, while there are too many for all their sums. */
static int widen_by_bits(struct index_search *s, struct index_hull *h,
			 uint64_t *lines)
{
	for (unsigned int b = s->oracle->high_bit + 1;
	     b-- > s->oracle->low_bit;) {
		uint64_t bit = UINT64_C(1) << b;
		bool found = false;

		for (size_t i = 0; i < PLACES && !found && !h->space.rows[b];
		     i += alike_of(s)) {
			int end = try_round(s, h, &bit, 1, alike_of(s), lines,
					    &found);

			if (end)
				return end;
		}
	}
	return INDEX_GOES_ON;
}

static int widen_by_sums(struct index_search *s, struct index_hull *h,
			 uint64_t *lines, uint64_t *sums)
{
	double places = INDEX_SURE * (double)h->tried / (double)h->hits;
	size_t alike = alike_in_hull(s, h);
	bool found;

	do {
		size_t count = list_sums(s, h, sums);

		if (s->free_count > MOST_FREE)
			return index_open(
				s,
				"the index is not linear, and no rule was found by which %zu address bits select a set",
				s->free_count);
		found = false;
		for (size_t i = 0; (double)i < places && !found && count;
		     i += alike) {
			int end = try_round(s, h, sums, count, alike, lines,
					    &found);

			if (end)
				return end;
		}
	} while (found);
	return INDEX_GOES_ON;
}

int index_gather(struct index_search *s, struct index_hull *h, size_t most)
{
	uint64_t lines[TRIED_LINES];
	size_t most_tried = s->oracle->most_alike, some, which;

	if (most_tried > s->oracle->most_lines)
		most_tried = s->oracle->most_lines;
	if (most_tried > TRIED_LINES)
		most_tried = TRIED_LINES;
	for (size_t tried = 0; s->line_count < most && tried < HULL_TRIES;
	     tried += some) {
		bool yes;
		int end;

		some = draw_alike(s, h, 0, most_tried, lines);
		end = index_pick_member(s, lines, some, &which);
		h->tried += some;
		h->hits += !end && which < some;
		if (!end && which < some)
			end = keep_member(s, h, lines[which], &yes);
		if (end)
			return end;
	}
	return INDEX_GOES_ON;
}

int index_widen(struct index_search *s, struct index_hull *h, bool by_sums)
{
	uint64_t *lines = calloc(s->oracle->most_lines, sizeof(*lines));
	uint64_t *sums = calloc((size_t)1 << MOST_FREE, sizeof(*sums));
	size_t rank;
	int end;

	if (!lines || !sums)
		end = fail(s->f, STATUS_FAILED, ENOMEM,
			   "index: out of memory (free some)");
	else if (by_sums)
		end = widen_by_sums(s, h, lines, sums);
	else
		do {
			rank = h->space.rank;
			end = widen_by_bits(s, h, lines);
		} while (!end && h->space.rank > rank);
	free(lines);
	free(sums);
	return end;
}
