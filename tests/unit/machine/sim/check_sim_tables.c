// SPDX-License-Identifier: GPL-2.0
/* check_sim_tables.c - which table entries walks read, as touches show it. */
#include <stdio.h>

#include "kit/profilekit.h"
#include "suites.h"

#define PAGE UINT64_C(4096)
#define MIB2 (UINT64_C(2) << 20)
#define GIB (UINT64_C(1) << 30)
#define GIB512 (UINT64_C(512) << 30)
#define TABLES 4

static struct machine *open_with(const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4}],\"tlbs\":[{\"level\":1,\"type\":"
		 "\"data\",\"page_bytes\":[4096,2097152],\"entries\":64,"
		 "\"ways\":4}]%s}",
		 more);
	return profilekit_open(text, UINT64_C(1) << 24, 1);
}

static struct view *open_view(struct machine *m, uint64_t page_bytes,
			      uint64_t bytes)
{
	const struct view_request r = { .page_bytes = page_bytes,
					.pages = bytes / page_bytes,
					.frames = 1,
					.touched = true };
	struct failure f = { .text = "" };
	struct view *view;

	ck_assert_msg(!m->ops->view_open(m, &r, &view, &f), "%s", f.text);
	return view;
}

/* A page below each of TABLES entries is touched, and another one is tested. */
static struct touch_answer touch(struct view *view, uint64_t span, int want)
{
	const uint64_t page_bytes = view->request.page_bytes;
	uint64_t first[TABLES], other[TABLES];
	const struct sequence fill = { first, TABLES },
			      test = { other, TABLES };
	const struct touch before = { &fill, TOUCH_LOADS, 1 };
	const struct touch_plan plan = { .before = &before,
					 .before_count = 1,
					 .test = { &test, TOUCH_LOADS, 1 } };
	struct touch_answer answer = { .walked = 0 };
	struct failure f = { .text = "" };

	for (uint64_t i = 0; i < TABLES; i++) {
		first[i] = i * span;
		other[i] = i * span + span / 2 / page_bytes * page_bytes;
	}
	ck_assert_int_eq(view->m->ops->view_touch_tables(view, &plan, span,
							 &answer, &f),
			 want);
	return answer;
}

START_TEST(levels_are_listed)
{
	struct machine *m = open_with(",\"accessed_bits\":true");

	ck_assert_uint_eq(m->table_count, 3);
	ck_assert_uint_eq(m->table_bytes[0], MIB2);
	ck_assert_uint_eq(m->table_bytes[1], GIB);
	ck_assert_uint_eq(m->table_bytes[2], GIB512);
	machine_close(m);
	m = open_with("");
	ck_assert_uint_eq(m->table_count, 0);
	machine_close(m);
}
END_TEST

START_TEST(all_are_read_without_caches)
{
	struct machine *m = open_with(",\"accessed_bits\":true");
	struct view *small = open_view(m, PAGE, TABLES * GIB);
	struct touch_answer a = touch(small, MIB2, 0);

	ck_assert_uint_eq(a.walked, TABLES);
	ck_assert_uint_eq(a.read, TABLES);
	a = touch(small, GIB, 0);
	ck_assert_uint_eq(a.read, TABLES);
	ck_assert(!a.disturbed);
	m->ops->view_close(small);
	machine_close(m);
}
END_TEST

START_TEST(what_a_cache_has_is_not_read)
{
	struct machine *m =
		open_with(",\"accessed_bits\":true,\"walk_caches\":["
			  "{\"level\":\"pde\",\"entries\":4,\"ways\":4},"
			  "{\"level\":\"pdpte\",\"entries\":2,\"ways\":2}]");
	struct view *small = open_view(m, PAGE, TABLES * GIB);
	struct view *large = open_view(m, MIB2, TABLES * GIB);
	struct touch_answer a;

	/* Twice: the second time begins with empty caches, too. */
	for (int i = 0; i < 2; i++) {
		a = touch(small, MIB2, 0);
		ck_assert_uint_eq(a.walked, TABLES);
		ck_assert_uint_eq(a.read, 0);
	}
	/* Four of them in two entries, least recently used first. */
	a = touch(large, GIB, 0);
	ck_assert_uint_eq(a.walked, TABLES);
	ck_assert_uint_eq(a.read, TABLES);
	m->ops->view_close(large);
	m->ops->view_close(small);
	machine_close(m);
}
END_TEST

START_TEST(bad_questions)
{
	struct machine *m = open_with(",\"accessed_bits\":true");
	struct view *small = open_view(m, PAGE, TABLES * MIB2);
	struct view *large = open_view(m, MIB2, TABLES * GIB);
	uint64_t twice[] = { 0, MIB2 / 2 };
	const struct sequence s = { twice, 2 };
	const struct touch_plan plan = { .test = { &s, TOUCH_LOADS, 1 } };
	struct touch_answer answer;
	struct failure f = { .text = "" };

	/* No level has entries of that span, or none above the pages. */
	touch(small, MIB2 / 2, -EINVAL);
	touch(large, MIB2, -EINVAL);
	/* Beyond the view. */
	touch(small, GIB, -ERANGE);
	/* Two pages below one entry. */
	ck_assert_int_eq(m->ops->view_touch_tables(small, &plan, MIB2, &answer,
						   &f),
			 -EINVAL);
	ck_assert_int_eq(m->ops->view_touch(small, &plan, &answer, &f), 0);
	m->ops->view_close(large);
	m->ops->view_close(small);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create("all");

	tcase_add_test(all, levels_are_listed);
	tcase_add_test(all, all_are_read_without_caches);
	tcase_add_test(all, what_a_cache_has_is_not_read);
	tcase_add_test(all, bad_questions);
	suite_add_tcase(suite, all);
	return suite;
}
