// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "simcache.h"
#include "suites.h"

static struct documented documented;
static struct hierarchy found;
static struct machine *m;

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
	found.complete = true;
}

static void teardown(void)
{
	machine_close(m);
}

static json_t *document(void)
{
	const struct report r = { m, &found, &documented, 42, 0.5 };

	return report_json(&r);
}

START_TEST(json_has_the_contract)
{
	static const char *const keys[] = { "schema",  "tool",
					    "machine", "conditions",
					    "caches",  "tlbs",
					    "memory",  "documented" };
	json_t *root = document(), *cache, *p;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(json_object_get(root, keys[i]) != NULL, "%s",
			      keys[i]);
	ck_assert_int_eq(json_integer_value(json_object_get(root, "schema")),
			 1);
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

START_TEST(table_shows_what_is_open)
{
	const struct report r = { m, &found, &documented, 42, 0.5 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_table(&r, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "L1 capacity: undecided: seen 3"));
	ck_assert_ptr_nonnull(strstr(text, " 12 "));
	ck_assert_ptr_nonnull(strstr(text, "4.2 cycles"));
	ck_assert_ptr_nonnull(strstr(text, "--seed 42"));
	ck_assert_ptr_null(strstr(text, "interrupted"));
	free(text);
}
END_TEST

START_TEST(interruption_is_said)
{
	const struct report r = { m, &found, &documented, 42, 0.5 };
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

static void write_file(const char *directory, const char *name,
		       const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

START_TEST(documented_is_read)
{
	char top[] = "/tmp/probe-phys-XXXXXX", path[128], command[160];
	const struct documented_cache *c;
	struct documented d;

	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/cache", top);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cache/index0", top);
	mkdir(path, 0700);
	write_file(path, "level", "1\n");
	write_file(path, "type", "Data\n");
	write_file(path, "size", "48K\n");
	write_file(path, "ways_of_associativity", "12\n");
	write_file(path, "coherency_line_size", "garbage\n");
	write_file(path, "shared_cpu_list", "0-1\n");
	write_file(top, "cpuinfo", "processor : 0\nmodel name\t: A B\n");
	snprintf(command, sizeof(command), "%s/cpuinfo", top);
	documented_read(&d, top, command);
	ck_assert_uint_eq(d.cache_count, 1);
	c = documented_find(&d, 1);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->capacity_bytes, 48 * 1024);
	ck_assert_uint_eq(c->ways, 12);
	ck_assert_uint_eq(c->line_bytes, 0);
	ck_assert_uint_eq(c->sets, 0);
	ck_assert_str_eq(c->type, "data");
	ck_assert_str_eq(d.cpu_model, "A B");
	ck_assert_ptr_null(documented_find(&d, 2));
	snprintf(command, sizeof(command), "rm -r %s", top);
	ck_assert_int_eq(system(command), 0);
	documented_read(&d, top, "/nonexistent");
	ck_assert_uint_eq(d.cache_count, 0);
}
END_TEST

Suite *make_report_suite(void)
{
	Suite *suite = suite_create("report");
	TCase *t = tcase_create("report");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, json_has_the_contract);
	tcase_add_test(t, table_shows_what_is_open);
	tcase_add_test(t, interruption_is_said);
	tcase_add_test(t, documented_is_read);
	suite_add_tcase(suite, t);
	return suite;
}
