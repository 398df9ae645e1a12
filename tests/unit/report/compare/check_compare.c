// SPDX-License-Identifier: GPL-2.0
/* check_compare.c - what is said of methods' answers, and how it is written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/simcache.h"
#include "report/compare/compare.h"
#include "suites.h"

#define KIB 1024.0

static struct truth truth;
static struct hierarchy xray;
static struct amp_result amp;
static struct side_result sides[COMPARE_SIDES];
static struct compare_said said;
static struct comparison c;

static void add_truth(double capacity, double usable, double latency)
{
	truth.caches[truth.cache_count++] =
		(struct truth_cache){ .capacity_bytes = capacity,
				      .usable_bytes = usable,
				      .line_bytes = 64,
				      .ways = 8,
				      .latency_cycles = latency };
}

static void add_xray(double capacity, double latency)
{
	struct cache_result *level = hierarchy_add(&xray);

	parameter_measured(&level->ways, 8, 1e-6, "x-ray");
	parameter_measured(&level->line_bytes, 64, 1e-6, "x-ray");
	parameter_measured(&level->capacity_bytes, capacity, 1e-6, "x-ray");
	parameter_measured(&level->effective_capacity_bytes, capacity, 1e-6,
			   "x-ray");
	parameter_measured(&level->latency_cycles, latency, 0, "x-ray");
}

static struct side_level *add_side(enum compare_method m, double capacity)
{
	struct side_level *level = side_result_add(&sides[m - COMPARE_COOPER]);

	parameter_measured(&level->capacity_bytes, capacity, 0,
			   compare_method_name(m));
	return level;
}

/* Two levels, of which all methods list one. */
static void setup(void)
{
	truth = (struct truth){ .exact = true, .memory_latency_cycles = 200 };
	add_truth(32 * KIB, 32 * KIB, 4);
	add_truth(512 * KIB, 576 * KIB, 12);
	truth.tlbs[truth.tlb_count++] = (struct truth_tlb){ 1, 4096, 64, 4, 0 };
	truth.tlbs[truth.tlb_count++] =
		(struct truth_tlb){ 2, 4096, 1024, 8, 7 };
	hierarchy_init(&xray);
	add_xray(32 * KIB, 4);
	amp = (struct amp_result){ .selected = true, .answered = true };
	said = (struct compare_said){ .xray = &xray, .amp = &amp };
	for (int m = 0; m < COMPARE_METHODS; m++)
		said.runs[m] = (struct compare_run){ .selected = true,
						     .complete = true };
	for (int i = 0; i < COMPARE_SIDES; i++) {
		enum compare_method m = COMPARE_COOPER + i;

		side_result_begin(&sides[i], compare_method_name(m));
		add_side(m, 32 * KIB);
		said.sides[i] = &sides[i];
	}
}

static void teardown(void)
{
	for (int i = 0; i < COMPARE_SIDES; i++)
		side_result_free(&sides[i]);
}

