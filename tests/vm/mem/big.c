// SPDX-License-Identifier: GPL-2.0
/*
 * big.c - gigabytes, in a guest of 4 GiB: suite giant with one huge page of
 * 1 GiB set aside, suite big with none.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kit/walk_help.h"

static struct probe_phys_sample samples[4096];

static bool has_giant_views(void)
{
	return t_info(t_session()).pud_bytes;
}

/* The 1 GiB page of the kernel command line, imported. */
static int import_giant(char **mine)
{
	T_ARG(buffer_create, c, .bytes = T_GIB, .min_bytes = T_GIB,
	      .rungs = PROBE_PHYS_RUNG_IMPORT, .node = PROBE_PHYS_NODE_ANY);

	*mine = mmap(NULL, T_GIB, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
			     30 << MAP_HUGE_SHIFT,
		     -1, 0);
	ck_assert_msg(*mine != MAP_FAILED, "no huge page of 1 GiB: %s",
		      t_errno(errno));
	/* A child would get a copy of its own of a page that is pinned. */
	ck_assert_int_eq(madvise(*mine, T_GIB, MADV_DONTFORK), 0);
	c.import_addr = (uintptr_t)*mine;
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(c.nr_extents, 1);
	ck_assert_uint_eq(c.largest_bytes, T_GIB);
	ck_assert_uint_eq(t_extent(c.fd, 0).phys % T_GIB, 0);
	return c.fd;
}

START_TEST(one_extent_of_a_gigabyte)
{
	int buffer = t_buffer(t_session(), T_GIB, T_PMD);
	int view = t_view(buffer, 0, T_GIB, T_PMD, 0);
	uint64_t phys = t_extent(buffer, 0).phys;
	char *at = t_map(view, T_GIB);

	for (uint64_t i = 0; i < T_GIB; i += 16 * T_PMD) {
		ck_assert_int_eq(at[i], 0);
		at[i] = 1;
		ck_assert_uint_eq(t_resolve(view, at + i).phys, phys + i);
		ck_assert_uint_eq(t_resolve(view, at + i).page_bytes, T_PMD);
	}
}
END_TEST

START_TEST(import_of_a_giant_page)
{
	volatile char *mine, *theirs;
	int buffer = import_giant((char **)&mine);

	theirs = t_map(t_view(buffer, 0, T_GIB, T_PMD, 0), T_GIB);
	mine[T_GIB - 1] = 3;
	ck_assert_int_eq(theirs[T_GIB - 1], 3);
	theirs[T_GIB / 2 + 5] = 4;
	ck_assert_int_eq(mine[T_GIB / 2 + 5], 4);
}
END_TEST

