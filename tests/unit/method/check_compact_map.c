// SPDX-License-Identifier: GPL-2.0
/* check_compact_map.c - maps of compactness of machines that are known. */
#include <stdio.h>

#include "kit/disturber.h"
#include "kit/simcache.h"
#include "method/compact_map.h"
#include "method/level/resident_lines.h"
#include "result/result.h"
#include "suites.h"

#define PAGE_BYTES 4096
/* What nothing is known of is taken for. */
#define LONGEST_LINE_BYTES 256

static uint64_t seed;

/* As X-Ray would have found it. */
static void know(struct hierarchy *h, const struct sim_level *level)
{
	struct cache_result *c = hierarchy_add(h);
	double sets = level->sets;

	parameter_measured(&c->ways, level->ways, 1e-6, "x-ray");
	parameter_measured(&c->line_bytes, level->line_bytes, 1e-6, "x-ray");
	parameter_measured(&c->sets, sets, 1e-6, "x-ray");
	parameter_measured(&c->capacity_bytes,
			   level->ways * sets * level->line_bytes, 1e-6,
			   "x-ray");
	parameter_measured(&c->index_decision, 1, 1e-6, "x-ray");
	c->index = level->masks[0] ? INDEX_HASHED : INDEX_LINEAR;
}

static void know_all(struct hierarchy *h, const struct sim_config *config)
{
	hierarchy_init(h);
	for (size_t i = 0; i < SIM_LEVELS && config->levels[i].ways; i++)
		know(h, &config->levels[i]);
}

static int map_of(const struct sim_config *config, const struct hierarchy *h,
		  size_t level, double most_loads, struct compactness_map *map)
{
	struct machine *m = sim_open(config);
	struct failure f = { .text = "" };
	struct prober prober;
	int error;

	prober_begin(&prober, m, seed);
	error = compact_map_measure(&prober, h, level, most_loads, map, &f);
	ck_assert_msg(!error, "%s", f.text);
	ck_assert_msg(!f.text[0], "%s", f.text);
	machine_close(m);
	return error;
}

/* Lines that fit: by definition, not by what the map says of itself. */
static size_t boundary(const struct sim_level *level, uint64_t stride)
{
	uint64_t way = (uint64_t)level->sets * level->line_bytes;
	size_t sets = 0;

	for (uint64_t at = 0; at < way; at += stride)
		sets++;
	return sets * level->ways;
}

/* A miss may be one of translations where the first level has no lines enough
 * to look at them alone, one of @line_bytes for each page.
 */
static bool has_many_pages(const struct sim_level *level, uint64_t line_bytes,
			   uint64_t stride, size_t count)
{
	size_t lines =
		level->ways * level->sets * level->line_bytes / line_bytes;

	return 2 * count * stride > lines * PAGE_BYTES || 2 * count > lines;
}

/*
 * Every verdict right, at least @least of them, on both sides of the line.
 * @line_bytes: what the first level's is taken for
 */
static void expect_right(const struct compactness_map *map,
			 const struct sim_config *config, uint64_t line_bytes,
			 size_t least)
{
	const struct sim_level *level = &config->levels[map->level - 1];
	size_t decided = 0, compact = 0;

	for (size_t cell = 0; cell < map->stride_count * map->count_count;
	     cell++) {
		size_t i = cell / map->count_count, k = cell % map->count_count;
		const struct compact_cell *c = &map->cells[i][k];
		bool fits = map->counts[k] <= boundary(level, map->strides[i]);

		if (!c->tested)
			continue;
		if (!fits && c->verdict == VERDICT_UNDECIDED &&
		    has_many_pages(&config->levels[0], line_bytes,
				   map->strides[i], map->counts[k]))
			continue;
		decided++;
		compact += c->verdict == VERDICT_COMPACT;
		ck_assert_msg(
			c->verdict ==
				(fits ? VERDICT_COMPACT : VERDICT_NON_COMPACT),
			"L%d: %zu elements %llu bytes apart: verdict %d, fits %d (seed %llu)",
			map->level, map->counts[k],
			(unsigned long long)map->strides[i], c->verdict, fits,
			(unsigned long long)seed);
	}
	ck_assert_msg(decided >= least, "%zu decided", decided);
	ck_assert(compact && compact < decided);
}

static void expect_exact(const struct compactness_map *map,
			 const struct sim_config *config, size_t least)
{
	expect_right(map, config, config->levels[0].line_bytes, least);
}