/* NULL: there is no such row. */
static const struct compare_row *row_of(enum compare_where where, int level,
					enum compare_parameter parameter)
{
	compare_make(&c, &said, &truth);
	for (size_t i = 0; i < c.row_count; i++)
		if (c.rows[i].where == where && c.rows[i].level == level &&
		    c.rows[i].parameter == parameter)
			return &c.rows[i];
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
	struct parameter *p = &xray.caches[0].capacity_bytes;

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

/* Half a cycle and 5 %, as where the tool is held against profiles. */
START_TEST(latencies_are_near)
{
	static const struct {
		double value;
		enum compare_verdict verdict;
	} of_four[] = { { 3.35, COMPARE_RIGHT }, { 3.25, COMPARE_WRONG },
			{ 4.65, COMPARE_RIGHT }, { 4.75, COMPARE_WRONG },
			{ 0, COMPARE_WRONG },	 { NAN, COMPARE_WRONG } };

	for (size_t i = 0; i < sizeof(of_four) / sizeof(of_four[0]); i++) {
		xray.caches[0].latency_cycles.value = of_four[i].value;
		expect(COMPARE_CACHE, 1, COMPARE_LATENCY, COMPARE_XRAY,
		       of_four[i].verdict);
	}
	parameter_measured(&sides[1].memory_latency_cycles, 210, 0, "b");
	expect(COMPARE_MEMORY, 0, COMPARE_LATENCY, COMPARE_BREAKING,
	       COMPARE_RIGHT);
	sides[1].memory_latency_cycles.value = 211;
	expect(COMPARE_MEMORY, 0, COMPARE_LATENCY, COMPARE_BREAKING,
	       COMPARE_WRONG);
}
END_TEST

/* Cooper-Sandoval's capacities are effective ones: a band, of what is usable, and
 * never beside capacities.
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
	struct side_level *level = add_side(COMPARE_COOPER, 0);

	add_xray(512 * KIB, 12);
	for (size_t i = 0; i < sizeof(of_576) / sizeof(of_576[0]); i++) {
		level->capacity_bytes.value = of_576[i].kib * KIB;
		expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_COOPER,
		       of_576[i].verdict);
	}
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_COOPER,
	       COMPARE_NOT_TOLD);
	/* X-Ray counts; a baseline says what it takes for the capacity. */
	expect(COMPARE_CACHE, 2, COMPARE_EFFECTIVE, COMPARE_XRAY,
	       COMPARE_WRONG);
	xray.caches[1].effective_capacity_bytes.value = 576 * KIB;
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
	/* No method has a value of its lines. */
	ck_assert_ptr_null(row_of(COMPARE_CACHE, 2, COMPARE_LINE));
	add_side(COMPARE_SAAVEDRA, 512 * KIB);
	add_side(COMPARE_SAAVEDRA, 4096 * KIB);
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_RIGHT);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_WRONG);
	ck_assert(row_of(COMPARE_CACHE, 3, COMPARE_CAPACITY)->absent);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
	/* One that lists nothing may be asked for nothing. */
	sides[1].cache_count = 0;
	expect(COMPARE_CACHE, 2, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_NOT_TOLD);
}
END_TEST

START_TEST(levels_are_counted_to_memory)
{
	parameter_measured(&xray.memory_latency_cycles, 200, 0, "x-ray");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_WRONG);
	add_xray(512 * KIB, 12);
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_RIGHT);
	parameter_undecided(&xray.caches[1].ways, "x-ray", "no stride");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_UNDECIDED);
	ck_assert_ptr_nonnull(
		strstr(c.rows[0].cells[COMPARE_XRAY].p.reason, "no stride"));
	parameter_measured(&xray.caches[1].ways, 8, 0, "x-ray");
	parameter_undecided(&xray.memory_latency_cycles, "x-ray", "no flush");
	expect(COMPARE_HIERARCHY, 0, COMPARE_LEVELS, COMPARE_XRAY,
	       COMPARE_UNDECIDED);
}
END_TEST

static void add_reach(double kib, double latency)
{
	struct side_tlb *t = side_result_add_tlb(&sides[0], 4096);

	parameter_measured(&t->reach_bytes, kib * KIB, 0, "c");
	parameter_measured(&t->latency_cycles, latency, 0, "c");
}

/* Reach in pages, and of whole accesses what the array adds. */
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
	sides[0].tlbs[1].latency_cycles.value = 13;
	expect(COMPARE_TLB, 2, COMPARE_LATENCY, COMPARE_COOPER, COMPARE_WRONG);
	add_reach(9999, 30);
	expect(COMPARE_TLB, 3, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_WRONG);
	row = amp_add_row(&amp, 1, "data", 4096);
	parameter_measured(&row->size.p, 63, 0, "amp");
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_AMP, COMPARE_WRONG);
	row->type = "instruction";
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_AMP, COMPARE_NOT_TOLD);
}
END_TEST

