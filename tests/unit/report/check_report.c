// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/simcache.h"
#include "kit/treekit.h"
#include "report/report.h"
#include "suites.h"

static struct documented documented;
static struct hierarchy found;
static struct machine *m;

static void add_instruction_cache(void)
{
	struct cache_result *c = hierarchy_add_instruction(&found);

	parameter_measured(&c->ways, 3, 1e-6, "x-ray");
	parameter_undecided(&c->sets, "x-ray", "jumps are predicted");
}

static void add_tlb(void)
{
	struct tlb_result *t = hierarchy_add_tlb(&found, 1, "data", 4096);

	parameter_measured(&t->entries, 64, 1e-6, "x-ray");
	parameter_measured(&t->ways, 4, 1e-6, "x-ray");
	parameter_measured(&t->miss_cycles, 7.5, 0, "x-ray");
	parameter_measured(&t->coalesced_pages, 8, 1e-6, "x-ray");
	parameter_measured(&t->index_decision, 1, 1e-6, "x-ray");
	parameter_undecided(&t->sets, "x-ray", "seen %d sets", 5);
	t->index = INDEX_MODULO;
	t->shared_page_bytes[t->shared_count++] = 2 << 20;
}

static void setup(void)
{
	const struct sim_config config = { .memory_latency = 9, .seed = 1 };
	struct cache_result *c;

	m = sim_open(&config);
	hierarchy_init(&found);
	c = hierarchy_add(&found);
	parameter_measured(&c->ways, 12, 1e-6, "x-ray");
	parameter_measured(&c->latency_cycles, 4.25, 0, "x-ray");
	parameter_undecided(&c->capacity_bytes, "x-ray", "seen %d ways", 3);
	c->index = INDEX_HASHED;
	parameter_measured(&c->index_decision, 1, 1e-6, "eviction-sets");
	c->function = (struct index_function){
		.kind = INDEX_HASHED,
		.low_bit = 6,
		.high_bit = 20,
		.masks = { 0x40, 0x80, 0x100, 0x400, 0x10200 },
		.rank = 5,
		.check = { .congruent = 500,
			   .false_congruent = 2,
			   .apart = 499,
			   .apart_high = 0.0075 },
		.limit = "higher bits cannot be measured",
	};
	add_tlb();
	parameter_measured(&hierarchy_add_registers(&found, "int")->available,
			   14, 1e-6, "x-ray");
	parameter_undecided(&hierarchy_add_registers(&found, "sse")->available,
			    "x-ray", "no step");
	hierarchy_add_registers(&found, "mmx");
	parameter_measured(&found.frequency_hz, 4.31e9, 0, "additions");
	found.complete = true;
}

static void teardown(void)
{
	machine_close(m);
}

static struct report report_of(const struct documented *d)
{
	return (struct report){ .machine = machine_describe(m),
				.found = &found,
				.documented = d,
				.seed = 42,
				.seconds = 0.5,
				.limit_s = 60 };
}

static json_t *document(void)
{
	const struct report r = report_of(&documented);

	return report_json(&r);
}

START_TEST(json_has_the_contract)
{
	static const char *const keys[] = {
		"schema", "tool",   "machine",	 "conditions", "caches",
		"tlbs",	  "memory", "registers", "cpu",	       "documented"
	};
	json_t *root = document(), *cache, *p;

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

static json_t *index_function(json_t *root)
{
	json_t *cache = json_array_get(json_object_get(root, "caches"), 0);

	return json_object_get(cache, "index");
}

/* An instruction cache has no parameters of stores. */
START_TEST(instruction_cache_is_the_last)
{
	json_t *root = document(), *all, *cache;
	const struct report r = report_of(&documented);
	char text[16384] = "";
	FILE *out;

	ck_assert_uint_eq(json_array_size(json_object_get(root, "caches")), 1);
	json_decref(root);
	add_instruction_cache();
	root = document();
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
	out = fmemopen(text, sizeof(text), "w");
	report_table(&r, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "\nL1 instruction      3 "));
	ck_assert_ptr_nonnull(strstr(
		text, "L1 instruction sets: undecided: jumps are predicted"));
}
END_TEST

START_TEST(json_has_masks)
{
	json_t *root = document(), *index = index_function(root), *p;

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
	struct index_function *function = &found.caches[0].function;
	json_t *root, *sequence, *p;

	function->nonlinear = true;
	function->sequence = (struct index_sequence){
		.origin = 0x1000,
		.masks = { 0x40000, 0x88000 },
		.bits = 2,
		.base = { 0, 1, INDEX_NO_SLICE, 0 },
	};
	root = document();
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
						  "latency_cycles",
						  "miss_cycles",
						  "coalesced_pages",
						  "effective_entries" };
	json_t *root = document();
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

START_TEST(table_shows_tlbs_and_registers)
{
	const struct report r = report_of(&documented);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_table(&r, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "modulo"));
	ck_assert_ptr_nonnull(strstr(text, "7.5 cycles"));
	ck_assert_ptr_nonnull(strstr(text, "one entry serves 8 pages"));
	ck_assert_ptr_nonnull(strstr(text, "shared with pages of 2 MiB"));
	ck_assert_ptr_nonnull(strstr(
		text, "L1 data TLB, 4 KiB pages: sets: undecided: seen 5"));
	ck_assert_ptr_nonnull(
		strstr(text, "registers a program can use: 14 int, ? sse\n"));
	ck_assert_ptr_nonnull(strstr(text, "sse registers: undecided: no s"));
	free(text);
}
END_TEST

