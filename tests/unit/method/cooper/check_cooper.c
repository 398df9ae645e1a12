// SPDX-License-Identifier: GPL-2.0
/* check_cooper.c - Cooper and Sandoval's caches, on machines whose truth is known. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/simcache.h"
#include "machine/sim/sim.h"
#include "method/cooper/cooper.h"
#include "suites.h"

#define MACHINES "tests/machines/"
#define MIB (UINT64_C(1) << 20)
#define LEVELS 4
/* Nothing disturbs simulated machines: two trials are as good as a hundred. */
#define PATIENCE 2

/* A row of Table I: what the paper's tools measured; 0: nothing. */
struct row {
	double line, ways, capacity_kib, latency;
};

/*
 * Profiles have the paper's latencies, and its documented line sizes and
 * capacities. Where it measured longer lines (Pentium 4, E5420, E7330, Merom: 128,
 * POWER7: 256) prefetchers brought neighbours, as it says itself; simulated ones
 * are off. Measured capacities are those of real page placements and of caches that
 * others share.
 */
static const struct {
	const char *name;
	struct row rows[LEVELS];
} systems[] = {
	{ "barcelona",
	  { { 64, 2, 64, 3 }, { 64, 0, 448, 12 }, { 64, 0, 1792, 46 } } },
	{ "opteron275", { { 64, 2, 64, 3 }, { 64, 0, 896, 17 } } },
	{ "magny-cours",
	  { { 64, 2, 64, 3 }, { 64, 0, 512, 13 }, { 64, 0, 5120, 32 } } },
	{ "agena",
	  { { 64, 2, 64, 3 }, { 64, 0, 448, 12 }, { 64, 0, 2048, 31 } } },
	{ "arm926ej-s", { { 32, 4, 16, 2 }, { 32, 0, 224, 15 } } },
	{ "cell", { { 128, 4, 32, 2 }, { 128, 0, 320, 20 } } },
	{ "power7",
	  { { 128, 8, 32, 1 },
	    { 128, 0, 256, 6 },
	    { 256, 0, 3072, 15 },
	    { 256, 0, 20480, 51 } } },
	{ "merom", { { 64, 8, 32, 3 }, { 128, 0, 1280, 14 } } },
	{ "mckinley",
	  { { 64, 4, 16, 2 }, { 128, 0, 256, 6 }, { 128, 0, 1024, 18 } } },
	{ "montecito",
	  { { 64, 4, 16, 2 }, { 128, 0, 256, 6 }, { 128, 0, 4096, 11 } } },
	{ "pentium4", { { 64, 4, 8, 4 }, { 128, 0, 256, 36 } } },
	{ "e5420", { { 64, 8, 32, 3 }, { 128, 0, 4096, 15 } } },
	{ "e5440", { { 64, 8, 32, 3 }, { 64, 0, 4096, 15 } } },
	{ "e5530",
	  { { 64, 8, 32, 4 }, { 64, 0, 224, 10 }, { 64, 0, 5120, 19 } } },
	{ "e7330", { { 64, 8, 32, 3 }, { 128, 0, 1792, 14 } } },
	{ "x3220", { { 64, 8, 32, 3 }, { 64, 0, 2560, 15 } } },
	{ "x5660",
	  { { 64, 8, 32, 4 }, { 64, 0, 224, 10 }, { 64, 0, 8192, 22 } } },
	{ "g4",
	  { { 32, 8, 32, 3 }, { 64, 0, 224, 10 }, { 128, 0, 1536, 32 } } },
	{ "g3", { { 32, 8, 32, 2 }, { 128, 0, 512, 20 } } },
	{ "ultrasparc-t1", { { 16, 4, 8, 4 }, { 64, 0, 3072, 23 } } },
};

#define SYSTEMS (int)(sizeof(systems) / sizeof(systems[0]))
#define CASES (2 * SYSTEMS)

static uint64_t seed(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

static struct profile *load(const char *name)
{
	struct failure f = { .text = "" };
	struct profile *p;
	char path[128];

	snprintf(path, sizeof(path), MACHINES "%s.json", name);
	p = profile_load(path, &f);
	ck_assert_msg(p != NULL, "%s", f.text);
	return p;
}

static struct machine *open_profile(struct profile *p, uint64_t bytes)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = bytes,
						 .seed = seed() };
	struct failure f = { .text = "" };
	struct machine *m = machine_open_profile(p, &request, &f);

	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

/* @m is closed. */
static void measure_patiently(struct machine *m, unsigned int patience,
			      struct side_result *r)
{
	const struct cooper_wanted wanted = { .patience = patience };
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed());
	ck_assert_msg(!cooper_measure(&p, &wanted, r, &f), "%s", f.text);
	ck_assert(r->complete);
	machine_close(m);
}

static void measure(struct machine *m, struct side_result *r)
{
	measure_patiently(m, PATIENCE, r);
}

