// SPDX-License-Identifier: GPL-2.0
/* check_survivors.c - ways of a hashed level, on simulated machines. */
#include "method/survivors/survivors.h"

#include <math.h>
#include <string.h>

#include "kit/disturber.h"
#include "kit/simcache.h"
#include "suites.h"

#define SEEDS 2
/* Lines of 64 bytes. */
#define LEVEL(w, s, cycles, replaces)                              \
	.ways = w, .sets = s, .line_bytes = 64, .latency = cycles, \
	.policy = replaces
#define L1                               \
	{                                \
		LEVEL(8, 64, 4, SIM_LRU) \
	}
/* 64 lines of a page, and a bit of pages: two sets of each place. */
#define MASKS                                                           \
	{                                                               \
		0x11040, 0x22080, 0x44100, 0x88200, 0x110400, 0x220800, \
			0x44d000                                        \
	}
#define L2(replaces)                                        \
	{                                                   \
		LEVEL(8, 128, 14, replaces), .masks = MASKS \
	}
/* Eight sets of each set of L2. */
#define BELOW                                                           \
	{                                                               \
		0x11040, 0x22080, 0x44100, 0x88200, 0x110400, 0x220800, \
			0x44d000, 0x993000, 0x1266000, 0xa25000         \
	}

/* Thirty-two sets of each. */
#define MANY                                                               \
	{                                                                  \
		0x11040, 0x22080, 0x44100, 0x88200, 0x110400, 0x220800,    \
			0x44d000, 0x993000, 0x1266000, 0xa25000, 0x40c000, \
			0x2018000                                          \
	}

/* Eight sets of each set of L2 that strides find. */
#define SLICED                                                            \
	{                                                                 \
		0x40, 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000, 0x993000, \
			0x1266000, 0xa25000                               \
	}

/**
 * struct example - a machine
 * @ways: that have to be found; 0: none
 */
struct example {
	const char *name;
	struct sim_config config;
	size_t ways;
};

static const struct example examples[] = {
	{ "LRU",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(16, 1024, 50, SIM_LRU), .masks = BELOW } },
	    .memory_latency = 250,
	    .region_bytes = 256 << 20 },
	  16 },
	{ "random replacement",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(11, 4096, 50, SIM_RANDOM), .masks = MANY } },
	    .memory_latency = 250 },
	  11 },
	{ "a tree, and random replacement above",
	  { .levels = { L1,
			L2(SIM_RANDOM),
			{ LEVEL(16, 1024, 50, SIM_TREE_PLRU), .masks = BELOW } },
	    .memory_latency = 250,
	    .region_bytes = 256 << 20 },
	  16 },
	{ "exclusive, with noise",
	  { .levels = { L1,
			L2(SIM_TREE_PLRU),
			{ LEVEL(12, 1024, 40, SIM_LRU), .masks = BELOW,
			  .exclusive = true } },
	    .memory_latency = 250,
	    .jitter = 100,
	    .burst = 0.05,
	    .burst_cycles = 200000,
	    .region_bytes = 256 << 20 },
	  12 },
	{ "strides above",
	  { .levels = { L1,
			{ LEVEL(8, 128, 14, SIM_LRU) },
			{ LEVEL(16, 1024, 50, SIM_LRU), .masks = SLICED } },
	    .memory_latency = 250,
	    .region_bytes = 256 << 20 },
	  16 },
	{ "no more sets than above",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(32, 128, 50, SIM_LRU), .masks = MASKS } },
	    .memory_latency = 250,
	    .region_bytes = 256 << 20 },
	  0 },
	{ "few ways above",
	  { .levels = { { LEVEL(2, 64, 4, SIM_LRU) },
			{ LEVEL(2, 128, 14, SIM_LRU), .masks = MASKS },
			{ LEVEL(8, 1024, 50, SIM_LRU), .masks = BELOW } },
	    .memory_latency = 250,
	    .region_bytes = 256 << 20 },
	  0 },
	{ "too little memory",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(16, 1024, 50, SIM_LRU), .masks = BELOW } },
	    .memory_latency = 250,
	    .region_bytes = 64 << 20 },
	  0 },
	{ "no flushes",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(16, 1024, 50, SIM_LRU), .masks = BELOW } },
	    .memory_latency = 250,
	    .no_flush = true,
	    .region_bytes = 256 << 20 },
	  0 },
};

