// SPDX-License-Identifier: GPL-2.0
/*
 * nullspace.c - the space K of differences of lines of one set, and the masks
 * that are orthogonal to it (algorithms 3.2).
 */
#include "method/index/search.h"
#include "method/index/tuning.h"

static bool is_known(const struct index_search *s, uint64_t line)
{
	for (size_t i = 0; i < s->line_count; i++)
		if (s->lines[i] == line)
			return true;
	return false;
}

/* Find a line of the set that @difference moves to a line not tested yet. */
static bool pick_base(struct index_search *s, uint64_t not_from,
		      uint64_t difference, uint64_t *from)
{
	for (int i = 0; i < PICKS; i++) {
		*from = index_line(s, not_from);
		if (*from != not_from && !is_known(s, *from ^ difference))
			return true;
	}
	return false;
}

/* A difference held from one line and not from another: find the wrong test. */
static int dispute(struct index_search *s, uint64_t said_yes, uint64_t said_no)
{
	bool first, second;
	int end = index_settle(s, s->set, &said_yes, 1, DISPUTED, &first);

	if (!end)
		end = index_settle(s, s->set, &said_no, 1, DISPUTED, &second);
	if (end)
		return end;
	if (index_errs_more(s) || !first)
		return INDEX_AGAIN;
	if (second)
		return INDEX_GOES_ON;
	s->violations++;
	return INDEX_CURVED;
}

int index_confirm(struct index_search *s, uint64_t base, uint64_t difference)
{
	uint64_t from;
	bool yes;
	int end;

	if (!pick_base(s, base, difference, &from))
		return INDEX_GOES_ON;
	s->confirming = true;
	end = index_is_member(s, from ^ difference, &yes);
	if (!end && !yes)
		end = dispute(s, base ^ difference, from ^ difference);
	s->confirming = false;
	if (!end)
		index_keep_line(s, from ^ difference);
	return end;
}

void index_load_lines(struct index_search *s)
{
	const struct index_set *set = &s->oracle->sets[s->set];
	uint64_t bits = index_bits(s->oracle);

	s->line_count = 0;
	for (size_t i = 0; i < set->count; i++)
		if (!((set->lines[i] ^ set->lines[0]) & ~bits))
			index_keep_line(s, set->lines[i]);
}

int index_take_lines(struct index_search *s)
{
	size_t given = s->line_count;

	for (size_t i = 1; i < given; i++) {
		uint64_t difference = s->lines[0] ^ s->lines[i];
		int end;

		if (!gf2_reduce(&s->known, difference))
			continue;
		end = index_confirm(s, s->lines[0], difference);
		if (end)
			return end;
		gf2_add(&s->known, difference);
	}
	return INDEX_GOES_ON;
}

/* Test whether the oracle confirms the prediction for @line. */
static int try_line(struct index_search *s, uint64_t line, bool predicted)
{
	bool yes;
	int end = index_is_member(s, line, &yes);

	if (end || yes == predicted)
		return end;
	end = index_settle(s, s->set, &line, 1, DISPUTED, &yes);
	if (end)
		return end;
	if (index_errs_more(s))
		return INDEX_AGAIN;
	if (yes == predicted)
		return INDEX_GOES_ON;
	s->violations++;
	return predicted ? INDEX_CURVED : INDEX_AGAIN;
}

/* A difference outside K; one close to a member of K tests K hardest. */
static uint64_t away(struct index_search *s, bool near)
{
	uint64_t sum = 0;

	while (!sum)
		for (size_t i = 0; i < (near ? 2 : s->free_count); i++) {
			uint64_t bit =
				near ? rng_below(&s->rng, s->free_count) : i;

			if (rng_next(&s->rng) & 1)
				sum ^= UINT64_C(1) << s->free[bit];
		}
	return sum;
}

int index_try_held_out(struct index_search *s)
{
	int end = INDEX_GOES_ON;

	s->confirming = true;
	for (int i = 0; !end && s->known.rank && i < NULLSPACE_HELD_OUT; i++)
		end = try_line(
			s, index_line(s, 0) ^ gf2_random(&s->known, &s->rng),
			true);
	for (int i = 0; !end && s->free_count && i < NULLSPACE_HELD_OUT; i++)
		end = try_line(s,
			       index_line(s, 0) ^
				       gf2_random(&s->known, &s->rng) ^
				       away(s, i % 2),
			       false);
	s->confirming = false;
	return end;
}

int index_write_masks(struct index_search *s, const struct gf2_space *known,
		      struct index_function *found)
{
	uint64_t rows[GF2_BITS];
	struct gf2_space null;

	gf2_null_space(known, index_bits(s->oracle), &null);
	if (null.rank > INDEX_MOST_MASKS)
		return index_open(
			s, "%zu parities would select a set (at most %d)",
			null.rank, INDEX_MOST_MASKS);
	found->rank = gf2_lowest(&null, NULL, rows);
	for (size_t i = 0; i < found->rank; i++)
		found->masks[i] = rows[i];
	return INDEX_GOES_ON;
}
