// SPDX-License-Identifier: GPL-2.0
/* check_index.c - masks of index functions that are known. */
#include <stdio.h>
#include <stdlib.h>

#include "base/gf2.h"
#include "method/index/find.h"
#include "method/index/indexkit.h"
#include "suites.h"

/* A contiguous GiB. */
#define HIGH_BIT 29
/* With sanitizers it takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define SEEDS 60
#else
#define SEEDS 300
#endif

/* First of the seeds; a test that fails prints it. */
static uint64_t first_seed(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

static uint64_t random_row(struct rng *rng, unsigned int low, size_t most)
{
	size_t weight = 1 + rng_below(rng, most);
	uint64_t row = 0;

	while (weight--)
		row |= UINT64_C(1) << (low + rng_below(rng, 38 - low));
	return row;
}

/* Sets by low bits, slices by XORs of up to 20 of all. */
static void begin_sliced(struct kit *kit, struct rng *rng)
{
	size_t inner = 6 + rng_below(rng, 6), slices = rng_below(rng, 7);
	uint64_t masks[24];

	for (size_t i = 0; i < inner; i++)
		masks[i] = UINT64_C(1) << (KIT_LINE_BIT + i);
	for (size_t i = 0; i < slices; i++)
		masks[inner + i] = random_row(rng, KIT_LINE_BIT, 20);
	kit_begin_masks(kit, masks, inner + slices, HIGH_BIT, rng_next(rng));
}

/* A low bit XORed with one or two higher ones, in each row. */
static void begin_hashed(struct kit *kit, struct rng *rng)
{
	size_t count = 6 + rng_below(rng, 6);
	uint64_t masks[24];

	for (size_t i = 0; i < count; i++) {
		masks[i] = UINT64_C(1) << (KIT_LINE_BIT + i);
		masks[i] |=
			random_row(rng, KIT_LINE_BIT + (unsigned int)count, 2);
	}
	kit_begin_masks(kit, masks, count, HIGH_BIT, rng_next(rng));
}

static void begin_random(struct kit *kit, uint64_t seed)
{
	struct rng rng = { seed };

	if (seed % 2)
		begin_sliced(kit, &rng);
	else
		begin_hashed(kit, &rng);
}

static bool is_linear(const struct index_function *found)
{
	for (size_t i = 0; i < found->rank; i++)
		if (found->masks[i] & (found->masks[i] - 1))
			return false;
	return true;
}

/* From no more than one line, up to a whole eviction set. */
START_SLOW_TEST(random_hashes)
{
	for (uint64_t seed = first_seed(); seed < first_seed() + SEEDS;
	     seed++) {
		struct index_function found;
		struct kit kit;

		begin_random(&kit, seed);
		kit.sets[0].count = 1 + seed % KIT_WAYS;
		found = kit_find(&kit, seed);
		ck_assert_msg(kit_masks_are_right(&kit, &found),
			      "PROBE_PHYS_SEED=%llu: %zu masks: %s",
			      (unsigned long long)seed, found.rank,
			      found.reason);
		ck_assert_msg(found.kind == (is_linear(&found) ? INDEX_LINEAR :
								 INDEX_HASHED),
			      "PROBE_PHYS_SEED=%llu: %s",
			      (unsigned long long)seed,
			      index_kind_name(found.kind));
		ck_assert(!found.nonlinear);
		ck_assert(found.error_bound > 0 && found.error_bound < 1e-2);
	}
}
END_TEST

static const uint64_t intel[] = { 0x1b5f575440, 0x2eb5faa880, 0x3cccc93100 };

/* What conflicts show of published masks of 8 slices (algorithms 3.1): the set bits
 * of a slice are taken out of them.
 */
START_TEST(published_masks)
{
	uint64_t masks[13], reduced[] = { 0x26640000, 0x139e0000, 0xcc90000 };
	struct index_function found;
	struct gf2_space truth = { .rank = 0 };
	struct kit kit;

	for (unsigned int i = 0; i < 10; i++)
		masks[i] = UINT64_C(1) << (KIT_LINE_BIT + i);
	for (int i = 0; i < 3; i++)
		masks[10 + i] = intel[i];
	kit_begin_masks(&kit, masks, 13, HIGH_BIT, first_seed());
	found = kit_find(&kit, first_seed());
	ck_assert_int_eq(found.kind, INDEX_HASHED);
	ck_assert_uint_eq(found.rank, 13);
	for (unsigned int i = 0; i < 10; i++)
		ck_assert_uint_eq(found.masks[i], masks[i]);
	for (int i = 0; i < 3; i++)
		gf2_add(&truth, reduced[i]);
	for (int i = 10; i < 13; i++)
		ck_assert_uint_eq(gf2_reduce(&truth, found.masks[i]), 0);
}
END_TEST

/* Right or open; whether it is decided. */
static bool is_decided(struct kit *kit, uint64_t seed)
{
	struct index_function found = kit_find(kit, seed);

	ck_assert_msg(found.kind == INDEX_UNKNOWN ||
			      kit_masks_are_right(kit, &found),
		      "PROBE_PHYS_SEED=%llu: %s, %zu masks are wrong",
		      (unsigned long long)seed, index_kind_name(found.kind),
		      found.rank);
	return found.kind != INDEX_UNKNOWN;
}

static void check_noise(double false_yes, double false_no, double silent,
			int least_right)
{
	int right = 0;

	for (uint64_t seed = first_seed(); seed < first_seed() + SEEDS;
	     seed++) {
		struct kit kit;

		begin_random(&kit, seed);
		kit_errs(&kit, false_yes, false_no);
		kit.silent = silent;
		kit.sets[0].count = 1 + seed % KIT_WAYS;
		right += is_decided(&kit, seed);
	}
	ck_assert_msg(right >= least_right, "only %d of %d decided", right,
		      SEEDS);
}

START_SLOW_TEST(answers_that_err)
{
	check_noise(0.01, 0.05, 0.05, SEEDS);
	check_noise(0.05, 0.2, 0, SEEDS);
}
END_TEST

/* A test of many lines without an answer is repeated with fewer lines. */
START_TEST(long_questions_without_answers)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct index_function found;
		struct kit kit;

		begin_random(&kit, seed);
		kit.mute_from = 100;
		found = kit_find(&kit, seed);
		ck_assert(!found.reason[0]);
		ck_assert_msg(kit_masks_are_right(&kit, &found),
			      "seed %llu: %s", (unsigned long long)seed,
			      found.reason);
	}
}
END_TEST

