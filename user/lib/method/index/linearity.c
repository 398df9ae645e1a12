// SPDX-License-Identifier: GPL-2.0
/*
 * linearity.c - an index that no masks describe: line number modulo a constant,
 * or a number of slices that is no power of two (algorithms 3.4).
 */
#include <stdio.h>

#include "method/index/hull.h"
#include "method/index/tuning.h"

/* Number of eviction sets from which sums are tested. */
#define LEAST_MEMBERS 8

/* Find lines of one set, and the differences that hold for all of them. */
static int describe_set(struct index_search *s, struct index_function *found,
			struct index_hull *h, struct gf2_space *always)
{
	size_t given;
	int end;

	index_load_lines(s);
	given = s->line_count;
	*h = (struct index_hull){ .origin = s->lines[0] };
	for (size_t i = 1; i < given; i++)
		gf2_add(&h->space, s->lines[i] ^ h->origin);
	end = index_describe_modulo(s, found);
	if (end || found->kind)
		return end;
	end = index_widen(s, h, false);
	if (!end)
		end = index_gather(s, h, given + LINEARITY_MEMBERS);
	if (end)
		return end;
	if (s->line_count < given + LEAST_MEMBERS)
		return index_open(
			s,
			"lines of the eviction set contradict each other, and too few others of its set were found");
	end = index_describe_modulo(s, found);
	if (end || found->kind)
		return end;
	return index_find_always(s, given, always);
}

/* Intersect the differences of two sets. */
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

/* Merge the sets: one hull of differences, and the share of it that one set
 * has.
 */
static int describe_sets(struct index_search *s, struct index_function *found,
			 struct index_hull *all, struct gf2_space *always)
{
	*all = (struct index_hull){ .tried = 1, .hits = 1 };
	for (s->set = 0; s->set < s->oracle->set_count; s->set++) {
		struct gf2_space one;
		struct index_hull h;
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

static void say_scattered(struct index_search *s, const struct index_hull *h,
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
	struct index_hull h;
	int end = describe_sets(s, found, &h, &always);

	if (end || found->kind)
		return end;
	if (INDEX_SURE * (double)h.tried > MOST_PLACES * (double)h.hits) {
		say_scattered(s, &h, found);
		return INDEX_GOES_ON;
	}
	for (s->set = 0; s->set < s->oracle->set_count && s->set < SUMMED_SETS;
	     s->set++) {
		h.origin = s->oracle->sets[s->set].lines[0];
		end = index_widen(s, &h, true);
		if (end)
			return end;
	}
	s->set = 0;
	return index_find_sequence(s, &h.space, &always, found);
}