static void expect_line(const struct compactness_map *map,
			const struct sim_level *level)
{
	ck_assert_uint_eq(map->ways, level->ways);
	for (size_t i = 0; i < map->stride_count; i++)
		ck_assert_uint_eq(compact_map_boundary(map, map->strides[i]),
				  boundary(level, map->strides[i]));
}

static const struct sim_config first[] = {
	{ .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 16, 1024, 64, 14, SIM_LRU, false, { 0 } } },
	  .memory_latency = 200,
	  .seed = 1 },
	{ .levels = { { 12, 64, 64, 5, SIM_BIT_PLRU, false, { 0 } },
		      { 8, 1024, 64, 14, SIM_LRU, false, { 0 } } },
	  .memory_latency = 200,
	  .jitter = 30,
	  .burst = 0.02,
	  .burst_cycles = 20000,
	  .seed = 1 },
	{ .levels = { { 6, 64, 64, 3, SIM_RANDOM, false, { 0 } } },
	  .memory_latency = 100,
	  .seed = 1 },
	{ .levels = { { 1, 256, 32, 3, SIM_LRU, false, { 0 } } },
	  .memory_latency = 60,
	  .seed = 1 },
	{ .levels = { { 4, 128, 64, 4, SIM_FIFO, false, { 0 } } },
	  .memory_latency = 100,
	  .seed = 1 },
};

START_TEST(first_level)
{
	const struct sim_config *config = &first[_i];
	struct compactness_map map;
	struct hierarchy h;

	know_all(&h, config);
	map_of(config, &h, 1, 0, &map);
	expect_exact(&map, config, 80);
	expect_line(&map, &config->levels[0]);
	ck_assert_msg(map.complete, "%s", map.reason);
	ck_assert(map.loads > 0);
}
END_TEST

/* Not as many as hits are compared with. */
#define SLOW_ELEMENTS 32

/* Their twin, which shows what translations cost, has several words of a line. */
static bool is_of_lines(const struct sequence *s)
{
	for (size_t i = 1; i < s->length; i++)
		if ((s->offsets[i] ^ s->offsets[0]) % 64)
			return false;
	return true;
}

static void slow_down(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	if (s->length != SLOW_ELEMENTS || !is_of_lines(s))
		return;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks *= 3;
}

/* As on a machine of which others hold some sets: this number of elements misses
 * at any stride, and twice the number does not.
 */
START_TEST(more_elements_fit)
{
	struct machine *m = sim_open(&first[0]);
	struct failure f = { .text = "" };
	struct compactness_map map;
	size_t doubted = 0, missed = 0;
	struct prober prober;
	struct hierarchy h;

	know_all(&h, &first[0]);
	after_walks(m, slow_down);
	prober_begin(&prober, m, seed);
	ck_assert(!compact_map_measure(&prober, &h, 1, 0, &map, &f));
	for (size_t i = 0; i < map.stride_count; i++) {
		size_t k = 0;

		while (map.counts[k] != SLOW_ELEMENTS)
			k++;
		if (map.cells[i][k + 1].verdict == VERDICT_COMPACT) {
			ck_assert_int_eq(map.cells[i][k].verdict,
					 VERDICT_UNDECIDED);
			doubted++;
		} else {
			missed += map.cells[i][k].verdict ==
				  VERDICT_NON_COMPACT;
		}
	}
	ck_assert_uint_eq(doubted, 4);
	ck_assert_uint_gt(missed, 3);
	machine_close(m);
}
END_TEST

static const struct sim_config lower[] = {
	{ .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 8, 512, 64, 10, SIM_LRU, false, { 0 } },
		      { 16, 8192, 64, 40, SIM_LRU, false, { 0 } } },
	  .memory_latency = 200,
	  .seed = 1 },
	{ .levels = { { 12, 64, 64, 5, SIM_LRU, false, { 0 } },
		      { 16, 1024, 64, 14, SIM_TREE_PLRU, false, { 0 } } },
	  .memory_latency = 300,
	  .seed = 1 },
};

/* Some cells are not measured: lines of few sets do not get past the first level. */
START_TEST(second_level)
{
	const struct sim_config *config = &lower[_i];
	struct compactness_map map;
	struct hierarchy h;

	know_all(&h, config);
	map_of(config, &h, 2, 2e7, &map);
	expect_exact(&map, config, 50);
	expect_line(&map, &config->levels[1]);
}
END_TEST

