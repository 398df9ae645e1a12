// SPDX-License-Identifier: GPL-2.0
/* counters.c - COUNTERS_CREATE, _CONTROL, _READ on software events. */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>

#include "kit/t.h"

#define SOFTWARE(event)                                                     \
	{                                                                   \
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event \
	}

static int group(struct probe_phys_counters_create *c)
{
	t_want(0, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, c);
	ck_assert_int_ge(c->fd, 0);
	ck_assert_int_eq(c->failed_event, -1);
	ck_assert_uint_ne(c->id, 0);
	return c->fd;
}

static struct probe_phys_counters_read take(int fd)
{
	T_ARG(counters_read, r, .flags = 0);

	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
	return r;
}

static void control(int fd, uint32_t op)
{
	T_ARG(counters_control, c, .op = op);

	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_CONTROL, &c);
}

static void fault_in(size_t pages)
{
	char *at = mmap(NULL, pages * T_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(madvise(at, pages * T_PAGE, MADV_NOHUGEPAGE), 0);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)at)[i * T_PAGE] = 1;
	munmap(at, pages * T_PAGE);
}

START_TEST(faults_of_this_thread)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .flags = PROBE_PHYS_COUNTERS_DISABLED,
	      .events = { SOFTWARE(PAGE_FAULTS) });
	int fd = group(&c), exact = 0;

	control(fd, PROBE_PHYS_COUNTERS_START);
	fault_in(1);
	for (int i = 0; i < 5; i++) {
		uint64_t before = take(fd).values[0].value, faults;

		fault_in(500);
		faults = take(fd).values[0].value - before;
		/* Once in a while a page of the program itself comes in. */
		ck_assert_uint_ge(faults, 500);
		ck_assert_uint_le(faults, 504);
		exact += faults == 500;
	}
	ck_assert_int_ge(exact, 3);
}
END_TEST

START_TEST(stopped_does_not_count)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .flags = PROBE_PHYS_COUNTERS_DISABLED,
	      .events = { SOFTWARE(PAGE_FAULTS) });
	int fd = group(&c);
	uint64_t before;

	fault_in(10);
	ck_assert_uint_eq(take(fd).values[0].value, 0);
	ck_assert_uint_eq(take(fd).values[0].enabled_ns, 0);
	control(fd, PROBE_PHYS_COUNTERS_START);
	fault_in(10);
	control(fd, PROBE_PHYS_COUNTERS_STOP);
	before = take(fd).values[0].value;
	ck_assert_uint_ge(before, 10);
	fault_in(10);
	ck_assert_uint_eq(take(fd).values[0].value, before);
	/* Twice the same is no mistake. */
	control(fd, PROBE_PHYS_COUNTERS_STOP);
	control(fd, PROBE_PHYS_COUNTERS_START);
	control(fd, PROBE_PHYS_COUNTERS_START);
	fault_in(10);
	ck_assert_uint_ge(take(fd).values[0].value, before + 10);
}
END_TEST

START_TEST(starts_by_itself)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { SOFTWARE(PAGE_FAULTS) });
	int fd = group(&c);

	fault_in(20);
	ck_assert_uint_ge(take(fd).values[0].value, 20);
}
END_TEST

START_TEST(never_multiplexed)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 8,
	      .events = { SOFTWARE(CPU_CLOCK), SOFTWARE(TASK_CLOCK),
			  SOFTWARE(PAGE_FAULTS), SOFTWARE(CONTEXT_SWITCHES),
			  SOFTWARE(CPU_MIGRATIONS), SOFTWARE(PAGE_FAULTS_MIN),
			  SOFTWARE(PAGE_FAULTS_MAJ), SOFTWARE(DUMMY) });
	int fd = group(&c);
	struct probe_phys_counters_read r;

	usleep(20000);
	r = take(fd);
	ck_assert_uint_eq(r.nr_events, 8);
	ck_assert_uint_eq(r.state, 0);
	for (int i = 0; i < 8; i++) {
		ck_assert_uint_gt(r.values[i].enabled_ns, 0);
		ck_assert_uint_eq(r.values[i].enabled_ns,
				  r.values[i].running_ns);
	}
	ck_assert_uint_gt(r.values[0].value, 10000000);
}
END_TEST

START_TEST(unused_values_are_zero)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 2,
	      .events = { SOFTWARE(TASK_CLOCK), SOFTWARE(PAGE_FAULTS) });
	struct probe_phys_counters_read r;
	int fd = group(&c);

	memset(&r, 0xff, sizeof(r));
	r.size = sizeof(r);
	r.flags = 0;
	/* Outputs may hold anything on the way in. */
	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
	ck_assert_uint_eq(r.nr_events, 2);
	for (int i = 2; i < PROBE_PHYS_MAX_COUNTERS; i++) {
		ck_assert_uint_eq(r.values[i].value, 0);
		ck_assert_uint_eq(r.values[i].enabled_ns, 0);
		ck_assert_uint_eq(r.values[i].running_ns, 0);
	}
}
END_TEST

