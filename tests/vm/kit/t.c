// SPDX-License-Identifier: GPL-2.0
/* t.c - what the tests of the module share. */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "kit/t.h"

const char *t_errno(int err)
{
	const char *name = err ? strerrorname_np(err) : "success";

	return name ? name : "no errno";
}

int t_do(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) == -1 ? errno : 0;
}

void t_want_at(const char *file, int line, const char *what, int want, int fd,
	       unsigned long cmd, void *arg)
{
	int got = t_do(fd, cmd, arg);

	ck_assert_msg(got == want, "%s:%d: %s gave %s, wanted %s", file, line,
		      what, t_errno(got), t_errno(want));
}

/* --- the kernel log ------------------------------------------------------ */

static int kmsg = -1;

static void log_mark(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(kmsg, 0);
	lseek(kmsg, 0, SEEK_END);
}

/* What no test may leave in the log. */
static bool is_dirt(const char *line)
{
	static const char *const dirt[] = {
		"BUG:",
		"WARNING:",
		"Oops",
		"INFO: task",
		"lockdep",
		"possible circular",
		"inconsistent lock",
		"scheduling while",
		"general protection",
		"unable to handle",
		"rcu_sched self",
		"rcu: INFO",
		"soft lockup",
		"Bad page",
		"bad page",
		"use-after-free",
		"refcount_t",
		"slab error",
		"Redzone",
		"Poison overwritten",
		"list_add corruption",
		"list_del corruption",
		"still in use",
	};

	for (size_t i = 0; i < T_LENGTH(dirt); i++) {
		if (strstr(line, dirt[i]))
			return true;
	}
	return false;
}

static void log_scan(void)
{
	char line[8192];
	ssize_t got;

	for (;;) {
		got = read(kmsg, line, sizeof(line) - 1);
		if (got < 0 && errno == EPIPE)
			continue; /* overwritten meanwhile */
		if (got <= 0)
			break;
		line[got] = '\0';
		line[strcspn(line, "\n")] = '\0';
		ck_assert_msg(!is_dirt(line), "kernel log: %s", line);
	}
	close(kmsg);
}

TCase *t_case(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, log_mark, log_scan);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	return tc;
}

/* --- objects ------------------------------------------------------------- */

int t_session(void)
{
	int fd = open(PROBE_PHYS_DEVICE, O_RDWR | O_CLOEXEC);

	ck_assert_msg(fd >= 0, "open %s: %s", PROBE_PHYS_DEVICE,
		      t_errno(errno));
	return fd;
}

struct probe_phys_info t_info(int session)
{
	T_ARG(info, info, .flags = 0);

	t_want(0, session, PROBE_PHYS_IOC_INFO, &info);
	return info;
}

int t_buffer(int session, uint64_t bytes, uint64_t align)
{
	T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
	      .min_extent_bytes = bytes, .align_bytes = align,
	      .node = PROBE_PHYS_NODE_ANY);

	t_want(0, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(c.nr_extents, 1);
	return c.fd;
}

struct probe_phys_buffer_info t_buffer_info(int buffer)
{
	T_ARG(buffer_info, info, .flags = 0);

	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_INFO, &info);
	return info;
}

struct probe_phys_extent t_extent(int buffer, uint32_t index)
{
	struct probe_phys_extent extent = { .phys = 0 };
	T_ARG(buffer_extents, e, .extents = (uintptr_t)&extent, .first = index,
	      .count = 1);

	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_EXTENTS, &e);
	ck_assert_uint_eq(e.count, 1);
	return extent;
}

int t_view(int buffer, uint64_t offset, uint64_t bytes, uint64_t page_bytes,
	   uint32_t alias_pages)
{
	T_ARG(view_create, v, .offset = offset, .bytes = bytes,
	      .page_bytes = page_bytes, .alias_pages = alias_pages);

	t_want(0, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &v);
	ck_assert_uint_eq(v.map_bytes,
			  alias_pages ? alias_pages * page_bytes : bytes);
	return v.fd;
}

void *t_map(int view, uint64_t bytes)
{
	void *at =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, view, 0);

	ck_assert_msg(at != MAP_FAILED, "mmap of %#llx bytes: %s",
		      (unsigned long long)bytes, t_errno(errno));
	return at;
}

void t_unmap(void *at, uint64_t bytes)
{
	ck_assert_int_eq(munmap(at, bytes), 0);
}

void *t_memory(int session, uint64_t bytes, int *buffer)
{
	int view;
	void *at;

	*buffer = t_buffer(session, bytes, 0);
	view = t_view(*buffer, 0, bytes, T_PAGE, 0);
	at = t_map(view, bytes);
	close(view);
	return at;
}

struct probe_phys_view_resolve t_resolve(int view, volatile void *at)
{
	T_ARG(view_resolve, r, .address = (uintptr_t)at);

	t_want(0, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	return r;
}

uint64_t t_used(void)
{
	int session = t_session();
	uint64_t used = t_info(session).used_total_bytes;

	close(session);
	return used;
}

/* --- the machine --------------------------------------------------------- */

unsigned int t_kernel(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	ck_assert_int_eq(uname(&name), 0);
	ck_assert_int_eq(sscanf(name.release, "%u.%u", &major, &minor), 2);
	return major << 16 | minor << 8;
}

uint64_t t_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* --- processes and files ------------------------------------------------- */

int t_start(int (*fn)(void *), void *arg)
{
	int pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		_exit(fn(arg));
	}
	return pid;
}

int t_wait(int pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

int t_child(int (*fn)(void *), void *arg)
{
	return t_wait(t_start(fn, arg));
}

void t_drop_root(void)
{
	if (setgroups(0, NULL) || setresgid(1000, 1000, 1000) ||
	    setresuid(1000, 1000, 1000))
		_exit(99);
}

char *t_file(const char *path)
{
	size_t room = 1 << 20, used = 0;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY);
	ssize_t got;

	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while ((got = read(fd, text + used, room - used - 1)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	close(fd);
	return text;
}

int t_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}
