// SPDX-License-Identifier: GPL-2.0
/* lifetime.c - objects released in any order are freed in the end. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kit/commands.h"

/*
 * A session, a buffer, a view and a mapping, closed in the order of @order:
 * memory is held until the last of the three latter is gone.
 */
static void close_in_order(int order)
{
	enum {
		MAPPING = 3
	};
	struct t_fds fds = t_all_fds();
	int left[] = { T_SESSION, T_BUFFER, T_VIEW, MAPPING };
	int holders = 3;

	close(fds.of[T_COUNTERS]);
	for (int n = 4; n > 0; n--) {
		int pick = order % n, what = left[pick];

		order /= n;
		left[pick] = left[n - 1];
		if (what == MAPPING)
			t_unmap(fds.at, T_PAGE);
		else
			close(fds.of[what]);
		holders -= what != T_SESSION;
		ck_assert_uint_eq(t_used(), holders ? T_PAGE : 0);
	}
}

START_TEST(any_order)
{
	close_in_order(_i);
}
END_TEST

static int delete_module(void)
{
	return t_fails(
		(int)syscall(SYS_delete_module, "probe_phys", O_NONBLOCK));
}

/* The module stays as long as anything of it is there. */
START_TEST(module_cannot_go)
{
	struct t_fds fds = t_all_fds();

	for (int kind = 0; kind < T_KINDS; kind++) {
		if (kind != _i)
			close(fds.of[kind]);
	}
	if (_i != T_KINDS)
		t_unmap(fds.at, T_PAGE);
	ck_assert_msg(delete_module() == EAGAIN || delete_module() == EBUSY,
		      "kind %d: rmmod gave %s", _i, t_errno(delete_module()));
}
END_TEST

static int exec_true(void *arg)
{
	(void)arg;
	execl("/bin/busybox", "sleep", "1", NULL);
	return 1;
}

/* Another program gets none of the descriptors. */
START_TEST(gone_after_exec)
{
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);
	int pid = t_start(exec_true, NULL);

	usleep(300000);
	close(buffer);
	ck_assert_uint_eq(t_used(), 0);
	t_wait(pid);
}
END_TEST

static int hold(void *arg)
{
	(void)arg;
	usleep(400000);
	return 0;
}

/* A child holds what it inherited until it ends. */
START_TEST(shared_by_fork)
{
	int session = t_session(), buffer = t_buffer(session, T_PAGE, 0);
	int pid = t_start(hold, NULL);

	close(buffer);
	close(session);
	ck_assert_uint_eq(t_used(), T_PAGE);
	t_wait(pid);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

static int die_with_everything(void *arg)
{
	struct t_fds fds = t_all_fds();

	(void)fds;
	return *(int *)arg;
}

START_TEST(exit_without_closing)
{
	int code = 5;

	ck_assert_int_eq(t_child(die_with_everything, &code), T_EXITED(5));
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

static void *make_counters(void *arg)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_PAGE_FAULTS } });

	t_want(0, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	*(int *)arg = c.fd;
	return NULL;
}

/* Counters of a thread that has ended can be read and closed. */
START_TEST(counters_of_a_dead_thread)
{
	T_ARG(counters_read, r, .flags = 0);
	T_ARG(counters_control, c, .op = PROBE_PHYS_COUNTERS_START);
	pthread_t thread;
	int fd;

	ck_assert_int_eq(pthread_create(&thread, NULL, make_counters, &fd), 0);
	pthread_join(thread, NULL);
	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_CONTROL, &c);
	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
}
END_TEST

Suite *t_suite_lifetime(void)
{
	Suite *suite = suite_create("lifetime");
	TCase *tc = t_case(suite, "lifetime");

	tcase_add_loop_test(tc, any_order, 0, 24);
	tcase_add_loop_test(tc, module_cannot_go, 0, T_KINDS + 1);
	tcase_add_test(tc, gone_after_exec);
	tcase_add_test(tc, shared_by_fork);
	tcase_add_test(tc, exit_without_closing);
	tcase_add_test(tc, counters_of_a_dead_thread);
	return suite;
}
