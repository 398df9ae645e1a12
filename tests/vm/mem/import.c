// SPDX-License-Identifier: GPL-2.0
/* import.c - buffers from the caller's own huge pages. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "kit/t.h"

#define HUGE_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB)

static void *huge(uint64_t bytes, int flags)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, HUGE_FLAGS | flags,
			-1, 0);

	ck_assert_msg(at != MAP_FAILED, "hugetlb: %s", t_errno(errno));
	return at;
}

static struct probe_phys_buffer_create import_of(void *at, uint64_t bytes)
{
	T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
	      .import_addr = (uintptr_t)at, .rungs = PROBE_PHYS_RUNG_IMPORT,
	      .node = PROBE_PHYS_NODE_ANY);

	return c;
}

static int import(void *at, uint64_t bytes)
{
	struct probe_phys_buffer_create c = import_of(at, bytes);

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(c.rung, PROBE_PHYS_RUNG_IMPORT);
	ck_assert_uint_eq(c.bytes, bytes);
	return c.fd;
}

START_TEST(one_huge_page)
{
	char *at = huge(T_PMD, 0);
	struct probe_phys_extent e;
	int buffer;

	memset(at, 0x42, T_PMD);
	buffer = import(at, T_PMD);
	e = t_extent(buffer, 0);
	ck_assert_uint_eq(t_buffer_info(buffer).nr_extents, 1);
	ck_assert_uint_eq(e.bytes, T_PMD);
	ck_assert_uint_eq(e.phys % T_PMD, 0);
	/* Left as it was. */
	ck_assert_int_eq(at[0], 0x42);
	ck_assert_int_eq(at[T_PMD - 1], 0x42);
}
END_TEST

START_TEST(many_huge_pages)
{
	uint64_t bytes = 6 * T_PMD, sum = 0;
	int buffer = import(huge(bytes, 0), bytes);
	struct probe_phys_buffer_info info = t_buffer_info(buffer);

	for (uint32_t i = 0; i < info.nr_extents; i++) {
		struct probe_phys_extent e = t_extent(buffer, i);

		ck_assert_uint_eq(e.phys % T_PMD, 0);
		sum += e.bytes;
	}
	ck_assert_uint_eq(sum, bytes);
}
END_TEST

START_TEST(part_of_a_huge_page)
{
	char *at = huge(T_PMD, 0);
	struct probe_phys_extent e;
	int buffer = import(at + 3 * T_PAGE, 5 * T_PAGE);

	e = t_extent(buffer, 0);
	ck_assert_uint_eq(e.bytes, 5 * T_PAGE);
	ck_assert_uint_eq(e.phys % T_PMD, 3 * T_PAGE);
}
END_TEST

/* A view and the caller's own mapping show the same memory. */
static void coherent(uint64_t page_bytes)
{
	volatile char *mine = huge(T_PMD, 0), *theirs;
	int buffer = import((void *)mine, T_PMD);
	int view = t_view(buffer, 0, T_PMD, page_bytes, 0);

	theirs = t_map(view, T_PMD);
	mine[12345] = 1;
	ck_assert_int_eq(theirs[12345], 1);
	theirs[54321] = 2;
	ck_assert_int_eq(mine[54321], 2);
	theirs[0] = 3;
	ck_assert_uint_eq(t_resolve(view, theirs).phys,
			  t_extent(buffer, 0).phys);
}

START_TEST(coherent_4k)
{
	coherent(T_PAGE);
}
END_TEST

START_TEST(coherent_2m)
{
	coherent(T_PMD);
}
END_TEST

START_TEST(owner_unmaps_first)
{
	char *mine = huge(T_PMD, 0);
	int buffer = import(mine, T_PMD);
	int view = t_view(buffer, 0, T_PMD, T_PAGE, 0);
	char *theirs = t_map(view, T_PMD);

	mine[0] = 7;
	t_unmap(mine, T_PMD);
	ck_assert_int_eq(theirs[0], 7);
	theirs[1] = 8;
}
END_TEST

START_TEST(transparent_huge_page)
{
	char *raw = mmap(NULL, 2 * T_PMD, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((uintptr_t)raw + T_PMD - 1) & ~(T_PMD - 1));
	struct probe_phys_buffer_create c = import_of(at, T_PMD);

	ck_assert_int_eq(madvise(at, T_PMD, MADV_HUGEPAGE), 0);
	memset(at, 1, T_PMD);
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_int_eq(at[77], 1);
	ck_assert_uint_eq(t_buffer_info(c.fd).bytes, T_PMD);
}
END_TEST