static uint64_t set_of(const struct sim_level *l, uint64_t line)
{
	uint64_t set = 0;

	for (int i = 0; i < SIM_MASKS && l->masks[i]; i++)
		set |= (uint64_t)__builtin_parityll(line & l->masks[i]) << i;
	return set;
}

static void know(struct cache_result *c, const struct sim_level *l)
{
	parameter_measured(&c->ways, l->ways, 0, "test");
	parameter_measured(&c->latency_ns, l->latency, 0, "test");
	parameter_measured(&c->capacity_bytes,
			   (double)l->ways * l->sets * l->line_bytes, 0,
			   "test");
	c->index = l->masks[0] ? INDEX_HASHED : INDEX_LINEAR;
	parameter_measured(&c->index_decision, 0, 0, "test");
	for (uint64_t line = 0;
	     l->masks[0] && c->set_line_count < RESULT_SET_LINES; line += 4096)
		if (!set_of(l, line))
			c->set_lines[c->set_line_count++] = line;
}

/* What is known when survivors are looked for. */
static void know_levels(struct hierarchy *h, const struct sim_config *config)
{
	struct cache_result *c;

	hierarchy_init(h);
	for (int i = 0; i < 2; i++)
		know(hierarchy_add(h), &config->levels[i]);
	c = hierarchy_add(h);
	cache_result_leave_open(c, "test", "not known");
	parameter_measured(&c->latency_ns, config->levels[2].latency, 0,
			   "test");
	parameter_measured(&h->memory_latency_ns, config->memory_latency, 0,
			   "test");
}

static void expect(const struct example *e, const struct parameter *ways)
{
	if (!e->ways) {
		ck_assert_msg(!parameter_is_measured(ways) && ways->reason[0],
			      "%s: %g ways", e->name, ways->value);
		return;
	}
	ck_assert_msg(parameter_is_measured(ways), "%s: %s", e->name,
		      ways->reason);
	ck_assert_msg(ways->value == (double)e->ways,
		      "%s: %g ways instead of %zu", e->name, ways->value,
		      e->ways);
	ck_assert(ways->error_bound > 0 && ways->error_bound < 1e-3);
}

/* Laid out as a chain, a line that comes twice would end it early. */
static void expect_chain(const struct sequence *s, const struct walk_plan *plan,
			 struct sample *samples)
{
	(void)plan;
	(void)samples;
	ck_assert_int_eq(sequence_check(s), 0);
}

START_TEST(ways_below_are_found)
{
	const struct example *e = &examples[_i / SEEDS];
	struct sim_config config = e->config;
	struct failure f = { .text = "" };
	struct machine *m;
	struct hierarchy h;
	struct prober p;

	config.seed = _i % SEEDS + 1;
	config.times_each = true;
	m = sim_open(&config);
	m->flushes_lines = true;
	after_walks(m, expect_chain);
	prober_begin(&p, m, config.seed);
	know_levels(&h, &config);
	ck_assert_msg(!survivors_measure(&p, &h, &f), "%s", f.text);
	expect(e, &h.caches[2].effective_ways);
	ck_assert(!parameter_is_measured(&h.caches[2].ways));
	machine_close(m);
}
END_TEST

/* Of the clock, in cycles: more than lines of the two levels differ by. */
#define STEP 52

/* A clock of coarse steps shows one or the other: which one is chance. */
static void coarsen(const struct sequence *s, const struct walk_plan *plan,
		    struct sample *samples)
{
	static struct rng rng = { 1 };

