/* SPDX-License-Identifier: GPL-2.0 */
/*
 * t.h - what the tests of the module share.
 *
 * Tests run as root inside a booted kernel with probe_phys.ko loaded, each in
 * a process of its own. A test that cannot run here calls t_skip().
 */
#ifndef T_H
#define T_H

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/probe_phys.h>

#define T_PAGE 4096ULL
#define T_MIB (1ULL << 20)
#define T_GIB (1ULL << 30)
#define T_PMD (2 * T_MIB)

/* What FLUSH_ALL gives: arm64 has no instruction for it. */
#ifdef __x86_64__
#define T_FLUSH_ALL 0
#else
#define T_FLUSH_ALL EOPNOTSUPP
#endif

#define T_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* A struct of the contract with @size filled in. */
#define T_ARG(type, name, ...)                                        \
	struct probe_phys_##type name = {                             \
		.size = sizeof(struct probe_phys_##type), __VA_ARGS__ \
	}

/* Suites: one function per file, listed in main.c. */
Suite *t_suite_info(void);
Suite *t_suite_buffers(void);
Suite *t_suite_import(void);
Suite *t_suite_views(void);
Suite *t_suite_accessed(void);
Suite *t_suite_accessed_tables(void);
Suite *t_suite_view_guard(void);
Suite *t_suite_machine_views(void);
Suite *t_suite_machine_giant(void);
Suite *t_suite_flush(void);
Suite *t_suite_counters(void);
Suite *t_suite_pmuv3(void);
Suite *t_suite_pmuv3_code(void);
Suite *t_suite_walks(void);
Suite *t_suite_walk_refuse(void);
Suite *t_suite_walk_guard(void);
Suite *t_suite_walk_pages(void);
Suite *t_suite_code_walks(void);
Suite *t_suite_prefetch(void);
Suite *t_suite_prefetch_fake(void);
Suite *t_suite_netlink(void);
Suite *t_suite_netlink_refuse(void);
Suite *t_suite_events(void);
Suite *t_suite_events_fake(void);
Suite *t_suite_lifetime(void);
Suite *t_suite_caps(void);
Suite *t_suite_fuzz(void);
Suite *t_suite_sizes(void);
Suite *t_suite_refuse(void);
Suite *t_suite_ordering(void);
Suite *t_suite_privileges(void);
Suite *t_suite_lockdown(void);
Suite *t_suite_giant(void);
Suite *t_suite_big(void);
Suite *t_suite_kill(void);
Suite *t_suite_leaks(void);

/* A test case with the fixture that reads the kernel log after each test. */
TCase *t_case(Suite *suite, const char *name);

/* End the test as skipped. Reasons of hardware begin "cpu cannot", of the
 * kernel's version or configuration "kernel cannot".
 */
#define t_skip(...) ck_abort_msg("SKIP: " __VA_ARGS__)

/* Name of an errno; 0 is "success". */
const char *t_errno(int err);

/* ioctl() as 0 or the positive errno. */
int t_do(int fd, unsigned long cmd, void *arg);

/* ioctl() that must give @want (0 or an errno). */
#define t_want(want, fd, cmd, arg) \
	t_want_at(__FILE__, __LINE__, #cmd, want, fd, cmd, arg)
void t_want_at(const char *file, int line, const char *what, int want, int fd,
	       unsigned long cmd, void *arg);

/* Compare an errno that a call gave by other ways. */
#define t_same_errno(got, want)                                   \
	ck_assert_msg((got) == (want), "%s: %s, wanted %s", #got, \
		      t_errno(got), t_errno(want))

/* errno of a call that must fail; 0 when it succeeds. */
#define t_fails(call) ((errno = 0, (call)) == -1 ? errno : 0)

/* Objects; each asserts that it was made. */
int t_session(void);
struct probe_phys_info t_info(int session);
/* A buffer of exactly @bytes in one extent aligned to @align (0: a page). */
int t_buffer(int session, uint64_t bytes, uint64_t align);
struct probe_phys_buffer_info t_buffer_info(int buffer);
struct probe_phys_extent t_extent(int buffer, uint32_t index);
int t_view(int buffer, uint64_t offset, uint64_t bytes, uint64_t page_bytes,
	   uint32_t alias_pages);
void *t_map(int view, uint64_t bytes);
void t_unmap(void *at, uint64_t bytes);
/* A buffer, its 4 KiB view and its mapping at once. */
void *t_memory(int session, uint64_t bytes, int *buffer);
struct probe_phys_view_resolve t_resolve(int view, volatile void *at);

/* The kernel's version, as 0x060100. */
unsigned int t_kernel(void);

/* Nanoseconds of a clock that never jumps. */
uint64_t t_now(void);

/* Bytes that all sessions hold now. */
uint64_t t_used(void);

/*
 * Run @fn in a child process; the result is what waitpid() says. The child
 * must not use ck_assert: it returns its exit status instead.
 */
int t_child(int (*fn)(void *), void *arg);
/* The same, without waiting. */
int t_start(int (*fn)(void *), void *arg);
int t_wait(int pid);
#define T_EXITED(n) ((n) << 8)

/* Become uid 1000 without any capability; for children. */
void t_drop_root(void);

/* Read a whole small file; NULL when it cannot be read. */
char *t_file(const char *path);
/* Write a string to a file; 0 or errno. */
int t_put(const char *path, const char *text);

#endif /* T_H */
