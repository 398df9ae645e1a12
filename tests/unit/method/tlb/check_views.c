// SPDX-License-Identifier: GPL-2.0
/* check_views.c - views of a simulated machine: what can be opened and walked. */
#include <errno.h>

#include "kit/profilekit.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define MACHINE                                                           \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":" \
	"32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4}],"      \
	"\"counters\":[],\"huge_page_bytes\":[2097152]}"

static struct machine *open_machine(void)
{
	return profilekit_open(MACHINE, UINT64_C(64) << 20, 1);
}

/* Two pages of one frame: what words may be walked. */
static int walk_two(struct machine *m, uint64_t first, uint64_t second,
		    bool executable)
{
	const struct view_request request = { .page_bytes = 4096,
					      .pages = 8,
					      .frames = 2,
					      .executable = executable };
	const struct walk_plan plan = { .loads = 8, .samples = 1 };
	uint64_t offsets[] = { first, second };
	const struct sequence s = { .offsets = offsets, .length = 2 };
	struct failure f = { .text = "" };
	struct sample sample;
	struct view *view;
	int error;

	ck_assert_int_eq(m->ops->view_open(m, &request, &view, &f), 0);
	error = m->ops->view_walk(view, &s, &plan, &sample, &f);
	m->ops->view_close(view);
	return error;
}

START_TEST(words_of_a_view_are_distinct)
{
	struct machine *m = open_machine();

	ck_assert_int_eq(walk_two(m, 0, 4096, false), 0);
	ck_assert_int_eq(walk_two(m, 0, 2 * 4096, false), -EINVAL);
	ck_assert_int_eq(walk_two(m, 0, 2 * 4096 + 8, false), 0);
	ck_assert_int_eq(walk_two(m, 0, 2 * 4096 + 8, true), -EINVAL);
	ck_assert_int_eq(walk_two(m, 0, 2 * 4096 + 16, true), 0);
	ck_assert_int_eq(walk_two(m, 0, 8 * 4096, false), -ERANGE);
	m->ops->view_close(NULL);
	machine_close(m);
}
END_TEST

START_TEST(views_are_checked)
{
	struct machine *m = open_machine();
	struct view_request r = { .page_bytes = 8192, .pages = 1, .frames = 1 };
	struct failure f = { .text = "" };
	struct view *view;

	ck_assert_uint_eq(m->view_page_count, 2);
	ck_assert_int_eq(m->ops->view_open(m, &r, &view, &f), -EOPNOTSUPP);
	r.page_bytes = 4096;
	r.frames = 2;
	ck_assert_int_eq(m->ops->view_open(m, &r, &view, NULL), -EINVAL);
	r.pages = r.frames = UINT64_C(1) << 33;
	ck_assert_int_eq(m->ops->view_open(m, &r, &view, NULL), -ENOMEM);
	machine_close(m);
}
END_TEST

TCase *make_tlb_views_case(void)
{
	TCase *t = tcase_create("views");

	tcase_add_test(t, words_of_a_view_are_distinct);
	tcase_add_test(t, views_are_checked);
	return t;
}