	expect_chain(s, plan, samples);
	for (size_t i = 0; plan->each && i < s->length; i++) {
		double *ticks = &plan->each->ticks[i];

		*ticks = STEP * floor(*ticks / STEP + rng_uniform(&rng));
	}
}

START_TEST(coarse_clocks_do_not_hide_levels)
{
	struct sim_config config = examples[0].config;
	struct failure f = { .text = "" };
	struct machine *m;
	struct hierarchy h;
	struct prober p;

	config.seed = _i + 1;
	config.times_each = true;
	m = sim_open(&config);
	m->flushes_lines = true;
	m->timer.resolution_ticks = STEP;
	after_walks(m, coarsen);
	prober_begin(&p, m, config.seed);
	know_levels(&h, &config);
	ck_assert_msg(!survivors_measure(&p, &h, &f), "%s", f.text);
	expect(&examples[0], &h.caches[2].effective_ways);
	machine_close(m);
}
END_TEST

/* All lines seem to lie in the level below. */
static void delay(const struct sequence *s, const struct walk_plan *plan,
		  struct sample *samples)
{
	expect_chain(s, plan, samples);
	for (size_t i = 0; plan->each && plan->step_count > 3 && i < s->length;
	     i++)
		plan->each->ticks[i] += 40;
}

/* The same, and each walk counts as many. */
static struct machine *counting;

static void delay_and_count(const struct sequence *s,
			    const struct walk_plan *plan,
			    struct sample *samples)
{
	delay(s, plan, samples);
	counting->conditions.accesses += 1000000;
}

/* However many lines seem to be of a set, it ends soon. */
START_TEST(searches_end)
{
	struct sim_config config = examples[0].config;
	struct failure f = { .text = "" };
	struct machine *m;
	struct hierarchy h;
	struct prober p;

	config.times_each = true;
	m = sim_open(&config);
	m->flushes_lines = true;
	counting = m;
	after_walks(m, _i ? delay_and_count : delay);
	prober_begin(&p, m, 1);
	know_levels(&h, &config);
	if (!_i)
		parameter_measured(&h.caches[1].sets, 1024, 0, "test");
	parameter_measured(&h.caches[1].line_bytes, 64, 0, "test");
	ck_assert_msg(!survivors_measure(&p, &h, &f), "%s", f.text);
	ck_assert(!parameter_is_measured(&h.caches[2].effective_ways));
	ck_assert_msg(strstr(h.caches[2].effective_ways.reason,
			     _i ? "million accesses" : "more than can be"),
		      "%s", h.caches[2].effective_ways.reason);
	ck_assert_uint_lt(p.tests, 2000);
	machine_close(m);
}
END_TEST

/* Nothing is looked at where what it rests on is not known. */
START_TEST(what_is_needed_is_checked)
{
	const struct sim_config *config = &examples[0].config;
	struct failure f = { .text = "" };
	struct machine *m = sim_open(config);
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	for (int i = 0; i < 6; i++) {
		struct cache_result *c = &h.caches[2];

		know_levels(&h, config);
		m->times_each = i != 0;
		m->flushes_lines = i != 5;
		if (i == 1)
			h.caches[1].set_line_count = 0;
		if (i == 2)
			parameter_undecided(&c->latency_ns, "test", "open");
		if (i == 3)
			parameter_undecided(&h.memory_latency_ns, "test",
					    "open");
		if (i == 4)
			h.caches[1].set_line_count = 9;
		ck_assert(!survivors_measure(&p, &h, &f));
		ck_assert(!parameter_is_measured(&c->effective_ways));
		ck_assert_uint_eq(m->conditions.samples, 0);
	}
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	const int count = sizeof(examples) / sizeof(examples[0]);
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("survivors");

	tcase_add_loop_test(t, ways_below_are_found, 0, SEEDS * count);
	tcase_add_loop_test(t, coarse_clocks_do_not_hide_levels, 0, SEEDS);
	tcase_add_loop_test(t, searches_end, 0, 2);
	tcase_add_test(t, what_is_needed_is_checked);
	suite_add_tcase(suite, t);
	return suite;
}
