// SPDX-License-Identifier: GPL-2.0
/*
 * pmuv3.c - the counters of an arm64 CPU, emulated: they count what was run,
 * exactly.
 *
 * With -icount QEMU counts each instruction once, and a cycle is a nanosecond
 * of a clock that goes by instructions; $PROBE_PHYS_VM_CYCLES says how many
 * there are to one. Both are of the whole machine: the other CPUs are taken
 * offline meanwhile.
 */
#include <stdlib.h>

#include "kit/exact.h"
#include "kit/walk_help.h"

#ifdef __aarch64__

#define L1D_CACHE_REFILL 0x03

/* Loads between two looks at the clock, in the module's walk. */
#define CHUNK 64

#define SAMPLES 8
static struct probe_phys_sample samples[SAMPLES];

static uint64_t cycles_per_instruction(void)
{
	const char *cycles = getenv("PROBE_PHYS_VM_CYCLES");

	if (!cycles)
		t_skip("pp.cycles is missing: cycles of an instruction");
	return strtoull(cycles, NULL, 10);
}

/* --- instructions of this program ---------------------------------------- */

/* 2 * @n instructions, and those that call it. */
static __attribute__((noinline)) void spin(uint64_t n)
{
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}

struct spent {
	uint64_t instructions;
	uint64_t cycles;
};

static struct spent spend(int fd, uint64_t n)
{
	struct probe_phys_counters_read from = x_take(fd), to;

	spin(n);
	to = x_take(fd);
	ck_assert_uint_eq(to.state, 0);
	return (struct spent){
		.instructions = to.values[0].value - from.values[0].value,
		.cycles = to.values[1].value - from.values[1].value,
	};
}

static int warm_user_group(void)
{
	int fd = x_user_group();

	/* Pages of the program come in. */
	spend(fd, 1);
	return fd;
}

/* The longest takes several ticks of the kernel's clock, which do not count. */
static const uint64_t turns[] = { 2, 3, 10, 1000, 100000, 3000000 };

START_TEST(own_instructions)
{
	int fd = warm_user_group();
	uint64_t least = spend(fd, 1).instructions;

	for (size_t i = 0; i < T_LENGTH(turns); i++)
		ck_assert_uint_eq(spend(fd, turns[i]).instructions - least,
				  2 * (turns[i] - 1));
}
END_TEST

START_TEST(own_cycles)
{
	uint64_t each = cycles_per_instruction();
	int fd = warm_user_group();
	uint64_t least = spend(fd, 1).cycles;

	for (size_t i = 0; i < T_LENGTH(turns); i++)
		ck_assert_uint_eq(spend(fd, turns[i]).cycles - least,
				  2 * each * (turns[i] - 1));
}
END_TEST

START_TEST(stopped)
{
	int fd = warm_user_group();
	T_ARG(counters_control, c, .op = PROBE_PHYS_COUNTERS_STOP);

	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_CONTROL, &c);
	ck_assert_uint_eq(spend(fd, 1000).instructions, 0);
	ck_assert_uint_eq(spend(fd, 1000).cycles, 0);
	c.op = PROBE_PHYS_COUNTERS_START;
	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_CONTROL, &c);
	ck_assert_uint_gt(spend(fd, 1000).instructions, 2000);
}
END_TEST

/* --- instructions of walks ----------------------------------------------- */

/* What one sample of @rounds rounds over @n elements costs: each the same. */
static void walk(int buffer, int fd, uint32_t n, uint32_t rounds,
		 uint64_t *values)
{
	uint64_t *offsets = w_steps(n, 64);
	struct probe_phys_walk w = w_walk(offsets, n, samples, SAMPLES);

	w.cpu = 0;
	w.counters_fd = fd;
	w.warmup_rounds = 1;
	w.rounds_per_sample = rounds;
	w.rounds = (uint64_t)rounds * SAMPLES;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	free(offsets);
	ck_assert_uint_eq(w.nr_samples, SAMPLES);
	for (int i = 0; i < SAMPLES; i++) {
		ck_assert_uint_eq(samples[i].flags, 0);
		ck_assert_uint_eq(samples[i].loads, (uint64_t)n * rounds);
		for (uint32_t j = 0; j < samples[i].nr_counters; j++)
			ck_assert_uint_eq(samples[i].counters[j],
					  samples[0].counters[j]);
	}
	memcpy(values, samples[0].counters, sizeof(samples[0].counters));
}

static uint64_t instructions(int buffer, int fd, uint32_t n, uint32_t rounds)
{
	uint64_t values[PROBE_PHYS_MAX_COUNTERS];

	walk(buffer, fd, n, rounds, values);
	return values[0];
}

/* A group of CPU 0 that counts instructions, and a buffer to walk. */
struct bench {
	int fd;
	int buffer;
};

static struct bench bench(void)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { X_RAW(X_INST_RETIRED), X_RAW(X_CPU_CYCLES) });

	return (struct bench){ .fd = x_group(&c),
			       .buffer = t_buffer(t_session(), T_MIB, 0) };
}

/* Up to 15 loads are a loop of one load each, of a few instructions. */
START_TEST(each_load)
{
	struct bench b = bench();
	uint64_t last = instructions(b.buffer, b.fd, 1, 1), each = 0;

	for (uint32_t n = 2; n < 16; n++) {
		uint64_t now = instructions(b.buffer, b.fd, n, 1);

		if (n == 2)
			each = now - last;
		ck_assert_uint_eq(now - last, each);
		last = now;
	}
	/* The load, the mask, and what counts them. */
	ck_assert_uint_ge(each, 3);
	ck_assert_uint_le(each, 8);
}
END_TEST

