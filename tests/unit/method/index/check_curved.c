// SPDX-License-Identifier: GPL-2.0
/*
 * check_curved.c - index functions that no masks describe, of profiles
 * and made up.
 */
#include <stdio.h>

#include "base/gf2.h"
#include "method/index/indexkit.h"
#include "suites.h"

#define HIGH_BIT 29
#define MACHINES "tests/machines/"

static uint64_t begin_profile(struct kit *kit, const char *path, uint64_t seed)
{
	uint64_t sets;

	*kit = (struct kit){ .rng = { 0 } };
	kit->set_of = kit_profile(path, 3, &kit->model, &sets);
	kit_begin(kit, HIGH_BIT, seed);
	return sets;
}

/**
 * struct sliced - a profile whose slices are no power of two
 * @path: of it
 * @slices: their number
 * @positions: of the base sequence that the bits of a GiB above those of a
 *             slice's sets reach: of 512 lines of 18 slices half
 */
static const struct sliced {
	const char *path;
	size_t slices;
	size_t positions;
} sliced[] = {
	{ MACHINES "adv-sliced-l3-10.json", 10, 128 },
	{ MACHINES "modern-comet-lake-i9-10900k.json", 10, 256 },
	{ MACHINES "modern-skylake-x-i9-7980xe.json", 18, 256 },
	{ MACHINES "modern-sapphire-rapids.json", 28, 512 },
};

/* The bits inside a slice, each by itself, and what all lines of a set agree
 * in.
 */
static void check_masks(struct kit *kit, const struct index_function *found,
			uint64_t inner_sets)
{
	uint64_t bits = (UINT64_C(2) << HIGH_BIT) - 64;
	int same = 0;

	for (size_t i = 0; UINT64_C(1) << i < inner_sets; i++)
		ck_assert_uint_eq(found->masks[i],
				  UINT64_C(1) << (KIT_LINE_BIT + i));
	for (int i = 0; i < 20000; i++) {
		uint64_t a = rng_next(&kit->rng) & bits;
		uint64_t b = a ^ (rng_next(&kit->rng) & bits &
				  ~(inner_sets * 64 - 1));

		if (kit->set_of(kit->model, a) != kit->set_of(kit->model, b))
			continue;
		same++;
		for (size_t k = 0; k < found->rank; k++)
			ck_assert_uint_eq(gf2_parity(found->masks[k], a ^ b),
					  0);
	}
	ck_assert_int_gt(same, 100);
}

static void check_base(const struct kit *kit,
		       const struct index_function *found,
		       const struct sliced *one)
{
	const struct index_sequence *q = &found->sequence;
	struct index_check check;
	struct failure f = { .text = "" };

	ck_assert(q->first > 0 && q->first < one->positions / 4);
	ck_assert(!index_verify(&kit->oracle, found, 1000, 9, &check, &f));
	ck_assert_uint_eq(check.congruent + check.apart, 1000);
	ck_assert_uint_eq(check.false_congruent + check.false_apart, 0);
}

static void check_sliced(const struct sliced *one, uint64_t seed,
			 double false_yes, double false_no)
{
	struct index_function found;
	struct kit kit;
	uint64_t sets = begin_profile(&kit, one->path, seed);

	kit_errs(&kit, false_yes, false_no);
	found = kit_find(&kit, seed);
	ck_assert_msg(found.kind == INDEX_HASHED && found.nonlinear,
		      "%s, seed %llu: %s: %s", one->path,
		      (unsigned long long)seed, index_kind_name(found.kind),
		      found.reason);
	/* The bits inside a slice, each by itself. */
	ck_assert_uint_ge(UINT64_C(1) << found.rank, sets / one->slices);
	for (size_t i = 0; UINT64_C(1) << i < sets / one->slices; i++)
		ck_assert_uint_eq(found.masks[i],
				  UINT64_C(1) << (KIT_LINE_BIT + i));
	ck_assert(!found.sequence.complete);
	if (!false_yes)
		check_base(&kit, &found, one);
	kit_profile_free(kit.model);
}

START_TEST(slices_are_no_power_of_two)
{
	if (!is_in_part_of(_i, 4))
		return;

	for (uint64_t seed = 1; seed <= 5; seed++)
		check_sliced(&sliced[_i], seed, 0, 0);
}
END_TEST