/* Error rates that the oracle denies: they are noticed, or the index is undecided. */
START_SLOW_TEST(answers_that_lie)
{
	int right = 0;

	for (uint64_t seed = first_seed(); seed < first_seed() + SEEDS;
	     seed++) {
		struct kit kit;

		begin_random(&kit, seed);
		kit.false_yes = seed % 3 ? 0.05 : 0.01;
		kit.false_no = seed % 3 ? 0.2 : 0.05;
		right += is_decided(&kit, seed);
	}
	ck_assert_int_ge(right, SEEDS / 2);
}
END_TEST

START_TEST(hopeless_answers_stay_open)
{
	static const double rates[][2] = {
		{ 0, 1 }, { 0.5, 0.5 }, { 0.45, 0.45 }, { 1, 1 }
	};

	for (uint64_t i = 0; i < 40; i++) {
		struct index_function found;
		struct kit kit;

		begin_random(&kit, 1 + i);
		kit.false_yes = rates[i % 4][0];
		kit.false_no = rates[i % 4][1];
		found = kit_find(&kit, i);
		ck_assert_msg(found.kind == INDEX_UNKNOWN,
			      "rates %g %g: %s, %zu masks", kit.false_yes,
			      kit.false_no, index_kind_name(found.kind),
			      found.rank);
		ck_assert(found.reason[0]);
	}
}
END_TEST

/* A line that does not belong into the eviction set. */
START_TEST(a_false_member_ruins_nothing)
{
	int right = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct kit kit;

		begin_random(&kit, seed);
		kit.lines[0][seed % (KIT_WAYS - 1) + 1] ^= UINT64_C(1)
							   << KIT_LINE_BIT;
		right += is_decided(&kit, seed);
	}
	printf("index: with a false member %d of 100 decided\n", right);
}
END_TEST

