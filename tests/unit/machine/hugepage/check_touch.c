// SPDX-License-Identifier: GPL-2.0
/* check_touch.c - accessed bits of this computer's pages, without a module. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kit/part.h"
#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
#include "suites.h"

#define PAGE UINT64_C(4096)
#define PAGES 16384
/* No known TLB has a quarter of that. */
#define MANY 16384
#define FEW 64

/* NULL where this computer cannot; why is printed. */
static struct view *open_pages(struct machine *m, uint64_t pages,
			       bool executable)
{
	const struct view_request request = { .page_bytes = PAGE,
					      .pages = pages,
					      .frames = 1,
					      .executable = executable,
					      .touched = true };
	struct failure f = { .text = "" };
	struct view *view = NULL;

	if (!m || !m->accessed_bits)
		return NULL;
	if (realkit_open_view(m, &request, &view, &f))
		printf("not tested: %s\n", f.text);
	return view;
}

static struct view *open_touched(struct machine *m, bool executable)
{
	return open_pages(m, PAGES, executable);
}

static void fill(struct sequence *s, uint64_t first, size_t pages)
{
	s->offsets = calloc(pages, sizeof(*s->offsets));
	ck_assert_ptr_nonnull(s->offsets);
	s->length = pages;
	for (size_t i = 0; i < pages; i++)
		s->offsets[i] = (first + i) * PAGE + i % 64 * 64;
}

/* Return: false where the computer has no huge pages now. */
static bool touch(struct view *view, const struct touch *before,
		  const struct touch *test, struct touch_answer *answer)
{
	const struct touch_plan plan = { before, 1, *test, NULL, false };
	struct failure f = { .text = "" };
	int error = view->m->ops->view_touch(view, &plan, answer, &f);

	if (error == -EOPNOTSUPP)
		printf("not tested: %s\n", f.text);
	else
		ck_assert_msg(!error, "%s", f.text);
	return !error;
}

/* Of the mapping that holds @at, bytes. */
static uint64_t referenced(const char *at)
{
	unsigned long first, end, kib = 0;
	bool inside = false;
	char line[256];
	FILE *file = fopen("/proc/self/smaps", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
			inside = (unsigned long)at >= first &&
				 (unsigned long)at < end;
		else if (inside && sscanf(line, "Referenced: %lu", &kib) == 1)
			break;
	}
	if (file)
		fclose(file);
	return (uint64_t)kib << 10;
}

/* Filling them sets bits, too. */
#define ROUNDS 4

/* The fewest pages whose bits are set when all have been touched since these were cleared. */
static uint64_t fewest_referenced(volatile char *pages, int clear)
{
	uint64_t fewest = MANY * PAGE;

	for (int round = 0; round < ROUNDS && write(clear, "1", 1) == 1;
	     round++) {
		uint64_t now;

		for (uint64_t i = 0; i < MANY; i++)
			(void)pages[i * PAGE];
		now = referenced((const char *)pages);
		fewest = now < fewest ? now : fewest;
	}
	return fewest / PAGE;
}

/* In the simplest way: a hypervisor with page tables of its own (shadow paging, PVM) sets
 * the bits of a guest when it fills those, and not when a processor walks them.
 */
static bool bits_follow_walks(void)
{
	int clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	void *pages = mmap(NULL, MANY * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool follow;

	ck_assert_ptr_ne(pages, MAP_FAILED);
	madvise(pages, MANY * PAGE, MADV_NOHUGEPAGE);
	memset(pages, 1, MANY * PAGE);
	follow = clear < 0 || fewest_referenced(pages, clear) >= MANY / 2;
	munmap(pages, MANY * PAGE);
	if (clear >= 0)
		close(clear);
	if (!follow)
		cannot_do(
			"accessed bits",
			"cpu cannot set them: the hypervisor has page tables of its own");
	return follow;
}

/* However disturbed, no TLB keeps half of them. */
START_TEST(many_pages_are_walked)
{
	struct view *view = bits_follow_walks() ?
				    open_touched(realkit_machine(), _i) :
				    NULL;
	enum touch_kind kind = _i ? TOUCH_FETCHES : TOUCH_LOADS;
	struct touch_answer answer;
	struct sequence s;

	if (!view)
		return;
	fill(&s, 0, MANY);
	if (touch(view, &(struct touch){ &s, kind, 1 },
		  &(struct touch){ &s, kind, 1 }, &answer)) {
		ck_assert_uint_le(answer.walked, MANY);
		ck_assert_uint_ge(answer.walked, MANY / 2);
	}
	sequence_free(&s);
	view->m->ops->view_close(view);
}
END_TEST

/* Of a few pages some are still there, in one of many trials. */
START_TEST(few_pages_are_kept)
{
	struct view *view = open_touched(realkit_machine(), _i);
	enum touch_kind kind = _i ? TOUCH_FETCHES : TOUCH_LOADS;
	struct touch_answer answer = { .walked = FEW };
	uint64_t least = FEW;
	struct sequence s;
	int quiet = 0;

	if (!view)
		return;
	fill(&s, 100, FEW);
	for (int i = 0; i < 50 && least > FEW / 2; i++) {
		if (!touch(view, &(struct touch){ &s, kind, 3 },
			   &(struct touch){ &s, kind, 1 }, &answer))
			break;
		if (answer.disturbed)
			continue;
		quiet++;
		if (answer.walked < least)
			least = answer.walked;
	}
	printf("%llu of %d pages walked, %d trials undisturbed\n",
	       (unsigned long long)least, FEW, quiet);
	if (quiet)
		ck_assert_uint_lt(least, FEW);
	else
		cannot_do(
			"touches that nothing disturbs",
			"cpu cannot keep translations: all trials were disturbed");
	sequence_free(&s);
	view->m->ops->view_close(view);
}
END_TEST

/* What one page table maps, pages. */
#define TABLE 512
#define PLANS 32

/* Of the process that touches, KiB; 0: not known. */
static unsigned long table_kib(const struct view *view)
{
	const struct mapped_view *v = (const struct mapped_view *)view;
	unsigned long kib = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)v->child);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPTE: %lu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* The kernel would look at all of them in each test: searches have hundreds of plans. */
