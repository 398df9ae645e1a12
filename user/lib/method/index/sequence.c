// SPDX-License-Identifier: GPL-2.0
/*
 * sequence.c - a base sequence of slices and the permutations of its positions
 * (McCalpin 2021; algorithms 3.4), derived from conflicts.
 *
 * Differences that hold from every line of a set leave the position unchanged;
 * other differences between lines of a set change it.
 */
#include <stdio.h>

#include "method/index/search.h"
#include "method/index/tuning.h"

/* Number of lines from which a difference has to hold. */
#define PLACES 24
/* The search ends after this number of differences that add nothing to the
 * space.
 */
#define AGREEING 12
/* Least number of differences that lead from a line out of its set although
 * they join two other lines of it: a linear index has none.
 */
#define LEAST_VIOLATIONS 3

/* Return: enum index_end; @holds: from each of PLACES lines. */
static int try_everywhere(struct index_search *s, size_t from, uint64_t a,
			  uint64_t b, bool *holds)
{
	size_t count = s->line_count - from;
	size_t first = rng_below(&s->rng, count);

	*holds = true;
	for (size_t i = 0, tried = 0; i < count && tried < PLACES; i++) {
		uint64_t line = s->lines[from + (first + i) % count];
		int end;

		if (line == a || line == b)
			continue;
		tried++;
		end = index_is_member(s, line ^ a ^ b, holds);
		if (end)
			return end;
		if (!*holds) {
			s->violations++;
			return INDEX_GOES_ON;
		}
	}
	return INDEX_GOES_ON;
}

int index_find_always(struct index_search *s, size_t from,
		      struct gf2_space *always)
{
	size_t count = s->line_count - from, agreeing = 0;

	*always = (struct gf2_space){ .rank = 0 };
	s->violations = 0;
	for (int i = 0; i < MOST_PAIRS && agreeing < AGREEING; i++) {
		if (i == FIRST_PAIRS && !always->rank)
			break;
		uint64_t a = s->lines[from + rng_below(&s->rng, count)];
		uint64_t b = s->lines[from + rng_below(&s->rng, count)];
		bool holds;
		int end;

		if (a == b)
			continue;
		if (!gf2_reduce(always, a ^ b)) {
			agreeing++;
			continue;
		}
		end = try_everywhere(s, from, a, b, &holds);
		if (end)
			return end;
		if (holds) {
			gf2_add(always, a ^ b);
			agreeing = 0;
		}
	}
	if (s->violations < LEAST_VIOLATIONS)
		return index_open(
			s, "lines of the eviction set contradict each other");
	return INDEX_GOES_ON;
}

static size_t position_of(const struct index_sequence *q, uint64_t difference)
{
	size_t position = 0;

	for (size_t i = 0; i < q->bits; i++)
		position |= (size_t)gf2_parity(q->masks[i], difference) << i;
	return position;
}

/*
 * Differences within @hull that flip one position bit each.
 * Return: false when they do not exist.
 */
static bool find_units(const struct index_sequence *q,
		       const struct gf2_space *hull, uint64_t *units)
{
	uint64_t vectors[INDEX_MOST_POSITION_BITS] = { 0 };
	size_t positions[INDEX_MOST_POSITION_BITS] = { 0 };

	for (unsigned int b = 0; b < GF2_BITS; b++) {
		uint64_t vector = hull->rows[b];
		size_t position = vector ? position_of(q, vector) : 0;

		for (size_t i = 0; i < q->bits; i++)
			if (position >> i & 1 && positions[i]) {
				position ^= positions[i];
				vector ^= vectors[i];
			}
		if (!position)
			continue;
		positions[gf2_low_bit(position)] = position;
		vectors[gf2_low_bit(position)] = vector;
	}
	for (size_t i = q->bits; i-- > 0;) {
		units[i] = vectors[i];
		if (!positions[i])
			return false;
		for (size_t j = i + 1; j < q->bits; j++)
			if (positions[i] >> j & 1)
				units[i] ^= units[j];
	}
	return true;
}

