// SPDX-License-Identifier: GPL-2.0
/* check_quiet.c - X-Ray on quiet simulated machines whose answers are known. */
#include "method/levels/levels.h"
#include "kit/simcache.h"
#include "method/level/level.h"
#include "suites.h"

#define KIB 1024u

/**
 * struct profile - a machine and what must come out, 0: undecided
 * @ways: the level's own
 * @effective_ways: what X-Ray's paper would print
 */
struct profile {
	const char *name;
	struct sim_config config;
	struct {
		unsigned int ways;
		unsigned int capacity_kib;
		unsigned int line_bytes;
		unsigned int sets;
		unsigned int effective_ways;
	} expect[SIM_LEVELS];
};

static const struct profile profiles[] = {
	{ "three linear levels (Nehalem's caches)",
	  { .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
			{ 8, 512, 64, 10, SIM_LRU, false, { 0 } },
			{ 16, 8192, 64, 40, SIM_LRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 8, 32, 64, 64, 0 },
	    { 8, 256, 64, 512, 8 },
	    { 16, 8192, 64, 8192, 16 } } },
	{ "L2 with fewer ways than L1 (Skylake)",
	  { .levels = { { 8, 64, 64, 4, SIM_TREE_PLRU, false, { 0 } },
			{ 4, 1024, 64, 12, SIM_LRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 8, 32, 64, 64, 0 }, { 4, 256, 64, 1024, 4 } } },
	{ "12 ways, 48 KiB (Ice Lake, Zen 5)",
	  { .levels = { { 12, 64, 64, 5, SIM_LRU, false, { 0 } },
			{ 20, 1024, 64, 14, SIM_LRU, false, { 0 } } },
	    .memory_latency = 300,
	    .seed = 1 },
	  { { 12, 48, 64, 64, 0 }, { 20, 1280, 64, 1024, 20 } } },
	{ "24-way 6 MiB L3, lines differ (Itanium 2)",
	  { .levels = { { 4, 64, 64, 2, SIM_LRU, false, { 0 } },
			{ 8, 256, 128, 5, SIM_LRU, false, { 0 } },
			{ 24, 2048, 128, 14, SIM_LRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 4, 16, 64, 64, 0 },
	    { 8, 256, 128, 256, 8 },
	    { 24, 6144, 128, 2048, 24 } } },
	{ "128 ways above 8 (Power 3)",
	  { .levels = { { 128, 4, 128, 2, SIM_LRU, false, { 0 } },
			{ 8, 8192, 128, 9, SIM_LRU, false, { 0 } } },
	    .memory_latency = 100,
	    .seed = 1 },
	  { { 128, 64, 128, 4, 0 }, { 8, 8192, 128, 8192, 8 } } },
	{ "direct mapped",
	  { .levels = { { 1, 256, 32, 3, SIM_LRU, false, { 0 } } },
	    .memory_latency = 60,
	    .seed = 1 },
	  { { 1, 8, 32, 256, 0 } } },
	{ "exclusive L2 (Athlon MP: 18 effective ways, 576 KiB)",
	  { .levels = { { 2, 512, 64, 3, SIM_LRU, false, { 0 } },
			{ 16, 512, 64, 20, SIM_LRU, true, { 0 } } },
	    .memory_latency = 180,
	    .seed = 1 },
	  { { 2, 64, 64, 512, 0 }, { 0, 0, 64, 512, 18 } } },
	{ "random replacement in L1",
	  { .levels = { { 8, 64, 64, 4, SIM_RANDOM, false, { 0 } } },
	    .memory_latency = 100,
	    .seed = 1 },
	  { { 8, 32, 64, 64, 0 } } },
	{ "bit-PLRU in L1",
	  { .levels = { { 8, 64, 64, 4, SIM_BIT_PLRU, false, { 0 } } },
	    .memory_latency = 100,
	    .seed = 1 },
	  { { 8, 32, 64, 64, 0 } } },
	{ "FIFO in L1",
	  { .levels = { { 4, 128, 64, 4, SIM_FIFO, false, { 0 } } },
	    .memory_latency = 100,
	    .seed = 1 },
	  { { 4, 32, 64, 128, 0 } } },
};

static void measure(const struct sim_config *config, uint64_t seed,
		    struct hierarchy *found)
{
	struct machine *m = sim_open(config);
	struct failure f = { .text = "" };
	struct prober prober;

	prober_begin(&prober, m, seed);
	ck_assert_msg(xray_measure(&prober, found, &f) == 0, "%s", f.text);
	ck_assert(found->complete);
	machine_close(m);
}

static void expect(const char *machine, int level, const char *name,
		   const struct parameter *p, unsigned int wanted)
{
	if (!wanted) {
		ck_assert_msg(p->status == PARAMETER_UNDECIDED && p->reason[0],
			      "%s: L%d %s: %g instead of undecided", machine,
			      level, name, p->value);
		return;
	}
	ck_assert_msg(p->status == PARAMETER_MEASURED,
		      "%s: L%d %s: not decided: %s", machine, level, name,
		      p->reason);
	ck_assert_msg(p->value == wanted, "%s: L%d %s: %g instead of %u",
		      machine, level, name, p->value, wanted);
	ck_assert(p->error_bound > 0 && p->error_bound < 1e-3);
}

static void check_level(const struct profile *p, const struct hierarchy *found,
			size_t i)
{
	const struct cache_result *c = &found->caches[i];
	const struct sim_level *l = &p->config.levels[i];

	expect(p->name, c->level, "ways", &c->ways, p->expect[i].ways);
	expect(p->name, c->level, "capacity", &c->capacity_bytes,
	       p->expect[i].capacity_kib * KIB);
	expect(p->name, c->level, "line", &c->line_bytes,
	       p->expect[i].line_bytes);
	expect(p->name, c->level, "sets", &c->sets, p->expect[i].sets);
	ck_assert_int_eq(c->index, INDEX_LINEAR);
	if (i)
		expect(p->name, c->level, "effective ways", &c->effective_ways,
		       p->expect[i].effective_ways);
	ck_assert_msg(c->latency_cycles.value == l->latency,
		      "%s: L%d latency: %g instead of %u", p->name, c->level,
		      c->latency_cycles.value, l->latency);
}

START_TEST(linear)
{
	if (!is_in_part(_i))
		return;

	const struct profile *p = &profiles[_i];
	struct hierarchy found;
	size_t levels = 0;

	while (levels < SIM_LEVELS && p->config.levels[levels].ways)
		levels++;
	measure(&p->config, (uint64_t)_i + 1, &found);
	ck_assert_msg(found.cache_count == levels, "%s: %zu levels found",
		      p->name, found.cache_count);
	for (size_t i = 0; i < levels; i++)
		check_level(p, &found, i);
	ck_assert(found.memory_latency_cycles.value ==
		  p->config.memory_latency);
}
END_TEST

/* An XOR of higher address bits into every set bit, as in Zen's L2. */
static const struct sim_config hashed = {
	.levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		    { 8,
		      2048,
		      64,
		      14,
		      SIM_LRU,
		      false,
		      { 0x0884040, 0x1108080, 0x2210100, 0x4420200, 0x8840400,
			0x1080800, 0x2101000, 0x4202000, 0x8404000, 0x0808000,
			0x1010000 } } },
	.memory_latency = 200,
	.tlb_entries = 72,
	.tlb_penalty = 7,
	.seed = 1,
};

START_TEST(hashed_is_undecided)
{
	if (!is_in_part_of(_i, 3))
		return;

	struct hierarchy found;

	measure(&hashed, (uint64_t)_i, &found);
	ck_assert(found.caches[0].ways.value == 8);
	ck_assert(found.caches[0].capacity_bytes.value == 32 * KIB);
	ck_assert_int_eq(found.caches[1].ways.status, PARAMETER_UNDECIDED);
	ck_assert_int_eq(found.caches[1].capacity_bytes.status,
			 PARAMETER_UNDECIDED);
	ck_assert_msg(strstr(found.caches[1].ways.reason, "hashed"), "%s",
		      found.caches[1].ways.reason);
	ck_assert(found.caches[1].latency_cycles.value == 14);
	/* Nothing shows that there is another one. */
	ck_assert_uint_eq(found.cache_count, 2);
}
END_TEST

/* Bits folded onto the set bits: beyond them strides see a linear index of
 * four times the way size.
 */
static const struct sim_config folded[] = {
	{ .levels = { { 4,
			64,
			64,
			4,
			SIM_LRU,
			false,
			{ 0x1040, 0x2080, 0x100, 0x200, 0x400, 0x800 } } },
	  .memory_latency = 100,
	  .seed = 1 },
	{ .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 8,
			512,
			64,
			14,
			SIM_LRU,
			false,
			{ 0x8040, 0x10080, 0x100, 0x200, 0x400, 0x800, 0x1000,
			  0x2000, 0x4000 } } },
	  .memory_latency = 200,
	  .seed = 1 },
};

