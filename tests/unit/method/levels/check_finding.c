// SPDX-License-Identifier: GPL-2.0
/* check_finding.c - why the level below is open. */
#include "method/levels/finding.h"
#include "suites.h"

static const struct {
	int level;
	enum index_kind index;
	enum unreached wanted;
	const char *why;
} levels[] = {
	{ 1, INDEX_HASHED, UNREACHED_BY_STRIDES, "no stride finds" },
	{ 1, INDEX_LINEAR, UNREACHED_BUSY, "too busy" },
	{ 1, INDEX_UNKNOWN, UNREACHED_BUSY, "no stride finds" },
	{ 2, INDEX_HASHED, UNREACHED_BY_STRIDES, "no stride finds" },
	{ 2, INDEX_UNKNOWN, UNREACHED_BY_STRIDES, "no stride finds" },
	{ 2, INDEX_LINEAR, UNREACHED_BY_STRIDES, "policy keeps" },
};

START_TEST(what_hides_the_next_level)
{
	const struct cache_result c = { .level = levels[_i].level,
					.index = levels[_i].index };
	struct level_finding found = { .exists = true };

	level_leave_next(&found, &c);
	ck_assert_int_eq(found.next_unreached, levels[_i].wanted);
	ck_assert_msg(strstr(found.next_open, levels[_i].why), "%s",
		      found.next_open);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("finding");

	tcase_add_loop_test(t, what_hides_the_next_level, 0,
			    sizeof(levels) / sizeof(levels[0]));
	suite_add_tcase(s, t);
	return s;
}
