// SPDX-License-Identifier: GPL-2.0
/* check_mapped_view.c - views of the machine without a module, on this
 * computer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "machine/host/smaps.h"
#include "machine/machine.h"
#include "machine/native/code.h"
#include "machine/native/mapped_view.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define PAGE UINT64_C(4096)
#define PMD (UINT64_C(2) << 20)
#define MOST_PAGES 700

static struct machine *machine_opened;

/* Skips, with the reason, where the computer has no huge pages to give. */
static struct machine *open_or_skip(void)
{
	const struct machine_request request = { .cpu = -1, .bytes = 4 * PMD };
	struct failure f = { .text = "" };
	struct machine *m = machine_open_hugepage(&request, &f);

	if (m)
		return m;
	printf("SKIP views: kernel cannot: %s\n", f.text);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	return NULL;
}

static int open_view(struct machine *m, const struct view_request *request,
		     struct view **view, struct failure *f)
{
	*f = (struct failure){ .text = "" };
	return m->ops->view_open(m, request, view, f);
}

static struct view *must_open(struct machine *m, uint64_t page_bytes,
			      uint64_t pages, uint64_t frames, bool executable)
{
	const struct view_request request = { page_bytes, pages, frames,
					      executable, false };
	struct view *view = NULL;
	struct failure f;

	ck_assert_msg(!open_view(m, &request, &view, &f), "%s", f.text);
	ck_assert_ptr_nonnull(view);
	ck_assert_ptr_eq(view->m, m);
	ck_assert_mem_eq(&view->request, &request, sizeof(request));
	return view;
}

/* One element a page, in a place of its own, in an order that jumps about. */
static void scatter(const struct view_request *r, uint64_t *offsets)
{
	uint64_t room = r->executable ? VIEW_SLOT_BYTES : 8;

	/* The test has no such number of pages, so all are visited. */
	ck_assert(r->pages == 1 || r->pages % 13);
	for (uint64_t i = 0; i < r->pages; i++) {
		uint64_t page = i * 13 % r->pages;

		offsets[i] = page * r->page_bytes + page / r->frames * room;
	}
}

static int walk(struct view *view, uint64_t *offsets, size_t length,
		unsigned int flags, struct sample *samples)
{
	const struct sequence s = { offsets, length };
	const struct walk_plan plan = {
		.flags = flags, .warm_rounds = 2, .loads = 1000, .samples = 3
	};
	struct failure f = { .text = "" };
	int error;

	memset(samples, 0xff, 3 * sizeof(*samples));
	error = view->m->ops->view_walk(view, &s, &plan, samples, &f);
	ck_assert_int_eq(!error, !f.text[0]);
	ck_assert_ptr_null(strchr(f.text, '\n'));
	return error;
}

static void walk_all(struct view *view)
{
	const struct view_request *r = &view->request;
	uint64_t offsets[MOST_PAGES];
	struct sample samples[3];

	ck_assert_uint_le(r->pages, MOST_PAGES);
	scatter(r, offsets);
	ck_assert_int_eq(walk(view, offsets, r->pages, 0, samples), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_ge(samples[i].loads, 1000);
		if (r->executable)
			ck_assert_uint_eq(samples[i].loads % r->pages, 0);
		ck_assert(samples[i].ticks > 0);
		ck_assert_uint_eq(samples[i].counted, 0);
	}
}

static void setup(void)
{
	machine_opened = open_or_skip();
}

static void teardown(void)
{
	machine_close(machine_opened);
	machine_opened = NULL;
}

static const struct {
	uint64_t pages, frames;
} shapes[] = { { 1, 1 }, { 100, 1 }, { 200, 3 }, { 64, 64 }, { 700, 9 } };

START_TEST(small_pages_are_walked)
{
	struct machine *m = machine_opened;

	if (!m)
		return;
	ck_assert_uint_ge(m->view_page_count, 1);
	ck_assert_uint_eq(m->view_page_bytes[0], PAGE);
	ck_assert_uint_eq(m->view_shares_frames & 1, 1);
	for (int executable = 0; executable < 2; executable++) {
		struct view *view = must_open(m, PAGE, shapes[_i].pages,
					      shapes[_i].frames, executable);

		walk_all(view);
		walk_all(view);
		m->ops->view_close(view);
	}
}
END_TEST

START_TEST(pages_show_their_frames)
{
	struct mapped_view *v;
	struct view *view;

	if (!machine_opened)
		return;
	view = must_open(machine_opened, PAGE, 20, 3, false);
	v = (struct mapped_view *)view;
	for (uint64_t i = 0; i < 20; i++)
		v->base[i * PAGE + 100] = (char)i;
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t last = i % 3 == 2 ? 17 : 18 + i % 3;

		ck_assert_int_eq(v->base[i * PAGE + 100], (int)last);
	}
	machine_opened->ops->view_close(view);
}
END_TEST

