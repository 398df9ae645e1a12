// SPDX-License-Identifier: GPL-2.0
/* views.c - views show the right memory through entries of the right size. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "kit/t.h"

/* Every page of a mapping translates to the wanted physical address. */
static void check_entries(int view, char *at, uint64_t bytes,
			  uint64_t page_bytes, uint64_t phys)
{
	for (uint64_t i = 0; i < bytes; i += page_bytes) {
		struct probe_phys_view_resolve r;

		*(volatile char *)(at + i) = 1;
		r = t_resolve(view, at + i);
		ck_assert_uint_eq(r.phys, phys + i);
		ck_assert_uint_eq(r.page_bytes, page_bytes);
		ck_assert_uint_eq(r.prot, PROBE_PHYS_PROT_WRITE);
		/* Inside a page, not only at its start. */
		r = t_resolve(view, at + i + 72);
		ck_assert_uint_eq(r.phys, phys + i + 72);
	}
}

START_TEST(small_pages)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	int view = t_view(buffer, 0, T_MIB, T_PAGE, 0);

	check_entries(view, t_map(view, T_MIB), T_MIB, T_PAGE,
		      t_extent(buffer, 0).phys);
}
END_TEST

START_TEST(huge_pages)
{
	int buffer = t_buffer(t_session(), 16 * T_PMD, T_PMD);
	int view = t_view(buffer, 0, 16 * T_PMD, T_PMD, 0);
	char *at = t_map(view, 16 * T_PMD);

	ck_assert_uint_eq((uintptr_t)at % T_PMD, 0);
	check_entries(view, at, 16 * T_PMD, T_PMD, t_extent(buffer, 0).phys);
}
END_TEST

START_TEST(part_of_a_buffer)
{
	int buffer = t_buffer(t_session(), 8 * T_PMD, T_PMD);
	uint64_t phys = t_extent(buffer, 0).phys;
	int small = t_view(buffer, 5 * T_PAGE, 3 * T_PAGE, T_PAGE, 0);
	int large = t_view(buffer, 2 * T_PMD, 2 * T_PMD, T_PMD, 0);

	check_entries(small, t_map(small, 3 * T_PAGE), 3 * T_PAGE, T_PAGE,
		      phys + 5 * T_PAGE);
	check_entries(large, t_map(large, 2 * T_PMD), 2 * T_PMD, T_PMD,
		      phys + 2 * T_PMD);
}
END_TEST

START_TEST(part_of_a_view)
{
	int buffer = t_buffer(t_session(), 8 * T_PMD, T_PMD);
	uint64_t phys = t_extent(buffer, 0).phys;
	int view = t_view(buffer, 0, 8 * T_PMD, T_PMD, 0);
	char *at = mmap(NULL, 2 * T_PMD, PROT_READ | PROT_WRITE, MAP_SHARED,
			view, (off_t)(3 * T_PMD));

	ck_assert_ptr_ne(at, MAP_FAILED);
	check_entries(view, at, 2 * T_PMD, T_PMD, phys + 3 * T_PMD);
}
END_TEST

START_TEST(hint_that_is_aligned)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	int view = t_view(buffer, 0, T_PMD, T_PMD, 0);
	char *hint = (char *)0x7e0000000000;
	char *at =
		mmap(hint, T_PMD, PROT_READ | PROT_WRITE, MAP_SHARED, view, 0);

	ck_assert_ptr_eq(at, hint);
	at = mmap(hint, T_PMD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		  view, 0);
	ck_assert_ptr_eq(at, hint);
	check_entries(view, at, T_PMD, T_PMD, t_extent(buffer, 0).phys);
}
END_TEST

START_TEST(giant_pages_by_version)
{
	struct probe_phys_info info = t_info(t_session());
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	T_ARG(view_create, v, .bytes = T_GIB, .page_bytes = T_GIB);

	/* Real ones are in suite big; here there is only the refusal. */
	t_want(info.pud_bytes ? ERANGE : EOPNOTSUPP, buffer,
	       PROBE_PHYS_IOC_VIEW_CREATE, &v);
}
END_TEST

START_TEST(coherent_among_views)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	volatile uint64_t *a, *b, *c;

	a = t_map(t_view(buffer, 0, T_PMD, T_PAGE, 0), T_PMD);
	b = t_map(t_view(buffer, 0, T_PMD, T_PMD, 0), T_PMD);
	c = t_map(t_view(buffer, T_PMD / 2, T_PMD / 2, T_PAGE, 0), T_PMD / 2);
	for (size_t i = 0; i < T_PMD / 8; i += 511)
		a[i] = i + 1;
	for (size_t i = 0; i < T_PMD / 8; i += 511) {
		ck_assert_uint_eq(b[i], i + 1);
		if (i >= T_PMD / 16)
			ck_assert_uint_eq(c[i - T_PMD / 16], i + 1);
	}
	b[3] = 99;
	ck_assert_uint_eq(a[3], 99);
}
END_TEST

