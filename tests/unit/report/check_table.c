// SPDX-License-Identifier: GPL-2.0
/* check_table.c - the text of report_table(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reportkit.h"
#include "suites.h"

static struct report_kit kit;

static void setup(void)
{
	report_kit_begin(&kit);
}

static void teardown(void)
{
	report_kit_end(&kit);
}

START_TEST(table_shows_tlbs_and_registers)
{
	char *text = report_kit_table(&kit.report);

	ck_assert_ptr_nonnull(strstr(text, "modulo"));
	ck_assert_ptr_nonnull(strstr(text, "7.5 cycles"));
	ck_assert_ptr_nonnull(strstr(text, "one entry serves 8 pages"));
	ck_assert_ptr_nonnull(
		strstr(text, "replacement: tree-PLRU = LRU3PLRU4\n"));
	ck_assert_ptr_nonnull(strstr(text, "shared with pages of 2 MiB"));
	ck_assert_ptr_nonnull(strstr(
		text, "L1 data TLB, 4 KiB pages: sets: undecided: seen 5"));
	ck_assert_ptr_nonnull(
		strstr(text, "registers a program can use: 14 int, ? sse\n"));
	ck_assert_ptr_nonnull(strstr(text, "sse registers: undecided: no s"));
	free(text);
}
END_TEST

/* Where the level's own capacity is not known. */
START_TEST(table_shows_effective)
{
	struct hierarchy h;
	struct cache_result *c;
	char *text;

	hierarchy_init(&h);
	hierarchy_add(&h);
	c = hierarchy_add(&h);
	parameter_measured(&c->effective_capacity_bytes, 20 << 20, 0, "test");
	kit.report.found = &h;
	text = report_kit_table(&kit.report);
	ck_assert_ptr_nonnull(
		strstr(text, "   effective: a program can use 20 MiB\n"));
	free(text);
	parameter_measured(&c->capacity_bytes, 24 << 20, 0, "test");
	text = report_kit_table(&kit.report);
	ck_assert_ptr_null(strstr(text, "effective"));
	free(text);
}
END_TEST

START_TEST(table_shows_undecided)
{
	char *text = report_kit_table(&kit.report);

	ck_assert_ptr_nonnull(strstr(text, "L1 capacity: undecided: seen 3"));
	ck_assert_ptr_nonnull(strstr(text, " 12 "));
	ck_assert_ptr_nonnull(strstr(
		text, "agree in bits 6 to 8, bit 10, the parity of 0x10200\n"));
	ck_assert_ptr_nonnull(strstr(text, " 2 of 500 that it puts together"));
	ck_assert_ptr_nonnull(
		strstr(text, "   higher bits cannot be measured\n"));
	ck_assert_ptr_nonnull(strstr(text, "4.2 cycles"));
	ck_assert_ptr_nonnull(strstr(text, "--seed 42"));
	ck_assert_ptr_null(strstr(text, "interrupted"));
	free(text);
}
END_TEST

/* The table names only the kinds of pairs that were tested. */
START_TEST(table_shows_fresh_pairs)
{
	struct index_function function = { .high_bit = 11,
					   .rank = 1,
					   .masks = { 0x40 },
					   .check = { .apart = 200 } };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table_index_function(&function, out);
	function.check = (struct index_check){ .congruent = 7 };
	table_index_function(&function, out);
	fclose(out);
	ck_assert_str_eq(
		text,
		"   lines of a set agree in bit 6\n"
		"   of fresh pairs of lines 0 of 200 that it keeps apart are together\n"
		"   lines of a set agree in bit 6\n"
		"   of fresh pairs of lines 0 of 7 that it puts together are apart\n");
	free(text);
}
END_TEST

START_TEST(table_shows_shares_of_time)
{
	char *text = report_kit_table(&kit.report);

	ck_assert_ptr_nonnull(strstr(text, "\ntime: caches 87 %, tlbs 12 %\n"));
	free(text);
	kit.found.cost_count = 0;
	text = report_kit_table(&kit.report);
	ck_assert_ptr_null(strstr(text, "\ntime: "));
	free(text);
}
END_TEST

START_TEST(table_shows_interruption)
{
	char *text;

	kit.found.complete = false;
	text = report_kit_table(&kit.report);
	ck_assert_ptr_nonnull(strstr(text, "interrupted"));
	free(text);
}
END_TEST

START_TEST(failure_keeps_what_was_found)
{
	const struct failure failure = { STATUS_FAILED, "walk: broken (mend)" };
	struct report r = kit.report;
	json_t *root, *error;
	char *text;

	r.failure = &failure;
	root = report_json(&r);
	error = json_object_get(root, "error");
	ck_assert_str_eq(json_string_value(json_object_get(error, "message")),
			 "walk: broken (mend)");
	ck_assert_int_eq(
		json_integer_value(json_object_get(error, "exit_status")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "caches")), 1);
	json_decref(root);
	kit.found.complete = false;
	text = report_kit_table(&r);
	ck_assert_ptr_nonnull(strstr(text, "measurement failed"));
	ck_assert_ptr_nonnull(strstr(text, " 12 "));
	free(text);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("table");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, failure_keeps_what_was_found);
	tcase_add_test(t, table_shows_effective);
	tcase_add_test(t, table_shows_undecided);
	tcase_add_test(t, table_shows_tlbs_and_registers);
	tcase_add_test(t, table_shows_fresh_pairs);
	tcase_add_test(t, table_shows_shares_of_time);
	tcase_add_test(t, table_shows_interruption);
	suite_add_tcase(suite, t);
	return suite;
}