START_TEST(pages_descend)
{
	const struct view_request request = { PAGE, 20, 3, false, true };
	struct mapped_view *v;
	struct view *view;
	struct failure f;

	if (!machine_opened)
		return;
	ck_assert(!open_view(machine_opened, &request, &view, &f));
	v = (struct mapped_view *)view;
	for (uint64_t i = 0; i < 3; i++)
		v->base[i * PAGE + 100] = (char)(i + 1);
	for (uint64_t i = 0; i < 20; i++) {
		ck_assert_int_eq(v->base[i * PAGE + 100], (int)(i % 3 + 1));
		ck_assert_uint_eq(view_frame(&request, i), 2 - i % 3);
	}
	walk_all(view);
	machine_opened->ops->view_close(view);
}
END_TEST

START_TEST(huge_pages_are_huge_or_refused)
{
	struct machine *m = machine_opened;
	/* Inside the region, and more than it has. */
	const uint64_t pages[] = { 3, 6 };
	struct view *view;
	struct failure f;

	for (size_t i = 0; m && i < 4; i++) {
		const struct view_request request = { PMD, pages[i % 2],
						      pages[i % 2], i > 1,
						      false };
		int error = open_view(m, &request, &view, &f);

		if (error) {
			ck_assert_int_eq(error, -EOPNOTSUPP);
			ck_assert_ptr_nonnull(strstr(f.text, "(echo 1 >"));
			continue;
		}
		walk_all(view);
		m->ops->view_close(view);
	}
}
END_TEST

START_TEST(data_is_not_executable_nor_code_writable)
{
	struct view *jumps, *loads;
	char line[512];
	FILE *maps;

	if (!machine_opened)
		return;
	jumps = must_open(machine_opened, PAGE, 100, 2, true);
	loads = must_open(machine_opened, PAGE, 100, 2, false);
	walk_all(jumps);
	walk_all(loads);
	maps = fopen("/proc/self/maps", "r");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps))
		ck_assert_msg(!strstr(line, " rwx"), "%s", line);
	fclose(maps);
	machine_opened->ops->view_close(jumps);
	machine_opened->ops->view_close(loads);
}
END_TEST

#if defined(__x86_64__)
/* Where the jump in a slot leads, near or far. */
static const char *target_of(const char *write, const char *run)
{
	const char *target;
	int32_t relative;

	if ((unsigned char)write[0] == 0xe9) {
		memcpy(&relative, write + 1, sizeof(relative));
		return run + 5 + relative;
	}
	ck_assert_int_eq((unsigned char)write[0], 0x48);
	memcpy(&target, write + 2, sizeof(target));
	return target;
}

static uint64_t run_counting(const char *first, uint64_t rounds)
{
	uint64_t count = 0;

	__asm__ volatile("call *%%rsi"
			 : "+a"(count), "+D"(rounds)
			 : "S"(first)
			 : "memory", "cc");
	return count;
}

/* Each jump counts itself: inc %rax before it. Near ones only. */
START_TEST(every_jump_is_executed)
{
	static const unsigned char increment[] = { 0x48, 0xff, 0xc0 };
	struct view *view;
	struct mapped_view *v;
	uint64_t offsets[300];

	if (!machine_opened)
		return;
	view = must_open(machine_opened, PAGE, 300, 4, true);
	v = (struct mapped_view *)view;
	scatter(&view->request, offsets);
	walk_all(view);
	for (size_t i = 0; i < 300; i++) {
		uint64_t page = offsets[i] / PAGE;
		char *slot = v->frames + page % 4 * PAGE + offsets[i] % PAGE;
		char *run = v->base + offsets[i];

		if (i < 299) {
			ck_assert_int_eq((unsigned char)slot[0], 0xe9);
			ck_assert_ptr_eq(target_of(slot, run),
					 v->base + offsets[i + 1]);
			code_jump(slot + sizeof(increment),
				  run + sizeof(increment),
				  v->base + offsets[i + 1]);
		} else {
			code_close_ring(slot + sizeof(increment));
		}
		memcpy(slot, increment, sizeof(increment));
	}
	ck_assert_uint_eq(run_counting(v->base + offsets[0], 1), 300);
	ck_assert_uint_eq(run_counting(v->base + offsets[0], 1000), 300000);
	machine_opened->ops->view_close(view);
}
END_TEST

/* Pages on both ends of almost 3 GiB. */
START_TEST(far_jumps)
{
	const struct view_request request = { PAGE, 700000, 16, true, false };
	uint64_t offsets[] = { 0, 699999 * PAGE + 16, 32 };
	struct sample samples[3];
	struct mapped_view *v;
	struct view *view;
	struct failure f;

	if (!machine_opened)
		return;
	if (open_view(machine_opened, &request, &view, &f)) {
		printf("SKIP far jumps: kernel cannot: %s\n", f.text);
		return;
	}
	ck_assert_int_eq(walk(view, offsets, 3, 0, samples), 0);
	v = (struct mapped_view *)view;
	ck_assert_int_eq((unsigned char)v->frames[0], 0x48);
	ck_assert_ptr_eq(target_of(v->frames, v->base), v->base + offsets[1]);
	machine_opened->ops->view_close(view);
}
END_TEST
#endif

