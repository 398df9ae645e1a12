// SPDX-License-Identifier: GPL-2.0
/* find.c - the index of a cache: search, confirm, classify. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/index/search.h"
#include "method/index/tuning.h"

/* Number of attempts; each assumes higher error rates than the one before. */
#define MOST_FALSE_YES 0.3
#define MOST_FALSE_NO 0.5

static void begin(struct index_search *s)
{
	s->known = (struct gf2_space){ .rank = 0 };
	s->free_count = 0;
	s->violations = 0;
	s->unanswered = false;
	s->answered[0][0] = s->answered[0][1] = 0;
	s->answered[1][0] = s->answered[1][1] = 0;
	index_load_lines(s);
}

static int try_control(struct index_search *s)
{
	uint64_t line = index_line(s, 0);
	bool yes;
	int end = index_settle(s, 0, &line, 1, FIND_CONTROLS, &yes);

	if (!end && index_errs_more(s))
		return INDEX_AGAIN;
	if (!end && !yes)
		return index_open(
			s, "an eviction set does not evict its own lines");
	return end;
}

static int search(struct index_search *s)
{
	int end;

	begin(s);
	end = try_control(s);
	if (!end)
		end = index_take_lines(s);
	if (!end)
		end = index_search_columns(s);
	if (!end)
		end = index_try_held_out(s);
	return end;
}

static void classify(struct index_search *s, struct index_function *found)
{
	unsigned int bits = found->high_bit - found->low_bit + 1;

	found->kind = INDEX_LINEAR;
	for (size_t i = 0; i < found->rank; i++)
		if (found->masks[i] & (found->masks[i] - 1))
			found->kind = INDEX_HASHED;
	if (!found->rank) {
		found->kind = INDEX_UNKNOWN;
		index_open(
			s,
			"all lines conflict: there is one set, or the eviction set evicts whatever it is");
	}
	if (found->rank == bits) {
		found->kind = INDEX_UNKNOWN;
		index_open(
			s,
			"each of the address bits %u to %u selects a set; whether higher ones are mixed in is unknown",
			found->low_bit, found->high_bit);
	}
}

static void say_limit(struct index_function *found)
{
	snprintf(
		found->limit, sizeof(found->limit),
		"known of address bits %u to %u; higher ones cannot be varied in contiguous memory of %llu KiB",
		found->low_bit, found->high_bit,
		(2ULL << found->high_bit) / 1024);
}

static int conclude(struct index_search *s, int end,
		    struct index_function *found)
{
	if (end == INDEX_CURVED)
		end = index_describe_curved(s, found);
	else if (end == INDEX_GOES_ON) {
		end = index_write_masks(s, &s->known, found);
		if (!end)
			classify(s, found);
	}
	/* If the search is undecided, partial masks are discarded. */
	if (end)
		*found = (struct index_function){
			.low_bit = s->oracle->low_bit,
			.high_bit = s->oracle->high_bit,
		};
	found->unanswered = end == INDEX_OPEN && s->unanswered;
	found->checked = s->checking;
	found->searched = s->measured - s->checking;
	if (end < 0)
		return end;
	if (end == INDEX_AGAIN)
		index_open(s, "too many tests contradict each other");
	if (found->kind || found->rank)
		say_limit(found);
	memcpy(found->reason, s->why, sizeof(found->reason));
	found->error_bound = fmin(1, s->drawn);
	return 0;
}

int index_find(const struct index_oracle *oracle, uint64_t seed,
	       struct index_function *found, struct failure *f)
{
	struct index_search s = {
		.oracle = oracle,
		.rng = { seed },
		.f = f,
		.most_lines = oracle->most_lines,
		.false_yes = oracle->false_yes,
		.false_no = oracle->false_no,
	};
	int end = INDEX_AGAIN;

	*found = (struct index_function){
		.low_bit = oracle->low_bit,
		.high_bit = oracle->high_bit,
	};
	for (int i = 0; i < FIND_ATTEMPTS && end == INDEX_AGAIN; i++) {
		if (s.false_yes > MOST_FALSE_YES || s.false_no > MOST_FALSE_NO)
			break;
		end = search(&s);
	}
	return conclude(&s, end, found);
}
