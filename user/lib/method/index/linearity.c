// SPDX-License-Identifier: GPL-2.0
/*
 * linearity.c - an index that no masks describe: line number modulo
 * something, or slices whose number is no power of two (algorithms 3.4).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/index/search.h"

/* Lines of the set that are looked for. */
#define MEMBERS 64
/* Random lines for each, before there are none: 40 slices are few. */
#define TRIES 512
/* Random places at which a bit is tried: of 28 slices less than one in a
 * thousand is missed. Sums of bits are tried at as many as it takes to miss
 * one in a thousand of what lines of the set are found to be.
 */
#define PLACES 192
#define SURE 7.0
#define MOST_PLACES 1024
#define MOST_FREE 13
/* Eviction sets from which sums are tried. */
#define SUMMED_SETS 4
/* Lines of sums that are asked for together: of each set so large a part of its
 * ways is expected that hardly ever they fill one, which costs questions and
 * no more. With fewer ways it would be often.
 */
#define SHARE_OF_WAYS 0.25
#define LEAST_WAYS 8
#define MOST_SHARES 2
#define TRIED_LINES 64
#define LEAST_MEMBERS 8
/* From whose distances a modulus can be read. */
#define LEAST_LINES 4

/**
 * struct hull - where lines of the set lie
 * @origin: one of them
 * @space: sums of their differences
 * @tried: lines of it that were asked for
 * @hits: of them those of the set, or less
 */
struct hull {
	uint64_t origin;
	struct gf2_space space;
	uint64_t tried;
	uint64_t hits;
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

/* Lines of a sum that no other set is filled by, in one question. */
static size_t alike_of(const struct index_search *s)
{
	const struct index_oracle *o = s->oracle;

	return o->most_alike < o->most_lines ? o->most_alike : o->most_lines;
}

/* So many sets have the lines of the hull: a question of @alike has one of the
 * set, or more.
 */
static double sets_in_hull(const struct index_search *s, const struct hull *h)
{
	double alike = (double)alike_of(s);
	double none = 1 - alike * (double)h->hits / (double)h->tried;

	return none > 0 ? 1 / (1 - pow(none, 1 / alike)) : 1;
}

/* Hardly ever filled, where so many sets share the lines of a sum. Lines that
 * differ in nothing else are cheaper to ask for together: they clear the levels
 * above for each other.
 */
static size_t alike_in_hull(const struct index_search *s, const struct hull *h)
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
 * Lines that differ in sums of the bits left over: each sum at @alike random
 * places in one question.
 */
static int try_round(struct index_search *s, struct hull *h,
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

/* Sums of bits that no line of the hull differs in by itself. Those of high bits
 * follow each other: they leave the sets of the levels above alone.
 */
static size_t list_sums(struct index_search *s, const struct hull *h,
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

/* Single bits first, while too many are left for all their sums. */
static int widen_by_bits(struct index_search *s, struct hull *h,
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

static int widen_by_sums(struct index_search *s, struct hull *h,
			 uint64_t *lines, uint64_t *sums)
{
	double places = SURE * (double)h->tried / (double)h->hits;
	size_t alike = alike_in_hull(s, h);
	bool found;

	do {
		size_t count = list_sums(s, h, sums);

		if (s->free_count > MOST_FREE)
			return index_open(
				s,
				"the index is not linear, and %zu address bits select a set in no simple way",
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
		h->tried += some;
		h->hits += !end && which < some;
		if (!end && which < some)
			end = keep_member(s, h, lines[which], &yes);
		if (end)
			return end;
	}
	return INDEX_GOES_ON;
}

static int widen(struct index_search *s, struct hull *h, bool by_sums)
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

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
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
					 distance(s->lines[i], s->lines[0]));
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
		*holds = yes == !(distance(line, s->lines[0]) % modulus);
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

	if (s->line_count < LEAST_LINES || !(modulus & (modulus - 1)) ||
	    modulus > bits / 2)
		return INDEX_GOES_ON;
	end = try_modulo(s, modulus, &holds);
	if (end || !holds)
		return end;
	found->kind = INDEX_MODULO;
	found->modulus_bytes = modulus;
	snprintf(s->why, sizeof(s->why),
		 "lines of a set are multiples of %llu bytes apart",
		 (unsigned long long)modulus);
	return INDEX_GOES_ON;
}

/* Lines of one set, and what holds for all of them. */
static int describe_set(struct index_search *s, struct index_function *found,
			struct hull *h, struct gf2_space *always)
{
	size_t given;
	int end;

	index_load_lines(s);
	given = s->line_count;
	*h = (struct hull){ .origin = s->lines[0] };
	for (size_t i = 1; i < given; i++)
		gf2_add(&h->space, s->lines[i] ^ h->origin);
	end = describe_modulo(s, found);
	if (end || found->kind)
		return end;
	end = widen(s, h, false);
	if (!end)
		end = gather(s, h, given + MEMBERS);
	if (end)
		return end;
	if (s->line_count < given + LEAST_MEMBERS)
		return index_open(
			s,
			"lines of the eviction set contradict each other, and too few others of its set were found");
	end = describe_modulo(s, found);
	if (end || found->kind)
		return end;
	return index_find_always(s, given, always);
}

/* Differences that each of two sets allows. */
static void intersect(const struct index_search *s, struct gf2_space *a,
		      const struct gf2_space *b)
{
	uint64_t bits = index_bits(s->oracle);
	struct gf2_space out, other;

	gf2_null_space(a, bits, &out);
	gf2_null_space(b, bits, &other);
	for (unsigned int i = 0; i < GF2_BITS; i++)
		gf2_add(&out, other.rows[i]);
	gf2_null_space(&out, bits, a);
}

/* Of all sets: one hull of differences and the share of it that one set has. */
static int describe_sets(struct index_search *s, struct index_function *found,
			 struct hull *all, struct gf2_space *always)
{
	*all = (struct hull){ .tried = 1, .hits = 1 };
	for (s->set = 0; s->set < s->oracle->set_count; s->set++) {
		struct gf2_space one;
		struct hull h;
		int end = describe_set(s, found, &h, &one);

		if (end || found->kind)
			return end;
		for (unsigned int i = 0; i < GF2_BITS; i++)
			gf2_add(&all->space, h.space.rows[i]);
		if (s->set)
			intersect(s, always, &one);
		else
			*always = one;
		h.tried <<= all->space.rank - h.space.rank;
		if (h.tried * all->hits > all->tried * h.hits) {
			all->tried = h.tried;
			all->hits = h.hits;
		}
	}
	return INDEX_GOES_ON;
}

static void say_scattered(struct index_search *s, const struct hull *h,
			  struct index_function *found)
{
	found->kind = INDEX_HASHED;
	found->nonlinear = true;
	snprintf(
		s->why, sizeof(s->why),
		"not linear: of lines that differ in all bits one in %.0f shares a set, and no parity of bits was seen to decide",
		(double)h->tried / (double)h->hits);
}

int index_describe_curved(struct index_search *s, struct index_function *found)
{
	struct gf2_space always;
	struct hull h;
	int end = describe_sets(s, found, &h, &always);

	if (end || found->kind)
		return end;
	if (SURE * (double)h.tried > MOST_PLACES * (double)h.hits) {
		say_scattered(s, &h, found);
		return INDEX_GOES_ON;
	}
	for (s->set = 0; s->set < s->oracle->set_count && s->set < SUMMED_SETS;
	     s->set++) {
		h.origin = s->oracle->sets[s->set].lines[0];
		end = widen(s, &h, true);
		if (end)
			return end;
	}
	s->set = 0;
	return index_find_sequence(s, &h.space, &always, found);
}
