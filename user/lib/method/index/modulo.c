// SPDX-License-Identifier: GPL-2.0
/* modulo.c - sets whose lines lie at multiples of a constant distance. */
#include <stdio.h>

#include "method/index/search.h"
#include "method/index/tuning.h"

/* Least number of lines from which a modulus is derived. */
#define LEAST_LINES 4

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

/* Greatest common divisor, in bytes, of the distances of lines of the set. */
static uint64_t divisor_of_lines(const struct index_search *s)
{
	uint64_t divisor = 0;

	for (size_t i = 1; i < s->line_count; i++)
		divisor = common_divisor(divisor,
					 distance(s->lines[i], s->lines[0]));
	return divisor;
}

/*
 * Test lines at multiples of the modulus, and lines at multiples of only its
 * power of two: a sliced index would treat both alike.
 */
static int try_modulo(struct index_search *s, uint64_t modulus, bool *holds)
{
	uint64_t bits = index_bits(s->oracle), base = s->lines[0] & ~bits;
	uint64_t step = modulus & -modulus, room = bits + (bits & -bits);

	*holds = true;
	s->confirming = true;
	for (int i = 0; *holds && i < 2 * MODULO_TRIED; i++) {
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

int index_describe_modulo(struct index_search *s, struct index_function *found)
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
