// SPDX-License-Identifier: GPL-2.0
/* indexkit.c - an oracle over an index function that is known. */
#include "method/index/indexkit.h"

#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "suites.h"

#define MOST_LINES 4096

uint64_t kit_xor_set(const void *model, uint64_t address)
{
	const struct kit *kit = model;
	uint64_t set = 0;

	if (kit->modulo)
		return (address >> KIT_LINE_BIT) % kit->modulo;
	for (size_t i = 0; i < kit->mask_count; i++)
		set |= (uint64_t)__builtin_parityll(address & kit->masks[i])
		       << i;
	return set;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Lines that were to lie apart may fill a set of their own. */
static bool fills_a_set(uint64_t *sets, size_t count)
{
	size_t run = 1;

	qsort(sets, count, sizeof(*sets), compare);
	for (size_t i = 1; i < count; i++) {
		run = sets[i] == sets[i - 1] ? run + 1 : 1;
		if (run > KIT_WAYS)
			return true;
	}
	return false;
}

/* A walk takes no line twice. */
static bool comes_twice(const uint64_t *lines, size_t count, uint64_t *sorted)
{
	memcpy(sorted, lines, count * sizeof(*lines));
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 1; i < count; i++)
		if (sorted[i] == sorted[i - 1])
			return true;
	return false;
}

static int ask(void *context, size_t set, const uint64_t *lines, size_t count,
	       enum verdict *verdict, struct failure *f)
{
	struct kit *kit = context;
	uint64_t target = kit->set_of(kit->model, kit->lines[set][0]);
	uint64_t sets[MOST_LINES];
	bool yes = false;

	if (count > kit->oracle.most_lines || !count ||
	    comes_twice(lines, count, sets))
		/* Not the macro of check.h. */
		return (fail)(f, STATUS_FAILED, EINVAL,
			      "%zu lines, or one twice", count);
	kit->measured++;
	for (size_t i = 0; i < count; i++) {
		sets[i] = kit->set_of(kit->model, lines[i]);
		yes |= sets[i] == target;
	}
	yes |= fills_a_set(sets, count);
	if (rng_uniform(&kit->rng) < (yes ? kit->false_no : kit->false_yes))
		yes = !yes;
	*verdict = yes ? VERDICT_NON_COMPACT : VERDICT_COMPACT;
	if (rng_uniform(&kit->rng) < kit->silent ||
	    (kit->mute_from && count >= kit->mute_from))
		*verdict = VERDICT_UNDECIDED;
	return 0;
}

static void find_lines(struct kit *kit, size_t set, uint64_t first)
{
	uint64_t bits = (UINT64_C(2) << kit->oracle.high_bit) -
			(UINT64_C(1) << KIT_LINE_BIT);
	uint64_t target = kit->set_of(kit->model, first);
	size_t count = 1;

	kit->lines[set][0] = first;
	for (uint64_t i = 0; count < KIT_WAYS && i < UINT64_C(1) << 24; i++) {
		uint64_t line = (first & ~bits) | (rng_next(&kit->rng) & bits);
		size_t same = 0;

		if (kit->set_of(kit->model, line) != target)
			continue;
		while (same < count && kit->lines[set][same] != line)
			same++;
		if (same == count)
			kit->lines[set][count++] = line;
	}
	kit->sets[set] = (struct index_set){ kit->lines[set], count };
}

void kit_begin(struct kit *kit, unsigned int high_bit, uint64_t seed)
{
	kit->rng = (struct rng){ seed };
	kit->measured = 0;
	kit->false_yes = kit->false_no = kit->silent = 0;
	kit->mute_from = 0;
	kit->oracle = (struct index_oracle){
		.test = ask,
		.context = kit,
		.sets = kit->sets,
		.set_count = 1,
		.low_bit = KIT_LINE_BIT,
		.high_bit = high_bit,
		.most_lines = 512,
		.most_alike = KIT_WAYS,
		.false_yes = 1e-6,
		.false_no = 1e-6,
	};
	find_lines(kit, 0,
		   (rng_next(&kit->rng) & UINT64_C(0x3fffffffff)) &
			   ~(UINT64_C(63)));
}

void kit_errs(struct kit *kit, double false_yes, double false_no)
{
	kit->false_yes = kit->oracle.false_yes = false_yes;
	kit->false_no = kit->oracle.false_no = false_no;
}

void kit_add_slices(struct kit *kit, size_t slices, uint64_t inner_sets)
{
	uint64_t target = kit->set_of(kit->model, kit->lines[0][0]);
	uint64_t found[KIT_SETS] = { target };
	uint64_t bits = (UINT64_C(2) << kit->oracle.high_bit) -
			(UINT64_C(1) << KIT_LINE_BIT);

	while (kit->oracle.set_count < slices) {
		uint64_t line = (kit->lines[0][0] & ~bits) |
				(rng_next(&kit->rng) & bits);
		uint64_t set = kit->set_of(kit->model, line);
		size_t same = 0;

		if (set % inner_sets != target % inner_sets)
			continue;
		while (same < kit->oracle.set_count && found[same] != set)
			same++;
		if (same < kit->oracle.set_count)
			continue;
		found[same] = set;
		find_lines(kit, same, line);
		kit->oracle.set_count++;
	}
}

static uint64_t known_bits(const struct kit *kit)
{
	return (UINT64_C(2) << kit->oracle.high_bit) -
	       (UINT64_C(1) << kit->oracle.low_bit);
}

/* The space of masks has to be the truth's, over the bits that were varied. */
bool kit_masks_are_right(const struct kit *kit,
			 const struct index_function *found)
{
	struct gf2_space truth = { .rank = 0 };

	for (size_t i = 0; i < kit->mask_count; i++)
		gf2_add(&truth, kit->masks[i] & known_bits(kit));
	if (found->rank != truth.rank)
		return false;
	for (size_t i = 0; i < found->rank; i++)
		if (gf2_reduce(&truth, found->masks[i]))
			return false;
	return true;
}

struct index_function kit_find(struct kit *kit, uint64_t seed)
{
	struct failure f = { .text = "" };
	struct index_function found;

	ck_assert_msg(!index_find(&kit->oracle, seed, &found, &f), "%s",
		      f.text);
	ck_assert_uint_eq(found.searched + found.checked, kit->measured);
	return found;
}

void kit_begin_masks(struct kit *kit, const uint64_t *masks, size_t count,
		     unsigned int high_bit, uint64_t seed)
{
	*kit = (struct kit){ .set_of = kit_xor_set, .mask_count = count };
	kit->model = kit;
	for (size_t i = 0; i < count; i++)
		kit->masks[i] = masks[i];
	kit_begin(kit, high_bit, seed);
}
