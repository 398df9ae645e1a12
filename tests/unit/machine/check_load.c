// SPDX-License-Identifier: GPL-2.0
/* check_load.c - other CPUs at work while one measures. */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "kit/profilekit.h"
#include "machine/load.h"
#include "machine/native/load/load_threads.h"
#include "observe/sampler.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define RING_BYTES (192 * KIB)
#define WAIT_MS 10
#define MOST_WAITS 3000
#define ENDING_MS 2000

static struct failure f;

/* L2: 256 KiB; CPU 2 measures. */
static struct machine *open_sim(const char *shared)
{
	char text[1200];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":4096,\"ways\":4,\"line_bytes\":64,"
		 "\"latency_cycles\":4,\"policy\":{\"name\":\"lru\"},"
		 "\"shared_by\":[[0],[1],[2]]},"
		 "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"
		 "\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12,"
		 "\"policy\":{\"name\":\"lru\"},\"shared_by\":%s}],"
		 "\"phys_bits\":30,\"page_bytes\":4096,"
		 "\"memory\":{\"latency_cycles\":200}}",
		 shared);
	return profilekit_open(text, 4 * MIB, 1);
}

#define SHARED "[[0],[1,2]]"
#define APART "[[0],[1],[2]]"

/* Cycles per load of lines in random order. */
static double time_lines(struct machine *m, uint64_t bytes)
{
	static const struct walk_plan plan = { .warm_rounds = 4,
					       .loads = 10000,
					       .samples = 4 };
	const struct shape w = { .inner = 1,
				 .stride = LOAD_LINE_BYTES,
				 .outer = bytes / LOAD_LINE_BYTES };
	struct readings r;
	struct rng rng = { 1 };
	struct sequence s;

	ck_assert(!sequence_place(&s, &w, 0));
	sequence_shuffle(&s, &rng);
	ck_assert_msg(!sampler_observe(m, &s, &plan, 0, &r, &f), "%s", f.text);
	sequence_free(&s);
	return statistics_quantile(r.values, r.count, 0.5);
}

static struct load *start(struct machine *m, int cpu, uint64_t bytes,
			  bool stores)
{
	const struct load_request request = {
		.cpus = &cpu, .cpu_count = 1, .bytes = bytes, .stores = stores
	};
	struct load *load;

	ck_assert_msg(!load_start(m, &request, &load, &f), "%s", f.text);
	ck_assert_uint_ge(load_loads(load, 0), bytes / LOAD_LINE_BYTES);
	ck_assert_uint_eq(load_loads(load, 1), 0);
	return load;
}

/* 192 KiB of each are more than 256 KiB together. */
START_TEST(sim_load_takes_room)
{
	struct machine *m = open_sim(SHARED);
	struct load *load;

	ck_assert_double_eq_tol(time_lines(m, RING_BYTES), 12, 0.1);
	load = start(m, 1, RING_BYTES, false);
	ck_assert_double_gt(time_lines(m, RING_BYTES), 40);
	load_stop(load);
	ck_assert_double_eq_tol(time_lines(m, RING_BYTES), 12, 0.1);
	machine_close(m);
}
END_TEST

/* Of another cache, or within 64 KiB that are left. */
static const struct {
	const char *shared;
	int cpu;
	uint64_t bytes;
} harmless[] = { { APART, 1, RING_BYTES },
		 { SHARED, 0, RING_BYTES },
		 { SHARED, 1, 4 * KIB } };

START_TEST(sim_load_leaves_room)
{
	struct machine *m = open_sim(harmless[_i].shared);

	start(m, harmless[_i].cpu, harmless[_i].bytes, false);
	ck_assert_double_eq_tol(time_lines(m, RING_BYTES), 12, 0.1);
	machine_close(m);
}
END_TEST

/* The measured CPU hits its first level. So does the other one in 4 KiB, where
 * a store to a loaded line costs as much as the load; 1 MiB comes from memory.
 */
static const struct {
	uint64_t bytes;
	bool stores;
	double cycles;
} paces[] = { { 4 * KIB, false, 4 },
	      { 4 * KIB, true, 8 },
	      { MIB, false, 200 } };

