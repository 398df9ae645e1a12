// SPDX-License-Identifier: GPL-2.0
/* check_written.c - the comparison as a table and as a JSON document. */
#include <stdio.h>
#include <string.h>

#include "kit/simcache.h"
#include "report/compare/comparekit.h"
#include "suites.h"

static struct compare_kit kit;
static struct machine *m;

static void setup(void)
{
	const struct sim_config config = { .memory_latency = 9, .seed = 1 };

	compare_kit_begin(&kit);
	m = sim_open(&config);
	kit.xray.complete = true;
	parameter_undecided(&kit.xray.caches[0].ways, "x-ray", "no stride");
	parameter_undecided(&kit.xray.caches[0].line_bytes, "x-ray",
			    "no stride");
	kit.said.runs[COMPARE_AMP].selected = false;
	kit.said.runs[COMPARE_XRAY].accesses = 1234567;
}

static void teardown(void)
{
	machine_close(m);
	compare_kit_end(&kit);
}

static const char *table(void)
{
	const struct report r = { .machine = machine_describe(m),
				  .found = &kit.xray,
				  .seed = 42,
				  .seconds = 1.5 };
	const struct compare_report report = { &kit.c, &r };
	static char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(out);
	compare_kit_make(&kit);
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
	kit.xray.complete = false;
	ck_assert_ptr_nonnull(strstr(table(), "was interrupted"));
	compare_kit_forget_truth(&kit);
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
				  .found = &kit.xray,
				  .seed = 42 };
	const struct compare_report report = { &kit.c, &r };
	struct side_curve *curve = side_result_keep(
		&kit.sides[0], SIDE_FOOTPRINT_BYTES, 2, "C(%s)", "k");
	json_t *root, *row, *cell, *o;

	curve->points[0] = (struct curve_point){ 1024, 4 };
	curve->points[1] = (struct curve_point){ 2048, 4.5 };
	curve->analysed = true;
	strcpy(curve->found.reason, "too few");
	compare_kit_make(&kit);
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
	TCase *t = tcase_create("written");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, table_has_verdicts_and_reasons);
	tcase_add_test(t, document_has_everything);
	suite_add_tcase(suite, t);
	return suite;
}