/* Longer walks are of chunks: a load and a mask each, and little else. */
START_TEST(each_chunk)
{
	struct bench b = bench();
	uint64_t least = instructions(b.buffer, b.fd, CHUNK, 1);
	uint64_t each = instructions(b.buffer, b.fd, 2 * CHUNK, 1) - least;

	ck_assert_uint_ge(each, 2 * CHUNK);
	ck_assert_uint_le(each, 3 * CHUNK);
	for (uint32_t n = 3; n < 200; n += 14)
		ck_assert_uint_eq(instructions(b.buffer, b.fd, n * CHUNK, 1) -
					  least,
				  (n - 1) * each);
}
END_TEST

/* The same loads are the same work, whichever way they come together. */
START_TEST(rounds_are_loads)
{
	static const uint32_t loads[] = { 12, 60, 240, 960 };
	struct bench b = bench();

	for (size_t i = 0; i < T_LENGTH(loads); i++) {
		uint64_t once = instructions(b.buffer, b.fd, loads[i], 1);

		for (uint32_t n = 1; n <= 12; n++) {
			if (loads[i] % n)
				continue;
			ck_assert_uint_eq(instructions(b.buffer, b.fd, n,
						       loads[i] / n),
					  once);
		}
	}
}
END_TEST

/* Two walks differ by the cycles of their instructions. */
START_TEST(cycles_of_walks)
{
	uint64_t each = cycles_per_instruction();
	uint64_t first[PROBE_PHYS_MAX_COUNTERS];
	uint64_t values[PROBE_PHYS_MAX_COUNTERS];
	struct bench b = bench();

	walk(b.buffer, b.fd, 1, 1, first);
	for (uint32_t n = 2; n < 10000; n *= 3) {
		walk(b.buffer, b.fd, n, 1, values);
		ck_assert_uint_eq(values[1] - first[1],
				  each * (values[0] - first[0]));
	}
}
END_TEST

/* The kernel's own name of the event and its number are one counter's. */
START_TEST(generic_is_raw)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { { .type = PERF_TYPE_HARDWARE,
			    .config = PERF_COUNT_HW_INSTRUCTIONS },
			  X_RAW(X_INST_RETIRED) });
	uint64_t first[PROBE_PHYS_MAX_COUNTERS];
	uint64_t values[PROBE_PHYS_MAX_COUNTERS];
	int fd = x_group(&c), buffer = t_buffer(t_session(), T_MIB, 0);

	walk(buffer, fd, 1, 1, first);
	walk(buffer, fd, 1000, 1, values);
	ck_assert_uint_gt(values[0] - first[0], 2000 - 2);
	ck_assert_uint_eq(values[0] - first[0], values[1] - first[1]);
}
END_TEST

/* --- what there is not --------------------------------------------------- */

START_TEST(no_such_event)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { X_RAW(X_INST_RETIRED),
			  { .type = PERF_TYPE_HARDWARE,
			    .config = PERF_COUNT_HW_CACHE_MISSES } });

	t_want(ENOENT, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	ck_assert_int_eq(c.failed_event, 1);
}
END_TEST

/* A number is taken on trust, but it counts nothing. */
START_TEST(no_such_number)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { X_RAW(X_INST_RETIRED), X_RAW(L1D_CACHE_REFILL) });
	uint64_t values[PROBE_PHYS_MAX_COUNTERS];
	int fd = x_group(&c), buffer = t_buffer(t_session(), T_MIB, 0);

	walk(buffer, fd, 1000, 1, values);
	ck_assert_uint_gt(values[0], 2000);
	ck_assert_uint_eq(values[1], 0);
}
END_TEST

/* More than the CPU has counters for: said, and seen in walks. */
START_TEST(too_many)
{
	T_ARG(counters_create, c, .cpu = 0,
	      .nr_events = PROBE_PHYS_MAX_COUNTERS);
	int buffer = t_buffer(t_session(), T_PAGE, 0), fd;
	uint64_t *offsets = w_steps(16, 64);
	struct probe_phys_walk w = w_walk(offsets, 16, samples, SAMPLES);
	struct probe_phys_counters_read r;

	for (int i = 0; i < PROBE_PHYS_MAX_COUNTERS; i++)
		c.events[i] = (struct probe_phys_event)X_RAW(X_INST_RETIRED);
	fd = x_group(&c);
	r = x_take(fd);
	ck_assert(r.state & PROBE_PHYS_COUNTERS_ERROR);
	w.cpu = 0;
	w.counters_fd = fd;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	for (uint32_t i = 0; i < w.nr_samples; i++)
		ck_assert(samples[i].flags & PROBE_PHYS_SAMPLE_MULTIPLEXED);
}
END_TEST

Suite *t_suite_pmuv3(void)
{
	Suite *suite = suite_create("pmuv3");
	TCase *tc = t_case(suite, "pmuv3");

	tcase_add_checked_fixture(tc, x_alone, x_together);
	tcase_add_test(tc, own_instructions);
	tcase_add_test(tc, own_cycles);
	tcase_add_test(tc, stopped);
	tcase_add_test(tc, each_load);
	tcase_add_test(tc, each_chunk);
	tcase_add_test(tc, rounds_are_loads);
	tcase_add_test(tc, cycles_of_walks);
	tcase_add_test(tc, generic_is_raw);
	tcase_add_test(tc, no_such_event);
	tcase_add_test(tc, no_such_number);
	tcase_add_test(tc, too_many);
	return suite;
}
#endif /* __aarch64__ */