START_TEST(sim_load_has_as_much_time)
{
	struct machine *m = open_sim(SHARED);
	struct load *load = start(m, 1, paces[_i].bytes, paces[_i].stores);
	/* 32 lines from memory, then three rounds and the samples from L1. */
	const double cycles = 32 * 200 + 3 * 32 * 4 + 4 * 10000 * 4;
	double before, done;

	before = (double)load_loads(load, 0);
	ck_assert_double_eq_tol(time_lines(m, 2 * KIB), 4, 0.1);
	done = (double)load_loads(load, 0) - before;
	ck_assert_double_eq_tol(done, cycles / paces[_i].cycles, 2);
	machine_close(m);
}
END_TEST

/* Steps take time as well. */
START_TEST(sim_load_goes_on_in_steps)
{
	uint64_t word = 0, other = 64;
	const struct sequence s = { &word, 1 }, lines = { &other, 1 };
	const struct walk_step step = { .kind = STEP_LOAD, .lines = &lines };
	const struct walk_plan plan = { .samples = 64,
					.steps = &step,
					.step_count = 1 };
	struct machine *m = open_sim(SHARED);
	struct load *load = start(m, 1, 4 * KIB, false);
	uint64_t before = load_loads(load, 0);
	struct sample samples[64];

	ck_assert_msg(!m->ops->walk(m, &s, &plan, samples, &f), "%s", f.text);
	ck_assert_uint_ge(load_loads(load, 0) - before, 2 * 64 - 2);
	machine_close(m);
}
END_TEST

static int refused(struct machine *m, const int *cpus, size_t count,
		   uint64_t bytes)
{
	const struct load_request request = { cpus, count, bytes, false };
	struct load *load;
	int error;

	f = (struct failure){ .text = "" };
	error = load_start(m, &request, &load, &f);
	ck_assert_ptr_null(load);
	ck_assert_ptr_null(m->load);
	ck_assert_uint_gt(strlen(f.text), 0);
	return error;
}

START_TEST(bad_requests)
{
	static const int one[] = { 1 }, own[] = { 2 }, unknown[] = { 3 };
	static const int twice[] = { 1, 0, 1 };
	struct machine *m = open_sim(SHARED);
	struct machine_ops ops = *m->ops;

	ck_assert_int_eq(m->cpu, 2);
	ck_assert_int_eq(refused(m, one, 0, MIB), -EINVAL);
	ck_assert_int_eq(refused(m, one, 1, 4095), -EINVAL);
	ck_assert_int_eq(refused(m, own, 1, MIB), -EINVAL);
	ck_assert_int_eq(refused(m, unknown, 1, MIB), -EINVAL);
	ck_assert_int_eq(refused(m, twice, 3, MIB), -EINVAL);
	/* There are 1 GiB of addresses. */
	ck_assert_int_eq(refused(m, one, 1, 600 * MIB), -ENOMEM);
	ops.load_start = NULL;
	m->ops = &ops;
	ck_assert_int_eq(refused(m, one, 1, MIB), -EOPNOTSUPP);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	machine_close(m);
}
END_TEST

START_TEST(no_other_cpu)
{
	static const int one[] = { 1 };
	struct machine *m = profilekit_open(PROFILEKIT_HASHED, MIB, 1);

	ck_assert_int_eq(refused(m, one, 1, MIB), -EOPNOTSUPP);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	machine_close(m);
}
END_TEST

START_TEST(one_at_a_time)
{
	static const int cpu = 0;
	const struct load_request request = { &cpu, 1, MIB, false };
	struct machine *m = open_sim(SHARED);
	struct load *load = start(m, 1, MIB, false), *other;

	ck_assert_int_eq(load_start(m, &request, &other, &f), -EBUSY);
	ck_assert_ptr_null(other);
	ck_assert_ptr_eq(m->load, load);
	load_stop(load);
	load_stop(NULL);
	start(m, 0, MIB, false);
	machine_close(m);
}
END_TEST

static void close_nothing(struct machine *m)
{
	(void)m;
}

static const struct machine_ops thread_ops = {
	.kind = "test",
	.close = close_nothing,
	.load_start = load_threads_start,
	.load_loads = load_threads_loads,
	.load_stop = load_threads_stop,
};

/* Return: CPUs that the process may run on, at most two. */
static size_t real_machine(struct machine *m)
{
	cpu_set_t allowed;
	size_t count = 0;

	*m = (struct machine){ .ops = &thread_ops, .cpu = -1 };
	ck_assert(!sched_getaffinity(0, sizeof(allowed), &allowed));
	for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
		if (CPU_ISSET(i, &allowed))
			m->others[count++] = i;
	m->other_count = count;
	return count;
}