START_TEST(what_did_not_end_is_not_blamed)
{
	struct compare_run *run = &said.runs[COMPARE_BREAKING];

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

/* --- real machines -------------------------------------------------------- */

/* What is documented need not be true. */
START_TEST(documents_are_no_truth)
{
	truth.exact = false;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_AGREES);
	xray.caches[0].capacity_bytes.value = 48 * KIB;
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_XRAY,
	       COMPARE_DIFFERS);
	add_side(COMPARE_SAAVEDRA, 512 * KIB);
	add_side(COMPARE_SAAVEDRA, 4096 * KIB);
	expect(COMPARE_CACHE, 3, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_DIFFERS);
	for (int m = 0; m < COMPARE_METHODS; m++)
		ck_assert_uint_eq(c.counts[m][COMPARE_RIGHT] +
					  c.counts[m][COMPARE_WRONG],
				  0);
	/* Of undocumented translations nothing is known. */
	truth.tlb_count = 0;
	add_reach(256, 4);
	expect(COMPARE_TLB, 1, COMPARE_ENTRIES, COMPARE_COOPER, COMPARE_ALONE);
}
END_TEST

static void no_documents(void)
{
	truth = (struct truth){ .memory_latency_cycles = NAN };
}

START_TEST(most_voices_are_a_consensus)
{
	const struct compare_row *row;

	no_documents();
	xray.caches[0].capacity_bytes.value = 48 * KIB;
	/* The baselines are one voice. */
	row = row_of(COMPARE_CACHE, 1, COMPARE_CAPACITY);
	ck_assert(isnan(row->consensus));
	ck_assert_uint_eq(row->voices, 2);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_ALONE);
	xray.caches[0].capacity_bytes.value = 32 * KIB;
	sides[1].caches[0].capacity_bytes.value = 64 * KIB;
	row = row_of(COMPARE_CACHE, 1, COMPARE_CAPACITY);
	ck_assert(row->consensus == 32 * KIB);
	ck_assert_uint_eq(row->agreeing, 2);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_BREAKING,
	       COMPARE_DIFFERS);
	expect(COMPARE_CACHE, 1, COMPARE_CAPACITY, COMPARE_SAAVEDRA,
	       COMPARE_AGREES);
	/* Effective capacities are no vote on capacities, nor have they one. */
	ck_assert(
		isnan(row_of(COMPARE_CACHE, 1, COMPARE_EFFECTIVE)->consensus));
}
END_TEST

START_TEST(a_tie_is_no_consensus)
{
	struct amp_row *row = amp_add_row(&amp, 1, "data", 0);

	no_documents();
	parameter_measured(&row->block_bytes.p, 64, 0, "amp");
	parameter_measured(&sides[0].caches[0].line_bytes, 128, 0, "c");
	parameter_measured(&sides[1].caches[0].line_bytes, 128, 0, "b");
	ck_assert(isnan(row_of(COMPARE_CACHE, 1, COMPARE_LINE)->consensus));
	expect(COMPARE_CACHE, 1, COMPARE_LINE, COMPARE_XRAY, COMPARE_ALONE);
	parameter_undecided(&sides[1].caches[0].line_bytes, "b", "flat");
	ck_assert(row_of(COMPARE_CACHE, 1, COMPARE_LINE)->consensus == 64);
	expect(COMPARE_CACHE, 1, COMPARE_LINE, COMPARE_COOPER, COMPARE_DIFFERS);
}
END_TEST

/* --- how it is written ---------------------------------------------------- */

static struct machine *m;

static void with_machine(void)
{
	const struct sim_config config = { .memory_latency = 9, .seed = 1 };

	setup();
	m = sim_open(&config);
	xray.complete = true;
	parameter_undecided(&xray.caches[0].ways, "x-ray", "no stride");
	parameter_undecided(&xray.caches[0].line_bytes, "x-ray", "no stride");
	said.runs[COMPARE_AMP].selected = false;
	said.runs[COMPARE_XRAY].accesses = 1234567;
}

static void without_machine(void)
{
	machine_close(m);
	teardown();
}