/* What a level and those above it hold of a program's lines. */
static double together(const struct profile *p, size_t level)
{
	const struct profile_cache *c = &p->caches[level];
	double own = (double)c->capacity_bytes;

	return level && c->inclusion == PROFILE_EXCLUSIVE ?
		       own + together(p, level - 1) :
		       own;
}

static void print_row(const struct row *paper, const struct profile_cache *c,
		      const struct side_level *ours, size_t level)
{
	printf("  L%zu  %4.0f %4u %4.0f  %3.0f %3u %3.0f  %6.0f %6.0f %8.1f  %3.0f %3.0f %3.0f\n",
	       level + 1, paper->line, c->line_bytes, ours->line_bytes.value,
	       paper->ways, c->ways, ours->ways.value, paper->capacity_kib,
	       (double)c->capacity_bytes / 1024,
	       ours->capacity_bytes.value / 1024, paper->latency,
	       c->latency_cycles, ours->latency_cycles.value);
}

static void is(const struct parameter *p, double value, const char *what)
{
	ck_assert_msg(parameter_is_measured(p) && p->value == value,
		      "%s: %g, not %g: %s", what, p->value, value, p->reason);
}

/*
 * Never above what a program gets. What it gets of an exclusive level is more than
 * the level's own; where the levels above have fewer sets, that is not sharp, as
 * what they hold of each set is left to chance.
 */
static void check_capacity(const struct profile *p, size_t level,
			   const struct side_level *ours, bool random)
{
	const struct profile_cache *c = &p->caches[level];
	double own = (double)c->capacity_bytes,
	       value = ours->capacity_bytes.value;

	ck_assert_msg(parameter_is_measured(&ours->capacity_bytes), "%s",
		      ours->capacity_bytes.reason);
	ck_assert_msg(value <= together(p, level), "L%zu: %g KiB is too much",
		      level + 1, value / 1024);
	ck_assert_msg(value >= (random ? own / 2 : own - own / c->ways),
		      "L%zu: %g KiB is too little: %s", level + 1, value / 1024,
		      ours->capacity_bytes.reason);
}

/*
 * Where frames are random there is no footprint at which all pages hit in a level,
 * nor one at which all of them miss: a cycle at most.
 */
static void check_latency(const struct parameter *p, double cycles, bool random)
{
	ck_assert_msg(parameter_is_measured(p) &&
			      fabs(p->value - cycles) <= (random ? 1 : 0),
		      "latency: %g, not %g: %s", p->value, cycles, p->reason);
}

static void check_level(const struct profile *p, size_t level,
			const struct side_level *ours, bool random)
{
	const struct profile_cache *c = &p->caches[level];

	check_capacity(p, level, ours, random);
	is(&ours->line_bytes, c->line_bytes, "line size");
	check_latency(&ours->latency_cycles, c->latency_cycles, random);
	if (!level)
		is(&ours->ways, c->ways, "ways");
	else
		ck_assert_int_eq(ours->ways.status, PARAMETER_UNAVAILABLE);
}

/* A part of the cases, another one with each seed, all of them spread. */
static bool is_chosen(int i)
{
	uint64_t runs = from_environment("PROBE_PHYS_COOPER_RUNS", 6);

	return is_wanted((11 * (uint64_t)i + seed()) % CASES < runs) &&
	       is_in_part(i);
}

START_TEST(table_1_of_the_paper)
{
	bool random = _i % 2;
	double memory, most = 0;
	struct side_result r;
	struct profile *p, *truth;
	char name[64];

	if (!is_chosen(_i))
		return;
	snprintf(name, sizeof(name), "cs-%s", systems[_i / 2].name);
	p = load(name);
	truth = load(name);
	if (random)
		p->placement = PROFILE_RANDOM_4K;
	for (size_t i = 0; i < truth->cache_count; i++)
		most += (double)truth->caches[i].capacity_bytes;
	measure(open_profile(p, (uint64_t)(2.25 * most) + 4 * MIB), &r);
	printf("%s, %s frames, seed %llu\n      line: paper, truth, ours; ways; KiB; cycles\n",
	       name, random ? "random" : "contiguous",
	       (unsigned long long)seed());
	for (size_t i = 0; i < r.cache_count && i < truth->cache_count; i++)
		print_row(&systems[_i / 2].rows[i], &truth->caches[i],
			  &r.caches[i], i);
	is(&r.levels, (double)truth->cache_count, "levels");
	for (size_t i = 0; i < truth->cache_count; i++)
		check_level(truth, i, &r.caches[i], random);
	memory = truth->memory_latency_cycles;
	check_latency(&r.memory_latency_cycles, memory, random);
	side_result_free(&r);
	profile_free(truth);
}
END_TEST

static const struct sim_config two_levels = {
	.levels = { { .ways = 8, .sets = 64, .line_bytes = 64, .latency = 4 },
		    { .ways = 8,
		      .sets = 512,
		      .line_bytes = 64,
		      .latency = 14 } },
	.memory_latency = 200,
	.region_bytes = 2 * MIB,
};

