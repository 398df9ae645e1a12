// SPDX-License-Identifier: GPL-2.0
/* check_aside.c - lines that bring translations are of the page and unused. */
#include "method/probe/aside.h"
#include "suites.h"

static const struct hierarchy *levels(double longest)
{
	static struct hierarchy h;

	h.cache_count = 2;
	parameter_measured(&h.caches[0].line_bytes, 64, 0, "test");
	parameter_measured(&h.caches[1].line_bytes, longest, 0, "test");
	return &h;
}

START_TEST(a_line_of_the_page_is_found)
{
	struct aside a;
	uint64_t line = 0;

	aside_begin(&a, levels(64), 3 * 4096 + 128);
	/* Other pages do not count. */
	aside_use(&a, 2 * 4096);
	aside_use(&a, 4 * 4096);
	ck_assert(aside_find(&a, &line));
	ck_assert_uint_eq(line / 4096, 3);
	for (uint64_t used = 0; used < 15; used++) {
		aside_use(&a, line + 192);
		ck_assert(aside_find(&a, &line));
		ck_assert_uint_eq(line / 4096, 3);
		ck_assert_uint_eq(line % 256, 0);
	}
	aside_use(&a, line);
	ck_assert(!aside_find(&a, &line));
}
END_TEST

/* A lower level may hold what is used and what is flushed in one line. */
START_TEST(long_lines_keep_further_off)
{
	struct aside a;
	uint64_t line = 0;

	aside_begin(&a, levels(512), 0);
	aside_use(&a, 2047);
	ck_assert(aside_find(&a, &line));
	ck_assert_uint_eq(line, 2048);
	aside_use(&a, 4095);
	ck_assert(!aside_find(&a, &line));
	/* Longer than the page. */
	aside_begin(&a, levels(4096), 0);
	aside_use(&a, 4095);
	ck_assert(!aside_find(&a, &line));
}
END_TEST

START_TEST(all_of_a_sequence_is_used)
{
	uint64_t offsets[] = { 0, 256, 8192, 640 };
	const struct sequence s = { offsets, 4 };
	struct aside a;
	uint64_t line = 0;

	aside_begin(&a, levels(64), 64);
	aside_use_all(&a, &s);
	ck_assert(aside_find(&a, &line));
	ck_assert_uint_eq(line, 768);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("pages");

	tcase_add_test(t, a_line_of_the_page_is_found);
	tcase_add_test(t, long_lines_keep_further_off);
	tcase_add_test(t, all_of_a_sequence_is_used);
	suite_add_tcase(suite, t);
	return suite;
}