START_TEST(bad_elements_are_refused)
{
	uint64_t offsets[2] = { 0, 0 };
	struct sample samples[3];

	for (int executable = 0; machine_opened && executable < 2;
	     executable++) {
		struct view *view =
			must_open(machine_opened, PAGE, 8, 3, executable);
		const uint64_t room = executable ? VIEW_SLOT_BYTES : 8;

		/* The same word, through the same page and through another. */
		offsets[1] = 0;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), -EINVAL);
		offsets[1] = 3 * PAGE;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), -EINVAL);
		offsets[1] = 3 * PAGE + room;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), 0);
		offsets[1] = 3 * PAGE + room / 2;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), -EINVAL);
		offsets[1] = 8 * PAGE;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), -ERANGE);
		offsets[1] = UINT64_MAX - 15;
		ck_assert_int_eq(walk(view, offsets, 2, 0, samples), -ERANGE);
		ck_assert_int_eq(walk(view, offsets, 0, 0, samples), -EINVAL);
		ck_assert_int_eq(walk(view, offsets, 1, WALK_COLD, samples),
				 -EINVAL);
		ck_assert_int_eq(walk(view, offsets, 1, 0, samples), 0);
		machine_opened->ops->view_close(view);
	}
}
END_TEST

static void refused(const struct view_request *request, int error,
		    const char *why)
{
	struct view *view = NULL;
	struct failure f;

	ck_assert_int_eq(open_view(machine_opened, request, &view, &f), error);
	ck_assert_ptr_null(view);
	ck_assert_ptr_nonnull(strstr(f.text, why));
	ck_assert_ptr_null(strchr(f.text, '\n'));
}

START_TEST(bad_requests_are_refused)
{
	const struct view_request none = { PAGE, 0, 0, false, false };
	const struct view_request no_frame = { PAGE, 3, 0, false, false };
	const struct view_request more_frames = { PAGE, 3, 4, true, false };
	const struct view_request odd = { 12345, 3, 3, false, false };
	const struct view_request zero = { 0, 3, 3, false, false };
	const struct view_request beyond = { PAGE, UINT64_MAX / PAGE, 1, false,
					     false };
	const struct view_request memory = { PAGE, UINT64_C(1) << 34,
					     UINT64_C(1) << 34, false, false };

	if (!machine_opened)
		return;
	refused(&none, -EINVAL, "not possible");
	refused(&no_frame, -EINVAL, "not possible");
	refused(&more_frames, -EINVAL, "not possible");
	refused(&beyond, -EINVAL, "not possible");
	refused(&odd, -EOPNOTSUPP, "not to be had");
	refused(&zero, -EOPNOTSUPP, "not to be had");
	refused(&memory, -ENOMEM, "ask for fewer");
	machine_opened->view_executable = false;
	refused(&(struct view_request){ PAGE, 3, 3, true, false }, -EOPNOTSUPP,
		"executable");
	machine_opened->view_shares_frames = 0;
	refused(&(struct view_request){ PAGE, 3, 1, false, false }, -EOPNOTSUPP,
		"share frames");
}
END_TEST

START_TEST(too_many_mappings)
{
	struct view_request request = { PAGE, 0, 1, false, false };
	uint64_t most;

	if (!machine_opened ||
	    text_read_number("/proc/sys/vm/max_map_count", &most) ||
	    most > 1 << 20)
		return;
	request.pages = most + 1;
	refused(&request, -ENOSPC, "vm.max_map_count");
	/* Not too many by themselves, but with what the process has already. */
	request.pages = most - 1;
	refused(&request, -ENOSPC, "vm.max_map_count");
	/* What was mapped until then is gone. */
	machine_opened->ops->view_close(
		must_open(machine_opened, PAGE, most / 2, 1, false));
}
END_TEST

START_TEST(closed_too_late)
{
	struct machine *m = open_or_skip();
	const struct machine_ops *ops;
	struct view *loads, *jumps, *huge = NULL;
	struct failure f;

	if (!m)
		return;
	ops = m->ops;
	loads = must_open(m, PAGE, 10, 2, false);
	jumps = must_open(m, PAGE, 10, 2, true);
	open_view(m, &(struct view_request){ PMD, 2, 2, false, false }, &huge,
		  &f);
	walk_all(loads);
	walk_all(jumps);
	machine_close(m);
	ops->view_close(loads);
	ops->view_close(jumps);
	ops->view_close(huge);
	ops->view_close(NULL);
}
END_TEST

Suite *make_views_suite(void)
{
	Suite *suite = suite_create("views");
	TCase *t = tcase_create("views");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, small_pages_are_walked, 0,
			    sizeof(shapes) / sizeof(shapes[0]));
	tcase_add_test(t, pages_show_their_frames);
	tcase_add_test(t, pages_descend);
	tcase_add_test(t, huge_pages_are_huge_or_refused);
	tcase_add_test(t, data_is_not_executable_nor_code_writable);
#if defined(__x86_64__)
	tcase_add_test(t, every_jump_is_executed);
	tcase_add_test(t, far_jumps);
#endif
	tcase_add_test(t, bad_elements_are_refused);
	tcase_add_test(t, bad_requests_are_refused);
	tcase_add_test(t, too_many_mappings);
	tcase_add_test(t, closed_too_late);
	suite_add_tcase(suite, t);
	return suite;
}