START_TEST(two_mappings_of_one_view)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	int view = t_view(buffer, 0, T_PMD, T_PMD, 0);
	volatile char *a = t_map(view, T_PMD), *b = t_map(view, T_PMD);

	a[1000] = 5;
	ck_assert_int_eq(b[1000], 5);
	ck_assert_uint_eq(t_resolve(view, a).phys, t_resolve(view, b).phys);
}
END_TEST

/* n virtual pages on k physical ones: each store is seen by all of them. */
static void alias(uint64_t page_bytes, uint64_t frames, uint32_t pages)
{
	int buffer = t_buffer(t_session(), frames * page_bytes, page_bytes);
	uint64_t bytes = (uint64_t)pages * page_bytes;
	uint64_t phys = t_extent(buffer, 0).phys;
	int view = t_view(buffer, 0, frames * page_bytes, page_bytes, pages);
	char *at = t_map(view, bytes);

	for (uint32_t i = 0; i < pages; i++) {
		volatile uint32_t *word = (void *)(at + i * page_bytes);
		struct probe_phys_view_resolve r;

		if (i >= frames)
			ck_assert_uint_eq(*word, (uint32_t)(i - frames + 1));
		*word = i + 1;
		if (i % 97)
			continue;
		r = t_resolve(view, word);
		ck_assert_uint_eq(r.phys, phys + i % frames * page_bytes);
		ck_assert_uint_eq(r.page_bytes, page_bytes);
	}
	*(volatile uint32_t *)at = 0xdead;
	for (uint64_t i = 0; i < pages; i += frames)
		ck_assert_uint_eq(*(volatile uint32_t *)(at + i * page_bytes),
				  0xdead);
}

START_TEST(alias_small)
{
	alias(T_PAGE, 1, 2048);
}
END_TEST

START_TEST(alias_small_three_frames)
{
	alias(T_PAGE, 3, 1000);
}
END_TEST

START_TEST(alias_huge)
{
	alias(T_PMD, 1, 64);
}
END_TEST

START_TEST(alias_huge_two_frames)
{
	alias(T_PMD, 2, 33);
}
END_TEST

START_TEST(alias_of_fewer_pages_than_frames)
{
	alias(T_PAGE, 8, 3);
}
END_TEST

START_TEST(alias_most)
{
	uint64_t bytes = PROBE_PHYS_MAX_ALIAS_PAGES * T_PAGE;
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	int view =
		t_view(buffer, 0, T_PAGE, T_PAGE, PROBE_PHYS_MAX_ALIAS_PAGES);
	char *at = t_map(view, bytes);

	/* All of them would be 8 MiB of page tables and a minute here. */
	for (uint64_t i = 0; i < bytes; i += 257 * T_PAGE)
		*(volatile uint64_t *)(at + i) = i;
	ck_assert_uint_eq(*(volatile uint64_t *)(at + bytes - T_PAGE),
			  bytes / (257 * T_PAGE) * 257 * T_PAGE);
}
END_TEST

/* Entries are as many faults as pages, no more: none is split behind. */
START_TEST(one_fault_per_entry)
{
	int buffer = t_buffer(t_session(), 8 * T_PMD, T_PMD);
	int view = t_view(buffer, 0, 8 * T_PMD, T_PMD, 0);
	char *at = t_map(view, 8 * T_PMD);
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (uint64_t i = 0; i < 8 * T_PMD; i += T_PAGE)
		*(volatile char *)(at + i) = 1;
	getrusage(RUSAGE_SELF, &after);
	ck_assert_int_ge(after.ru_minflt - before.ru_minflt, 8);
	ck_assert_int_le(after.ru_minflt - before.ru_minflt, 12);
}
END_TEST

START_TEST(read_only_mapping)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);

	for (int large = 0; large < 2; large++) {
		int view = t_view(buffer, 0, T_PMD, large ? T_PMD : T_PAGE, 0);
		volatile char *at =
			mmap(NULL, T_PMD, PROT_READ, MAP_SHARED, view, 0);

		ck_assert_ptr_ne((void *)at, MAP_FAILED);
		ck_assert_int_eq(at[0], 0);
		ck_assert_uint_eq(t_resolve(view, at).prot, 0);
		/* Memory that may be written may be made so later. */
		ck_assert_int_eq(
			mprotect((void *)at, T_PMD, PROT_READ | PROT_WRITE), 0);
		at[1] = 1;
		ck_assert_uint_eq(t_resolve(view, at).prot,
				  PROBE_PHYS_PROT_WRITE);
		at[1] = 0;
	}
}
END_TEST

