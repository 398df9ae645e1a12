// SPDX-License-Identifier: GPL-2.0
/*
 * index_linearity.c - an index that no masks describe: line number modulo
 * something, or slices whose number is no power of two (algorithms 3.4).
 */
#include <stdio.h>
#include <stdlib.h>

#include "index_ask.h"

/* Lines of the set that are looked for. */
#define MEMBERS 64
/* Random lines for each, before there are none: 40 slices are few. */
#define TRIES 512
/* Random places at which a sum of bits is tried: of 28 slices less than one
 * in a thousand is missed.
 */
#define PLACES 192
#define MOST_FREE 12
#define TRIED_LINES 64
#define LEAST_MEMBERS 8

/**
 * struct hull - where lines of the set lie
 * @origin: one of them
 * @space: sums of their differences
 */
struct hull {
	uint64_t origin;
	struct gf2_space space;
};

/* Keep a line only when it is settled that it belongs to the set. */
static int keep_member(struct index_search *s, struct hull *h, uint64_t line,
		       bool *yes)
{
	int end = index_is_member(s, line, yes);

	if (!end && *yes) {
		index_keep_line(s, line);
		gf2_add(&h->space, line ^ h->origin);
	}
	return end;
}

/* Return: how many different lines came up. */
static size_t draw_alike(struct index_search *s, const struct hull *h,
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
 * Lines that differ in sums of the bits left over: each sum at @alike random
 * places in one question, so that no other set can be filled by them.
 */
static int try_round(struct index_search *s, struct hull *h,
		     const uint64_t *sums, size_t sum_count, uint64_t *lines,
		     bool *found)
{
	size_t most = s->oracle->most_lines, i = 0;
	size_t alike = s->oracle->most_alike;

	if (alike > most)
		alike = most;

	while (i < sum_count) {
		size_t count = 0, which;
		int end;

		for (; i < sum_count && count + alike <= most; i++)
			for (size_t k = 0; k < alike; k++)
				lines[count++] = h->origin ^ sums[i] ^
						 gf2_random(&h->space, &s->rng);
		end = index_pick_member(s, lines, count, &which);
		if (!end && which < count)
			end = keep_member(s, h, lines[which], found);
		if (end || *found)
			return end;
	}
	return INDEX_GOES_ON;
}

/* Sums of bits that no line of the hull differs in by itself. */
static size_t list_sums(struct index_search *s, const struct hull *h,
			uint64_t *sums)
{
	uint64_t bits[MOST_FREE];
	size_t count = 0;

	s->free_count = 0;
	for (unsigned int b = s->oracle->low_bit; b <= s->oracle->high_bit; b++)
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

/* Single bits first, while too many are left for all their sums. */
static int widen_by_bits(struct index_search *s, struct hull *h,
			 uint64_t *lines)
{
	for (unsigned int b = s->oracle->high_bit + 1;
	     b-- > s->oracle->low_bit;) {
		uint64_t bit = UINT64_C(1) << b;
		bool found = false;

		for (size_t i = 0; i < PLACES && !found && !h->space.rows[b];
		     i += s->oracle->most_alike) {
			int end = try_round(s, h, &bit, 1, lines, &found);

			if (end)
				return end;
		}
	}
	return INDEX_GOES_ON;
}

static int widen_by_sums(struct index_search *s, struct hull *h,
			 uint64_t *lines, uint64_t *sums)
{
	bool found;

	do {
		size_t count = list_sums(s, h, sums);

		if (s->free_count > MOST_FREE)
			return index_open(
				s,
				"the index is not linear, and %zu address bits select a set in no simple way",
				s->free_count);
		found = false;
		for (size_t i = 0; i < PLACES && !found && count;
		     i += s->oracle->most_alike) {
			int end = try_round(s, h, sums, count, lines, &found);

			if (end)
				return end;
		}
	} while (found);
	return INDEX_GOES_ON;
}

static int widen(struct index_search *s, struct hull *h)
{
	uint64_t *lines = calloc(s->oracle->most_lines, sizeof(*lines));
	uint64_t *sums = calloc((size_t)1 << MOST_FREE, sizeof(*sums));
	int end;

	if (lines && sums) {
		size_t rank;

		do {
			rank = h->space.rank;
			end = widen_by_bits(s, h, lines);
		} while (!end && h->space.rank > rank);
		if (!end)
			end = widen_by_sums(s, h, lines, sums);
	} else
		end = fail(s->f, STATUS_FAILED, ENOMEM,
			   "index: out of memory (free some)");
	free(lines);
	free(sums);
	return end;
}

static int gather(struct index_search *s, struct hull *h, size_t most)
{
	uint64_t lines[TRIED_LINES];
	size_t most_tried = s->oracle->most_alike, some, which;

	if (most_tried > s->oracle->most_lines)
		most_tried = s->oracle->most_lines;
	if (most_tried > TRIED_LINES)
		most_tried = TRIED_LINES;
	for (size_t tried = 0; s->line_count < most && tried < TRIES * MEMBERS;
	     tried += some) {
		bool yes;
		int end;

		some = draw_alike(s, h, 0, most_tried, lines);
		end = index_pick_member(s, lines, some, &which);
		if (!end && which < some)
			end = keep_member(s, h, lines[which], &yes);
		if (end)
			return end;
	}
	return INDEX_GOES_ON;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Bytes that lines of the set are multiples of apart. */
static uint64_t divisor_of_lines(const struct index_search *s)
{
	uint64_t divisor = 0;

	for (size_t i = 1; i < s->line_count; i++)
		divisor = common_divisor(divisor,
					 s->lines[i] > s->lines[0] ?
						 s->lines[i] - s->lines[0] :
						 s->lines[0] - s->lines[i]);
	return divisor;
}

/* Lines at multiples of the modulus, and such that only its power of two
 * leads to: what a sliced index could not tell apart from it either.
 */
static int try_modulo(struct index_search *s, uint64_t modulus, bool *holds)
{
	uint64_t bits = index_bits(s->oracle), base = s->lines[0] & ~bits;
	uint64_t step = modulus & -modulus, room = bits + (bits & -bits);

	*holds = true;
	s->confirming = true;
	for (int i = 0; *holds && i < 2 * MEMBERS; i++) {
		uint64_t apart = (s->lines[0] - base) % modulus, line;
		bool yes;
		int end;

		apart += rng_below(&s->rng, room / modulus) * modulus;
		if (i % 2)
			apart = apart % step +
				rng_below(&s->rng, room / step) * step;
		if (apart >= room)
			continue;
		line = base + apart;
		end = index_is_member(s, line, &yes);
		if (end)
			return end;
		*holds = yes == ((line - s->lines[0]) % modulus == 0 ||
				 (s->lines[0] - line) % modulus == 0);
	}
	s->confirming = false;
	return INDEX_GOES_ON;
}

static int describe_modulo(struct index_search *s, struct index_function *found)
{
	uint64_t modulus = divisor_of_lines(s);
	uint64_t bits = index_bits(s->oracle);
	bool holds;
	int end;

	if (!(modulus & (modulus - 1)) || modulus > bits / 2)
		return INDEX_GOES_ON;
	end = try_modulo(s, modulus, &holds);
	if (end || !holds)
		return end;
	found->kind = INDEX_MODULO;
	found->modulus_bytes = modulus;
	snprintf(s->why, s->why_size,
		 "lines of a set are multiples of %llu bytes apart",
		 (unsigned long long)modulus);
	return INDEX_GOES_ON;
}

int index_describe_curved(struct index_search *s, struct index_function *found)
{
	struct hull h = { .origin = s->oracle->sets[0].lines[0] };
	struct gf2_space always;
	size_t given;
	int end;

	index_load_lines(s);
	given = s->line_count;
	for (size_t i = 1; i < given; i++)
		gf2_add(&h.space, s->lines[i] ^ h.origin);
	end = widen(s, &h);
	if (!end)
		end = gather(s, &h, given + MEMBERS);
	if (end)
		return end;
	if (s->line_count < given + LEAST_MEMBERS)
		return index_open(
			s,
			"lines of the eviction set contradict each other, and too few others of its set were found");
	end = describe_modulo(s, found);
	if (end || found->kind)
		return end;
	end = index_find_always(s, given, &always);
	if (!end)
		end = index_find_sequence(s, &h.space, &always, found);
	return end;
}