START_TEST(folded_is_hashed)
{
	const struct sim_level *level = &folded[_i].levels[_i];
	struct hierarchy found;
	const struct cache_result *c = &found.caches[_i];

	/* One seed may distinguish hits from misses only after L1 was measured. */
	measure(&folded[_i], 1, &found);
	if (!c->sets.value)
		measure(&folded[_i], 2, &found);
	ck_assert_msg(c->ways.value == level->ways, "%s", c->ways.reason);
	ck_assert_msg(c->sets.value == level->sets, "%s", c->sets.reason);
	ck_assert(c->capacity_bytes.value == level->ways * level->sets * 64);
	ck_assert_int_eq(c->index, INDEX_HASHED);
	ck_assert_str_eq(c->ways.method, "eviction sets");
}
END_TEST

/* The same time for everything: there is no cache to be found. */
START_TEST(no_cache)
{
	const struct sim_config flat = { .memory_latency = 4, .seed = 1 };
	struct hierarchy found;

	measure(&flat, 1, &found);
	for (size_t i = 0; i < found.cache_count; i++) {
		ck_assert_int_ne(found.caches[i].ways.status,
				 PARAMETER_MEASURED);
		ck_assert_int_ne(found.caches[i].capacity_bytes.status,
				 PARAMETER_MEASURED);
	}
}
END_TEST