static const char *table(void)
{
	const struct report r = { .machine = machine_describe(m),
				  .found = &xray,
				  .seed = 42,
				  .seconds = 1.5 };
	const struct compare_report report = { &c, &r };
	static char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(out);
	compare_make(&c, &said, &truth);
	compare_table(&report, out);
	fclose(out);
	return text;
}

START_TEST(table_has_verdicts_and_reasons)
{
	const char *text = table();

	ck_assert_ptr_nonnull(strstr(text, "32 KiB right"));
	ck_assert_ptr_nonnull(strstr(text, "missed"));
	ck_assert_ptr_nonnull(
		strstr(text, "x-ray: L1 ways, line: undecided: no stride\n"));
	ck_assert_ptr_nonnull(strstr(text, "1.23e+06"));
	ck_assert_ptr_nonnull(strstr(text, "--seed 42"));
	ck_assert_ptr_null(strstr(text, "amp"));
	ck_assert_ptr_null(strstr(text, "consensus"));
	ck_assert_ptr_null(strstr(text, "interrupted"));
	xray.complete = false;
	ck_assert_ptr_nonnull(strstr(table(), "was interrupted"));
	no_documents();
	ck_assert_ptr_nonnull(strstr(table(), "consensus"));
	ck_assert_ptr_nonnull(strstr(table(), "32 KiB (2 of 2)"));
}
END_TEST

static json_t *at(json_t *o, const char *name)
{
	json_t *value = json_object_get(o, name);

	ck_assert_msg(value != NULL, "no %s", name);
	return value;
}

START_TEST(document_has_everything)
{
	const struct report r = { .machine = machine_describe(m),
				  .found = &xray,
				  .seed = 42 };
	const struct compare_report report = { &c, &r };
	struct side_curve *curve = side_result_keep(
		&sides[0], SIDE_FOOTPRINT_BYTES, 2, "C(%s)", "k");
	json_t *root, *row, *cell, *o;

	curve->points[0] = (struct curve_point){ 1024, 4 };
	curve->points[1] = (struct curve_point){ 2048, 4.5 };
	curve->analysed = true;
	strcpy(curve->found.reason, "too few");
	compare_make(&c, &said, &truth);
	root = compare_json(&report);
	ck_assert_int_eq(json_integer_value(at(root, "schema")), 1);
	ck_assert_str_eq(json_string_value(at(root, "compared_with")), "truth");
	at(root, "machine");
	at(at(root, "conditions"), "complete");
	/* Only selected methods are listed. */
	ck_assert_uint_eq(json_array_size(at(root, "methods")), 4);
	o = json_array_get(at(root, "methods"), 1);
	ck_assert_str_eq(json_string_value(at(o, "name")), "cooper-sandoval");
	at(at(o, "verdicts"), "right");
	o = json_array_get(at(o, "curves"), 0);
	ck_assert_str_eq(json_string_value(at(o, "name")), "C(k)");
	ck_assert_uint_eq(json_array_size(at(o, "points")), 2);
	ck_assert_str_eq(json_string_value(at(o, "reason")), "too few");
	row = json_array_get(at(root, "parameters"), 1);
	ck_assert_str_eq(json_string_value(at(row, "parameter")),
			 "capacity_bytes");
	ck_assert_int_eq(json_integer_value(at(row, "truth")), 32768);
	ck_assert_uint_eq(json_array_size(at(row, "values")), 4);
	cell = json_array_get(at(row, "values"), 0);
	ck_assert_str_eq(json_string_value(at(cell, "verdict")), "right");
	ck_assert_int_eq(json_integer_value(at(cell, "value")), 32768);
	json_decref(root);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("verdicts"), *w = tcase_create("written");

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
	suite_add_tcase(suite, t);
	tcase_add_checked_fixture(w, with_machine, without_machine);
	tcase_add_test(w, table_has_verdicts_and_reasons);
	tcase_add_test(w, document_has_everything);
	suite_add_tcase(suite, w);
	suite_add_tcase(suite, make_truth_case());
	return suite;
}