START_TEST(giant_view)
{
	T_ARG(view_create, v, .bytes = T_GIB, .page_bytes = T_GIB);
	T_ARG(view_flush, f, .flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES);
	T_ARG(view_resolve, r, .address = 0);
	volatile char *mine, *at;
	int buffer = import_giant((char **)&mine);
	uint64_t phys = t_extent(buffer, 0).phys;

	if (!has_giant_views()) {
		t_want(EOPNOTSUPP, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
		return;
	}
	t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	at = t_map(v.fd, T_GIB);
	ck_assert_uint_eq((uintptr_t)at % T_GIB, 0);
	at[123456789] = 7;
	ck_assert_int_eq(mine[123456789], 7);
	ck_assert_uint_eq(t_resolve(v.fd, at + 4711).phys, phys + 4711);
	ck_assert_uint_eq(t_resolve(v.fd, at).page_bytes, T_GIB);
	t_want(0, v.fd, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	r.address = (uintptr_t)at;
	t_want(ENOENT, v.fd, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	ck_assert_int_eq(at[123456789], 7);
	t_same_errno(t_fails(munmap((void *)at, T_PMD)), EINVAL);
	ck_assert_ptr_nonnull(t_file("/proc/self/smaps"));
	t_unmap((void *)at, T_GIB);
}
END_TEST

START_TEST(giant_alias)
{
	char *mine, *at;
	int buffer = import_giant(&mine), view;

	if (!has_giant_views())
		t_skip("kernel cannot map 1 GiB entries");
	view = t_view(buffer, 0, T_GIB, T_GIB, 5);
	at = t_map(view, 5 * T_GIB);
	for (uint64_t i = 0; i < 5; i++) {
		*(volatile char *)(at + i * T_GIB + i) = (char)(i + 1);
		ck_assert_uint_eq(t_resolve(view, at + i * T_GIB).page_bytes,
				  T_GIB);
	}
	for (uint64_t i = 0; i < 5; i++)
		ck_assert_int_eq(mine[i], (char)(i + 1));
}
END_TEST

static int touch(void *at)
{
	*(volatile char *)at = 1;
	return 0;
}

START_TEST(giant_guards)
{
	char *mine, *at;
	int buffer = import_giant(&mine), view;

	if (!has_giant_views())
		t_skip("kernel cannot map 1 GiB entries");
	view = t_view(buffer, 0, T_GIB, T_GIB, 0);
	at = t_map(view, T_GIB);
	touch(at);
	ck_assert_int_eq(t_child(touch, at) & 0x7f, SIGSEGV);
	t_same_errno(t_fails(mprotect(at, T_PAGE, PROT_READ)), EINVAL);
	t_same_errno(t_fails(mprotect(at, T_GIB, PROT_READ | PROT_EXEC)),
		     EACCES);
	madvise(at, T_GIB, MADV_DONTNEED);
	mlock(at, T_GIB);
	munlock(at, T_GIB);
	/* A change of protection either works or is refused; never SIGBUS. */
	if (!mprotect(at, T_GIB, PROT_READ)) {
		ck_assert_int_eq(*(volatile char *)at, 1);
		ck_assert_int_eq(mprotect(at, T_GIB, PROT_READ | PROT_WRITE),
				 0);
	}
	touch(at);
	ck_assert_int_eq(at[0], 1);
}
END_TEST

START_TEST(walk_over_a_gigabyte)
{
	char *mine;
	int buffer = import_giant(&mine);
	uint64_t *offsets = w_steps(1024, T_MIB);
	struct probe_phys_walk w = w_walk(offsets, 1024, samples, 4096);

	w_shuffle(offsets, 1024, 1);
	w.rounds = 100;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(w.loads_done, 102400);
}
END_TEST

static int allocate(void *arg)
{
	T_ARG(buffer_create, c, .bytes = T_GIB, .rungs = *(uint32_t *)arg,
	      .node = PROBE_PHYS_NODE_ANY);
	int session = t_session();

	while (session >= 0) {
		if (!t_do(session, PROBE_PHYS_IOC_BUFFER_CREATE, &c))
			close(c.fd);
		c.bytes = T_GIB;
	}
	return 0;
}

/* A process that searches for a gigabyte can be killed. */
START_TEST(killed_while_allocating)
{
	uint32_t rung = _i ? PROBE_PHYS_RUNG_BUDDY : PROBE_PHYS_RUNG_CONTIG;

	for (unsigned int i = 0; i < 12; i++) {
		int pid = t_start(allocate, &rung);
		uint64_t start;

		usleep(20000 + 37000 * i);
		start = t_now();
		kill(pid, SIGKILL);
		t_wait(pid);
		ck_assert_msg(t_now() - start < 3000000000,
			      "took %llu ms to die",
			      (unsigned long long)(t_now() - start) / 1000000);
		ck_assert_uint_eq(t_used(), 0);
	}
}
END_TEST

START_TEST(aligned_to_a_gigabyte)
{
	T_ARG(buffer_create, c, .bytes = 2 * T_PMD, .align_bytes = T_GIB,
	      .min_bytes = 2 * T_PMD, .node = PROBE_PHYS_NODE_ANY);
	int err = t_do(t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);

	/* There may be none; what there is, is aligned. */
	if (err)
		t_same_errno(err, ENOMEM);
	else
		ck_assert_uint_eq(t_extent(c.fd, 0).phys % T_GIB, 0);
}
END_TEST

Suite *t_suite_giant(void)
{
	Suite *suite = suite_create("giant");
	TCase *tc = t_case(suite, "giant");

	tcase_add_test(tc, import_of_a_giant_page);
	tcase_add_test(tc, giant_view);
	tcase_add_test(tc, giant_alias);
	tcase_add_test(tc, giant_guards);
	tcase_add_test(tc, walk_over_a_gigabyte);
	return suite;
}

Suite *t_suite_big(void)
{
	Suite *suite = suite_create("big");
	TCase *tc = t_case(suite, "big");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, one_extent_of_a_gigabyte);
	tcase_add_loop_test(tc, killed_while_allocating, 0, 2);
	tcase_add_test(tc, aligned_to_a_gigabyte);
	return suite;
}
