// SPDX-License-Identifier: GPL-2.0
/* check_report.c - the JSON document of report_json(). */
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

START_TEST(json_has_the_contract)
{
	static const char *const keys[] = {
		"schema", "tool",   "machine",	 "conditions", "caches",
		"tlbs",	  "memory", "registers", "cpu",	       "documented"
	};
	json_t *root = report_json(&kit.report), *cache, *p;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(json_object_get(root, keys[i]) != NULL, "%s",
			      keys[i]);
	ck_assert_int_eq(json_integer_value(json_object_get(root, "schema")),
			 1);
	p = json_object_get(root, "conditions");
	p = json_object_get(p, "time_limit_seconds");
	ck_assert(json_real_value(p) == 60);
	cache = json_array_get(json_object_get(root, "caches"), 0);
	p = json_object_get(cache, "ways");
	ck_assert_int_eq(json_integer_value(json_object_get(p, "value")), 12);
	ck_assert_str_eq(json_string_value(json_object_get(p, "status")),
			 "measured");
	ck_assert(json_real_value(json_object_get(p, "error_bound")) == 1e-6);
	p = json_object_get(cache, "capacity_bytes");
	ck_assert(json_is_null(json_object_get(p, "value")));
	ck_assert_str_eq(json_string_value(json_object_get(p, "status")),
			 "undecided");
	ck_assert_str_eq(json_string_value(json_object_get(p, "reason")),
			 "seen 3 ways");
	p = json_object_get(cache, "line_bytes");
	ck_assert(json_is_null(json_object_get(p, "value")));
	ck_assert_str_eq(json_string_value(json_object_get(p, "status")),
			 "unavailable");
	json_decref(root);
}
END_TEST

/* A group that is measured in two parts is one object. */
START_TEST(json_has_costs)
{
	json_t *root = report_json(&kit.report), *costs, *o;

	costs = json_object_get(root, "costs");
	ck_assert_uint_eq(json_array_size(costs), 3);
	o = json_array_get(costs, 0);
	ck_assert_str_eq(json_string_value(json_object_get(o, "group")),
			 "caches");
	ck_assert(json_real_value(json_object_get(o, "seconds")) == 3.5);
	ck_assert_int_eq(json_integer_value(json_object_get(o, "accesses")),
			 1000500);
	ck_assert_int_eq(json_integer_value(json_object_get(o, "tests")), 42);
	json_decref(root);
}
END_TEST

static void add_instruction_cache(void)
{
	struct cache_result *c = hierarchy_add_instruction(&kit.found);

	parameter_measured(&c->ways, 3, 1e-6, "x-ray");
	parameter_undecided(&c->sets, "x-ray", "jumps are predicted");
}

static json_t *index_function(json_t *root)
{
	json_t *cache = json_array_get(json_object_get(root, "caches"), 0);

	return json_object_get(cache, "index");
}

/* An instruction cache has no parameters of stores. */
START_TEST(instruction_cache_is_the_last)
{
	json_t *root = report_json(&kit.report), *all, *cache;
	char *text;

	ck_assert_uint_eq(json_array_size(json_object_get(root, "caches")), 1);
	json_decref(root);
	add_instruction_cache();
	root = report_json(&kit.report);
	all = json_object_get(root, "caches");
	ck_assert_uint_eq(json_array_size(all), 2);
	cache = json_array_get(all, 1);
	ck_assert_str_eq(json_string_value(json_object_get(cache, "type")),
			 "instruction");
	ck_assert_int_eq(json_integer_value(json_object_get(cache, "level")),
			 1);
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(cache, "ways"), "value")),
			 3);
	ck_assert_ptr_nonnull(json_object_get(cache, "index"));
	ck_assert_ptr_null(json_object_get(cache, "write_back"));
	json_decref(root);
	text = report_kit_table(&kit.report);
	ck_assert_ptr_nonnull(strstr(text, "\nL1 instruction      3 "));
	ck_assert_ptr_nonnull(strstr(
		text, "L1 instruction sets: undecided: jumps are predicted"));
	free(text);
}
END_TEST