static uint64_t line_at(struct index_search *s, const struct index_sequence *q,
			const struct gf2_space *always, const uint64_t *units,
			size_t position)
{
	uint64_t line = q->origin ^ gf2_random(always, &s->rng);

	for (size_t i = 0; i < q->bits; i++)
		if (position >> i & 1)
			line ^= units[i];
	return line;
}

/* Assign slices to positions, from the known eviction sets. */
static int read_base(struct index_search *s, struct index_sequence *q,
		     const struct gf2_space *always, const uint64_t *units)
{
	q->sets = s->oracle->set_count;
	for (size_t at = 0; at < (size_t)1 << q->bits; at++) {
		uint64_t line = line_at(s, q, always, units, at);

		q->base[at] = INDEX_NO_SLICE;
		for (size_t set = 0; set < q->sets; set++) {
			bool yes;
			int end = index_settle(s, set, &line, 1, 1, &yes);

			if (end)
				return end;
			if (!yes)
				continue;
			q->base[at] = (int16_t)set;
			q->found++;
			q->first += !set;
			break;
		}
	}
	q->complete = q->found == (size_t)1 << q->bits;
	q->slices = q->complete ? q->sets : 0;
	return INDEX_GOES_ON;
}

/* Test other lines of the same positions. */
static int try_base(struct index_search *s, const struct index_sequence *q,
		    const struct gf2_space *always, const uint64_t *units)
{
	int end = INDEX_GOES_ON;

	s->confirming = true;
	for (int i = 0; !end && i < SEQUENCE_HELD_OUT; i++) {
		size_t at = rng_below(&s->rng, (uint64_t)1 << q->bits);
		uint64_t line = line_at(s, q, always, units, at);
		bool yes;

		if (i % 2)
			while (q->base[at])
				at = (at + 1) % ((size_t)1 << q->bits);
		line = line_at(s, q, always, units, at);
		end = index_is_member(s, line, &yes);
		if (!end && yes != !q->base[at])
			end = index_open(
				s,
				"the index is not linear, and no base sequence of slices predicts it");
	}
	s->confirming = false;
	return end;
}

static void say(struct index_search *s, const struct index_sequence *q)
{
	size_t all = (size_t)1 << q->bits;

	if (q->complete)
		snprintf(
			s->why, sizeof(s->why),
			"not linear: %zu slices by a base sequence of %zu lines",
			q->slices, all);
	else
		snprintf(
			s->why, sizeof(s->why),
			"not linear: slices by a base sequence of %zu lines, of which one slice has %zu (1 in %.1f); %zu are known",
			all, q->first, (double)all / (double)q->first,
			q->found);
}

int index_find_sequence(struct index_search *s, const struct gf2_space *hull,
			const struct gf2_space *always,
			struct index_function *found)
{
	struct index_sequence *q = &found->sequence;
	struct gf2_space linear, all;
	uint64_t units[INDEX_MOST_POSITION_BITS], rows[GF2_BITS];
	size_t bits;
	int end = index_write_masks(s, hull, found);

	if (end)
		return end;
	found->nonlinear = true;
	found->kind = INDEX_HASHED;
	gf2_null_space(hull, index_bits(s->oracle), &linear);
	gf2_null_space(always, index_bits(s->oracle), &all);
	bits = gf2_lowest(&all, &linear, rows);
	if (bits > INDEX_MOST_POSITION_BITS) {
		snprintf(
			s->why, sizeof(s->why),
			"not linear: the slice follows at least %zu parities (base sequences up to %d are read)",
			bits, 1 << INDEX_MOST_POSITION_BITS);
		return INDEX_GOES_ON;
	}
	for (size_t i = 0; i < bits; i++)
		q->masks[i] = rows[i];
	q->bits = bits;
	q->origin = s->oracle->sets[0].lines[0];
	if (!find_units(q, hull, units))
		return index_open(s,
				  "differences of lines contradict each other");
	end = read_base(s, q, always, units);
	if (!end)
		end = try_base(s, q, always, units);
	if (!end)
		say(s, q);
	return end;
}