START_TEST(page_tables_of_earlier_plans_are_freed)
{
	struct view *view = open_pages(realkit_machine(),
				       (uint64_t)PLANS * FEW * TABLE, false);
	unsigned long before = 0, after;
	struct touch_answer answer;
	struct sequence s;

	if (!view)
		return;
	fill(&s, 0, FEW);
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		for (uint64_t i = 0; i < FEW; i++)
			s.offsets[i] = (plan * FEW + i) * TABLE * PAGE;
		if (!touch(view, &(struct touch){ &s, TOUCH_LOADS, 1 },
			   &(struct touch){ &s, TOUCH_LOADS, 1 }, &answer))
			break;
		before = before ? before : table_kib(view);
	}
	after = table_kib(view);
	ck_assert_uint_lt(after - before, PLANS / 2 * FEW * PAGE / 1024);
	sequence_free(&s);
	view->m->ops->view_close(view);
}
END_TEST

/* The same pages as before, with code elsewhere in them: what stays must have both. */
START_TEST(pages_that_stay_get_new_code)
{
	struct view *view = open_touched(realkit_machine(), true);
	struct touch_answer answer;
	struct sequence s;

	if (!view)
		return;
	fill(&s, 0, FEW);
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		for (uint64_t i = 0; i < FEW; i++)
			s.offsets[i] = i * PAGE + (plan + i) % 64 * 64;
		if (!touch(view, &(struct touch){ &s, TOUCH_FETCHES, 1 },
			   &(struct touch){ &s, TOUCH_FETCHES, 1 }, &answer))
			break;
	}
	sequence_free(&s);
	view->m->ops->view_close(view);
}
END_TEST

START_TEST(bad_touches_are_refused)
{
	struct view *view = open_touched(realkit_machine(), false);
	uint64_t offsets[] = { 0, PAGE, PAGES * PAGE, 8 };
	const struct sequence good = { offsets, 2 }, beyond = { offsets, 3 };
	const struct sequence odd = { offsets + 3, 1 }, none = { offsets, 0 };
	const struct {
		struct touch before;
		struct touch test;
	} bad[] = {
		{ { &good, TOUCH_LOADS, 1 }, { &beyond, TOUCH_LOADS, 1 } },
		{ { &beyond, TOUCH_LOADS, 1 }, { &good, TOUCH_LOADS, 1 } },
		{ { &good, TOUCH_LOADS, 1 }, { &odd, TOUCH_LOADS, 1 } },
		{ { &good, TOUCH_LOADS, 1 }, { &none, TOUCH_LOADS, 1 } },
		{ { &good, TOUCH_LOADS, 0 }, { &good, TOUCH_LOADS, 1 } },
		{ { &good, TOUCH_FETCHES, 1 }, { &good, TOUCH_LOADS, 1 } },
	};
	struct touch_answer answer;

	if (!view)
		return;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct touch_plan plan = { &bad[i].before, 1, bad[i].test,
						 NULL, false };
		struct failure f = { .text = "" };

		ck_assert_int_eq(view->m->ops->view_touch(view, &plan, &answer,
							  &f),
				 -EINVAL);
		ck_assert_ptr_nonnull(strstr(f.text, "touch"));
	}
	view->m->ops->view_close(view);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("touch");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_loop_test(t, many_pages_are_walked, 0, 2);
	tcase_add_loop_test(t, few_pages_are_kept, 0, 2);
	tcase_add_test(t, page_tables_of_earlier_plans_are_freed);
	tcase_add_test(t, pages_that_stay_get_new_code);
	tcase_add_test(t, bad_touches_are_refused);
	suite_add_tcase(suite, t);
	return suite;
}