START_TEST(json_has_masks)
{
	json_t *root = report_json(&kit.report), *index = index_function(root),
	       *p;

	ck_assert_str_eq(json_string_value(json_object_get(index, "value")),
			 "hashed");
	p = json_object_get(index, "masks");
	ck_assert_uint_eq(json_array_size(p), 5);
	ck_assert_str_eq(json_string_value(json_array_get(p, 4)), "0x10200");
	ck_assert_int_eq(json_integer_value(json_object_get(index, "rank")), 5);
	ck_assert(json_is_true(json_object_get(index, "linear_over_gf2")));
	p = json_object_get(index, "bits_known");
	ck_assert_int_eq(json_integer_value(json_object_get(p, "low")), 6);
	ck_assert_int_eq(json_integer_value(json_object_get(p, "high")), 20);
	ck_assert_str_eq(json_string_value(json_object_get(index, "limit")),
			 "higher bits cannot be measured");
	ck_assert_ptr_null(json_object_get(index, "slice_sequence"));
	p = json_object_get(index, "prediction");
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(p, "congruent"), "wrong")),
			 2);
	p = json_object_get(json_object_get(p, "apart"), "rate_high");
	ck_assert(json_real_value(p) == 0.0075);
	json_decref(root);
}
END_TEST

START_TEST(json_has_a_slice_sequence)
{
	struct index_function *function = &kit.found.caches[0].function;
	json_t *root, *sequence, *p;

	function->nonlinear = true;
	function->sequence = (struct index_sequence){
		.origin = 0x1000,
		.masks = { 0x40000, 0x88000 },
		.bits = 2,
		.base = { 0, 1, INDEX_NO_SLICE, 0 },
	};
	root = report_json(&kit.report);
	sequence = json_object_get(index_function(root), "slice_sequence");
	p = json_object_get(sequence, "base");
	ck_assert_uint_eq(json_array_size(p), 4);
	ck_assert_int_eq(json_integer_value(json_array_get(p, 1)), 1);
	ck_assert(json_is_null(json_array_get(p, 2)));
	p = json_object_get(sequence, "position_masks");
	ck_assert_str_eq(json_string_value(json_array_get(p, 1)), "0x88000");
	ck_assert(json_is_null(json_object_get(sequence, "slices")));
	ck_assert(json_is_false(
		json_object_get(index_function(root), "linear_over_gf2")));
	json_decref(root);
}
END_TEST

START_TEST(json_has_tlbs_and_registers)
{
	static const char *const parameters[] = { "entries",
						  "ways",
						  "sets",
						  "index",
						  "policy",
						  "latency_cycles",
						  "miss_cycles",
						  "coalesced_pages",
						  "effective_entries" };
	json_t *root = report_json(&kit.report);
	json_t *t = json_array_get(json_object_get(root, "tlbs"), 0);
	json_t *registers = json_object_get(root, "registers"), *p;

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		ck_assert_msg(
			json_is_string(json_object_get(
				json_object_get(t, parameters[i]), "status")),
			"%s", parameters[i]);
	ck_assert_int_eq(json_integer_value(json_object_get(t, "page_bytes")),
			 4096);
	p = json_object_get(t, "index");
	ck_assert_str_eq(json_string_value(json_object_get(p, "value")),
			 "modulo");
	p = json_object_get(t, "policy");
	ck_assert_str_eq(json_string_value(json_object_get(p, "value")),
			 "tree-PLRU");
	ck_assert_str_eq(json_string_value(json_object_get(p, "by")),
			 "accessed-bits");
	ck_assert_int_eq(json_array_size(json_object_get(p, "names")), 2);
	p = json_array_get(json_object_get(t, "shared_page_bytes"), 0);
	ck_assert_int_eq(json_integer_value(p), 2 << 20);
	p = json_object_get(registers, "int");
	ck_assert_int_eq(json_integer_value(json_object_get(p, "value")), 14);
	p = json_object_get(registers, "mmx");
	ck_assert(json_is_null(json_object_get(p, "value")));
	p = json_object_get(json_object_get(root, "cpu"), "frequency_hz");
	ck_assert(json_number_value(json_object_get(p, "value")) == 4.31e9);
	json_decref(root);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("report");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, json_has_the_contract);
	tcase_add_test(t, json_has_costs);
	tcase_add_test(t, json_has_masks);
	tcase_add_test(t, instruction_cache_is_the_last);
	tcase_add_test(t, json_has_a_slice_sequence);
	tcase_add_test(t, json_has_tlbs_and_registers);
	suite_add_tcase(suite, t);
	return suite;
}
