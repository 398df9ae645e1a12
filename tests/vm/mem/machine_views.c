// SPDX-License-Identifier: GPL-2.0
/* machine_views.c - views of real memory, through the machines of the tool. */
#include "machine/machine.h"
#include "machine/module/ioctl.h"
#include "machine/hugepage/hugepage.h"
#include "machine/module/module.h"
#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
/* Behind the others: libcheck has a macro named fail. */
#include "kit/machines.h"

#define PAGES 200
#define LEAST_LOADS 500

static struct view *open_view(struct machine *m, uint64_t page_bytes,
			      uint64_t pages, uint64_t frames, bool executable)
{
	const struct view_request request = { page_bytes, pages, frames,
					      executable, false, false,
					      VIEW_JUMPS };

	return m_view(m, &request);
}

static int walk(struct view *view, uint64_t *offsets, size_t length,
		struct sample *samples, struct failure *f)
{
	const struct sequence s = { offsets, length };
	const struct walk_plan plan = {
		.warm_rounds = 2,
		.loads = LEAST_LOADS,
		.samples = 2,
	};

	*f = (struct failure){ .text = "" };
	return view->m->ops->view_walk(view, &s, &plan, samples, f);
}

/* One element a page, each in a place of its own, from the last to the first. */
static void walk_all(struct view *view)
{
	const struct view_request *r = &view->request;
	uint64_t room = r->executable ? VIEW_SLOT_BYTES : 8;
	struct sample samples[2];
	uint64_t offsets[PAGES];
	struct failure f;

	for (uint64_t i = 0; i < r->pages; i++) {
		uint64_t page = r->pages - 1 - i;

		offsets[i] = page * r->page_bytes + page / r->frames * room;
	}
	ck_assert_msg(!walk(view, offsets, r->pages, samples, &f), "%s",
		      f.text);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_ge(samples[i].loads, LEAST_LOADS);
		ck_assert(samples[i].ticks > 0);
	}
}

static const struct {
	uint64_t page_bytes, pages, frames;
} shapes[] = {
	{ T_PAGE, PAGES, 1 }, { T_PAGE, PAGES, 3 }, { T_PAGE, PAGES, PAGES },
	{ T_PAGE, 1, 1 },     { T_PMD, 16, 1 },	    { T_PMD, 33, 2 },
	{ T_PMD, 4, 4 },
};

/* Every entry is resolved once more, from outside. */
static void check_entries(const struct view *view)
{
	const struct mapped_view *v = (const struct mapped_view *)view;
	const struct view_request *r = &view->request;

	for (uint64_t i = 0; i < r->pages; i++) {
		struct probe_phys_view_resolve e =
			t_resolve(v->fd, v->base + i * r->page_bytes);

		ck_assert_uint_eq(e.page_bytes, r->page_bytes);
		ck_assert_uint_eq(e.phys,
				  view->m->region.extents[0].phys +
					  view_frame(r, i) * r->page_bytes);
		ck_assert_uint_eq(e.prot, r->executable ?
						  PROBE_PHYS_PROT_EXEC :
						  PROBE_PHYS_PROT_WRITE);
	}
}

START_TEST(views_are_walked)
{
	struct machine *m = m_open(8 * T_MIB);

	ck_assert_uint_eq(m->view_page_count, 2);
	ck_assert_uint_eq(m->view_page_bytes[0], T_PAGE);
	ck_assert_uint_eq(m->view_page_bytes[1], T_PMD);
	ck_assert_uint_eq(m->view_shares_frames, 3);
	ck_assert(m->view_executable);
	for (int executable = 0; executable < 2; executable++) {
		struct view *view = open_view(m, shapes[_i].page_bytes,
					      shapes[_i].pages,
					      shapes[_i].frames, executable);

		ck_assert(view->contiguous);
		walk_all(view);
		walk_all(view);
		check_entries(view);
		m->ops->view_close(view);
	}
	machine_close(m);
}
END_TEST

START_TEST(pages_descend)
{
	struct machine *m = m_open(8 * T_MIB);

	for (int executable = 0; executable < 2; executable++) {
		const struct view_request request = { T_PAGE,	  PAGES, 7,
						      executable, true,	 false,
						      VIEW_JUMPS };
		struct view *view = m_view(m, &request);

		walk_all(view);
		check_entries(view);
		m->ops->view_close(view);
	}
	machine_close(m);
}
END_TEST

