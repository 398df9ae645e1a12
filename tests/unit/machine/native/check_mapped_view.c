// SPDX-License-Identifier: GPL-2.0
/* check_mapped_view.c - views of the machine without a module, on this
 * computer.
 */
#include <stdio.h>

#include "base/text.h"
#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define PAGE UINT64_C(4096)
#define PMD (UINT64_C(2) << 20)

static const struct {
	uint64_t pages, frames;
} shapes[] = { { 1, 1 }, { 100, 1 }, { 200, 3 }, { 64, 64 }, { 700, 9 } };

START_TEST(small_pages_are_walked)
{
	struct machine *m = realkit_machine();

	if (!m)
		return;
	ck_assert_uint_ge(m->view_page_count, 1);
	ck_assert_uint_eq(m->view_page_bytes[0], PAGE);
	ck_assert_uint_eq(m->view_shares_frames & 1, 1);
	for (int executable = 0; executable < 2; executable++) {
		struct view *view = realkit_view(m, PAGE, shapes[_i].pages,
						 shapes[_i].frames, executable);

		realkit_walk_view_all(view);
		realkit_walk_view_all(view);
		m->ops->view_close(view);
	}
}
END_TEST

START_TEST(pages_show_their_frames)
{
	struct mapped_view *v;
	struct view *view;

	if (!realkit_machine())
		return;
	view = realkit_view(realkit_machine(), PAGE, 20, 3, false);
	v = (struct mapped_view *)view;
	for (uint64_t i = 0; i < 20; i++)
		v->base[i * PAGE + 100] = (char)i;
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t last = i % 3 == 2 ? 17 : 18 + i % 3;

		ck_assert_int_eq(v->base[i * PAGE + 100], (int)last);
	}
	view->m->ops->view_close(view);
}
END_TEST

START_TEST(pages_descend)
{
	const struct view_request request = { PAGE, 20,	   3,	      false,
					      true, false, VIEW_JUMPS };
	struct mapped_view *v;
	struct view *view;
	struct failure f;

	if (!realkit_machine())
		return;
	ck_assert(!realkit_open_view(realkit_machine(), &request, &view, &f));
	v = (struct mapped_view *)view;
	for (uint64_t i = 0; i < 3; i++)
		v->base[i * PAGE + 100] = (char)(i + 1);
	for (uint64_t i = 0; i < 20; i++) {
		ck_assert_int_eq(v->base[i * PAGE + 100], (int)(i % 3 + 1));
		ck_assert_uint_eq(view_frame(&request, i), 2 - i % 3);
	}
	realkit_walk_view_all(view);
	view->m->ops->view_close(view);
}
END_TEST

START_TEST(huge_pages_are_huge_or_refused)
{
	struct machine *m = realkit_machine();
	/* Inside the region, and more than it has. */
	const uint64_t pages[] = { 3, 6 };
	struct view *view;
	struct failure f;

	for (size_t i = 0; m && i < 4; i++) {
		const struct view_request request = {
			PMD,   pages[i % 2], pages[i % 2], i > 1,
			false, false,	     VIEW_JUMPS
		};
		int error = realkit_open_view(m, &request, &view, &f);

		if (error) {
			ck_assert_int_eq(error, -EOPNOTSUPP);
			ck_assert_ptr_nonnull(strstr(f.text, "(echo 1 >"));
			continue;
		}
		realkit_walk_view_all(view);
		m->ops->view_close(view);
	}
}
END_TEST

START_TEST(data_is_not_executable_nor_code_writable)
{
	struct view *jumps, *loads;
	char line[512];
	FILE *maps;

	if (!realkit_machine())
		return;
	jumps = realkit_view(realkit_machine(), PAGE, 100, 2, true);
	loads = realkit_view(realkit_machine(), PAGE, 100, 2, false);
	realkit_walk_view_all(jumps);
	realkit_walk_view_all(loads);
	maps = fopen("/proc/self/maps", "r");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps))
		ck_assert_msg(!strstr(line, " rwx"), "%s", line);
	fclose(maps);
	jumps->m->ops->view_close(jumps);
	loads->m->ops->view_close(loads);
}
END_TEST

/* Elements beside one at 0, in 8 pages of 3 frames; @slot: in rooms of one. */
static const struct {
	uint64_t page, slot, bytes;
	int error;
} elements[] = {
	/* The same word, through the same page and through another. */
	{ 0, 0, 0, -EINVAL }, { 3, 0, 0, -EINVAL },
	{ 3, 1, 0, 0 },	      { 3, 0, 4, -EINVAL },
	{ 8, 0, 0, -ERANGE }, { 0, 0, UINT64_MAX - 15, -ERANGE },
};

