// SPDX-License-Identifier: GPL-2.0
/* walks.c - WALK does exactly the loads of its request. */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>

#include "kit/walk_help.h"

#define MAX_SAMPLES 4096
static struct probe_phys_sample samples[MAX_SAMPLES];

/* What any sample of any walk must be like. */
static void check_samples(const struct probe_phys_walk *w, uint32_t counters)
{
	uint32_t known = PROBE_PHYS_SAMPLE_LATE | PROBE_PHYS_SAMPLE_SPLIT |
			 PROBE_PHYS_SAMPLE_MULTIPLEXED | PROBE_PHYS_SAMPLE_SMI;

	ck_assert_uint_le(w->nr_samples, w->max_samples);
	ck_assert_uint_eq(w_loads(samples, w->nr_samples), w->loads_done);
	for (uint32_t i = 0; i < w->nr_samples; i++) {
		const struct probe_phys_sample *s = &samples[i];

		ck_assert_uint_gt(s->loads, 0);
		ck_assert_uint_gt(s->ticks, 0);
		ck_assert_uint_gt(s->ns, 0);
		ck_assert_uint_lt(s->ns, 10000000000);
		ck_assert_uint_eq(s->flags & ~known, 0);
		ck_assert_uint_eq(s->nr_counters, counters);
		for (uint32_t j = counters; j < PROBE_PHYS_MAX_COUNTERS; j++)
			ck_assert_uint_eq(s->counters[j], 0);
	}
}

/* Walk @n offsets @rounds times; every load must be there. */
static void exact(int buffer, const uint64_t *offsets, uint32_t n,
		  uint64_t rounds)
{
	struct probe_phys_walk w = w_walk(offsets, n, samples, MAX_SAMPLES);

	w.rounds = rounds;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(w.loads_done, n * rounds);
	ck_assert_uint_ge(w.nr_samples, 1);
	check_samples(&w, 0);
}

START_TEST(one_element)
{
	uint64_t offset = 0;

	exact(t_buffer(t_session(), T_PAGE, 0), &offset, 1, 1);
	exact(t_buffer(t_session(), T_PAGE, 0), &offset, 1, 1000);
	offset = T_PAGE - 8;
	exact(t_buffer(t_session(), T_PAGE, 0), &offset, 1, 1000);
}
END_TEST

static const struct {
	uint32_t n;
	uint64_t step, rounds;
} shapes[] = {
	{ 2, 8, 1 },	    { 2, 8, 100000 }, { 3, 64, 777 },
	{ 63, 64, 1 },	    { 64, 64, 1 },    { 65, 64, 1 },
	{ 65, 64, 1001 },   { 512, 8, 100 },  { 1000, 4096, 13 },
	{ 8192, 4096, 2 },  { 32768, 64, 3 }, { 100000, 8, 2 },
	{ 1 << 20, 32, 1 },
};

START_TEST(shape)
{
	uint64_t *offsets = w_steps(shapes[_i].n, shapes[_i].step);
	int buffer = t_buffer(t_session(), 32 * T_MIB, 0);

	exact(buffer, offsets, shapes[_i].n, shapes[_i].rounds);
}
END_TEST

START_TEST(any_order)
{
	int buffer = t_buffer(t_session(), 16 * T_MIB, 0);
	uint64_t *offsets = w_steps(4096, 4096);

	for (unsigned int seed = 1; seed <= 5; seed++) {
		w_shuffle(offsets, 4096, seed);
		exact(buffer, offsets, 4096, 3);
	}
}
END_TEST

START_TEST(longest_sequence)
{
	uint32_t n = PROBE_PHYS_MAX_WALK_OFFSETS;
	uint64_t *offsets = w_steps(n, 8);

	exact(t_buffer(t_session(), (uint64_t)n * 8, 0), offsets, n, 1);
}
END_TEST

/* Words of one line, of a line twice by way of another word of it. */
START_TEST(same_line_other_word)
{
	static const uint64_t offsets[] = { 0, 64, 8, 72, 16, 80 };

	exact(t_buffer(t_session(), T_PAGE, 0), offsets, 6, 500);
}
END_TEST

/* A window that does not begin where the buffer does. */
START_TEST(window_inside)
{
	int buffer = t_buffer(t_session(), 16 * T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64);

	for (int i = 0; i < 1000; i++)
		offsets[i] += 3 * T_MIB + 1000 * 8;
	exact(buffer, offsets, 1000, 10);
	for (int i = 0; i < 1000; i++)
		offsets[i] = 16 * T_MIB - 8 - (uint64_t)i * 64;
	exact(buffer, offsets, 1000, 10);
}
END_TEST