#if defined(__x86_64__)
/* Each jump counts itself: inc %rax before it. */
START_TEST(jumps_are_executed)
{
	struct machine *m = m_open(8 * T_MIB);
	struct view *view = open_view(m, T_PMD, 16, 2, true);
	struct mapped_view *v = (struct mapped_view *)view;
	uint64_t count = 0, rounds = 100;

	walk_all(view);
	for (uint64_t page = 0; page < 16; page++) {
		uint64_t inside = page / 2 * VIEW_SLOT_BYTES;
		char *slot = v->frames + page % 2 * T_PMD + inside;
		char *run = v->base + page * T_PMD + inside;
		int32_t relative;

		if (page) {
			ck_assert_int_eq((unsigned char)slot[0], 0xe9);
			memcpy(&relative, slot + 1, sizeof(relative));
			code_jump(slot + 3, run + 3, run + 5 + relative);
		} else {
			code_close_ring(slot + 3);
		}
		memcpy(slot, "\x48\xff\xc0", 3);
	}
	__asm__ volatile("call *%%rsi"
			 : "+a"(count), "+D"(rounds)
			 : "S"(v->base + 15 * T_PMD + 15 / 2 * VIEW_SLOT_BYTES)
			 : "memory", "cc");
	ck_assert_uint_eq(count, 1600);
	m->ops->view_close(view);
	machine_close(m);
}
END_TEST
#endif

/* The other machine: the guest has a pool of huge pages for it. */
START_TEST(pool_views)
{
	struct machine *m = m_open_kind(machine_open_hugepage, 2 * T_PMD);
	const struct {
		uint64_t pages, frames;
		bool executable;
	} views[] = {
		{ 40, 1, false }, { 40, 3, true }, { 3, 3, false },
		{ 2, 2, false },  { 2, 2, true },
	};
	struct view *view;
	struct failure f = { .text = "" };

	ck_assert_str_eq(m->region.backing, "2 MiB hugetlb pages");
	ck_assert_uint_eq(m->view_page_bytes[1], T_PMD);
	ck_assert_uint_eq(m->view_shares_frames, 3);
	for (size_t i = 0; i < T_LENGTH(views); i++) {
		view = open_view(m, T_PMD, views[i].pages, views[i].frames,
				 views[i].executable);
		walk_all(view);
		m->ops->view_close(view);
	}
	t_same_errno(-m->ops->view_open(
			     m,
			     &(struct view_request){ T_PMD, 99, 98, false,
						     false, false, VIEW_JUMPS },
			     &view, &f),
		     EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(f.text, "vm.nr_hugepages"));
	machine_close(m);
}
END_TEST

/* In a guest that has a gigabyte to give. */
START_TEST(giant_views)
{
	uint64_t giant = t_info(t_session()).pud_bytes;
	struct machine *m = m_open(T_GIB);

	ck_assert_uint_eq(m->region.bytes, T_GIB);
	if (!giant || m->region.extents[0].phys % T_GIB) {
		ck_assert_uint_eq(m->view_page_count, 2);
		machine_close(m);
		t_skip("kernel cannot %s",
		       giant ? "give an aligned gigabyte" : "map 1 GiB pages");
	}
	ck_assert_uint_eq(m->view_page_count, 3);
	ck_assert_uint_eq(m->view_page_bytes[2], T_GIB);
	for (int i = 0; i < 4; i++) {
		struct view *view =
			open_view(m, T_GIB, i & 1 ? 5 : 1, 1, i & 2);

		walk_all(view);
		check_entries(view);
		m->ops->view_close(view);
	}
	machine_close(m);
}
END_TEST

START_TEST(refused)
{
	struct machine *m = m_open(8 * T_MIB);
	struct view *view = open_view(m, T_PAGE, 8, 3, true);
	uint64_t offsets[2] = { 16, 3 * T_PAGE + 16 };
	const struct {
		struct view_request request;
		int error;
	} requests[] = {
		{ { T_GIB, 1, 1, false, false, false, VIEW_JUMPS },
		  -EOPNOTSUPP },
		{ { T_PAGE, PROBE_PHYS_MAX_ALIAS_PAGES + 1, 1, false, false,
		    false, VIEW_JUMPS },
		  -ENOSPC },
		{ { T_PAGE, 3000, 2049, false, false, false, VIEW_JUMPS },
		  -ENOMEM },
		{ { T_PMD, 5, 5, false, false, false, VIEW_JUMPS }, -ENOMEM },
		{ { T_PMD, 5, 6, false, false, false, VIEW_JUMPS }, -EINVAL },
	};
	struct sample samples[2];
	struct failure f;

	t_same_errno(-walk(view, offsets, 2, samples, &f), EINVAL);
	offsets[1] = 8 * T_PAGE;
	t_same_errno(-walk(view, offsets, 2, samples, &f), ERANGE);
	m->ops->view_close(view);
	for (size_t i = 0; i < T_LENGTH(requests); i++) {
		f = (struct failure){ .text = "" };
		t_same_errno(-m->ops->view_open(m, &requests[i].request, &view,
						&f),
			     -requests[i].error);
		ck_assert(f.text[0] && !strchr(f.text, '\n'));
	}
	machine_close(m);
}
END_TEST

