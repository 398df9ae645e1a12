// SPDX-License-Identifier: GPL-2.0
/* accessed.c - VIEW_ACCESSED counts entries that were read into a TLB. */
#include <stdlib.h>

#include "kit/t.h"

#define PAGES 64

/* Needed below: emulated TLBs are as real ones, and CPUs set the bits. */
static void need_bits(void)
{
	struct probe_phys_info info = t_info(t_session());

	if (!(info.features & PROBE_PHYS_FEATURE_VIEW_ACCESSED))
		t_skip("cpu cannot set accessed bits");
}

static uint64_t accessed(int view, char *at, uint64_t bytes, uint32_t flags)
{
	T_ARG(view_accessed, a, .flags = flags, .address = (uintptr_t)at,
	      .bytes = bytes);

	t_want(0, view, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
	return a.accessed;
}

static void touch(char *at, uint64_t page_bytes, unsigned int pages)
{
	for (unsigned int i = 0; i < pages; i++)
		(void)*(volatile char *)(at + i * page_bytes);
}

static void flush(int view)
{
	T_ARG(view_flush, f, .flags = 0);

	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
}

static void count_pages(uint64_t page_bytes)
{
	int buffer = t_buffer(t_session(), page_bytes, page_bytes);
	T_ARG(view_create, v, .bytes = page_bytes, .page_bytes = page_bytes,
	      .alias_pages = PAGES);
	uint64_t bytes = PAGES * page_bytes;
	char *at;

	need_bits();
	t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	at = t_map(v.fd, bytes);
	ck_assert_uint_eq(accessed(v.fd, at, bytes, 0), 0);
	touch(at, page_bytes, PAGES);
	ck_assert_uint_eq(accessed(v.fd, at, bytes, 0), PAGES);
	/* What is counted is what is cleared, and nothing else. */
	ck_assert_uint_eq(accessed(v.fd, at, 10 * page_bytes,
				   PROBE_PHYS_VIEW_ACCESSED_CLEAR),
			  10);
	ck_assert_uint_eq(accessed(v.fd, at, bytes, 0), PAGES - 10);
	accessed(v.fd, at, bytes, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
	ck_assert_uint_eq(accessed(v.fd, at, bytes, 0), 0);
	flush(v.fd);
	touch(at, page_bytes, 7);
	ck_assert_uint_eq(accessed(v.fd, at, bytes, 0), 7);
}

START_TEST(small_pages)
{
	count_pages(T_PAGE);
}
END_TEST

START_TEST(huge_pages)
{
	count_pages(T_PMD);
}
END_TEST

/* A clear without a flush: what a TLB has is not walked for. */
START_TEST(kept_pages_are_not_walked)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	char *at = t_map(view, T_PAGE);
	uint64_t kept = 0;

	need_bits();
	for (int i = 0; i < 100; i++) {
		touch(at, T_PAGE, 1);
		accessed(view, at, T_PAGE, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
		touch(at, T_PAGE, 1);
		kept += !accessed(view, at, T_PAGE, 0);
	}
	ck_assert_uint_gt(kept, 0);
}
END_TEST

START_TEST(bad_ranges)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	int view = t_view(buffer, 0, T_MIB, T_PAGE, 0);
	int other = t_view(buffer, 0, T_MIB, T_PAGE, 0);
	char *at = t_map(view, T_MIB);
	uint64_t here = (uintptr_t)at;
	const struct {
		uint64_t address, bytes;
		int fd, want;
	} bad[] = {
		{ here, 0, view, EINVAL },
		{ here + 8, T_PAGE, view, EINVAL },
		{ here, T_PAGE / 2, view, EINVAL },
		{ here, -(uint64_t)T_PAGE, view, EOVERFLOW },
		{ -(uint64_t)T_PAGE, T_PAGE, view, EOVERFLOW },
		{ UINT64_C(1) << 63, T_PAGE, view, EINVAL },
		{ here, 2 * T_MIB, view, ERANGE },
		{ here, T_PAGE, other, EINVAL },
		{ (uintptr_t)&bad & -(uint64_t)T_PAGE, T_PAGE, view, EINVAL },
	};

	need_bits();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		T_ARG(view_accessed, a, .address = bad[i].address,
		      .bytes = bad[i].bytes);

		t_want(bad[i].want, bad[i].fd, PROBE_PHYS_IOC_VIEW_ACCESSED,
		       &a);
	}
}
END_TEST

Suite *t_suite_accessed(void)
{
	Suite *suite = suite_create("accessed");
	TCase *tc = t_case(suite, "accessed");

	tcase_add_test(tc, small_pages);
	tcase_add_test(tc, huge_pages);
	tcase_add_test(tc, kept_pages_are_not_walked);
	tcase_add_test(tc, bad_ranges);
	return suite;
}