START_TEST(too_little_memory)
{
	struct sim_config small = two_levels;
	struct side_result r;

	small.region_bytes = 32 << 10;
	measure(sim_open(&small), &r);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(r.levels.reason, "64 KiB"));
	ck_assert_uint_eq(r.cache_count, 0);
	side_result_free(&r);
}
END_TEST

/* All of the memory fits into the second level: it is not memory. */
START_TEST(last_cache_is_not_memory)
{
	struct sim_config small = two_levels;
	struct side_result r;

	small.region_bytes = 192 << 10;
	measure(sim_open(&small), &r);
	ck_assert_uint_eq(r.cache_count, 2);
	is(&r.caches[0].capacity_bytes, 32 << 10, "L1");
	is(&r.caches[1].latency_cycles, 14, "L2");
	ck_assert_int_eq(r.caches[1].capacity_bytes.status,
			 PARAMETER_UNDECIDED);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_int_eq(r.memory_latency_cycles.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(
		strstr(r.memory_latency_cycles.reason, "give more memory"));
	side_result_free(&r);
}
END_TEST

START_TEST(no_cache_at_all)
{
	const struct sim_config none = { .memory_latency = 50,
					 .region_bytes = MIB };
	struct side_result r;

	measure(sim_open(&none), &r);
	ck_assert_uint_eq(r.cache_count, 0);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(r.levels.reason, "no footprint"));
	side_result_free(&r);
}
END_TEST

/* Gaps of a hashed level mean nothing, and more ways than are tried neither. */
START_SLOW_TEST(gap_test_is_defeated)
{
	static const char *const names[] = { "adv-hashed-l1", "adv-128way-l1" };
	struct side_result r;

	measure(open_profile(load(names[_i]), 8 * MIB), &r);
	ck_assert_uint_ge(r.cache_count, 1);
	ck_assert_msg(r.caches[0].ways.status == PARAMETER_UNDECIDED,
		      "%g ways: %s", r.caches[0].ways.value,
		      r.caches[0].ways.reason);
	ck_assert_ptr_nonnull(strstr(r.caches[0].ways.reason, "defeat"));
	side_result_free(&r);
}
END_TEST

static volatile sig_atomic_t stop;

static void stop_at(void *context, const char *what, double done)
{
	(void)done;
	if (strstr(what, context))
		stop = 1;
}

/* In each part: what was finished before stays. */
START_TEST(stopped)
{
	static const struct {
		const char *at;
		bool levels, line;
	} parts[] = {
		{ "gap test", false, false },
		{ "footprints C(k): trial 2", false, false },
		{ "line sizes", true, false },
		{ "latencies", true, true },
	};
	const struct cooper_wanted wanted = { .patience = PATIENCE };
	struct failure f = { .text = "" };
	struct machine *m = sim_open(&two_levels);
	struct side_result r;
	struct prober p;

	stop = 0;
	prober_begin(&p, m, seed());
	p.stop = &stop;
	p.progress = stop_at;
	p.progress_context = (void *)(uintptr_t)parts[_i].at;
	ck_assert_int_eq(cooper_measure(&p, &wanted, &r, &f), -EINTR);
	ck_assert(!r.complete);
	ck_assert_int_eq(parameter_is_measured(&r.levels), parts[_i].levels);
	ck_assert_uint_eq(r.cache_count, parts[_i].levels ? 2 : 0);
	if (parts[_i].levels)
		is(&r.caches[0].capacity_bytes, 32 << 10, "L1");
	ck_assert_int_eq(parameter_is_measured(&r.caches[0].line_bytes),
			 parts[_i].line);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/* Bursts and jitter only make strings slower: the least of many is quiet. */
START_TEST(noise)
{
	struct sim_config noisy = two_levels;
	struct side_result r;

	noisy.jitter = 300;
	noisy.burst = 0.3;
	noisy.burst_cycles = 50000;
	noisy.seed = seed();
	measure_patiently(sim_open(&noisy), 12, &r);
	is(&r.levels, 2, "levels");
	is(&r.caches[0].capacity_bytes, 32 << 10, "L1");
	is(&r.caches[0].ways, 8, "ways");
	is(&r.caches[0].latency_cycles, 4, "L1");
	is(&r.caches[1].capacity_bytes, 256 << 10, "L2");
	is(&r.caches[1].line_bytes, 64, "L2 line");
	side_result_free(&r);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("caches");

	suite_add_tcase(suite, make_cooper_time_case());
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, table_1_of_the_paper, 0, CASES);
	tcase_add_test(t, too_little_memory);
	tcase_add_test(t, last_cache_is_not_memory);
	tcase_add_test(t, no_cache_at_all);
	tcase_add_loop_test(t, gap_test_is_defeated, 0, 2);
	tcase_add_loop_test(t, stopped, 0, 4);
	tcase_add_test(t, noise);
	suite_add_tcase(suite, t);
	return suite;
}