/* Pages that were never there are walked for, and some of a few are kept. */
static void touch_pages_of(uint64_t page_bytes, bool executable)
{
	const struct view_request request = { page_bytes, PAGES, 1,
					      executable, false, true,
					      VIEW_JUMPS };
	enum touch_kind kind = executable ? TOUCH_FETCHES : TOUCH_LOADS;
	struct machine *m = m_open(8 * T_MIB);
	uint64_t offsets[PAGES], least = PAGES;
	const struct sequence all = { offsets, PAGES }, few = { offsets, 4 };
	const struct touch before = { &few, kind, 2 };
	const struct touch_plan plan = { .before = &before,
					 .before_count = 1,
					 .test = { &few, kind, 1 } };
	const struct touch_plan cold = { .test = { &all, kind, 1 } };
	const struct touch_plan bad = { .test = { &all, kind, 0 } };
	struct touch_answer answer;
	struct failure f = { .text = "" };
	struct view *view;

	if (!m->accessed_bits) {
		machine_close(m);
		t_skip("cpu cannot set accessed bits");
	}
	view = m_view(m, &request);
	for (uint64_t i = 0; i < PAGES; i++)
		offsets[i] = i * page_bytes + i % 64 * 64;
	ck_assert_msg(!m->ops->view_touch(view, &cold, &answer, &f), "%s",
		      f.text);
	ck_assert_uint_le(answer.walked, PAGES);
	for (int i = 0; i < 50 && least; i++) {
		ck_assert_msg(!m->ops->view_touch(view, &plan, &answer, &f),
			      "%s", f.text);
		if (answer.walked < least)
			least = answer.walked;
	}
	ck_assert_uint_lt(least, 4);
	t_same_errno(-m->ops->view_touch(view, &bad, &answer, &f), EINVAL);
	m->ops->view_close(view);
	machine_close(m);
}

START_TEST(pages_are_touched)
{
	touch_pages_of(_i & 1 ? T_PMD : T_PAGE, _i & 2);
}
END_TEST

/* A page below each of some entries, and then another one. */
static void touch_tables_of(uint64_t page_bytes, uint64_t span)
{
	const struct view_request request = { page_bytes, 4 * span / page_bytes,
					      1,	  false,
					      false,	  true,
					      VIEW_JUMPS };
	struct machine *m = m_open(8 * T_MIB);
	uint64_t first[4], other[4];
	const struct sequence fill = { first, 4 }, test = { other, 4 };
	const struct touch before = { &fill, TOUCH_LOADS, 2 };
	const struct touch_plan plan = { .before = &before,
					 .before_count = 1,
					 .test = { &test, TOUCH_LOADS, 1 } };
	struct touch_answer answer;
	struct failure f = { .text = "" };
	struct view *view;

	if (!m->table_count) {
		machine_close(m);
		t_skip("cpu cannot set accessed bits of tables");
	}
	view = m_view(m, &request);
	for (uint64_t i = 0; i < 4; i++) {
		first[i] = i * span + i * 64;
		other[i] = first[i] + 3 * page_bytes;
	}
	for (int i = 0; i < 20; i++) {
		ck_assert(!m->ops->view_touch_tables(view, &plan, span, &answer,
						     &f));
		/* Flushed, and not touched since. */
		ck_assert_uint_eq(answer.walked, 4);
		ck_assert_uint_le(answer.read, 4);
	}
	m->ops->view_close(view);
	machine_close(m);
}

START_TEST(tables_are_touched)
{
	touch_tables_of(_i ? T_PMD : T_PAGE, _i ? T_GIB : T_PMD);
}
END_TEST

START_TEST(machine_closed_first)
{
	struct machine *m = m_open(8 * T_MIB);
	const struct machine_ops *ops = m->ops;
	struct view *loads = open_view(m, T_PMD, 4, 2, false);
	struct view *jumps = open_view(m, T_PAGE, 4, 2, true);

	walk_all(jumps);
	machine_close(m);
	ck_assert_uint_gt(t_used(), 0);
	ops->view_close(loads);
	ops->view_close(jumps);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

Suite *t_suite_machine_views(void)
{
	Suite *suite = suite_create("machine_views");
	TCase *t = t_case(suite, "machine_views");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, views_are_walked, 0, T_LENGTH(shapes));
	tcase_add_test(t, pages_descend);
#if defined(__x86_64__)
	tcase_add_test(t, jumps_are_executed);
#endif
	tcase_add_test(t, pool_views);
	tcase_add_test(t, refused);
	tcase_add_loop_test(t, pages_are_touched, 0, 4);
	tcase_add_loop_test(t, tables_are_touched, 0, 2);
	tcase_add_test(t, machine_closed_first);
	return suite;
}

Suite *t_suite_machine_giant(void)
{
	Suite *suite = suite_create("machine_giant");
	TCase *t = t_case(suite, "machine_giant");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, giant_views);
	return suite;
}