/* An odd size: the window must fit into the extent, not around it. */
START_TEST(end_of_an_odd_buffer)
{
	int buffer = t_buffer(t_session(), 5 * T_PAGE, 0);
	static const uint64_t offsets[] = { 4 * T_PAGE, 5 * T_PAGE - 8,
					    3 * T_PAGE };

	exact(buffer, offsets, 3, 100);
}
END_TEST

/* Each offset once per round, in the order given: the chain is in memory. */
START_TEST(visits_only_its_offsets)
{
	int buffer;
	uint64_t *at = t_memory(t_session(), T_MIB, &buffer);
	uint64_t *offsets = w_steps(100, 4096);
	size_t wrong = 0;

	memset(at, 0x77, T_MIB);
	exact(buffer, offsets, 100, 10);
	for (size_t i = 0; i < T_MIB / 8; i++) {
		bool element = i * 8 % 4096 == 0 && i * 8 / 4096 < 100;

		wrong += !element && at[i] != 0x7777777777777777;
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(rounds_per_sample)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	uint64_t *offsets = w_steps(10, 64);
	struct probe_phys_walk w = w_walk(offsets, 10, samples, MAX_SAMPLES);

	w.rounds = 100;
	w.rounds_per_sample = 7;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	check_samples(&w, 0);
	ck_assert_uint_eq(w.loads_done, 1000);
	ck_assert_uint_ge(w.nr_samples, 15);
	for (uint32_t i = 0; i < w.nr_samples; i++)
		ck_assert_uint_le(samples[i].loads, 70);
	if (!(samples[0].flags & PROBE_PHYS_SAMPLE_SPLIT))
		ck_assert_uint_eq(samples[0].loads, 70);
}
END_TEST

START_TEST(tiny_slices_split)
{
	int buffer = t_buffer(t_session(), 32 * T_MIB, 0);
	uint64_t *offsets = w_steps(1 << 18, 64);
	struct probe_phys_walk w =
		w_walk(offsets, 1 << 18, samples, MAX_SAMPLES);
	uint32_t split = 0;

	w.rounds = 2;
	w.rounds_per_sample = 1;
	w.slice_ns = 100000;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	check_samples(&w, 0);
	ck_assert_uint_eq(w.loads_done, 2ULL << 18);
	for (uint32_t i = 0; i < w.nr_samples; i++)
		split += !!(samples[i].flags & PROBE_PHYS_SAMPLE_SPLIT);
	ck_assert_uint_gt(split, 0);
	ck_assert_uint_gt(w.nr_samples, 2);
}
END_TEST

/* Slices end in time, unless the host took the CPU away. */
START_TEST(slices_are_bounded)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	uint64_t *offsets = w_steps(1024, 64);
	struct probe_phys_walk w = w_walk(offsets, 1024, samples, MAX_SAMPLES);
	uint32_t late = 0;

	w.rounds = 1ULL << 40;
	w.slice_ns = 500000;
	w.budget_ns = 500000000;
	t_want(ETIME, buffer, PROBE_PHYS_IOC_WALK, &w);
	check_samples(&w, 0);
	ck_assert_uint_gt(w.nr_samples, 10);
	for (uint32_t i = 0; i < w.nr_samples; i++) {
		late += samples[i].flags & PROBE_PHYS_SAMPLE_LATE;
		if (!(samples[i].flags & PROBE_PHYS_SAMPLE_LATE))
			ck_assert_uint_le(samples[i].ns, 4 * w.slice_ns);
	}
	ck_assert_msg(late <= w.nr_samples / 2, "%u of %u slices too long",
		      late, w.nr_samples);
}
END_TEST

/* Samples run out before rounds do: what is there is returned. */
START_TEST(samples_run_out)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	uint64_t *offsets = w_steps(10, 64);
	struct probe_phys_walk w = w_walk(offsets, 10, samples, 3);
	int err;

	w.rounds = 100;
	w.rounds_per_sample = 10;
	memset(samples, 0x55, sizeof(samples));
	err = t_do(buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_le(w.nr_samples, 3);
	check_samples(&w, 0);
	/* Nothing is written beyond the room given. */
	ck_assert_uint_eq(samples[3].ticks, 0x5555555555555555);
}
END_TEST

