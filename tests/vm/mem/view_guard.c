// SPDX-License-Identifier: GPL-2.0
/* view_guard.c - what must not be possible with a mapping of a view. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "kit/t.h"

static const uint64_t sizes[] = { T_PAGE, T_PMD };

/* A view of 4 entries of @page bytes. */
static int view_of(uint64_t page)
{
	return t_view(t_buffer(t_session(), 4 * page, page), 0, 4 * page, page,
		      0);
}

/* errno of an mmap() that must fail. */
static int mmap_fails(void *hint, uint64_t bytes, int prot, int flags, int fd,
		      uint64_t offset)
{
	errno = 0;
	if (mmap(hint, bytes, prot, flags, fd, (off_t)offset) != MAP_FAILED)
		return 0;
	return errno;
}

START_TEST(mmap_refusals)
{
	const int rw = PROT_READ | PROT_WRITE;
	uint64_t page = sizes[_i];
	int view = view_of(page);

	t_same_errno(mmap_fails(NULL, page, rw, MAP_PRIVATE, view, 0), EINVAL);
	t_same_errno(mmap_fails(NULL, page, PROT_READ, MAP_PRIVATE, view, 0),
		     EINVAL);
	t_same_errno(mmap_fails(NULL, page, rw | PROT_EXEC, MAP_SHARED, view,
				0),
		     EACCES);
	t_same_errno(mmap_fails(NULL, 5 * page, rw, MAP_SHARED, view, 0),
		     ERANGE);
	t_same_errno(mmap_fails(NULL, page, rw, MAP_SHARED, view, 4 * page),
		     ERANGE);
	t_same_errno(mmap_fails(NULL, 2 * page, rw, MAP_SHARED, view, 3 * page),
		     ERANGE);
	t_same_errno(mmap_fails(NULL, page, rw, MAP_SHARED, view, 1ULL << 62),
		     ERANGE);
}
END_TEST

START_TEST(mmap_alignment)
{
	const int rw = PROT_READ | PROT_WRITE;
	char *hint = (char *)0x7e0000001000;
	int view = view_of(T_PMD);

	t_same_errno(mmap_fails(NULL, T_PMD, rw, MAP_SHARED, view, T_PAGE),
		     EINVAL);
	t_same_errno(mmap_fails(NULL, T_PAGE, rw, MAP_SHARED, view, 0), EINVAL);
	t_same_errno(mmap_fails(NULL, T_PMD + T_PAGE, rw, MAP_SHARED, view, 0),
		     EINVAL);
	t_same_errno(mmap_fails(hint, T_PMD, rw, MAP_SHARED, view, 0), EINVAL);
	t_same_errno(mmap_fails(hint, T_PMD, rw, MAP_SHARED | MAP_FIXED, view,
				0),
		     EINVAL);
}
END_TEST

START_TEST(only_views_are_mapped)
{
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);

	t_same_errno(mmap_fails(NULL, T_PAGE, PROT_READ, MAP_SHARED, session,
				0),
		     ENODEV);
	t_same_errno(mmap_fails(NULL, T_PAGE, PROT_READ, MAP_SHARED, buffer, 0),
		     ENODEV);
}
END_TEST

START_TEST(no_exec_later)
{
	char *at = t_map(view_of(sizes[_i]), 4 * sizes[_i]);

	at[0] = 1;
	t_same_errno(
		t_fails(mprotect(at, 4 * sizes[_i], PROT_READ | PROT_EXEC)),
		EACCES);
}
END_TEST

START_TEST(no_growth)
{
	uint64_t page = sizes[_i];
	char *at = t_map(view_of(page), 2 * page);
	void *to;

	at[0] = 1;
	to = mremap(at, 2 * page, 3 * page, MREMAP_MAYMOVE);
	ck_assert_ptr_eq(to, MAP_FAILED);
	to = mremap(at, 2 * page, 3 * page, 0);
	ck_assert_ptr_eq(to, MAP_FAILED);
}
END_TEST

START_TEST(no_move)
{
	uint64_t page = sizes[_i];
	char *at = t_map(view_of(page), 2 * page);
	char *to = (char *)0x7e0000000000;

	at[0] = 1;
	ck_assert_ptr_eq(mremap(at, 2 * page, 2 * page,
				MREMAP_MAYMOVE | MREMAP_FIXED, to),
			 MAP_FAILED);
	ck_assert_int_eq(at[0], 1);
}
END_TEST

START_TEST(no_split_inside_an_entry)
{
	int view = view_of(T_PMD);
	char *at = t_map(view, 4 * T_PMD);

	at[0] = 1;
	t_same_errno(t_fails(munmap(at, T_PAGE)), EINVAL);
	t_same_errno(t_fails(munmap(at + T_PMD + T_PAGE, T_PAGE)), EINVAL);
	t_same_errno(t_fails(munmap(at + T_PMD, T_PMD + T_PAGE)), EINVAL);
	t_same_errno(t_fails(mprotect(at, T_PAGE, PROT_READ)), EINVAL);
	ck_assert_int_eq(at[0], 1);
	ck_assert_uint_eq(t_resolve(view, at).page_bytes, T_PMD);
}
END_TEST

/* Between entries a mapping can be cut. */
START_TEST(split_between_entries)
{
	uint64_t page = sizes[_i];
	int view = view_of(page);
	char *at = t_map(view, 4 * page);

	at[0] = at[page] = at[3 * page] = 1;
	t_unmap(at + page, page);
	ck_assert_int_eq(at[0], 1);
	ck_assert_int_eq(at[3 * page], 1);
	at[2 * page] = 2;
	ck_assert_uint_eq(t_resolve(view, at + 2 * page).phys -
				  t_resolve(view, at).phys,
			  2 * page);
	t_unmap(at, page);
	t_unmap(at + 2 * page, 2 * page);
}
END_TEST