/* Threads of this process, and those that may run on @cpu alone. */
static size_t count_threads(int cpu, size_t *pinned)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	size_t count = 0;

	ck_assert_ptr_nonnull(folder);
	*pinned = 0;
	while ((entry = readdir(folder))) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		cpu_set_t allowed;

		if (!thread ||
		    sched_getaffinity(thread, sizeof(allowed), &allowed))
			continue;
		count++;
		*pinned += CPU_COUNT(&allowed) == 1 && CPU_ISSET(cpu, &allowed);
	}
	closedir(folder);
	return count;
}

/* A thread that was joined is listed until the kernel has done with it. */
static void expect_threads(int cpu, size_t count)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	size_t pinned, now = count_threads(cpu, &pinned);

	for (int i = 0; now > count && i < ENDING_MS; i++) {
		nanosleep(&moment, NULL);
		now = count_threads(cpu, &pinned);
	}
	ck_assert_uint_eq(now, count);
}

static uint64_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%llu", &pages), 1);
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool gets_on(const struct load *load, size_t i)
{
	uint64_t before = load_loads(load, i);

	for (int j = 0; j < MOST_WAITS; j++) {
		usleep(WAIT_MS * 1000);
		if (load_loads(load, i) > before)
			return true;
	}
	return false;
}

START_TEST(threads_walk_until_stopped)
{
	size_t pinned, pinned_before, threads_before;
	uint64_t mapped = mapped_bytes();
	struct load *load;
	struct machine m;
	int cpu;

	real_machine(&m);
	cpu = m.others[0];
	threads_before = count_threads(cpu, &pinned_before);
	load = start(&m, cpu, 64 * MIB, _i);
	ck_assert(gets_on(load, 0));
	ck_assert_uint_eq(count_threads(cpu, &pinned), threads_before + 1);
	ck_assert_uint_eq(pinned, pinned_before + 1);
	load_stop(load);
	expect_threads(cpu, threads_before);
	ck_assert_uint_lt(mapped_bytes(), mapped + 32 * MIB);
}
END_TEST

START_TEST(threads_on_two_cpus)
{
	size_t pinned, before;
	struct load *load;
	struct machine m;
	const struct load_request request = { m.others, 2, MIB, false };

	if (real_machine(&m) < 2) {
		cannot_do("two loads", "cpu cannot: one CPU is allowed");
		return;
	}
	before = count_threads(m.others[0], &pinned);
	ck_assert_msg(!load_start(&m, &request, &load, &f), "%s", f.text);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(gets_on(load, i));
		count_threads(m.others[i], &pinned);
		ck_assert_uint_ge(pinned, 1);
	}
	/* As a command does that was interrupted. */
	machine_close(&m);
	expect_threads(m.others[0], before);
	ck_assert_ptr_null(m.load);
}
END_TEST

/* The second CPU is not there, or the memory: the first ends as well. */
START_TEST(threads_that_cannot_start)
{
	size_t pinned, before;
	struct machine m;

	real_machine(&m);
	before = count_threads(m.others[0], &pinned);
	m.others[1] = CPU_SETSIZE - 1;
	m.other_count = 2;
	ck_assert_int_eq(refused(&m, m.others, 2, MIB), -EINVAL);
	ck_assert_ptr_nonnull(strstr(f.text, "not allowed"));
	expect_threads(m.others[0], before);
	ck_assert_int_eq(refused(&m, m.others, 1, UINT64_C(1) << 50), -ENOMEM);
	expect_threads(m.others[0], before);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("load");

	tcase_add_test(t, sim_load_takes_room);
	tcase_add_loop_test(t, sim_load_leaves_room, 0,
			    sizeof(harmless) / sizeof(harmless[0]));
	tcase_add_loop_test(t, sim_load_has_as_much_time, 0,
			    sizeof(paces) / sizeof(paces[0]));
	tcase_add_test(t, sim_load_goes_on_in_steps);
	tcase_add_test(t, bad_requests);
	tcase_add_test(t, no_other_cpu);
	tcase_add_test(t, one_at_a_time);
	tcase_add_loop_test(t, threads_walk_until_stopped, 0, 2);
	tcase_add_test(t, threads_on_two_cpus);
	tcase_add_test(t, threads_that_cannot_start);
	suite_add_tcase(suite, t);
	return suite;
}