/* Zen 2's own: L1 of 64, fully associative; L2 of 2048 and 16 ways. */
static bool amd(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 0x80000005 && !subleaf)
		r[0] = r[1] = 0xff40ff40;
	else if (leaf == 0x80000006)
		r[1] = 0x68006400;
	return leaf <= 0x18 || leaf >= 0x80000000;
}

/* A load-only array of two page sizes, a unified one, one for stores. */
static bool intel(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	static const unsigned int arrays[3][4] = {
		{ 2, 0x00040003, 16, 0x24 },
		{ 0, 0x00080001, 256, 0x43 },
		{ 0, 0x00100001, 1, 0x125 },
	};

	if (leaf != 0x18 || subleaf > 2)
		return false;
	memcpy(r, arrays[subleaf], sizeof(arrays[0]));
	return true;
}

static bool nothing(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	(void)leaf;
	(void)subleaf;
	(void)r;
	return false;
}

static void check_documented_tlb(const struct documented *d, int level,
				 const char *type, uint64_t page_bytes,
				 uint64_t entries, uint64_t ways)
{
	const struct documented_tlb *t =
		documented_find_tlb(d, level, type, page_bytes);

	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->entries, entries);
	ck_assert_uint_eq(t->ways, ways);
}

START_TEST(documented_tlbs_are_decoded)
{
	struct documented d = { .tlb_count = 0 };

	documented_decode_tlbs(&d, amd);
	check_documented_tlb(&d, 1, "data", 4096, 64, 64);
	check_documented_tlb(&d, 1, "instruction", 2 << 20, 64, 64);
	check_documented_tlb(&d, 2, "data", 4096, 2048, 8);
	ck_assert_ptr_null(documented_find_tlb(&d, 2, "data", 2 << 20));
	d.tlb_count = 0;
	documented_decode_tlbs(&d, intel);
	ck_assert_uint_eq(d.tlb_count, 3);
	check_documented_tlb(&d, 1, "data", 4096, 64, 4);
	check_documented_tlb(&d, 1, "data", 2 << 20, 64, 4);
	check_documented_tlb(&d, 2, "data", 4096, 2048, 8);
	d.tlb_count = 0;
	documented_decode_tlbs(&d, nothing);
	ck_assert_uint_eq(d.tlb_count, 0);
}
END_TEST

START_TEST(table_shows_what_is_open)
{
	const struct report r = report_of(&documented);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_table(&r, out);
	fclose(out);
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

/* Of pairs only the kinds that there were. */
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

START_TEST(interruption_is_said)
{
	const struct report r = report_of(&documented);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	found.complete = false;
	report_table(&r, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "interrupted"));
	free(text);
}
END_TEST

START_TEST(failure_keeps_what_was_found)
{
	const struct failure failure = { STATUS_FAILED, "walk: broken (mend)" };
	const struct report r = { .machine = machine_describe(m),
				  .found = &found,
				  .documented = &documented,
				  .failure = &failure };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *root = report_json(&r), *error;

	error = json_object_get(root, "error");
	ck_assert_str_eq(json_string_value(json_object_get(error, "message")),
			 "walk: broken (mend)");
	ck_assert_int_eq(
		json_integer_value(json_object_get(error, "exit_status")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "caches")), 1);
	json_decref(root);
	found.complete = false;
	report_table(&r, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "measurement failed"));
	ck_assert_ptr_nonnull(strstr(text, " 12 "));
	free(text);
}
END_TEST

START_TEST(documented_is_read)
{
	char top[] = TREEKIT_NAME, path[128];
	const struct documented_cache *c;
	struct documented d;

	treekit_make(top);
	treekit_write(top, "cache/index0/level", "1\n");
	treekit_write(top, "cache/index0/type", "Data\n");
	treekit_write(top, "cache/index0/size", "48K\n");
	treekit_write(top, "cache/index0/ways_of_associativity", "12\n");
	treekit_write(top, "cache/index0/coherency_line_size", "garbage\n");
	treekit_write(top, "cache/index0/shared_cpu_list", "0-1\n");
	treekit_write(top, "cpuinfo", "processor : 0\nmodel name\t: A B\n");
	snprintf(path, sizeof(path), "%s/cpuinfo", top);
	documented_read(&d, top, path);
	ck_assert_uint_eq(d.cache_count, 1);
	c = documented_find(&d, 1, "data");
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->capacity_bytes, 48 * 1024);
	ck_assert_uint_eq(c->ways, 12);
	ck_assert_uint_eq(c->line_bytes, 0);
	ck_assert_uint_eq(c->sets, 0);
	ck_assert_str_eq(c->type, "data");
	ck_assert_str_eq(d.cpu_model, "A B");
	ck_assert_ptr_null(documented_find(&d, 2, "data"));
	treekit_drop(top);
	documented_read(&d, top, "/nonexistent");
	ck_assert_uint_eq(d.cache_count, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("report");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, failure_keeps_what_was_found);
	tcase_add_test(t, json_has_the_contract);
	tcase_add_test(t, json_has_masks);
	tcase_add_test(t, instruction_cache_is_the_last);
	tcase_add_test(t, json_has_a_slice_sequence);
	tcase_add_test(t, json_has_tlbs_and_registers);
	tcase_add_test(t, table_shows_what_is_open);
	tcase_add_test(t, table_shows_tlbs_and_registers);
	tcase_add_test(t, documented_tlbs_are_decoded);
	tcase_add_test(t, table_shows_fresh_pairs);
	tcase_add_test(t, interruption_is_said);
	tcase_add_test(t, documented_is_read);
	suite_add_tcase(suite, t);
	return suite;
}