START_TEST(bad_elements_are_refused)
{
	const uint64_t room = _i ? VIEW_SLOT_BYTES : 8;
	uint64_t offsets[2] = { 0, 0 };
	struct sample samples[3];
	struct view *view;

	if (!realkit_machine())
		return;
	view = realkit_view(realkit_machine(), PAGE, 8, 3, _i);
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		offsets[1] = elements[i].page * PAGE + elements[i].slot * room +
			     elements[i].bytes;
		ck_assert_int_eq(realkit_walk_view(view, offsets, 2, 0,
						   samples),
				 elements[i].error);
	}
	ck_assert_int_eq(realkit_walk_view(view, offsets, 0, 0, samples),
			 -EINVAL);
	ck_assert_int_eq(realkit_walk_view(view, offsets, 1, WALK_COLD,
					   samples),
			 -EINVAL);
	ck_assert_int_eq(realkit_walk_view(view, offsets, 1, 0, samples), 0);
	view->m->ops->view_close(view);
}
END_TEST

static void refused(const struct view_request *request, int error,
		    const char *why)
{
	struct view *view = NULL;
	struct failure f;

	ck_assert_int_eq(realkit_open_view(realkit_machine(), request, &view,
					   &f),
			 error);
	ck_assert_ptr_null(view);
	ck_assert_ptr_nonnull(strstr(f.text, why));
	ck_assert_ptr_null(strchr(f.text, '\n'));
}

static const struct {
	struct view_request request;
	int error;
	const char *why;
} requests[] = {
	{ { PAGE, 0, 0, false, false, false, VIEW_JUMPS },
	  -EINVAL,
	  "not possible" },
	{ { PAGE, 3, 0, false, false, false, VIEW_JUMPS },
	  -EINVAL,
	  "not possible" },
	{ { PAGE, 3, 4, true, false, false, VIEW_JUMPS },
	  -EINVAL,
	  "not possible" },
	{ { PAGE, UINT64_MAX / PAGE, 1, false, false, false, VIEW_JUMPS },
	  -EINVAL,
	  "not possible" },
	{ { 12345, 3, 3, false, false, false, VIEW_JUMPS },
	  -EOPNOTSUPP,
	  "not to be had" },
	{ { 0, 3, 3, false, false, false, VIEW_JUMPS },
	  -EOPNOTSUPP,
	  "not to be had" },
	{ { PAGE, UINT64_C(1) << 34, UINT64_C(1) << 34, false, false, false,
	    VIEW_JUMPS },
	  -ENOMEM,
	  "ask for fewer" },
};

START_TEST(bad_requests_are_refused)
{
	struct machine *m = realkit_machine();

	if (!m)
		return;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		refused(&requests[i].request, requests[i].error,
			requests[i].why);
	m->view_executable = false;
	refused(&(struct view_request){ PAGE, 3, 3, true, false, false,
					VIEW_JUMPS },
		-EOPNOTSUPP, "executable");
	m->view_shares_frames = 0;
	refused(&(struct view_request){ PAGE, 3, 1, false, false, false,
					VIEW_JUMPS },
		-EOPNOTSUPP, "share frames");
}
END_TEST

START_SLOW_TEST(too_many_mappings)
{
	struct view_request request = { PAGE,  0,     1,	 false,
					false, false, VIEW_JUMPS };
	uint64_t most;

	if (!realkit_machine())
		return;
	if (text_read_number("/proc/sys/vm/max_map_count", &most) ||
	    most > 1 << 20) {
		cannot_do("mappings", "kernel cannot: it allows too many");
		return;
	}
	request.pages = most + 1;
	refused(&request, -ENOSPC, "vm.max_map_count");
	/* Not too many by themselves, but with what the process has already. */
	request.pages = most - 1;
	refused(&request, -ENOSPC, "vm.max_map_count");
	/* What was mapped until then is gone. */
	realkit_machine()->ops->view_close(
		realkit_view(realkit_machine(), PAGE, most / 2, 1, false));
}
END_TEST

START_TEST(closed_too_late)
{
	struct machine *m = realkit_open();
	const struct machine_ops *ops;
	struct view *loads, *jumps, *huge = NULL;
	struct failure f;

	if (!m)
		return;
	ops = m->ops;
	loads = realkit_view(m, PAGE, 10, 2, false);
	jumps = realkit_view(m, PAGE, 10, 2, true);
	realkit_open_view(m,
			  &(struct view_request){ PMD, 2, 2, false, false,
						  false, VIEW_JUMPS },
			  &huge, &f);
	realkit_walk_view_all(loads);
	realkit_walk_view_all(jumps);
	machine_close(m);
	ops->view_close(loads);
	ops->view_close(jumps);
	ops->view_close(huge);
	ops->view_close(NULL);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("views");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_loop_test(t, small_pages_are_walked, 0,
			    sizeof(shapes) / sizeof(shapes[0]));
	tcase_add_test(t, pages_show_their_frames);
	tcase_add_test(t, pages_descend);
	tcase_add_test(t, huge_pages_are_huge_or_refused);
	tcase_add_test(t, data_is_not_executable_nor_code_writable);
	tcase_add_loop_test(t, bad_elements_are_refused, 0, 2);
	tcase_add_test(t, bad_requests_are_refused);
	tcase_add_test(t, too_many_mappings);
	tcase_add_test(t, closed_too_late);
	suite_add_tcase(suite, t);
	return suite;
}