START_TEST(resolve_untouched)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	int view = t_view(buffer, 0, T_PMD, T_PAGE, 0);
	char *at = t_map(view, T_PMD);
	T_ARG(view_resolve, r, .address = (uintptr_t)at);

	t_want(ENOENT, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	at[0] = 1;
	t_want(0, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
}
END_TEST

START_TEST(resolve_elsewhere)
{
	int buffer = t_buffer(t_session(), 2 * T_PAGE, 0);
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	int other = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	char *at = t_map(view, T_PAGE), *there = t_map(other, T_PAGE);
	T_ARG(view_resolve, r, .address = 0);
	uint64_t wrong[] = { 0,
			     (uintptr_t)there,
			     (uintptr_t)at + T_PAGE,
			     (uintptr_t)&r,
			     0xffff888000000000,
			     UINT64_MAX };

	at[0] = there[0] = 1;
	for (size_t i = 0; i < T_LENGTH(wrong); i++) {
		r.address = wrong[i];
		t_want(EINVAL, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	}
}
END_TEST

/* A function that returns 42. */
#ifdef __x86_64__
/* mov eax, 0x2a; ret */
static const unsigned char code[] = { 0xb8, 0x2a, 0, 0, 0, 0xc3 };
#else
/* mov w0, #0x2a; ret */
static const uint32_t code[] = { 0x52800540, 0xd65f03c0 };
#endif

START_TEST(executes)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);

	for (int large = 0; large < 2; large++) {
		T_ARG(view_create, v, .flags = PROBE_PHYS_VIEW_EXEC,
		      .bytes = T_PMD, .page_bytes = large ? T_PMD : T_PAGE);
		union {
			void *at;
			int (*fn)(void);
		} u;

		t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
		u.at = mmap(NULL, T_PMD, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_SHARED, v.fd, 0);
		ck_assert_ptr_ne(u.at, MAP_FAILED);
		memcpy(u.at, code, sizeof(code));
		__builtin___clear_cache(u.at, (char *)u.at + sizeof(code));
		ck_assert_int_eq(u.fn(), 42);
		ck_assert_uint_eq(t_resolve(v.fd, u.at).prot,
				  PROBE_PHYS_PROT_WRITE | PROBE_PHYS_PROT_EXEC);
	}
}
END_TEST

START_TEST(buffer_closed_first)
{
	int buffer, view;
	char *at;

	buffer = t_buffer(t_session(), T_PMD, T_PMD);
	view = t_view(buffer, 0, T_PMD, T_PMD, 0);
	close(buffer);
	at = t_map(view, T_PMD);
	at[0] = 1;
	close(view);
	at[T_PMD - 1] = 1;
	ck_assert_uint_eq(t_used(), T_PMD);
	t_unmap(at, T_PMD);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

START_TEST(buddy_extents_in_order)
{
	T_ARG(buffer_create, c, .bytes = 32 * T_MIB, .align_bytes = T_PMD,
	      .min_extent_bytes = T_PMD, .rungs = PROBE_PHYS_RUNG_BUDDY,
	      .node = PROBE_PHYS_NODE_ANY);
	uint64_t offset = 0;
	char *at;
	int view;

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	view = t_view(c.fd, 0, c.bytes, T_PMD, 0);
	at = t_map(view, c.bytes);
	for (uint32_t i = 0; i < c.nr_extents; i++) {
		struct probe_phys_extent e = t_extent(c.fd, i);

		check_entries(view, at + offset, e.bytes, T_PMD, e.phys);
		offset += e.bytes;
	}
	ck_assert_uint_eq(offset, c.bytes);
}
END_TEST

Suite *t_suite_views(void)
{
	Suite *suite = suite_create("views");
	TCase *tc = t_case(suite, "views");

	tcase_add_test(tc, small_pages);
	tcase_add_test(tc, huge_pages);
	tcase_add_test(tc, part_of_a_buffer);
	tcase_add_test(tc, part_of_a_view);
	tcase_add_test(tc, hint_that_is_aligned);
	tcase_add_test(tc, giant_pages_by_version);
	tcase_add_test(tc, coherent_among_views);
	tcase_add_test(tc, two_mappings_of_one_view);
	tcase_add_test(tc, alias_small);
	tcase_add_test(tc, alias_small_three_frames);
	tcase_add_test(tc, alias_huge);
	tcase_add_test(tc, alias_huge_two_frames);
	tcase_add_test(tc, alias_of_fewer_pages_than_frames);
	tcase_add_test(tc, alias_most);
	tcase_add_test(tc, one_fault_per_entry);
	tcase_add_test(tc, read_only_mapping);
	tcase_add_test(tc, resolve_untouched);
	tcase_add_test(tc, resolve_elsewhere);
	tcase_add_test(tc, executes);
	tcase_add_test(tc, buffer_closed_first);
	tcase_add_test(tc, buddy_extents_in_order);
	return suite;
}
