// SPDX-License-Identifier: GPL-2.0
/* check_page_size.c - huge pages of this computer, split while they are walked.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "machine/hugepage/hugepage.h"
#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
#include "observe/sampler.h"
#include "suites.h"

#define SAMPLES 8
/* Long enough for the timer to come in between; the walk is repeated until it
 * has.
 */
#define LOADS 200000
#define TIMER_US 2000
#define MOST_WALKS 10000

/* What the handler splits. */
static char *volatile victim;
static volatile int protection;
static volatile sig_atomic_t split;

/* One small page is another's for a moment: the huge one is none any more. */
static void split_page(int number)
{
	(void)number;
	mprotect(victim + 4096, 4096, PROT_READ);
	mprotect(victim + 4096, 4096, protection);
	split = 1;
}

static void split_soon(char *page, int protections)
{
	const struct itimerval soon = { .it_value.tv_usec = TIMER_US };

	victim = page;
	protection = protections;
	split = 0;
	signal(SIGALRM, split_page);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

/* Skips, with the reason, where pages cannot change or the kernel does not show
 * it at once.
 */
static struct hugepage_machine *watched(void)
{
	struct hugepage_machine *h =
		(struct hugepage_machine *)realkit_machine();

	if (!h || (!h->hugetlb && h->watch.pagemap >= 0))
		return h;
	cannot_do("page size", "kernel cannot: %s",
		  h->hugetlb ? "pages are of a pool" :
			       "PAGEMAP_SCAN is Linux 6.7");
	return NULL;
}

/* A walk over a few lines of the first page. */
static uint64_t offsets[] = { 0, 65536, 320, 1 << 20 };
static const struct sequence s = { offsets, 4 };

static bool noted(const struct machine *m)
{
	for (size_t i = 0; i < m->note_count; i++)
		if (strstr(m->notes[i], "changed their size"))
			return true;
	return false;
}

/* Walks until the page is split under one of them. */
static int walk_over(struct machine *m, struct view *view,
		     struct sample *samples, struct failure *f)
{
	const struct walk_plan plan = { .warm_rounds = 2,
					.loads = LOADS,
					.samples = SAMPLES };
	int error = 0;

	for (int i = 0; !error && !m->conditions.resized && i < MOST_WALKS; i++)
		error = view ? m->ops->view_walk(view, &s, &plan, samples, f) :
			       m->ops->walk(m, &s, &plan, samples, f);
	ck_assert(split);
	return error;
}

START_TEST(samples_of_a_split_page_are_void)
{
	const struct walk_plan plan = { .loads = 100, .samples = SAMPLES };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[SAMPLES];
	struct readings r = { .count = 0 };

	if (!h)
		return;
	split_soon(h->native.base, PROT_READ | PROT_WRITE);
	ck_assert_msg(!walk_over(m, NULL, samples, &f), "%s", f.text);
	ck_assert_uint_eq(m->conditions.resized, 1);
	ck_assert(noted(m));
	for (int i = 0; i < SAMPLES; i++)
		ck_assert(samples[i].disturbed);
	/* Of the same size from then on, and where it was. */
	for (int i = 0; i < 100 && !r.count; i++)
		ck_assert_int_eq(sampler_observe(m, &s, &plan, 0, &r, &f), 0);
	ck_assert_uint_gt(r.count, 0);
	ck_assert_uint_eq(m->conditions.resized, 1);
}
END_TEST

/* What is repeated is what was asked for. */
START_TEST(samples_are_taken_again)
{
	const struct walk_plan plan = { .loads = LOADS, .samples = SAMPLES };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct readings r = { .count = 0 };
	uint64_t before = 0;

	if (!h)
		return;
	split_soon(h->native.base, PROT_READ | PROT_WRITE);
	for (int i = 0; !m->conditions.resized && i < MOST_WALKS; i++) {
		before = m->conditions.samples;
		ck_assert_int_eq(sampler_observe(m, &s, &plan, 0, &r, &f), 0);
	}
	ck_assert_uint_eq(m->conditions.resized, 1);
	ck_assert_uint_gt(m->conditions.samples - before, SAMPLES);
}
END_TEST

/* Pages that were not walked say nothing of those that were. */
START_TEST(other_pages_may_change)
{
	const struct walk_plan plan = { .loads = 100, .samples = SAMPLES };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[SAMPLES];

	if (!h)
		return;
	victim = h->native.base + PAGE_WATCH_BYTES;
	protection = PROT_READ | PROT_WRITE;
	split_page(0);
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_uint_eq(m->conditions.resized, 0);
	offsets[3] = PAGE_WATCH_BYTES + 64;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_uint_eq(m->conditions.resized, 1);
}
END_TEST

/* Walks that are compared with each other do not check each time. */
START_TEST(is_seen_in_time_where_that_is_enough)
{
	const struct walk_plan plan = { .loads = 100,
					.samples = SAMPLES,
					.seldom = true };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[SAMPLES];
	int walks = 0;

	if (!h)
		return;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	victim = h->native.base;
	protection = PROT_READ | PROT_WRITE;
	split_page(0);
	for (; !m->conditions.resized && walks < 1000; walks++) {
		ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
		m->ops->pause(m, 1);
	}
	ck_assert_uint_eq(m->conditions.resized, 1);
	for (int i = 0; i < SAMPLES; i++)
		ck_assert(samples[i].disturbed);
}
END_TEST

/* Where the address of a page is another one afterwards, all is void. */
START_TEST(moved_pages_end_it)
{
	const struct walk_plan plan = { .loads = 100, .samples = SAMPLES };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[SAMPLES];

	if (!h)
		return;
	if (m->region.phys_known) {
		/* Given back, and another one in its place. */
		madvise(h->native.base + 65536, 4096, MADV_DONTNEED);
		*(volatile char *)(h->native.base + 65536) = 1;
		ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EIO);
		ck_assert_ptr_nonnull(strstr(f.text, "moved"));
	} else {
		cannot_do("page size", "kernel cannot: addresses are hidden");
	}
}
END_TEST

/* A view is made whole again, or it is no view of such pages any more. */
START_TEST(split_views_are_mended_or_end)
{
	const struct view_request r = { .page_bytes = PAGE_WATCH_BYTES,
					.pages = 1,
					.frames = 1,
					.executable = true };
	struct hugepage_machine *h = watched();
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct sample samples[SAMPLES];
	struct mapped_view *v;
	struct view *view;
	int error;

	if (!h)
		return;
	if (m->ops->view_open(m, &r, &view, &f)) {
		cannot_do("page size", "kernel cannot: %s", f.text);
		return;
	}
	v = (struct mapped_view *)view;
	split_soon(v->base + 8192, PROT_READ | PROT_EXEC);
	error = walk_over(m, view, samples, &f);
	if (error) {
		ck_assert_int_eq(error, -EIO);
		ck_assert_ptr_nonnull(strstr(f.text, "split"));
	} else {
		ck_assert_uint_eq(m->conditions.resized, 1);
		ck_assert(noted(m) && page_watch_all_huge(&v->watch));
		for (int i = 0; i < SAMPLES; i++)
			ck_assert(samples[i].disturbed);
	}
	m->ops->view_close(view);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("split");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_test(t, samples_of_a_split_page_are_void);
	tcase_add_test(t, samples_are_taken_again);
	tcase_add_test(t, other_pages_may_change);
	tcase_add_test(t, is_seen_in_time_where_that_is_enough);
	tcase_add_test(t, moved_pages_end_it);
	tcase_add_test(t, split_views_are_mended_or_end);
	suite_add_tcase(suite, t);
	return suite;
}
