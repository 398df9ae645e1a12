// SPDX-License-Identifier: GPL-2.0
/* walk_guard.c - walks against writers, second walks, signals and death. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kit/walk_help.h"

static struct probe_phys_sample samples[4096];

struct writer {
	volatile uint64_t *at;
	uint64_t bytes;
	uint64_t longest_ns;
	volatile bool stop;
	volatile bool running;
};

/* Write all over the mapping, remembering the longest time a store took. */
static void *write_on(void *arg)
{
	struct writer *w = arg;
	uint64_t i = 0, before, took;

	while (!w->stop) {
		before = t_now();
		w->at[i++ % (w->bytes / 8)] = UINT64_MAX;
		took = t_now() - before;
		if (took > w->longest_ns)
			w->longest_ns = took;
		w->running = true;
	}
	return NULL;
}

/* A store into a buffer that is walked waits; the walk is not disturbed. */
START_TEST(writer_waits)
{
	uint64_t page = _i ? T_PMD : T_PAGE, bytes = 4 * T_PMD;
	int buffer = t_buffer(t_session(), bytes, T_PMD);
	struct writer writer = { .bytes = bytes };
	uint64_t *offsets = w_steps(1024, 64), before;
	struct probe_phys_walk w = w_walk(offsets, 1024, samples, 4096);
	pthread_t thread;

	writer.at = t_map(t_view(buffer, 0, bytes, page, 0), bytes);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_on, &writer), 0);
	while (!writer.running)
		sched_yield();
	before = t_now();
	w.rounds = 1ULL << 50;
	w.slice_ns = PROBE_PHYS_MAX_SLICE_NS;
	w.budget_ns = 300000000;
	t_want(ETIME, buffer, PROBE_PHYS_IOC_WALK, &w);
	before = t_now() - before;
	writer.stop = true;
	pthread_join(thread, NULL);
	ck_assert_uint_gt(w.loads_done, 0);
	ck_assert_uint_eq(w_loads(samples, w.nr_samples), w.loads_done);
	ck_assert_msg(writer.longest_ns > 200000000,
		      "longest store %llu ns during a walk of %llu ns",
		      (unsigned long long)writer.longest_ns,
		      (unsigned long long)before);
}
END_TEST

struct walk_of {
	int buffer;
	uint64_t ns;
};

static int walk_long(void *arg)
{
	struct walk_of *w = arg;
	int err;

	/* The process that checks for a running walk may itself walk. */
	do {
		err = w_long_walk(w->buffer, w->ns);
	} while (err == EBUSY);
	return err;
}

static int touch(void *arg)
{
	*(volatile char *)arg = 1;
	return 0;
}

static void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

START_TEST(second_walk_is_busy)
{
	struct walk_of of = { .buffer = t_buffer(t_session(), T_PAGE, 0),
			      .ns = 3000000000 };
	uint64_t offset = 0, start = t_now();
	struct probe_phys_walk w = w_walk(&offset, 1, samples, 16);
	int pid = t_start(walk_long, &of), err = 0;

	/* Until the first has begun the second is welcome. */
	while (!err && t_now() - start < 30000000000) {
		sleep_ms(20);
		err = t_do(of.buffer, PROBE_PHYS_IOC_WALK, &w);
	}
	t_same_errno(err, EBUSY);
	ck_assert_int_eq(t_wait(pid), T_EXITED(ETIME));
	t_want(0, of.buffer, PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

START_TEST(other_buffers_walk_on)
{
	int session = t_session();
	struct walk_of of = { .buffer = t_buffer(session, T_PAGE, 0),
			      .ns = 500000000 };
	int other = t_buffer(session, T_PAGE, 0);
	int pid = t_start(walk_long, &of);
	uint64_t offset = 0;

	sleep_ms(100);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		struct probe_phys_walk w = w_walk(&offset, 1, samples, 16);

		w.cpu = cpu;
		t_want(0, other, PROBE_PHYS_IOC_WALK, &w);
	}
	ck_assert_int_eq(t_wait(pid), T_EXITED(ETIME));
}
END_TEST

/* A killed walk ends soon and leaves nothing behind. */
START_TEST(killed_walker)
{
	uint64_t offset = 0;

	for (int i = 0; i < 10; i++) {
		struct walk_of of = { .ns = 60000000000 };
		struct probe_phys_walk next = w_walk(&offset, 1, samples, 16);
		uint64_t start;
		int pid, status;

		of.buffer = t_buffer(t_session(), T_PAGE, 0);
		pid = t_start(walk_long, &of);
		sleep_ms(10 + 17 * (unsigned int)i);
		start = t_now();
		kill(pid, SIGKILL);
		status = t_wait(pid);
		ck_assert_int_eq(status & 0x7f, SIGKILL);
		ck_assert_msg(t_now() - start < 2000000000,
			      "took %llu ms to die",
			      (unsigned long long)(t_now() - start) / 1000000);
		t_want(0, of.buffer, PROBE_PHYS_IOC_WALK, &next);
		close(of.buffer);
	}
}
END_TEST

static void nothing(int sig)
{
	(void)sig;
}

/* Only fatal signals end a walk. */
START_TEST(harmless_signal)
{
	struct sigaction act = { .sa_handler = nothing };
	struct walk_of of = { .buffer = t_buffer(t_session(), T_PAGE, 0),
			      .ns = 400000000 };
	int pid;

	sigaction(SIGUSR1, &act, NULL);
	pid = t_start(walk_long, &of);
	for (int i = 0; i < 10; i++) {
		sleep_ms(20);
		kill(pid, SIGUSR1);
	}
	ck_assert_int_eq(t_wait(pid), T_EXITED(ETIME));
}
END_TEST

/* A process that waits for a walk to end can be killed. */
START_TEST(killed_waiter)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	struct walk_of of = { .buffer = buffer, .ns = 2000000000 };
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	int walker = t_start(walk_long, &of), waiter;
	uint64_t start;

	sleep_ms(200);
	waiter = fork();
	if (!waiter) {
		void *at = mmap(NULL, T_PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED, view, 0);

		_exit(touch(at));
	}
	sleep_ms(200);
	start = t_now();
	kill(waiter, SIGKILL);
	ck_assert_int_eq(t_wait(waiter) & 0x7f, SIGKILL);
	ck_assert_uint_lt(t_now() - start, 1000000000);
	ck_assert_int_eq(t_wait(walker), T_EXITED(ETIME));
}
END_TEST