static int touch(void *at)
{
	*(volatile char *)at = 1;
	return 0;
}

START_TEST(not_inherited)
{
	char *at = t_map(view_of(sizes[_i]), 4 * sizes[_i]);

	at[0] = 1;
	ck_assert_int_eq(t_child(touch, at) & 0x7f, SIGSEGV);
	ck_assert_int_eq(at[0], 1);
}
END_TEST

/* The block of smaps that begins with @at; smaps must be readable at all. */
static char *smaps_of(void *at)
{
	char start[32], *text = t_file("/proc/self/smaps"), *block;

	ck_assert_ptr_nonnull(text);
	snprintf(start, sizeof(start), "%lx-", (unsigned long)at);
	block = strstr(text, start);
	ck_assert_ptr_nonnull(block);
	return block;
}

START_TEST(flags_in_smaps)
{
	char *at = t_map(view_of(sizes[_i]), 4 * sizes[_i]), *flags;

	at[0] = 1;
	flags = strstr(smaps_of(at), "VmFlags:");
	ck_assert_ptr_nonnull(flags);
	flags[strcspn(flags, "\n")] = '\0';
	ck_assert_msg(strstr(flags, " dd") && strstr(flags, " dc") &&
			      strstr(flags, " de"),
		      "%s", flags);
}
END_TEST

START_TEST(pagemap_readable)
{
	char *at = t_map(view_of(sizes[_i]), 4 * sizes[_i]);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t words[8];

	at[0] = 1;
	ck_assert_int_eq(pread(fd, words, sizeof(words),
			       (off_t)((uintptr_t)at / T_PAGE * 8)),
			 sizeof(words));
}
END_TEST

/* Memory that is not the kernel's to page: calls fail or do nothing. */
START_TEST(other_calls)
{
	uint64_t bytes = 4 * sizes[_i];
	char *at = t_map(view_of(sizes[_i]), bytes);

	at[5] = 1;
	madvise(at, bytes, MADV_DONTNEED);
	madvise(at, bytes, MADV_HUGEPAGE);
	madvise(at, bytes, MADV_NOHUGEPAGE);
	madvise(at, bytes, MADV_DOFORK);
	madvise(at, bytes, MADV_DODUMP);
	madvise(at, bytes, MADV_REMOVE);
	madvise(at, bytes, MADV_COLD);
	madvise(at, bytes, MADV_PAGEOUT);
	madvise(at, bytes, MADV_MERGEABLE);
	mlock(at, bytes);
	munlock(at, bytes);
	msync(at, bytes, MS_SYNC);
	mprotect(at, bytes, PROT_READ);
	mprotect(at, bytes, PROT_READ | PROT_WRITE);
	ck_assert_int_eq(at[5], 1);
	ck_assert_int_eq(t_child(touch, at) & 0x7f, SIGSEGV);
}
END_TEST

/* A pipe may hold a page of a mapping longer than the buffer lives. */
START_TEST(held_by_a_pipe)
{
	uint64_t page = sizes[_i];
	int buffer = t_buffer(t_session(), page, page);
	int view = t_view(buffer, 0, page, page, 0);
	char *at = t_map(view, page);
	struct iovec iov = { .iov_base = at, .iov_len = T_PAGE };
	int pipes[2];
	char back;

	at[0] = 9;
	ck_assert_int_eq(pipe(pipes), 0);
	if (vmsplice(pipes[1], &iov, 1, 0) < 0)
		ck_assert_int_eq(errno, EFAULT);
	t_unmap(at, page);
	close(view);
	close(buffer);
	/* Another owner's memory by now, if the reference was not kept. */
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	if (read(pipes[0], &back, 1) == 1)
		ck_assert(back == 9 || back == 0);
}
END_TEST

START_TEST(write_from_a_mapping)
{
	char *at = t_map(view_of(sizes[_i]), 4 * sizes[_i]);
	int pipes[2];
	char back = 0;

	at[3] = 4;
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(write(pipes[1], at + 3, 1), 1);
	ck_assert_int_eq(read(pipes[0], &back, 1), 1);
	ck_assert_int_eq(back, 4);
	ck_assert_int_eq(write(pipes[1], &back, 1), 1);
	ck_assert_int_eq(read(pipes[0], at + 7, 1), 1);
	ck_assert_int_eq(at[7], 4);
}
END_TEST

Suite *t_suite_view_guard(void)
{
	const int n = T_LENGTH(sizes);
	Suite *suite = suite_create("view_guard");
	TCase *tc = t_case(suite, "view_guard");

	tcase_add_loop_test(tc, mmap_refusals, 0, n);
	tcase_add_test(tc, mmap_alignment);
	tcase_add_test(tc, only_views_are_mapped);
	tcase_add_loop_test(tc, no_exec_later, 0, n);
	tcase_add_loop_test(tc, no_growth, 0, n);
	tcase_add_loop_test(tc, no_move, 0, n);
	tcase_add_test(tc, no_split_inside_an_entry);
	tcase_add_loop_test(tc, split_between_entries, 0, n);
	tcase_add_loop_test(tc, not_inherited, 0, n);
	tcase_add_loop_test(tc, flags_in_smaps, 0, n);
	tcase_add_loop_test(tc, pagemap_readable, 0, n);
	tcase_add_loop_test(tc, other_calls, 0, n);
	tcase_add_loop_test(tc, held_by_a_pipe, 0, n);
	tcase_add_loop_test(tc, write_from_a_mapping, 0, n);
	return suite;
}