static void refused(void *at, uint64_t bytes, int want)
{
	struct probe_phys_buffer_create c = import_of(at, bytes);

	t_want(want, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(t_used(), 0);
}

START_TEST(unmapped)
{
	char *at = huge(T_PMD, 0);

	t_unmap(at, T_PMD);
	refused(at, T_PMD, EFAULT);
}
END_TEST

START_TEST(second_half_unmapped)
{
	char *at = huge(2 * T_PMD, 0);

	t_unmap(at + T_PMD, T_PMD);
	refused(at, 2 * T_PMD, EFAULT);
}
END_TEST

START_TEST(read_only)
{
	char *at = huge(T_PMD, 0);

	ck_assert_int_eq(mprotect(at, T_PMD, PROT_READ), 0);
	refused(at, T_PMD, EFAULT);
}
END_TEST

START_TEST(kernel_address)
{
	refused((void *)0xffff888000000000, T_PMD, EFAULT);
}
END_TEST

START_TEST(wraps_around)
{
	refused((void *)(uintptr_t)-T_PMD, 2 * T_PMD, EFAULT);
}
END_TEST

START_TEST(misaligned)
{
	refused((char *)huge(T_PMD, 0) + 8, T_PAGE, EINVAL);
}
END_TEST

START_TEST(address_without_rung)
{
	T_ARG(buffer_create, c, .bytes = T_PMD,
	      .import_addr = (uintptr_t)huge(T_PMD, 0),
	      .node = PROBE_PHYS_NODE_ANY);

	t_want(EINVAL, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.rungs = PROBE_PHYS_RUNG_BUDDY;
	t_want(EINVAL, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.rungs = PROBE_PHYS_RUNG_ALL;
	t_want(EINVAL, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
}
END_TEST

/* Pages of a file or of a device cannot be imported. */
START_TEST(own_view)
{
	int buffer;
	char *at = t_memory(t_session(), T_PMD, &buffer);
	struct probe_phys_buffer_create c = import_of(at, T_PMD);
	int err = t_do(t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);

	ck_assert_msg(err == EFAULT || err == EINVAL,
		      "import of a view gave %s", t_errno(err));
}
END_TEST

/* Pages with a reference beside the module's are freed in the end. */
START_TEST(held_by_a_pipe)
{
	char *at = huge(T_PMD, 0);
	struct iovec iov = { .iov_base = at, .iov_len = T_PAGE };
	int pipes[2], buffer;

	memset(at, 3, T_PMD);
	buffer = import(at, T_PMD);
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(vmsplice(pipes[1], &iov, 1, 0), T_PAGE);
	close(buffer);
	t_unmap(at, T_PMD);
	close(pipes[0]);
	close(pipes[1]);
}
END_TEST

static int free_huge_pages(void)
{
	char *text = t_file(
		"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
	int count = atoi(text);

	free(text);
	return count;
}

START_TEST(pages_return_to_the_pool)
{
	int before = free_huge_pages(), buffer;
	char *at = huge(2 * T_PMD, MAP_POPULATE);

	buffer = import(at, 2 * T_PMD);
	t_unmap(at, 2 * T_PMD);
	ck_assert_int_eq(free_huge_pages(), before - 2);
	close(buffer);
	ck_assert_int_eq(free_huge_pages(), before);
}
END_TEST

Suite *t_suite_import(void)
{
	Suite *suite = suite_create("import");
	TCase *tc = t_case(suite, "import");

	tcase_add_test(tc, one_huge_page);
	tcase_add_test(tc, many_huge_pages);
	tcase_add_test(tc, part_of_a_huge_page);
	tcase_add_test(tc, coherent_4k);
	tcase_add_test(tc, coherent_2m);
	tcase_add_test(tc, owner_unmaps_first);
	tcase_add_test(tc, transparent_huge_page);
	tcase_add_test(tc, unmapped);
	tcase_add_test(tc, second_half_unmapped);
	tcase_add_test(tc, read_only);
	tcase_add_test(tc, kernel_address);
	tcase_add_test(tc, wraps_around);
	tcase_add_test(tc, misaligned);
	tcase_add_test(tc, address_without_rung);
	tcase_add_test(tc, own_view);
	tcase_add_test(tc, held_by_a_pipe);
	tcase_add_test(tc, pages_return_to_the_pool);
	return suite;
}