START_TEST(inside_a_page)
{
	uint64_t masks[] = { 0x10040, 0x20080, 0x40100, 0x80200, 0x100400 };
	struct index_function found;
	struct kit kit;

	kit_begin_masks(&kit, masks, 5, 20, 1);
	found = kit_find(&kit, 1);
	ck_assert_int_eq(found.kind, INDEX_HASHED);
	ck_assert(kit_masks_are_right(&kit, &found));
	ck_assert_uint_eq(found.low_bit, 6);
	ck_assert_uint_eq(found.high_bit, 20);
	ck_assert_ptr_nonnull(strstr(found.limit, "bits 6 to 20"));
	ck_assert_ptr_nonnull(strstr(found.limit, "2048 KiB"));
	/* All bits of a 4 KiB page select: those above may be mixed in. */
	kit_begin_masks(&kit, masks, 5, 10, 1);
	found = kit_find(&kit, 1);
	ck_assert_int_eq(found.kind, INDEX_UNKNOWN);
	ck_assert_uint_eq(found.rank, 5);
	ck_assert(kit_masks_are_right(&kit, &found));
	ck_assert_ptr_nonnull(strstr(found.reason, "higher"));
}
END_TEST

static double wrong_share(struct kit *kit, const struct index_function *found,
			  struct index_check *check)
{
	struct failure f = { .text = "" };

	ck_assert_msg(!index_verify(&kit->oracle, found, 1000, 7, check, &f),
		      "%s", f.text);
	ck_assert_uint_eq(check->congruent + check->apart + check->undecided,
			  1000);
	return (double)(check->false_congruent + check->false_apart) / 1000;
}

START_TEST(verify_knows_right_from_wrong)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct index_function found;
		struct index_check check;
		struct kit kit;

		begin_random(&kit, seed);
		found = kit_find(&kit, seed);
		ck_assert(wrong_share(&kit, &found, &check) == 0);
		ck_assert(check.congruent_low == 0 && check.apart_low == 0);
		ck_assert(check.congruent_high < 0.01 &&
			  check.apart_high < 0.01);
		if (found.rank < 2)
			continue;
		/* One row lost: half of what it calls congruent is not. */
		found.rank--;
		wrong_share(&kit, &found, &check);
		ck_assert(check.false_congruent > check.congruent / 3);
		ck_assert(check.congruent_low > 0.3);
		/* One row too many: what it keeps apart is congruent. */
		found.rank++;
		found.masks[found.rank - 1] ^= UINT64_C(1) << HIGH_BIT;
		ck_assert(wrong_share(&kit, &found, &check) > 0.01);
	}
}
END_TEST

START_TEST(verify_shows_what_errs)
{
	struct index_function found;
	struct index_check check;
	struct failure f = { .text = "" };
	struct kit kit;

	begin_random(&kit, 1);
	found = kit_find(&kit, 1);
	kit.false_yes = 0.02;
	kit.false_no = 0.1;
	wrong_share(&kit, &found, &check);
	ck_assert(check.congruent_low > 0.05 && check.congruent_high < 0.16);
	ck_assert(check.apart_low > 0.005 && check.apart_high < 0.05);
	found = (struct index_function){ .kind = INDEX_UNKNOWN };
	ck_assert_int_eq(index_verify(&kit.oracle, &found, 1000, 7, &check, &f),
			 -EINVAL);
	ck_assert(f.text[0]);
}
END_TEST

START_TEST(more_masks_than_sets)
{
	const struct index_function masks = {
		.kind = INDEX_HASHED, .rank = 11, .low_bit = 6, .high_bit = 27
	};
	struct index_function found = masks;

	index_check_sets(&found, 0);
	ck_assert_uint_eq(found.rank, 11);
	index_check_sets(&found, 2048);
	ck_assert_uint_eq(found.rank, 11);
	/* Masks of fewer bits than there are may come out. */
	index_check_sets(&found, 1 << 16);
	ck_assert_int_eq(found.kind, INDEX_HASHED);
	index_check_sets(&found, 1536);
	ck_assert_int_eq(found.kind, INDEX_UNKNOWN);
	ck_assert_uint_eq(found.rank, 0);
	ck_assert_uint_eq(found.high_bit, 27);
	ck_assert_str_eq(
		found.reason,
		"11 masks were found, which would distinguish more sets than the 1536 that there are");
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("index");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, random_hashes);
	tcase_add_test(t, published_masks);
	tcase_add_test(t, answers_that_err);
	tcase_add_test(t, long_questions_without_answers);
	tcase_add_test(t, answers_that_lie);
	tcase_add_test(t, hopeless_answers_stay_open);
	tcase_add_test(t, a_false_member_ruins_nothing);
	tcase_add_test(t, inside_a_page);
	tcase_add_test(t, verify_knows_right_from_wrong);
	tcase_add_test(t, verify_shows_what_errs);
	tcase_add_test(t, more_masks_than_sets);
	suite_add_tcase(suite, t);
	return suite;
}