/* All other commands on a walked buffer end soon or wait; none harms it. */
START_TEST(commands_during_a_walk)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	struct walk_of of = { .buffer = buffer, .ns = 1000000000 };
	T_ARG(buffer_flush, f, .bytes = T_MIB);
	T_ARG(view_flush, vf, .flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES);
	int view = t_view(buffer, 0, T_MIB, T_PAGE, 0);
	int pid = t_start(walk_long, &of);
	void *at;

	sleep_ms(100);
	t_buffer_info(buffer);
	t_extent(buffer, 0);
	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_FLUSH, &f);
	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &vf);
	at = t_map(view, T_MIB);
	t_unmap(at, T_MIB);
	close(t_view(buffer, 0, T_PAGE, T_PAGE, 0));
	close(view);
	ck_assert_int_eq(t_wait(pid), T_EXITED(ETIME));
}
END_TEST

START_TEST(closed_during_a_walk)
{
	struct walk_of of = { .buffer = t_buffer(t_session(), T_PAGE, 0),
			      .ns = 500000000 };
	int pid = t_start(walk_long, &of);

	sleep_ms(100);
	close(of.buffer);
	ck_assert_uint_eq(t_used(), T_PAGE);
	ck_assert_int_eq(t_wait(pid), T_EXITED(ETIME));
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

/* Imported memory can be written by its owner: EIO or not, never harm. */
START_TEST(imported_memory_written)
{
	char *mine = mmap(NULL, T_PMD, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	T_ARG(buffer_create, c, .bytes = T_PMD, .min_bytes = T_PMD,
	      .import_addr = (uintptr_t)mine, .rungs = PROBE_PHYS_RUNG_IMPORT,
	      .node = PROBE_PHYS_NODE_ANY);
	struct writer writer = { .at = (void *)mine, .bytes = T_PMD };
	uint64_t *offsets = w_steps(1000, 64);
	pthread_t thread;

	ck_assert_ptr_ne(mine, MAP_FAILED);
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_on, &writer), 0);
	for (int i = 0; i < 20; i++) {
		struct probe_phys_walk w = w_walk(offsets, 1000, samples, 4096);
		int err;

		w.rounds = 2000;
		w.budget_ns = 100000000;
		err = t_do(c.fd, PROBE_PHYS_IOC_WALK, &w);
		ck_assert_msg(!err || err == EIO || err == ETIME, "gave %s",
			      t_errno(err));
	}
	writer.stop = true;
	pthread_join(thread, NULL);
}
END_TEST

static int offline_for_a_while(void *arg)
{
	(void)arg;
	t_put("/sys/devices/system/cpu/cpu1/online", "0");
	sleep_ms(50);
	return t_put("/sys/devices/system/cpu/cpu1/online", "1");
}

/* A CPU that goes offline waits for the walk or ends it; it comes back. */
START_TEST(cpu_goes_during_a_walk)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0), pid, err;
	uint64_t offset = 0;
	struct probe_phys_walk w = w_walk(&offset, 1, samples, 4096);

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		t_skip("cpu cannot: only one");
	w.cpu = 1;
	w.rounds = 1ULL << 50;
	w.budget_ns = 300000000;
	pid = t_start(offline_for_a_while, NULL);
	err = t_do(buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_msg(err == ETIME || err == ENXIO, "gave %s", t_errno(err));
	ck_assert_int_eq(t_wait(pid), 0);
	w.budget_ns = 50000000;
	t_want(ETIME, buffer, PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

Suite *t_suite_walk_guard(void)
{
	Suite *suite = suite_create("walk_guard");
	TCase *tc = t_case(suite, "walk_guard");

	tcase_add_loop_test(tc, writer_waits, 0, 2);
	tcase_add_test(tc, second_walk_is_busy);
	tcase_add_test(tc, other_buffers_walk_on);
	tcase_add_test(tc, killed_walker);
	tcase_add_test(tc, harmless_signal);
	tcase_add_test(tc, killed_waiter);
	tcase_add_test(tc, commands_during_a_walk);
	tcase_add_test(tc, closed_during_a_walk);
	tcase_add_test(tc, imported_memory_written);
	tcase_add_test(tc, cpu_goes_during_a_walk);
	return suite;
}