START_TEST(out_of_time_with_samples)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	uint64_t *offsets = w_steps(10, 64), start = t_now();
	struct probe_phys_walk w = w_walk(offsets, 10, samples, MAX_SAMPLES);

	w.rounds = 1ULL << 50;
	w.budget_ns = 200000000;
	t_want(ETIME, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_gt(w.nr_samples, 0);
	ck_assert_uint_gt(w.loads_done, 0);
	check_samples(&w, 0);
	ck_assert_uint_lt(t_now() - start, 5000000000);
}
END_TEST

START_TEST(warmup_is_not_measured)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64);
	struct probe_phys_walk w = w_walk(offsets, 1000, samples, MAX_SAMPLES);

	w.rounds = 50;
	w.warmup_rounds = 100;
	w.rewarm_rounds = 2;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(w.loads_done, 50000);
	check_samples(&w, 0);
}
END_TEST

START_TEST(flush_first)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64);
	struct probe_phys_walk w = w_walk(offsets, 1000, samples, MAX_SAMPLES);

	w.flags = PROBE_PHYS_WALK_FLUSH_FIRST;
	w.rounds = 5;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(w.loads_done, 5000);
}
END_TEST

START_TEST(on_each_cpu)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64);

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		struct probe_phys_walk w =
			w_walk(offsets, 1000, samples, MAX_SAMPLES);

		w.cpu = cpu;
		t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
		ck_assert_uint_eq(w.loads_done, 1000);
	}
}
END_TEST

START_TEST(with_counters)
{
	T_ARG(counters_create, c, .cpu = 0, .nr_events = 2,
	      .events = { { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_CPU_CLOCK },
			  { .type = PERF_TYPE_SOFTWARE,
			    .config = PERF_COUNT_SW_PAGE_FAULTS } });
	int session = t_session(), buffer = t_buffer(session, T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64), clock = 0;
	struct probe_phys_walk w = w_walk(offsets, 1000, samples, MAX_SAMPLES);

	t_want(0, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	w.cpu = 0;
	w.counters_fd = c.fd;
	w.rounds = 200;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	check_samples(&w, 2);
	for (uint32_t i = 0; i < w.nr_samples; i++) {
		clock += samples[i].counters[0];
		ck_assert_uint_eq(samples[i].counters[1], 0);
		ck_assert_uint_eq(
			samples[i].flags & PROBE_PHYS_SAMPLE_MULTIPLEXED, 0);
	}
	ck_assert_uint_gt(clock, 0);
}
END_TEST

START_TEST(ticks_go_with_ns)
{
	struct probe_phys_info info = t_info(t_session());
	int buffer = t_buffer(t_session(), T_MIB, 0);
	uint64_t *offsets = w_steps(1000, 64);
	struct probe_phys_walk w = w_walk(offsets, 1000, samples, MAX_SAMPLES);
	double ticks = 0, ns = 0;

	if (!info.tick_hz)
		t_skip("kernel cannot give its tick rate");
	w.rounds = 1000;
	w.budget_ns = 30000000000;
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	for (uint32_t i = 0; i < w.nr_samples; i++) {
		ticks += (double)samples[i].ticks;
		ns += (double)samples[i].ns;
	}
	ck_assert_double_gt(ticks / ns * 1e9, 0.5 * (double)info.tick_hz);
	ck_assert_double_lt(ticks / ns * 1e9, 2.0 * (double)info.tick_hz);
}
END_TEST

Suite *t_suite_walks(void)
{
	Suite *suite = suite_create("walks");
	TCase *tc = t_case(suite, "walks");

	tcase_add_test(tc, one_element);
	tcase_add_loop_test(tc, shape, 0, T_LENGTH(shapes));
	tcase_add_test(tc, any_order);
	tcase_add_test(tc, longest_sequence);
	tcase_add_test(tc, same_line_other_word);
	tcase_add_test(tc, window_inside);
	tcase_add_test(tc, end_of_an_odd_buffer);
	tcase_add_test(tc, visits_only_its_offsets);
	tcase_add_test(tc, rounds_per_sample);
	tcase_add_test(tc, tiny_slices_split);
	tcase_add_test(tc, slices_are_bounded);
	tcase_add_test(tc, samples_run_out);
	tcase_add_test(tc, out_of_time_with_samples);
	tcase_add_test(tc, warmup_is_not_measured);
	tcase_add_test(tc, flush_first);
	tcase_add_test(tc, on_each_cpu);
	tcase_add_test(tc, with_counters);
	tcase_add_test(tc, ticks_go_with_ns);
	return suite;
}
