// SPDX-License-Identifier: GPL-2.0
/* check_compare.c - verdicts on the answers of the methods. */
#include <math.h>
#include <string.h>

#include "report/compare/comparekit.h"
#include "suites.h"

static struct compare_kit kit;

static void setup(void)
{
	compare_kit_begin(&kit);
}

static void teardown(void)
{
	compare_kit_end(&kit);
}

/* Return: NULL if there is no such row. */
static const struct compare_row *row_of(enum compare_where where, int level,
					enum compare_parameter parameter)
{
	compare_kit_make(&kit);
	for (size_t i = 0; i < kit.c.row_count; i++)
		if (kit.c.rows[i].where == where &&
		    kit.c.rows[i].level == level &&
		    kit.c.rows[i].parameter == parameter)
			return &kit.c.rows[i];
	return NULL;
}

static void expect(enum compare_where where, int level,
		   enum compare_parameter parameter, enum compare_method m,
		   enum compare_verdict wanted)
{
	const struct compare_row *row = row_of(where, level, parameter);

	ck_assert_ptr_nonnull(row);
	ck_assert_str_eq(compare_verdict_name(row->cells[m].verdict),
			 compare_verdict_name(wanted));
}

START_TEST(equal_is_right_and_else_wrong)
{
	struct parameter *p = &kit.xray.caches[0].capacity_bytes;

	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY, COMPARE_RIGHT);
	p->value += 64;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY, COMPARE_WRONG);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_RIGHT);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_AMP,
	       COMPARE_NOT_TOLD);
	parameter_undecided(p, "x-ray", "no idea");
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_UNDECIDED);
	parameter_unavailable(p, "not requested");
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_NOT_TOLD);
}
END_TEST

/* The tolerance is half a cycle and 5 %, as in tests of profiles. */
START_TEST(latencies_are_near)
{
	static const struct {
		double value;
		enum compare_verdict verdict;
	} of_four[] = { { 3.35, COMPARE_RIGHT }, { 3.25, COMPARE_WRONG },
			{ 4.65, COMPARE_RIGHT }, { 4.75, COMPARE_WRONG },
			{ 0, COMPARE_WRONG },	 { NAN, COMPARE_WRONG } };

	for (size_t i = 0; i < sizeof(of_four) / sizeof(of_four[0]); i++) {
		kit.xray.caches[0].latency_cycles.value = of_four[i].value;
		expect(COMPARE_CACHE, 1, COMPARE_LATENCY, COMPARE_XRAY,
		       of_four[i].verdict);
	}
	parameter_measured(&kit.sides[1].memory_latency_cycles, 210, 0, "b");
	expect(COMPARE_MEMORY, 0, COMPARE_LATENCY, COMPARE_BREAKING,
	       COMPARE_RIGHT);
	kit.sides[1].memory_latency_cycles.value = 211;
	expect(COMPARE_MEMORY, 0, COMPARE_LATENCY, COMPARE_BREAKING,
	       COMPARE_WRONG);
}
END_TEST

/*
 * Cooper-Sandoval measures effective capacities: a band below the usable bytes
 * is right, and they are not compared with capacities.
 */
START_TEST(effective_is_a_band)
{
	static const struct {
		double kib;
		enum compare_verdict verdict;
	} of_576[] = { { 287, COMPARE_WRONG },
		       { 288, COMPARE_RIGHT },
		       { 513, COMPARE_RIGHT },
		       { 576, COMPARE_RIGHT },
		       { 577, COMPARE_WRONG } };
	struct side_level *level =
		compare_kit_add_side(&kit, COMPARE_COOPER, 0);

	compare_kit_add_xray(&kit, 512 * KIB, 12);
	for (size_t i = 0; i < sizeof(of_576) / sizeof(of_576[0]); i++) {
		level->capacity_bytes.value = of_576[i].kib * KIB;
		expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_COOPER,
		       of_576[i].verdict);
	}
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_COOPER,
	       COMPARE_NOT_TOLD);
	/* X-Ray's value must be exact; Saavedra reports capacities only. */
	expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_XRAY,
	       COMPARE_WRONG);
	kit.xray.caches[1].effective_capacity_bytes.value = 576 * KIB;
	expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_XRAY,
	       COMPARE_RIGHT);
	expect(COMPARE_CACHE, 1, COMPARE_EFFECTIVE, COMPARE_SAAVEDRA,
	       COMPARE_NOT_TOLD);
}
END_TEST

