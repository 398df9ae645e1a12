// SPDX-License-Identifier: GPL-2.0
/* walks.c - sequences that the module walks, on the machine of exact.json. */
#include <sys/ioctl.h>

#include "guest.h"

/* Of exact.json. */
#define WAYS 4
#define WAY_BYTES 4096
#define L2_WAYS 8
#define L2_WAY_BYTES 65536

#define LINE_BYTES 64
#define L2_LINES (L2_WAYS * L2_WAY_BYTES / LINE_BYTES)

#define ROUNDS 64
#define TRIALS 5
/* Of each length: a busy host may add a stray miss in all trials of one. */
#define PAIRS 5

/* One slice of @rounds rounds over @n addresses @stride apart. */
static struct probe_phys_sample walk_once(unsigned int n, uint64_t stride,
					  unsigned int rounds)
{
	struct probe_phys_sample sample = { 0 };
	uint64_t offsets[64];
	struct probe_phys_walk walk = {
		.size = sizeof(walk),
		.offsets = (uintptr_t)offsets,
		.samples = (uintptr_t)&sample,
		.rounds = rounds,
		.nr_offsets = n,
		.max_samples = 1,
		.warmup_rounds = 4,
		.rewarm_rounds = 4,
		.rounds_per_sample = rounds,
		.slice_ns = PROBE_PHYS_MAX_SLICE_NS,
		.cpu = guest.cpu,
		.counters_fd = guest.counters,
	};

	for (unsigned int i = 0; i < n; i++)
		offsets[i] = i * stride;
	/* A slice that the host interrupted is cut short: again. */
	for (int i = 0; i < 100; i++) {
		need(!ioctl(guest.buffer, PROBE_PHYS_IOC_WALK, &walk), "walk");
		if (sample.loads == (uint64_t)n * rounds)
			return sample;
	}
	need(false, "walk in one slice");
	return sample;
}

/* The least of some trials: reading the counters may miss or not. */
static void walk(unsigned int n, uint64_t stride, unsigned int rounds,
		 uint64_t *counts)
{
	for (int i = 0; i < TRIALS; i++) {
		struct probe_phys_sample sample = walk_once(n, stride, rounds);

		for (int e = 0; e < EVENTS; e++)
			if (!i || sample.counters[e] < counts[e])
				counts[e] = sample.counters[e];
	}
}

/*
 * Reading the counters is counted as well. The difference of two lengths is
 * what the added rounds did, but for the line or two that the code around the
 * walk has lost to it.
 */
#define STRAY 3

static void check_walk(unsigned int n, uint64_t stride, enum event event,
		       uint64_t expected)
{
	uint64_t few[EVENTS], many[EVENTS], got;

	walk(n, stride, ROUNDS, few);
	walk(n, stride, 2 * ROUNDS, many);
	got = many[event] > few[event] ? many[event] - few[event] : 0;
	check(got + STRAY >= expected && got <= expected + STRAY,
	      "%u addresses %llu apart: %llu %s in %u rounds, expected %llu", n,
	      (unsigned long long)stride, (unsigned long long)got,
	      event_names[event], ROUNDS, (unsigned long long)expected);
}

void check_sets(void)
{
	for (unsigned int n = 1; n <= WAYS; n++)
		check_walk(n, WAY_BYTES, L1D, 0);
	for (unsigned int n = WAYS + 1; n <= L2_WAYS; n++)
		check_walk(n, WAY_BYTES, L1D, (uint64_t)n * ROUNDS);
	check_walk(L2_WAYS, L2_WAY_BYTES, L2, 0);
	check_walk(L2_WAYS + 1, L2_WAY_BYTES, L2,
		   (uint64_t)(L2_WAYS + 1) * ROUNDS);
	/* Two lines of one set twice as far apart, two sets. */
	check_walk(2 * WAYS, WAY_BYTES / 2, L1D, 0);
}

/*
 * A step is a load and an AND, which takes a cycle. Now and then the walk
 * looks at the clock and counts on, but not for long.
 */
static void check_latency(const char *what, unsigned int n, uint64_t stride,
			  unsigned int cycles)
{
	const uint64_t expected = (uint64_t)n * ROUNDS * (cycles + 1);
	const uint64_t loads = (uint64_t)n * ROUNDS;
	uint64_t few[EVENTS], many[EVENTS], got = 0;
	bool right = false;

	for (int i = 0; !right && i < PAIRS; i++) {
		walk(n, stride, ROUNDS, few);
		walk(n, stride, 2 * ROUNDS, many);
		got = many[CYCLES] - few[CYCLES];
		right = got + expected / 100 >= expected &&
			got <= expected + expected / 20;
	}
	check(right, "%s: %llu cycles, expected %llu and at most 5 %% more",
	      what, (unsigned long long)got, (unsigned long long)expected);
	got = many[LOADS] - few[LOADS];
	check(got + STRAY >= loads && got <= loads + STRAY,
	      "%s: %llu loads, expected %llu", what, (unsigned long long)got,
	      (unsigned long long)loads);
}

void check_cycles(void)
{
	check_latency("hits in L1", WAYS, WAY_BYTES, 4);
	check_latency("hits in L2", WAYS + 1, WAY_BYTES, 14);
	check_latency("misses", L2_WAYS + 1, L2_WAY_BYTES, 200);
}

/* Of a long list a slice holds some hundred loads. */
#define LONG_LINES 65536
#define LONG_SAMPLES 4096

/*
 * A round of a list that takes many slices. What each slice does before it
 * measures must not change what a round hits and misses.
 */
static void check_long(unsigned int lines, bool fits)
{
	static struct probe_phys_sample samples[LONG_SAMPLES];
	static uint64_t offsets[LONG_LINES];
	struct probe_phys_walk walk = {
		.size = sizeof(walk),
		.offsets = (uintptr_t)offsets,
		.samples = (uintptr_t)samples,
		.rounds = 2,
		.nr_offsets = lines,
		.max_samples = LONG_SAMPLES,
		.warmup_rounds = 2,
		.rewarm_rounds = 1,
		.rounds_per_sample = 1,
		.slice_ns = 200000,
		.cpu = guest.cpu,
		.counters_fd = guest.counters,
		.budget_ns = UINT64_C(60000000000),
	};
	uint64_t misses = 0, least, most;

	for (unsigned int i = 0; i < lines; i++)
		offsets[i] = (uint64_t)i * LINE_BYTES;
	need(!ioctl(guest.buffer, PROBE_PHYS_IOC_WALK, &walk), "a long walk");
	for (uint32_t i = 0; i < walk.nr_samples; i++)
		misses += samples[i].counters[L2];
	/* What runs between slices costs lines, more on a busy host. */
	least = fits ? 0 : walk.loads_done - walk.loads_done / 100;
	most = fits ? walk.loads_done / 4 : UINT64_MAX;
	check(walk.loads_done == 2ULL * lines && walk.nr_samples > 4 &&
		      misses >= least && misses <= most,
	      "%u lines in %u slices: %llu of %llu loads miss L2, where they %s",
	      lines, walk.nr_samples, (unsigned long long)misses,
	      (unsigned long long)walk.loads_done, fits ? "fit" : "do not fit");
}

void check_long_lists(void)
{
	check_long(L2_LINES * 3 / 4, true);
	check_long(LONG_LINES, false);
}
