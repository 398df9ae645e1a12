// SPDX-License-Identifier: GPL-2.0
/* check_returns.c - rings of mispredicted returns. */
#include <string.h>

#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define PAGE UINT64_C(4096)
#define PAGES 40
#define FRAMES 4

static struct mapped_view *open_view(enum view_code code)
{
	const struct view_request request = { .page_bytes = PAGE,
					      .pages = PAGES,
					      .frames = FRAMES,
					      .executable = true,
					      .code = code };
	struct view *view = NULL;
	struct failure f;

	ck_assert_msg(!realkit_open_view(realkit_machine(), &request, &view,
					 &f),
		      "%s", f.text);
	return (struct mapped_view *)view;
}

/* One element a page, @bytes apart where they share a frame. */
static void scatter(uint64_t *offsets, uint64_t bytes)
{
	for (uint64_t i = 0; i < PAGES; i++) {
		uint64_t page = i * 13 % PAGES;

		offsets[i] = page * PAGE + page / FRAMES * bytes;
	}
}

static void walk(struct mapped_view *v, uint64_t *offsets, uint64_t bytes)
{
	struct sample samples[3];

	scatter(offsets, bytes);
	ck_assert_int_eq(
		realkit_walk_view(&v->view, offsets, PAGES, 0, samples), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(samples[i].loads % PAGES, 0);
		ck_assert(samples[i].ticks > 0);
	}
}

/* Each word of the list leads into the next element, the last one to the
 * first, whatever orders came before.
 */
static void expect_list(const struct mapped_view *v, const uint64_t *offsets,
			uint64_t bytes)
{
	const struct returns *r = &v->returns;

	ck_assert_uint_eq(r->length, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		const char *slot = v->base + offsets[(i + 1) % PAGES];

		ck_assert(r->list[i] >= slot && r->list[i] < slot + bytes);
	}
	ck_assert_ptr_eq(returns_first(r), r->list[PAGES - 1]);
}

START_TEST(a_list_leads_around)
{
	const enum view_code code = _i ? VIEW_FULL_RETURNS : VIEW_RETURNS;
	/* Elements are as long as their offsets are aligned. */
	const uint64_t bytes = (uint64_t)VIEW_SLOT_BYTES << _i % 3;
	uint64_t offsets[PAGES];
	struct mapped_view *v;

	if (!realkit_machine() || !returns_available())
		return;
	v = open_view(code);
	walk(v, offsets, bytes);
	expect_list(v, offsets, bytes);
	/* Once more, in place of a walk. */
	mapped_view_again(&v->view);
	walk(v, offsets, bytes);
	expect_list(v, offsets, bytes);
	mapped_view_close(&v->view);
}
END_TEST

/* A ring of one or two elements has one order. */
START_TEST(short_rings)
{
	uint64_t offsets[] = { 0, 5 * PAGE + VIEW_CODE_BYTES };
	struct sample samples[3];
	struct mapped_view *v;

	if (!realkit_machine() || !returns_available())
		return;
	v = open_view(VIEW_FULL_RETURNS);
	for (size_t n = 1; n <= 2; n++) {
		ck_assert_int_eq(
			realkit_walk_view(&v->view, offsets, n, 0, samples), 0);
		ck_assert_uint_eq(v->returns.length, n);
		ck_assert_uint_eq(samples[0].loads % n, 0);
	}
	mapped_view_close(&v->view);
}
END_TEST

#if defined(__x86_64__)

static uint64_t run_counting(const struct returns *r, uint64_t rounds)
{
	const char **list = r->list;
	uint64_t count = 0;

	/* What lies below the stack pointer is the compiler's. */
	__asm__ volatile("add $-128, %%rsp\n\tcall *%[first]\n\t"
			 "sub $-128, %%rsp"
			 : "+D"(count), "+S"(list), "+c"(rounds)
			 : "d"(list), [first] "r"(returns_first(r))
			 : "rax", "memory", "cc");
	return count;
}

/* Where an element changes nothing that counts, until its call, which is in front of
 * its entry: that jumps there, within the element, so that what is fetched in vain is
 * its own line. Nops take that place.
 */
static char *make_room(const struct mapped_view *v, const char *entry)
{
	static const size_t call_bytes = 5;
	const uint64_t at = (uint64_t)(entry - v->base);
	const uint64_t in_page = at % PAGE;
	char *frame = v->frames + at / PAGE % FRAMES * PAGE;
	const uint64_t to =
		in_page + 2 + (uint64_t)(signed char)frame[in_page + 1];

	ck_assert_int_eq((unsigned char)frame[in_page], 0xeb);
	ck_assert_uint_eq(to / VIEW_CODE_BYTES, in_page / VIEW_CODE_BYTES);
	ck_assert_int_eq((unsigned char)frame[in_page - call_bytes], 0xe8);
	memset(frame + to, 0x90, in_page - call_bytes - to);
	return frame + to;
}

/* Each element counts itself: inc %rdi where there is room. */
START_TEST(every_return_is_executed)
{
	static const unsigned char increment[] = { 0x48, 0xff, 0xc7 };
	uint64_t offsets[PAGES];
	struct mapped_view *v;

	if (!realkit_machine() || !returns_available())
		return;
	v = open_view(VIEW_FULL_RETURNS);
	walk(v, offsets, VIEW_CODE_BYTES);
	for (size_t i = 0; i < PAGES; i++) {
		memcpy(make_room(v, v->returns.list[i]), increment,
		       sizeof(increment));
	}
	ck_assert_uint_eq(run_counting(&v->returns, 1), PAGES);
	ck_assert_uint_eq(run_counting(&v->returns, 1000), 1000 * PAGES);
	mapped_view_close(&v->view);
}
END_TEST
#endif

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("returns");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_loop_test(t, a_list_leads_around, 0, 3);
	tcase_add_test(t, short_rings);
#if defined(__x86_64__)
	tcase_add_test(t, every_return_is_executed);
#endif
	suite_add_tcase(suite, t);
	return suite;
}