START_TEST(too_few_levels_are_missed_and_too_many_wrong)
{
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_MISSED);
	expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_COOPER,
	       COMPARE_MISSED);
	/* No method has a line size of the second level. */
	ck_assert_ptr_null(row_of(COMPARE_CACHE, 2, COMPARE_LINE));
	compare_kit_add_side(&kit, COMPARE_SAAVEDRA, 512 * KIB);
	compare_kit_add_side(&kit, COMPARE_SAAVEDRA, 4096 * KIB);
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_RIGHT);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_WRONG);
	ck_assert(row_of(COMPARE_CACHE, 3, COMPARE_CAPACITY)->absent);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
	/* A method without any result misses no level. */
	kit.sides[1].cache_count = 0;
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
}
END_TEST

START_TEST(levels_are_counted_to_memory)
{
	parameter_measured(&kit.xray.memory_latency_cycles, 200, 0, "x-ray");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_WRONG);
	compare_kit_add_xray(&kit, 512 * KIB, 12);
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_RIGHT);
	parameter_undecided(&kit.xray.caches[1].ways, "x-ray", "no stride");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(kit.c.rows[0].cells[COMPARE_XRAY].p.reason,
				     "no stride"));
	parameter_measured(&kit.xray.caches[1].ways, 8, 0, "x-ray");
	parameter_undecided(&kit.xray.memory_latency_cycles, "x-ray",
			    "no flush");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_UNDECIDED);
}
END_TEST

static void add_reach(double kib, double latency)
{
	struct side_tlb *t = side_result_add_tlb(&kit.sides[0], 4096);

	parameter_measured(&t->reach_bytes, kib * KIB, 0, "c");
	parameter_measured(&t->latency_cycles, latency, 0, "c");
}

/*
 * Entries are the reach in pages. The latency of a level is the difference from
 * the level above, because the method times whole accesses.
 */
START_TEST(reach_is_entries)
{
	struct amp_row *row;

	add_reach(256, 4);
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_RIGHT);
	expect(COMPARE_TLB, 2, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_MISSED);
	ck_assert_ptr_null(row_of(COMPARE_TLB, 1, COMPARE_LATENCY));
	add_reach(4096, 11.2);
	expect(COMPARE_TLB, 2, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_RIGHT);
	expect(COMPARE_TLB, 2, COMPARE_LATENCY, COMPARE_COOPER, COMPARE_RIGHT);
	kit.sides[0].tlbs[1].latency_cycles.value = 13;
	expect(COMPARE_TLB, 2, COMPARE_LATENCY, COMPARE_COOPER, COMPARE_WRONG);
	add_reach(9999, 30);
	expect(COMPARE_TLB, 3, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_WRONG);
	row = amp_add_row(&kit.amp, 1, "data", 4096);
	parameter_measured(&row->size.p, 63, 0, "amp");
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_AMP, COMPARE_WRONG);
	row->type = "instruction";
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_AMP, COMPARE_NOT_TOLD);
}
END_TEST

START_TEST(what_did_not_end_is_not_blamed)
{
	struct compare_run *run = &kit.said.runs[COMPARE_BREAKING];

	*run = (struct compare_run){ .selected = true,
				     .reason = "interrupted" };
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_MISSED);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_RIGHT);
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
	ck_assert_str_eq(row_of(COMPARE_CACHE, 2, COMPARE_CAPACITY)
				 ->cells[COMPARE_BREAKING]
				 .p.reason,
			 "interrupted");
	run->selected = false;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
}
END_TEST

/* Documents may be wrong, so no answer is right or wrong. */
START_TEST(documents_are_no_truth)
{
	kit.truth.exact = false;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_AGREES);
	kit.xray.caches[0].capacity_bytes.value = 48 * KIB;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_DIFFERS);
	compare_kit_add_side(&kit, COMPARE_SAAVEDRA, 512 * KIB);
	compare_kit_add_side(&kit, COMPARE_SAAVEDRA, 4096 * KIB);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_DIFFERS);
	for (int m = 0; m < COMPARE_METHODS; m++)
		ck_assert_uint_eq(kit.c.counts[m][COMPARE_RIGHT] +
					  kit.c.counts[m][COMPARE_WRONG],
				  0);
	/* TLBs without a document have no truth. */
	kit.truth.tlb_count = 0;
	add_reach(256, 4);
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_ALONE);
}
END_TEST