/* What X-Ray says is drawn beside the answers, and is not one of them. */
START_TEST(xray_is_drawn_beside)
{
	struct sim_level wrong = first[0].levels[0];
	struct compactness_map map;
	struct hierarchy h;

	hierarchy_init(&h);
	wrong.ways = 4;
	wrong.sets = 128;
	know(&h, &wrong);
	map_of(&first[0], &h, 1, 0, &map);
	expect_exact(&map, &first[0], 80);
	ck_assert_uint_eq(map.ways, 4);
	ck_assert_uint_eq(compact_map_boundary(&map, 4096), 8);
}
END_TEST

START_TEST(nothing_known)
{
	struct compactness_map map;
	struct hierarchy h;

	hierarchy_init(&h);
	map_of(&first[0], &h, 1, 0, &map);
	expect_right(&map, &first[0], LONGEST_LINE_BYTES, 60);
	ck_assert_uint_eq(map.ways, 0);
	ck_assert_uint_eq(compact_map_boundary(&map, 4096), 0);
}
END_TEST

/* Of a hashed level no line is drawn, and what lies below has no map. */
START_TEST(hashed_above)
{
	struct sim_config config = lower[0];
	struct compactness_map map;
	struct hierarchy h;

	config.levels[0].masks[0] = 0x40 | 0x1000;
	know_all(&h, &config);
	map_of(&config, &h, 2, 0, &map);
	ck_assert_uint_eq(map.stride_count, 0);
	ck_assert_ptr_nonnull(strstr(map.reason, "L1"));
	ck_assert(!map.complete);
	map_of(&config, &h, 4, 0, &map);
	ck_assert_uint_eq(map.stride_count, 0);
	ck_assert(map.reason[0]);
}
END_TEST

START_TEST(bounded_cost)
{
	struct compactness_map whole, part;
	struct hierarchy h;
	size_t tested = 0;

	know_all(&h, &first[0]);
	map_of(&first[0], &h, 1, 0, &whole);
	map_of(&first[0], &h, 1, whole.loads / 2, &part);
	ck_assert(!part.complete);
	ck_assert(part.reason[0]);
	ck_assert(part.loads < 0.75 * whole.loads);
	for (size_t i = 0; i < part.stride_count; i++)
		for (size_t k = 0; k < part.count_count; k++)
			tested += part.cells[i][k].tested;
	ck_assert(tested && tested < part.stride_count * part.count_count);
	expect_exact(&part, &first[0], 12);
}
END_TEST

/* What does not fit into memory is not measured, and has no verdict. */
START_TEST(little_memory)
{
	struct sim_config config = first[0];
	struct compactness_map map;
	struct hierarchy h;

	config.region_bytes = 256 << 10;
	know_all(&h, &config);
	map_of(&config, &h, 1, 0, &map);
	expect_exact(&map, &config, 30);
	for (size_t i = 0; i < map.stride_count; i++)
		for (size_t k = 0; k < map.count_count; k++)
			if ((map.counts[k] - 1) * map.strides[i] >=
			    config.region_bytes)
				ck_assert(!map.cells[i][k].tested);
}
END_TEST

START_TEST(interrupted)
{
	struct machine *m = sim_open(&first[0]);
	struct failure f = { .text = "" };
	const volatile sig_atomic_t stop = 1;
	struct compactness_map map;
	struct prober prober;
	struct hierarchy h;

	know_all(&h, &first[0]);
	prober_begin(&prober, m, seed);
	prober.stop = &stop;
	ck_assert_int_eq(compact_map_measure(&prober, &h, 1, 0, &map, &f),
			 -EINTR);
	ck_assert(!map.complete);
	ck_assert(map.reason[0]);
	ck_assert_uint_eq(map.stride_count, 0);
	machine_close(m);
}
END_TEST

static void set_seed(void)
{
	seed = from_environment("PROBE_PHYS_SEED", 1);
	printf("compact-map: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
}

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create("boundary");

	tcase_add_unchecked_fixture(tc, set_seed, NULL);
	tcase_add_loop_test(tc, first_level, 0,
			    sizeof(first) / sizeof(first[0]));
	tcase_add_test(tc, more_elements_fit);
	tcase_add_loop_test(tc, second_level, 0,
			    sizeof(lower) / sizeof(lower[0]));
	tcase_add_test(tc, xray_is_drawn_beside);
	tcase_add_test(tc, nothing_known);
	suite_add_tcase(suite, tc);
	tc = tcase_create("limits");
	tcase_add_unchecked_fixture(tc, set_seed, NULL);
	tcase_add_test(tc, hashed_above);
	tcase_add_test(tc, bounded_cost);
	tcase_add_test(tc, little_memory);
	tcase_add_test(tc, interrupted);
	suite_add_tcase(suite, tc);
	return suite;
}
