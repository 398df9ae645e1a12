// SPDX-License-Identifier: GPL-2.0
/*
 * walk_pages.c - by which pages walks go, against what the kernel counts of its
 * own map ("DirectMap4k:" in /proc/meminfo).
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "kit/t.h"

#define MOST_PIECES 512

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* One line of /proc/meminfo in bytes, 0: there is none. */
static uint64_t meminfo(const char *name)
{
	char *text = t_file("/proc/meminfo"), *line;
	unsigned long long kib = 0;

	ck_assert_ptr_nonnull(text);
	line = strstr(text, name);
	if (line)
		ck_assert_int_eq(sscanf(line + strlen(name), ": %llu", &kib),
				 1);
	free(text);
	return kib * 1024;
}

struct counts {
	uint64_t split; /* bytes that are walked by base pages */
	uint64_t whole; /* by larger ones */
};

/* Only x86 counts. */
static void kernel_counts(void)
{
	if (!meminfo("DirectMap4k"))
		t_skip("kernel cannot give the pages of its map");
}

/* Takes memory in @most pieces of @bytes, counts, and gives it back. */
static struct counts count_pieces(int session, uint64_t bytes, int most)
{
	struct counts counts = { 0 };
	int made[MOST_PIECES], count = 0;

	for (; count < most; count++) {
		T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
		      .min_extent_bytes = bytes, .align_bytes = bytes,
		      .rungs = PROBE_PHYS_RUNG_BUDDY,
		      .node = PROBE_PHYS_NODE_ANY);

		if (t_do(session, PROBE_PHYS_IOC_BUFFER_CREATE, &c))
			break;
		made[count] = c.fd;
		if (c.walk_page_bytes == T_PAGE)
			counts.split += bytes;
		else
			counts.whole += bytes;
	}
	while (count--)
		close(made[count]);
	return counts;
}

static void check_counts(struct counts counts)
{
	ck_assert_uint_le(counts.split, meminfo("DirectMap4k"));
	ck_assert_uint_le(counts.whole,
			  meminfo("DirectMap2M") + meminfo("DirectMap1G"));
}

START_TEST(no_more_than_the_kernel_counts)
{
	struct counts counts;

	kernel_counts();
	counts = count_pieces(t_session(), T_PMD, MOST_PIECES);
	check_counts(counts);
	ck_assert_uint_gt(counts.whole, 0);
}
END_TEST

/* The smallest page of any extent is the buffer's. */
START_TEST(smallest_of_all)
{
	int session = t_session();
	T_ARG(buffer_create, c, .bytes = 256 * T_MIB,
	      .rungs = PROBE_PHYS_RUNG_BUDDY, .node = PROBE_PHYS_NODE_ANY);

	kernel_counts();
	t_want(0, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	if (c.walk_page_bytes == T_PAGE)
		ck_assert_uint_gt(meminfo("DirectMap4k"), 0);
	else
		ck_assert_uint_le(c.bytes, meminfo("DirectMap2M") +
						   meminfo("DirectMap1G"));
}
END_TEST

/*
 * Secret memory is taken out of the kernel's map page by page. The entries that
 * were split for that stay so when the memory is given back.
 */
static int keep_secrets(void *arg)
{
	uint64_t bytes = *(uint64_t *)arg;
	int fd = (int)syscall(SYS_memfd_secret, 0);
	char *at;

	if (fd < 0)
		return errno == ENOSYS ? 77 : 1;
	if (ftruncate(fd, (off_t)bytes))
		return 2;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return 3;
	memset(at, 1, bytes);
	return 0;
}

/* Single pages that a CPU was given back last it hands out first. */
static void stay_on_this_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

START_TEST(split_is_seen)
{
	uint64_t bytes = 6 * T_MIB;
	struct counts counts = { 0 };

	kernel_counts();
	stay_on_this_cpu();
	for (int tries = 0; tries < 20 && !counts.split; tries++) {
		int status = t_child(keep_secrets, &bytes);

		if (status == T_EXITED(77))
			t_skip("kernel cannot: memfd_secret");
		ck_assert_int_eq(status, 0);
		counts = count_pieces(t_session(), T_PAGE, MOST_PIECES);
		check_counts(counts);
	}
	ck_assert_uint_gt(counts.split, 0);
}
END_TEST

#ifdef __aarch64__
/* There the kernel's command line decides; README, "In the lab". */
START_TEST(as_booted)
{
	char *cmdline = t_file("/proc/cmdline");
	struct counts counts = count_pieces(t_session(), T_PMD, 50);

	ck_assert_ptr_nonnull(cmdline);
	ck_assert_uint_eq(counts.split + counts.whole, 50 * T_PMD);
	if (strstr(cmdline, "rodata=on"))
		ck_assert_uint_eq(counts.split, 0);
	else
		ck_assert_uint_eq(counts.whole, 0);
}
END_TEST
#endif

Suite *t_suite_walk_pages(void)
{
	Suite *suite = suite_create("walk_pages");
	TCase *tc = t_case(suite, "walk_pages");

	tcase_add_test(tc, no_more_than_the_kernel_counts);
	tcase_add_test(tc, smallest_of_all);
	tcase_add_test(tc, split_is_seen);
#ifdef __aarch64__
	tcase_add_test(tc, as_booted);
#endif
	return suite;
}