START_TEST(most_voices_are_a_consensus)
{
	const struct compare_row *row;

	compare_kit_forget_truth(&kit);
	kit.xray.caches[0].capacity_bytes.value = 48 * KIB;
	/* The baselines have one vote together. */
	row = row_of(COMPARE_CACHE, 1, COMPARE_CAPACITY);
	ck_assert(isnan(row->consensus));
	ck_assert_uint_eq(row->voices, 2);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_DIFFERS);
	kit.xray.caches[0].capacity_bytes.value = 32 * KIB;
	kit.sides[1].caches[0].capacity_bytes.value = 64 * KIB;
	row = row_of(COMPARE_CACHE, 1, COMPARE_CAPACITY);
	ck_assert(row->consensus == 32 * KIB);
	ck_assert_uint_eq(row->agreeing, 2);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_DIFFERS);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_AGREES);
	/* Methods define effective capacity differently: no consensus. */
	ck_assert(
		isnan(row_of(COMPARE_CACHE, 1, COMPARE_EFFECTIVE)->consensus));
}
END_TEST

START_TEST(a_tie_is_no_consensus)
{
	struct amp_row *row = amp_add_row(&kit.amp, 1, "data", 0);

	compare_kit_forget_truth(&kit);
	parameter_measured(&row->block_bytes.p, 64, 0, "amp");
	parameter_measured(&kit.sides[0].caches[0].line_bytes, 128, 0, "c");
	parameter_measured(&kit.sides[1].caches[0].line_bytes, 128, 0, "b");
	ck_assert(isnan(row_of(COMPARE_CACHE, 1, COMPARE_LINE)->consensus));
	expect(COMPARE_CACHE, 1, COMPARE_LINE, COMPARE_XRAY, COMPARE_DIFFERS);
	expect(COMPARE_CACHE, 1, COMPARE_LINE, COMPARE_BREAKING,
	       COMPARE_DIFFERS);
	parameter_undecided(&kit.sides[1].caches[0].line_bytes, "b", "flat");
	ck_assert(row_of(COMPARE_CACHE, 1, COMPARE_LINE)->consensus == 64);
	expect(COMPARE_CACHE, 1, COMPARE_LINE, COMPARE_COOPER, COMPARE_DIFFERS);
}
END_TEST

/* Two methods that measure and disagree both differ: neither is known to be right. */
START_TEST(two_that_disagree_differ)
{
	struct parameter *other = &kit.sides[0].caches[0].latency_cycles;

	compare_kit_forget_truth(&kit);
	for (int i = 1; i < COMPARE_SIDES; i++)
		parameter_undecided(&kit.sides[i].caches[0].latency_cycles, "b",
				    "flat");
	parameter_measured(&kit.xray.caches[0].latency_cycles, 15, 0, "x");
	parameter_measured(other, 12, 0, "c");
	expect(COMPARE_CACHE, 1, COMPARE_LATENCY, COMPARE_XRAY,
	       COMPARE_DIFFERS);
	expect(COMPARE_CACHE, 1, COMPARE_LATENCY, COMPARE_COOPER,
	       COMPARE_DIFFERS);
	parameter_undecided(other, "c", "flat");
	expect(COMPARE_CACHE, 1, COMPARE_LATENCY, COMPARE_XRAY, COMPARE_ALONE);
}
END_TEST

/* Effective capacities contradict each other outside of the band only. */
START_TEST(two_effective_capacities)
{
	struct parameter *rise = &kit.sides[0].caches[0].capacity_bytes;

	compare_kit_forget_truth(&kit);
	parameter_measured(&kit.xray.caches[0].capacity_bytes, 32 * KIB, 0,
			   "x");
	parameter_measured(rise, 24 * KIB, 0, "c");
	expect(COMPARE_CACHE, 1, COMPARE_EFFECTIVE, COMPARE_XRAY,
	       COMPARE_ALONE);
	parameter_measured(rise, 40 * KIB, 0, "c");
	expect(COMPARE_CACHE, 1, COMPARE_EFFECTIVE, COMPARE_XRAY,
	       COMPARE_DIFFERS);
	expect(COMPARE_CACHE, 1, COMPARE_EFFECTIVE, COMPARE_COOPER,
	       COMPARE_DIFFERS);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("verdicts");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, equal_is_right_and_else_wrong);
	tcase_add_test(t, latencies_are_near);
	tcase_add_test(t, effective_is_a_band);
	tcase_add_test(t, too_few_levels_are_missed_and_too_many_wrong);
	tcase_add_test(t, levels_are_counted_to_memory);
	tcase_add_test(t, reach_is_entries);
	tcase_add_test(t, what_did_not_end_is_not_blamed);
	tcase_add_test(t, documents_are_no_truth);
	tcase_add_test(t, most_voices_are_a_consensus);
	tcase_add_test(t, a_tie_is_no_consensus);
	tcase_add_test(t, two_that_disagree_differ);
	tcase_add_test(t, two_effective_capacities);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, make_truth_case());
	return suite;
}