START_TEST(flush_is_ignored)
{
	struct sim_config config = profiles[0].config;
	struct hierarchy found;

	config.no_flush = true;
	measure(&config, 1, &found);
	ck_assert_int_eq(found.memory_latency_cycles.status,
			 PARAMETER_UNDECIDED);
	ck_assert(found.caches[0].ways.value == 8);
	/* Lines of memory are no level, though its latency is undecided. */
	for (size_t i = 3; i < found.cache_count; i++)
		ck_assert_int_ne(found.caches[i].latency_ns.status,
				 PARAMETER_MEASURED);
}
END_TEST

/* Caches are the same, whosever memory is walked; memory is not. */
START_TEST(memory_is_remote)
{
	struct machine *m = sim_open(&profiles[0].config);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	m->region.remote = true;
	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_int_eq(found.memory_latency_cycles.status,
			 PARAMETER_UNDECIDED);
	ck_assert_int_eq(found.memory_latency_ns.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(
		strstr(found.memory_latency_cycles.reason, "NUMA"));
	ck_assert_uint_eq(found.cache_count, 3);
	ck_assert(found.caches[2].ways.value == 16);
	machine_close(m);
}
END_TEST

/* Lines of a page each miss translations before they miss the first level; at
 * strides within a page they do not.
 */
static const struct profile near[] = {
	{ "one set of 32 lines",
	  { .levels = { { 32, 1, 64, 4, SIM_TREE_PLRU, false, { 0 } },
			{ 8, 512, 64, 12, SIM_LRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 32, 2, 64, 1, 0 }, { 8, 256, 64, 512, 8 } } },
	{ "one set of 64 lines of 128 bytes",
	  { .levels = { { 64, 1, 128, 4, SIM_LRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 64, 8, 128, 1, 0 } } },
	{ "one set of 64 short lines, tree-PLRU",
	  { .levels = { { 64, 1, 32, 4, SIM_TREE_PLRU, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 64, 2, 32, 1, 0 } } },
	{ "two sets of 32 lines",
	  { .levels = { { 32, 2, 64, 4, SIM_FIFO, false, { 0 } } },
	    .memory_latency = 200,
	    .seed = 1 },
	  { { 32, 4, 64, 2, 0 } } },
	{ "8 ways of 1 KiB and 6 translations",
	  { .levels = { { 8, 16, 64, 4, SIM_TREE_PLRU, false, { 0 } } },
	    .memory_latency = 200,
	    .tlb_entries = 6,
	    .tlb_penalty = 12,
	    .seed = 1 },
	  { { 8, 8, 64, 16, 0 } } },
	{ "8 ways of a page and 10 translations",
	  { .levels = { { 8, 64, 64, 4, SIM_TREE_PLRU, false, { 0 } } },
	    .memory_latency = 200,
	    .tlb_entries = 10,
	    .tlb_penalty = 12,
	    .seed = 1 },
	  { { 8, 32, 64, 64, 0 } } },
};

START_TEST(near_lines)
{
	if (!is_in_part_of(_i, sizeof(near) / sizeof(near[0])))
		return;

	const struct profile *p = &near[_i];
	struct hierarchy found;

	measure(&p->config, (uint64_t)_i + 1, &found);
	for (size_t i = 0; i < SIM_LEVELS && p->expect[i].ways; i++)
		check_level(p, &found, i);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("quiet");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, linear, 0,
			    sizeof(profiles) / sizeof(profiles[0]));
	tcase_add_loop_test(t, hashed_is_undecided, 1, 4);
	tcase_add_loop_test(t, folded_is_hashed, 0, 2);
	tcase_add_test(t, no_cache);
	tcase_add_test(t, flush_is_ignored);
	tcase_add_test(t, memory_is_remote);
	tcase_add_loop_test(t, near_lines, 0, sizeof(near) / sizeof(near[0]));
	suite_add_tcase(suite, t);
	return suite;
}
