// SPDX-License-Identifier: GPL-2.0
/* check_amp.c - what decides in AMP, and what is undecided. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "method/amp/amp.h"
#include "method/amp/ampkit.h"
#include "suites.h"

/* --- the two decisions --------------------------------------------------- */

#define CACHE(ways, bytes, policy)                                        \
	"{\"counters\":[\"l1d_miss\"],\"caches\":[{\"level\":1,\"type\":" \
	"\"data\",\"capacity_bytes\":" #bytes ",\"ways\":" #ways          \
	",\"line_bytes\":64,\"latency_cycles\":3,\"policy\":{" policy "}}]}"

static void measure_text(const char *text, enum amp_decision decision,
			 struct amp_result *r)
{
	const struct amp_wanted wanted = { .caches = 1, .decision = decision };

	ampkit_measure(profilekit_open(text, AMPKIT_BYTES, 1), 1, &wanted, r);
}

static void expect_votes(const struct amp_parameter *p, double value)
{
	ck_assert_uint_eq(p->vote_count, AMP_VOTES);
	for (size_t i = 0; i < p->vote_count; i++)
		ck_assert_double_eq(p->votes[i], value);
}

START_TEST(votes_agree_on_lru)
{
	for (int by = 0; by < 2; by++) {
		struct amp_result r;

		measure_text(CACHE(3, 12288, "\"name\":\"lru\""),
			     (enum amp_decision)by, &r);
		ck_assert(ampkit_is_cell(&r.caches[0].block_bytes, 64));
		ck_assert(ampkit_is_cell(&r.caches[0].size, 12288));
		ck_assert(ampkit_is_cell(&r.caches[0].ways, 3));
		expect_votes(&r.caches[0].size, 12288);
		expect_votes(&r.caches[0].ways, 3);
		ck_assert(by == AMP_BY_VOTES ||
			  r.caches[0].size.p.error_bound <= 1e-4);
	}
}
END_TEST

/*
 * Lines that are let in once in 16 times: twice what fits misses little more
 * than half of the time (algorithms 1.3), less than 80 %. All eight votes are
 * for twice the size, and their decision would be wrong. A round that misses at
 * all shows it.
 */
START_TEST(eight_votes_may_all_be_wrong)
{
	const char *text = CACHE(
		8, 8192, "\"name\":\"bip\",\"epsilon\":0.0625,\"seed\":3");
	struct amp_result by_tests, by_votes;

	measure_text(text, AMP_SEQUENTIAL, &by_tests);
	ck_assert_msg(ampkit_is_cell(&by_tests.caches[0].size, 8192), "%g (%s)",
		      by_tests.caches[0].size.p.value,
		      by_tests.caches[0].size.p.reason);
	ck_assert(ampkit_is_cell(&by_tests.caches[0].ways, 8));
	for (size_t i = 0; i < by_tests.caches[0].size.vote_count; i++)
		ck_assert_double_gt(by_tests.caches[0].size.votes[i], 8192);
	measure_text(text, AMP_BY_VOTES, &by_votes);
	ck_assert(parameter_is_measured(&by_votes.caches[0].size.p));
	ck_assert_double_gt(by_votes.caches[0].size.p.value, 8192);
}
END_TEST

/* Lines that go by chance, and stores that bring none. */
START_TEST(random_victims_and_stores)
{
	struct amp_result r;

	measure_text("{\"counters\":[\"l1d_miss\"],\"caches\":[{\"level\":1,"
		     "\"type\":\"data\",\"capacity_bytes\":8192,\"ways\":4,"
		     "\"line_bytes\":64,\"latency_cycles\":3,"
		     "\"write_allocate\":false,"
		     "\"policy\":{\"name\":\"random\",\"seed\":5}}]}",
		     AMP_SEQUENTIAL, &r);
	ck_assert(ampkit_is_cell(&r.caches[0].ways, 4));
	ck_assert_msg(ampkit_is_flag(&r.caches[0].replacement, true), "%s",
		      r.caches[0].replacement.p.reason);
	ck_assert(ampkit_is_flag(&r.caches[0].write_allocate, false));
}
END_TEST

/* Written back or through, above second levels of any kind: nothing wrong is said,
 * and where lines come and go as they should, what is written back is.
 */
static const struct {
	const char *policy;
	const char *inclusion;
	bool decided;
} seconds[] = {
	{ "lru", "nine", true },	  { "tree-plru", "nine", true },
	{ "srrip", "nine", true },	  { "brrip", "nine", false },
	{ "nru", "nine", false },	  { "bip", "nine", false },
	{ "random", "nine", false },	  { "lip", "nine", false },
	{ "lru", "inclusive", false },	  { "brrip", "inclusive", false },
	{ "random", "inclusive", false },
};

START_TEST(what_is_stored_comes_back)
{
	if (!is_in_part(_i))
		return;

	const struct amp_wanted wanted = { .caches = 2 };

	for (int through = 0; through < 2; through++) {
		struct amp_result r;
		char text[1024];

		snprintf(text, sizeof(text),
			 "{\"counters\":[\"l1d_miss\",\"l2_miss\"],\"caches\":["
			 "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":"
			 "8192,\"ways\":4,\"line_bytes\":64,"
			 "\"latency_cycles\":3,\"write_back\":%s,"
			 "\"policy\":{\"name\":\"lru\"}},"
			 "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":"
			 "131072,\"ways\":8,\"line_bytes\":64,"
			 "\"latency_cycles\":14,\"inclusion\":\"%s\","
			 "\"policy\":{\"name\":\"%s\",\"seed\":7}}]}",
			 through ? "false" : "true", seconds[_i].inclusion,
			 seconds[_i].policy);
		ampkit_measure(profilekit_open(text, AMPKIT_BYTES, 1), 1,
			       &wanted, &r);
		if (!through && seconds[_i].decided)
			ck_assert_msg(ampkit_is_flag(&r.caches[0].write_back,
						     true),
				      "%s", r.caches[0].write_back.p.reason);
		else if (parameter_is_measured(&r.caches[0].write_back.p))
			ck_assert(!through &&
				  r.caches[0].write_back.p.value == 1);
		else
			ck_assert(r.caches[0].write_back.p.reason[0]);
		ck_assert(!parameter_is_measured(&r.caches[1].write_back.p));
	}
}
END_TEST

