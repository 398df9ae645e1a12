// SPDX-License-Identifier: GPL-2.0
/* check_noise.c - right or undecided under noise, never wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "method/levels/levels.h"
#include "kit/simcache.h"
#include "suites.h"

static const struct sim_config base = {
	.levels = { { 12, 64, 64, 4, SIM_LRU, false, { 0 } },
		    { 8, 512, 64, 14, SIM_LRU, false, { 0 } } },
	.memory_latency = 200,
	.tlb_entries = 96,
	.tlb_penalty = 7,
};

static const struct {
	const char *name;
	double jitter, burst, burst_cycles, thief;
	double least_decided;
	unsigned int thief_leaves_ms, own_lines;
} noises[] = {
	{ "jitter", 60, 0, 0, 0, 1, 0, 0 },
	{ "rare bursts", 30, 0.02, 20000, 0, 1, 0, 0 },
	{ "frequent bursts", 30, 0.3, 20000, 0, 0.5, 0, 0 },
	{ "a neighbour in L1", 30, 0, 0, 0.001, 0, 0, 0 },
	{ "a greedy neighbour in L1", 30, 0, 0, 0.05, 0, 0, 0 },
	{ "a greedy neighbour that leaves", 30, 0, 0, 0.05, 1, 2000, 0 },
	{ "lines of its own", 30, 0, 0, 0, 1, 0, 3 },
	{ "nothing but noise", 200000, 0.5, 100000, 0.2, 0, 0, 0 },
};

static bool check(const char *name, const char *what, uint64_t seed,
		  const struct parameter *p, double wanted)
{
	ck_assert_msg(
		p->status != PARAMETER_MEASURED || p->value == wanted,
		"%s: %s: %g instead of %g or undecided (PROBE_PHYS_SEED=%llu)",
		name, what, p->value, wanted, (unsigned long long)seed);
	return p->status == PARAMETER_MEASURED;
}

/* Return: whether the ways of L1 are decided. */
static bool check_levels(const char *name, uint64_t seed,
			 const struct hierarchy *found)
{
	bool decided = false;

	if (found->cache_count) {
		const struct cache_result *c = &found->caches[0];

		decided = check(name, "L1 ways", seed, &c->ways, 12);
		check(name, "L1 capacity", seed, &c->capacity_bytes, 48 * 1024);
		check(name, "L1 line", seed, &c->line_bytes, 64);
	}
	if (found->cache_count > 1) {
		const struct cache_result *c = &found->caches[1];

		check(name, "L2 ways", seed, &c->effective_ways, 8);
		check(name, "L2 own ways", seed, &c->ways, 8);
		check(name, "L2 line", seed, &c->line_bytes, 64);
	}
	return decided;
}

START_TEST(right_or_undecided)
{
	if (!is_in_part(_i))
		return;

	uint64_t first = from_environment("PROBE_PHYS_SEED", 1);
	uint64_t seeds = from_environment("PROBE_PHYS_SEEDS", 3);
	int decided = 0;

	for (uint64_t seed = first; seed < first + seeds; seed++) {
		struct sim_config config = base;
		struct failure f = { .text = "" };
		struct hierarchy found;
		struct prober prober;
		struct machine *m;

		config.jitter = noises[_i].jitter;
		config.burst = noises[_i].burst;
		config.burst_cycles = noises[_i].burst_cycles;
		config.thief = noises[_i].thief;
		config.thief_leaves_ms = noises[_i].thief_leaves_ms;
		config.own_lines = noises[_i].own_lines;
		config.seed = seed;
		m = sim_open(&config);
		prober_begin(&prober, m, seed);
		ck_assert_int_eq(xray_measure(&prober, &found, &f), 0);
		decided += check_levels(noises[_i].name, seed, &found);
		machine_close(m);
	}
	ck_assert_msg(decided >= noises[_i].least_decided * (double)seeds,
		      "%s: only %d of %llu decided (PROBE_PHYS_SEED=%llu)",
		      noises[_i].name, decided, (unsigned long long)seeds,
		      (unsigned long long)first);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("noise");

	tcase_set_timeout(t, 3600);
	tcase_add_loop_test(t, right_or_undecided, 0,
			    sizeof(noises) / sizeof(noises[0]));
	suite_add_tcase(suite, t);
	return suite;
}
