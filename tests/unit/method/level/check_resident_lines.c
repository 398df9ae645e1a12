// SPDX-License-Identifier: GPL-2.0
/* check_resident_lines.c - lines that stay in the first level. */
#include "method/level/resident_lines.h"

#include "suites.h"

#define PAGE 4096
/* A small first TLB has as many entries, and others are needed as well. */
#define MOST_PAGES 16

static void know(struct parameter *p, double value)
{
	parameter_measured(p, value, 1e-6, "test");
}

static void know_first(struct hierarchy *h, double line, double sets,
		       double ways)
{
	struct cache_result *c;

	hierarchy_init(h);
	c = hierarchy_add(h);
	know(&c->ways, ways);
	know(&c->capacity_bytes, line * sets * ways);
	know(&c->line_bytes, line);
	know(&c->sets, sets);
	know(&c->index_decision, 0);
	c->index = INDEX_LINEAR;
}

static size_t count_different(const struct sequence *s, uint64_t unit,
			      uint64_t period)
{
	size_t different = 0;

	for (size_t i = 0; i < s->length; i++) {
		bool before = false;

		for (size_t j = 0; j < i; j++)
			before = before ||
				 s->offsets[i] % period / unit ==
					 s->offsets[j] % period / unit;
		different += !before;
	}
	return different;
}

/* As many lines as wanted, no two of a set, in few pages. */
static void ck_lines(double line, double sets, size_t apart, size_t wanted,
		     size_t most_pages)
{
	struct hierarchy h;
	struct sequence s = { .offsets = NULL };
	struct shape w;

	know_first(&h, line, sets, 8);
	ck_assert_ptr_null(resident_lines_choose(NULL, &h, 0, apart, &w));
	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_uint_eq(s.length, wanted);
	ck_assert_uint_eq(count_different(&s, (uint64_t)line,
					  (uint64_t)(line * sets)),
			  wanted);
	ck_assert_uint_le(count_different(&s, PAGE, UINT64_MAX), most_pages);
	sequence_free(&s);
}

START_TEST(lines_of_the_first_level_need_few_pages)
{
	ck_lines(64, 64, 1, 64, MOST_PAGES);
	ck_lines(64, 64, 4, 16, MOST_PAGES);
	ck_lines(64, 256, 1, 64, MOST_PAGES);
	ck_lines(32, 128, 1, 64, MOST_PAGES);
	ck_lines(64, 32, 1, 32, MOST_PAGES);
}
END_TEST

/* Where pages are too short for that each line has its own. */
START_TEST(long_lines_have_pages_of_their_own)
{
	ck_lines(128, 64, 1, 64, 64);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("lines");

	tcase_add_test(t, lines_of_the_first_level_need_few_pages);
	tcase_add_test(t, long_lines_have_pages_of_their_own);
	suite_add_tcase(suite, t);
	return suite;
}