/* A quarter is the finest step of the paper: 9 ways of 1 KiB lie between. */
START_TEST(sizes_between_the_steps)
{
	struct amp_result r;

	measure_text(CACHE(9, 9216, "\"name\":\"lru\""), AMP_SEQUENTIAL, &r);
	ck_assert_msg(ampkit_is_cell(&r.caches[0].size, 9216), "%g (%s)",
		      r.caches[0].size.p.value, r.caches[0].size.p.reason);
	ck_assert(ampkit_is_cell(&r.caches[0].ways, 9));
	expect_votes(&r.caches[0].size, 8192);
}
END_TEST

/* --- what cannot be decided ---------------------------------------------- */

START_TEST(nothing_without_counters)
{
	const struct amp_wanted wanted = AMPKIT_EVERYTHING;
	struct amp_result r;

	ampkit_measure_file("adv-no-counters", 1, &wanted, &r);
	ck_assert(!r.answered);
	ck_assert_uint_eq(r.cache_count, 3);
	ck_assert_uint_eq(r.tlb_count, 2);
	for (int i = 0; i < 3; i++) {
		ck_assert(ampkit_is_cell(&r.caches[i].block_bytes, 0));
		ck_assert(ampkit_is_cell(&r.caches[i].size, 0));
		ck_assert(ampkit_is_cell(&r.caches[i].ways, 0));
	}
	for (int i = 0; i < 2; i++)
		ck_assert(ampkit_is_cell(&r.tlbs[i].size, 0));
}
END_TEST

/* No stride finds a set; what comes along makes lines look longer. */
START_SLOW_TEST(right_or_open)
{
	static const struct {
		const char *name;
		double bytes, ways;
	} all[] = {
		{ "adv-hashed-l1", 16384, 4 },
		{ "adv-adjacent-line-fixed", 32768, 8 },
		{ "adv-next-line-fixed", 32768, 8 },
		{ "adv-fully-associative-l1", 2048, 32 },
		{ "adv-random-4k", 32768, 8 },
	};
	const struct amp_wanted wanted = { .caches = 1 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct amp_row *row;
		struct amp_result r;

		ampkit_measure_file(all[i].name, 1, &wanted, &r);
		row = &r.caches[0];
		if (row->size.p.status == PARAMETER_UNDECIDED) {
			ck_assert_str_ne(row->size.p.reason, "");
			ck_assert(!parameter_is_measured(&row->ways.p));
			continue;
		}
		ck_assert_msg(ampkit_is_cell(&row->size, all[i].bytes) &&
				      ampkit_is_cell(&row->ways, all[i].ways),
			      "%s: %g, %g ways", all[i].name, row->size.p.value,
			      row->ways.p.value);
	}
}
END_TEST

/* Lines that come in pairs, and a level that holds what the one above throws
 * out: nothing is said of them.
 */
START_SLOW_TEST(second_levels_left_open)
{
	static const char *const names[] = { "adv-adjacent-line-fixed",
					     "adv-exclusive-l2" };
	const struct amp_wanted wanted = { .caches = 2 };

	for (int i = 0; i < 2; i++) {
		struct amp_result r;

		ampkit_measure_file(names[i], 1, &wanted, &r);
		ck_assert(parameter_is_measured(&r.caches[0].ways.p));
		ck_assert_int_eq(r.caches[1].ways.p.status,
				 PARAMETER_UNDECIDED);
		ck_assert_int_eq(r.caches[1].block_bytes.p.status,
				 PARAMETER_UNDECIDED);
	}
}
END_TEST

/* A second level of four times the first one: data that the first one holds
 * cannot be missed, whatever code does.
 */
START_TEST(code_does_not_sweep_the_first_level)
{
	const struct amp_wanted wanted = { .caches = 2 };
	struct amp_result r;

	ampkit_measure_file("adv-nuca", 1, &wanted, &r);
	ck_assert(ampkit_is_flag(&r.caches[0].unified, false));
	ck_assert_msg(ampkit_is_flag(&r.caches[1].unified, true), "%s",
		      r.caches[1].unified.p.reason);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *decisions = tcase_create("decisions");

	suite_add_tcase(suite, make_amp_table_case());
	tcase_set_timeout(decisions, 300);
	tcase_add_test(decisions, votes_agree_on_lru);
	tcase_add_test(decisions, eight_votes_may_all_be_wrong);
	tcase_add_test(decisions, random_victims_and_stores);
	tcase_add_loop_test(decisions, what_is_stored_comes_back, 0,
			    (int)(sizeof(seconds) / sizeof(*seconds)));
	tcase_add_test(decisions, sizes_between_the_steps);
	tcase_add_test(decisions, nothing_without_counters);
	tcase_add_test(decisions, right_or_open);
	tcase_add_test(decisions, second_levels_left_open);
	tcase_add_test(decisions, code_does_not_sweep_the_first_level);
	suite_add_tcase(suite, decisions);
	suite_add_tcase(suite, make_amp_noise_case());
	suite_add_tcase(suite, make_amp_counting_case());
	suite_add_tcase(suite, make_amp_taken_case());
	suite_add_tcase(suite, make_amp_tlb_case());
	suite_add_tcase(suite, make_amp_beside_case());
	return suite;
}