START_TEST(slices_through_noise)
{
	if (!is_in_part_of(_i, 4))
		return;

	for (uint64_t seed = 1; seed <= 3; seed++)
		check_sliced(&sliced[_i], seed, 0.05, 0.2);
}
END_TEST

/* An eviction set for each slice: the whole base sequence. */
START_TEST(whole_base_sequence)
{
	if (!is_in_part_of(_i, 4))
		return;

	const struct index_sequence *q;
	struct index_function found;
	struct kit kit;
	uint64_t sets = begin_profile(&kit, sliced[_i].path, 3);
	struct rng rng = { 4 };

	kit_add_slices(&kit, sliced[_i].slices, sets / sliced[_i].slices);
	found = kit_find(&kit, 1);
	q = &found.sequence;
	ck_assert_msg(q->complete, "%s: %s", sliced[_i].path, found.reason);
	ck_assert_uint_eq(q->slices, sliced[_i].slices);
	ck_assert_uint_eq(UINT64_C(1) << found.rank, sets / q->slices);
	ck_assert_uint_eq((size_t)1 << q->bits, sliced[_i].positions);
	check_masks(&kit, &found, sets / q->slices);
	for (int i = 0; i < 2000; i++) {
		uint64_t bits = (UINT64_C(2) << HIGH_BIT) - 64;
		uint64_t a = q->origin ^ (rng_next(&rng) & bits & ~0x1ffffULL);
		uint64_t b = q->origin ^ (rng_next(&rng) & bits & ~0x1ffffULL);
		bool same = kit.set_of(kit.model, a) ==
			    kit.set_of(kit.model, b);

		ck_assert_int_eq(index_agree(&found, a, b),
				 same ? VERDICT_NON_COMPACT : VERDICT_COMPACT);
	}
	kit_profile_free(kit.model);
}
END_TEST

static void check_modulo(uint64_t sets, uint64_t seed, double false_yes,
			 double false_no)
{
	struct index_check check;
	struct index_function found;
	struct failure f = { .text = "" };
	struct kit kit = { .set_of = kit_xor_set, .modulo = sets };

	kit.model = &kit;
	kit_begin(&kit, HIGH_BIT, seed);
	kit_errs(&kit, false_yes, false_no);
	found = kit_find(&kit, seed);
	ck_assert_msg(found.kind == INDEX_MODULO &&
			      found.modulus_bytes == sets << KIT_LINE_BIT,
		      "%llu sets, seed %llu: %s, %llu bytes: %s",
		      (unsigned long long)sets, (unsigned long long)seed,
		      index_kind_name(found.kind),
		      (unsigned long long)found.modulus_bytes, found.reason);
	kit_errs(&kit, 0, 0);
	ck_assert(!index_verify(&kit.oracle, &found, 1000, 9, &check, &f));
	ck_assert_uint_eq(check.false_congruent + check.false_apart, 0);
	ck_assert_uint_eq(check.congruent + check.apart, 1000);
}

START_TEST(modulo)
{
	static const uint64_t sets[] = { 3072, 12288, 96,   5120,
					 7168, 36864, 57344 };

	check_modulo(sets[_i], 1, 0, 0);
	check_modulo(sets[_i], 2, 0.01, 0.05);
	check_modulo(sets[_i], 3, 0.05, 0.2);
}
END_TEST

/* No structure at all: nothing may be claimed of it but what it is not. */
static uint64_t scrambled(const void *model, uint64_t address)
{
	struct rng rng = { address >> KIT_LINE_BIT };

	(void)model;
	return rng_next(&rng) % 1024;
}

START_TEST(no_structure)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct kit kit = { .set_of = scrambled };
		struct index_function found;

		kit_begin(&kit, HIGH_BIT, seed);
		found = kit_find(&kit, seed);
		ck_assert_msg(found.kind == INDEX_UNKNOWN ||
				      (found.nonlinear && !found.rank &&
				       !found.sequence.bits),
			      "seed %llu: %s, %zu masks: %s",
			      (unsigned long long)seed,
			      index_kind_name(found.kind), found.rank,
			      found.reason);
		ck_assert(found.reason[0]);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("index-curved");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, slices_are_no_power_of_two, 0, 4);
	tcase_add_loop_test(t, slices_through_noise, 0, 4);
	tcase_add_loop_test(t, whole_base_sequence, 0, 4);
	tcase_add_loop_test(t, modulo, 0, 7);
	tcase_add_test(t, no_structure);
	suite_add_tcase(suite, t);
	return suite;
}
