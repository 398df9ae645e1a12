// SPDX-License-Identifier: GPL-2.0
/* Replacement policies identified on sets whose policy is known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/policy/policykit.h"
#include "suites.h"

/* Questions until one class is left. */
#define MOST_CYCLES 5

static const unsigned int sizes[] = { 4, 8, 12, 16 };

/* What processors are known to have (algorithms of the literature). */
static bool is_real(const char *name)
{
	static const char *const real[] = {
		"LRU",
		"FIFO",
		"tree-PLRU",
		"bit-PLRU (MRU)",
		"MRU_N",
		"NRU",
		"LIP",
		"LRU3PLRU4",
		"MRU3PLRU4",
		"SRRIP-HP",
		"SRRIP-FP",
		"QLRU_H00_M1_R2_U1",
		"QLRU_H00_M1_R0_U1",
		"QLRU_H11_M1_R0_U0",
		"QLRU_H11_M1_R1_U2",
	};

	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		if (!strcmp(real[i], name))
			return true;
	return false;
}

/* One of some tens is taken, by the seed; in fewer ways each takes less time. */
static bool is_sampled(size_t i, unsigned int ways, unsigned int how_many)
{
	unsigned int step = ways < 20 ? ways : 20;

	return (i + test_seed()) % step < how_many;
}

/*
 * Without contention each is found, to its class, with few tests. A tree of 16
 * leaves over 12 ways never evicts from three of them: undecided.
 */
START_TEST(exact)
{
	if (!is_in_part(_i))
		return;

	struct policy_catalogue catalogue;

	printf("policies: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	make_catalogue(&catalogue, sizes[_i], false);
	for (size_t i = 0; i < catalogue.known.deterministic; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		bool stuck = sizes[_i] == 12 && !strcmp(h->name, "tree-PLRU");
		struct known_set k = { .wrong = 0 };
		struct policy_finding found;

		if (!is_real(h->name) && !is_sampled(i, sizes[_i], samples()))
			continue;
		identify(&catalogue, &k, h, false, &found);
		ck_assert_msg(found.kind == (stuck ? POLICY_UNDECIDED :
						     POLICY_KNOWN) &&
				      names(&found, h->name),
			      "%u ways, %s: %s %s %s", sizes[_i], h->name,
			      policy_kind_name(found.kind), found.names[0],
			      found.reason);
		ck_assert_msg(found.split <= MOST_CYCLES,
			      "%u ways, %s: %zu cycles", sizes[_i], h->name,
			      found.split);
	}
	policy_catalogue_free(&catalogue);
}
END_TEST

/* Some answers are wrong: the policy is found or undecided, never another one. */
START_TEST(disturbed)
{
	if (!is_in_part(_i))
		return;

	unsigned int found_some = 0;
	struct policy_catalogue catalogue;

	printf("policies: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	make_catalogue(&catalogue, sizes[_i], false);
	for (size_t i = 0; i < catalogue.known.deterministic; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .wrong = 0.02 };
		struct policy_finding found;

		if (!is_real(h->name) && !is_sampled(i, sizes[_i], 1))
			continue;
		identify(&catalogue, &k, h, false, &found);
		ck_assert_msg(found.kind == POLICY_UNDECIDED ||
				      (found.kind == POLICY_KNOWN &&
				       names(&found, h->name)),
			      "%u ways, %s: %s %s", sizes[_i], h->name,
			      policy_kind_name(found.kind), found.names[0]);
		found_some += found.kind == POLICY_KNOWN;
	}
	ck_assert_uint_gt(found_some, 12);
	policy_catalogue_free(&catalogue);
}
END_TEST

/* Flushes distinguish more policies of a class. */
START_SLOW_TEST(free_ways)
{
	struct policy_catalogue catalogue;

	make_catalogue(&catalogue, 8, true);
	for (size_t i = 0; i < catalogue.known.deterministic; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .wrong = 0 };
		struct policy_finding found;

		if (strcmp(h->name, "MRU_N") &&
		    strcmp(h->name, "QLRU_H00_M1_R2_U1"))
			continue;
		identify(&catalogue, &k, h, true, &found);
		ck_assert_int_eq(found.kind, POLICY_KNOWN);
		ck_assert(names(&found, h->name));
		ck_assert(!names(&found, "bit-PLRU (MRU)"));
		if (!found.reason[0])
			ck_assert(!names(&found, "QLRU_H00_M1_R0_U1"));
	}
	policy_catalogue_free(&catalogue);
}
END_TEST

/*
 * A tree of 16 leaves over 12 ways keeps what is in three of them: it is known
 * by what it does after a flush, unless another line is there.
 */
START_TEST(never_forgets)
{
	if (!is_in_part(_i))
		return;

	struct profile_policy policy = { .name = PROFILE_TREE_PLRU };
	struct known_set k = { .wrong = 0 };
	struct set_oracle oracle = oracle_for(&k, 12, true);
	struct policy_finding found;
	struct policy_catalogue catalogue;

	make_catalogue(&catalogue, 12, true);
	k.rng.state = test_seed();
	ck_assert_int_eq(policy_set_begin(&k.set, &policy, HABIT_NONE, 12), 0);
	if (_i)
		policy_set_place(&k.set, 9, 100000);
	identify_set(&oracle, &catalogue, &found);
	ck_assert_int_eq(found.kind, _i ? POLICY_UNDECIDED : POLICY_KNOWN);
	ck_assert(found.reason[0]);
	ck_assert(_i || (found.name_count == 1 && names(&found, "tree-PLRU")));
	policy_set_end(&k.set);
	policy_catalogue_free(&catalogue);
}
END_TEST

/* LRU, but a hit moves a line up by one place only: none of the known. */
START_SLOW_TEST(vectors)
{
	struct permutation_policy one_up = { .ways = 8 };
	struct known_set k = { .wrong = 0 };
	struct set_oracle oracle = oracle_for(&k, 8, false);
	struct policy_finding found;
	struct policy_catalogue catalogue;

	for (unsigned int i = 0; i < 8; i++) {
		for (unsigned int j = 0; j < 8; j++)
			one_up.hit[i][j] = (unsigned char)j;
		if (i) {
			one_up.hit[i][i] = (unsigned char)(i - 1);
			one_up.hit[i][i - 1] = (unsigned char)i;
		}
		one_up.miss[i] = (unsigned char)((i + 1) % 8);
	}
	make_catalogue(&catalogue, 8, false);
	policy_set_begin_permutation(&k.set, &one_up);
	identify_set(&oracle, &catalogue, &found);
	ck_assert_msg(found.kind == POLICY_PERMUTATION, "%s %s %s",
		      policy_kind_name(found.kind), found.names[0],
		      found.reason);
	for (unsigned int i = 0; i < 8; i++) {
		ck_assert_mem_eq(found.permutation.hit[i], one_up.hit[i], 8);
		ck_assert_uint_eq(found.permutation.miss[i], one_up.miss[i]);
	}
	policy_set_end(&k.set);
	policy_catalogue_free(&catalogue);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *matrix = tcase_create("matrix"), *rest = tcase_create("rest");
	int count = sizeof(sizes) / sizeof(sizes[0]);

	tcase_set_timeout(matrix, 300);
	tcase_add_loop_test(matrix, exact, 0, count);
	tcase_add_loop_test(matrix, disturbed, 0, count);
	tcase_set_timeout(rest, 300);
	tcase_add_test(rest, free_ways);
	tcase_add_loop_test(rest, never_forgets, 0, 2);
	tcase_add_test(rest, vectors);
	suite_add_tcase(suite, matrix);
	suite_add_tcase(suite, rest);
	return suite;
}