START_TEST(context_switches)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { SOFTWARE(CONTEXT_SWITCHES) });
	int fd = group(&c);
	uint64_t before = take(fd).values[0].value;

	/* A sleep may be over before it has begun, but not many of them. */
	for (int i = 0; i < 10; i++)
		usleep(1000);
	ck_assert_uint_ge(take(fd).values[0].value, before + 5);
}
END_TEST

START_TEST(task_clock_runs)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { SOFTWARE(TASK_CLOCK) });
	int fd = group(&c);
	uint64_t until = t_now() + 30000000, value;

	value = take(fd).values[0].value;
	while (t_now() < until)
		;
	ck_assert_uint_gt(take(fd).values[0].value, value + 1000000);
}
END_TEST

/* A group of another CPU counts what runs there, not the caller. */
START_TEST(other_cpu)
{
	T_ARG(counters_create, c, .cpu = 1, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_PAGE_FAULTS,
			    .flags = PROBE_PHYS_EVENT_EXCLUDE_KERNEL } });
	cpu_set_t cpus;
	uint64_t before;
	int fd;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		t_skip("cpu cannot: only one");
	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	fd = group(&c);
	before = take(fd).values[0].value;
	fault_in(300);
	ck_assert_uint_ge(take(fd).values[0].value, before + 300);
}
END_TEST

START_TEST(failed_event_is_named)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 3, .fd = -9,
	      .events = { SOFTWARE(TASK_CLOCK),
			  SOFTWARE(PAGE_FAULTS),
			  { .type = 0x7fffffff } });

	t_want(ENOENT, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	ck_assert_int_eq(c.failed_event, 2);
	c.events[0].type = 0x7ffffffe;
	t_want(ENOENT, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	ck_assert_int_eq(c.failed_event, 0);
}
END_TEST

START_TEST(no_such_software_event)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_SOFTWARE, .config = 9999 } });

	t_want(ENOENT, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	ck_assert_int_eq(c.failed_event, 0);
}
END_TEST

START_TEST(hardware_events_by_cpu)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_HARDWARE,
			    .config = PERF_COUNT_HW_INSTRUCTIONS } });
	int err = t_do(t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	volatile int spin = 0;

	if (err == ENOENT || err == EOPNOTSUPP)
		t_skip("cpu cannot count instructions");
	t_same_errno(err, 0);
	for (int i = 0; i < 1000; i++)
		spin++;
	ck_assert_uint_gt(take(c.fd).values[0].value, 1000);
}
END_TEST

START_TEST(outlives_session)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { SOFTWARE(PAGE_FAULTS) });
	int session = t_session();

	t_want(0, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	close(session);
	fault_in(5);
	ck_assert_uint_ge(take(c.fd).values[0].value, 5);
}
END_TEST

static int read_in_child(void *arg)
{
	T_ARG(counters_read, r, .flags = 0);

	return t_do(*(int *)arg, PROBE_PHYS_IOC_COUNTERS_READ, &r);
}

START_TEST(read_by_another_process)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { SOFTWARE(PAGE_FAULTS) });
	int fd = group(&c);

	ck_assert_int_eq(t_child(read_in_child, &fd), 0);
}
END_TEST

START_TEST(many_groups)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 1,
	      .events = { SOFTWARE(DUMMY) });
	int session = t_session();

	for (int i = 0; i < 200; i++) {
		int err = t_do(session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);

		if (err == ENOSPC)
			return;
		t_same_errno(err, 0);
	}
}
END_TEST

Suite *t_suite_counters(void)
{
	Suite *suite = suite_create("counters");
	TCase *tc = t_case(suite, "counters");

	tcase_add_test(tc, faults_of_this_thread);
	tcase_add_test(tc, stopped_does_not_count);
	tcase_add_test(tc, starts_by_itself);
	tcase_add_test(tc, never_multiplexed);
	tcase_add_test(tc, unused_values_are_zero);
	tcase_add_test(tc, context_switches);
	tcase_add_test(tc, task_clock_runs);
	tcase_add_test(tc, other_cpu);
	tcase_add_test(tc, failed_event_is_named);
	tcase_add_test(tc, no_such_software_event);
	tcase_add_test(tc, hardware_events_by_cpu);
	tcase_add_test(tc, outlives_session);
	tcase_add_test(tc, read_by_another_process);
	tcase_add_test(tc, many_groups);
	return suite;
}
