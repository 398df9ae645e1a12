// SPDX-License-Identifier: GPL-2.0
/* check_footprint.c - what lies below a level, on simulated machines. */
#include <string.h>

#include "method/footprint/footprint.h"

#include "kit/disturber.h"
#include "method/footprint/footkit.h"
#include "suites.h"

#define SEEDS 3
/* Lines of 64 bytes. */
#define LEVEL(w, s, cycles, replaces)                              \
	.ways = w, .sets = s, .line_bytes = 64, .latency = cycles, \
	.policy = replaces
#define L1                               \
	{                                \
		LEVEL(8, 64, 4, SIM_LRU) \
	}
#define L2(policy)                        \
	{                                 \
		LEVEL(8, 128, 14, policy) \
	}
/* 64 lines of a page and some bits of pages. */
#define HASHED                                                                 \
	{                                                                      \
		0x8040, 0x10080, 0x20100, 0x40200, 0x80400, 0x100800, 0x201000 \
	}
static const struct foot_example examples[] = {
	{ "LRU",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(16, 1024, 50, SIM_LRU) } },
	    .memory_latency = 250 },
	  2,
	  50,
	  1024 },
	{ "translations",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(16, 1024, 50, SIM_LRU) } },
	    .memory_latency = 250,
	    .tlb_entries = 64,
	    .tlb_penalty = 20 },
	  2,
	  50,
	  1024 },
	{ "noise",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(16, 1024, 50, SIM_LRU) } },
	    .memory_latency = 250,
	    .tlb_entries = 64,
	    .tlb_penalty = 7,
	    .jitter = 200,
	    .burst = 0.05,
	    .burst_cycles = 200000 },
	  2,
	  50,
	  1024 },
	{ "exclusive",
	  { .levels = { L1,
			L2(SIM_LRU),
			{ LEVEL(16, 512, 40, SIM_LRU), .exclusive = true } },
	    .memory_latency = 250 },
	  2,
	  40,
	  576 },
	{ "hashed above and below",
	  { .levels = { L1,
			{ LEVEL(8, 128, 14, SIM_LRU), .masks = HASHED },
			{ LEVEL(16, 1024, 60, SIM_TREE_PLRU) } },
	    .memory_latency = 300 },
	  2,
	  60,
	  1024 },
	{ "a tree above",
	  { .levels = { L1,
			L2(SIM_TREE_PLRU),
			{ LEVEL(16, 1024, 50, SIM_TREE_PLRU) } },
	    .memory_latency = 250 },
	  2,
	  50,
	  1024 },
	{ "random replacement",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(16, 1024, 50, SIM_RANDOM) } },
	    .memory_latency = 250 },
	  2,
	  50,
	  1024 },
	{ "random replacement above",
	  { .levels = { L1, L2(SIM_RANDOM), { LEVEL(16, 1024, 50, SIM_LRU) } },
	    .memory_latency = 250 },
	  2,
	  50,
	  1024 },
	{ "another level behind",
	  { .levels = { L1,
			{ LEVEL(8, 512, 14, SIM_LRU) },
			{ LEVEL(16, 4096, 60, SIM_LRU) } },
	    .memory_latency = 250 },
	  1,
	  14,
	  0 },
	{ "another level behind, with noise",
	  { .levels = { L1,
			{ LEVEL(8, 512, 14, SIM_LRU) },
			{ LEVEL(16, 4096, 60, SIM_LRU) } },
	    .memory_latency = 250,
	    .jitter = 200,
	    .burst = 0.05,
	    .burst_cycles = 200000 },
	  1,
	  14,
	  0 },
	{ "below the first level",
	  { .levels = { L1, { LEVEL(16, 1024, 20, SIM_LRU) } },
	    .memory_latency = 200 },
	  1,
	  20,
	  1024 },
	{ "memory",
	  { .levels = { L1, L2(SIM_LRU) }, .memory_latency = 250 },
	  2,
	  0,
	  0 },
	{ "memory behind translations",
	  { .levels = { L1, L2(SIM_LRU) },
	    .memory_latency = 250,
	    .tlb_entries = 64,
	    .tlb_penalty = 100 },
	  2,
	  0,
	  0 },
	{ "hardly more room",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(8, 256, 50, SIM_LRU) } },
	    .memory_latency = 250 },
	  2,
	  0,
	  0 },
	{ "more room than memory",
	  { .levels = { L1, L2(SIM_LRU), { LEVEL(16, 8192, 50, SIM_LRU) } },
	    .memory_latency = 250,
	    .region_bytes = 4 << 20 },
	  2,
	  50,
	  0 },
};

START_TEST(what_is_open_is_found)
{
	const struct foot_example *e = &examples[_i / SEEDS];
	struct sim_config config = e->config;
	struct failure f = { .text = "" };
	struct cache_result *c;
	struct hierarchy h;
	struct machine *m;
	struct prober p;

	config.seed = _i % SEEDS + 1;
	m = sim_open(&config);
	prober_begin(&p, m, config.seed);
	foot_know(&h, e, 0);
	ck_assert_msg(!footprint_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[e->known];
	foot_expect_latency(e, &c->latency_cycles);
	foot_expect_room(e, &c->effective_capacity_bytes);
	ck_assert(!parameter_is_measured(&c->capacity_bytes));
	machine_close(m);
}
END_TEST

/* Lines that do not share the set hit above: they are found, or the two ways to a
 * latency differ.
 */
START_TEST(lines_of_another_set_do_not_count)
{
	const struct foot_example e = {
		"lines of another set",
		{ .levels = { L1,
			      { LEVEL(8, 128, 14, SIM_LRU), .masks = HASHED },
			      { LEVEL(16, 1024, 60, SIM_LRU) } },
		  .memory_latency = 300 },
		2,
		60,
		1024
	};
	struct cache_result found;

	foot_measure(&e, 14, true, &found);
	foot_expect_latency(&e, &found.latency_cycles);
	foot_expect_room(&e, &found.effective_capacity_bytes);
	foot_measure(&e, 14, false, &found);
	ck_assert(!parameter_is_measured(&found.latency_cycles));
	ck_assert(!parameter_is_measured(&found.effective_capacity_bytes));
}
END_TEST

/* Walks that time lines one by one, while another thread of the core is busy. */
#define BUSY_WALKS 12

static int busy_walks;

/* Two of five pages seem to hit above, in each of these. */
static void hide_misses(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	(void)samples;
	if (!plan->each || busy_walks >= BUSY_WALKS)
		return;
	busy_walks++;
	for (size_t i = 0; i < s->length; i++)
		if (((s->offsets[i] / 4096 + (uint64_t)busy_walks / 2) *
			     2654435761 >>
		     7) % 5 <
		    2)
			plan->each->ticks[i] = 4;
}

/* All pages of the list are dropped, and taken again later. */
START_TEST(pages_are_listed_again)
{
	struct foot_example e = {
		"busy for a while",
		{ .levels = { L1,
			      { LEVEL(8, 128, 14, SIM_LRU), .masks = HASHED },
			      { LEVEL(16, 1024, 60, SIM_LRU) } },
		  .memory_latency = 300,
		  .times_each = true },
		2,
		60,
		1024
	};
	struct failure f = { .text = "" };
	struct machine *m = sim_open(&e.config);
	struct hierarchy h;
	struct prober p;

	busy_walks = 0;
	after_walks(m, hide_misses);
	prober_begin(&p, m, 1);
	foot_know(&h, &e, 0);
	ck_assert(!footprint_measure(&p, &h, &f));
	ck_assert_int_eq(busy_walks, BUSY_WALKS);
	foot_expect_latency(&e, &h.caches[2].latency_cycles);
	machine_close(m);
}
END_TEST

/* Lines of a footprint that other load has no room for, as long as it is there. */
#define LINES_LEFT 8192

/* It is there for the first footprint that is so long. */
static void take_room(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	static bool left;

	if (left || s->length <= LINES_LEFT || plan->flags & WALK_COLD)
		return;
	left = true;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks = 250 * (double)samples[i].loads;
}

/* The first example, with what is known above. */
struct opened {
	struct machine *m;
	struct prober p;
	struct hierarchy h;
};

static void open_first(struct opened *o)
{
	o->m = sim_open(&examples[0].config);
	prober_begin(&o->p, o->m, 1);
	foot_know(&o->h, &examples[0], 0);
}

/* Return: the level below. */
static const struct cache_result *measure(struct opened *o)
{
	struct failure f = { .text = "" };

	ck_assert(!footprint_measure(&o->p, &o->h, &f));
	return &o->h.caches[2];
}

/* One sweep finds half of the room, which the next ones do not confirm. */
START_TEST(room_taken_for_a_while_is_found_later)
{
	const struct foot_example *e = &examples[0];
	const struct cache_result *c;
	struct opened o;

	open_first(&o);
	after_walks(o.m, take_room);
	c = measure(&o);
	foot_expect_latency(e, &c->latency_cycles);
	foot_expect_room(e, &c->effective_capacity_bytes);
	ck_assert(c->effective_capacity_bytes.value > LINES_LEFT * 64 * 1.5);
	machine_close(o.m);
}
END_TEST

/* No second way: open, whatever footprints say. */
START_TEST(one_way_is_not_enough)
{
	const struct cache_result *c;
	struct opened o;

	open_first(&o);
	o.h.caches[1].index = INDEX_UNKNOWN;
	c = measure(&o);
	ck_assert(!parameter_is_measured(&c->latency_cycles));
	ck_assert(c->latency_cycles.reason[0]);
	machine_close(o.m);
}
END_TEST

/* The latency above may be open: what has room there shows it. */
START_TEST(latency_above_is_not_needed)
{
	struct opened o;

	open_first(&o);
	parameter_undecided(&o.h.caches[1].latency_cycles, "test", "open");
	parameter_undecided(&o.h.caches[1].latency_ns, "test", "open");
	foot_expect_latency(&examples[0], &measure(&o)->latency_cycles);
	machine_close(o.m);
}
END_TEST

/* A level that strides have timed keeps its latency, and shows its room; a plateau of
 * another latency may be another level's.
 */
START_TEST(room_of_a_level_that_was_timed)
{
	const double cycles = _i ? 30 : 49;
	const struct cache_result *c;
	struct opened o;

	open_first(&o);
	o.h.caches[2].unreached = UNREACHED_NOT;
	parameter_measured(&o.h.caches[2].latency_cycles, cycles, 0, "x-ray");
	parameter_measured(&o.h.caches[2].latency_ns, cycles, 0, "x-ray");
	c = measure(&o);
	ck_assert_double_eq(c->latency_cycles.value, cycles);
	ck_assert_str_eq(c->latency_cycles.method, "x-ray");
	if (_i) {
		ck_assert(!parameter_is_measured(&c->effective_capacity_bytes));
		ck_assert(strstr(c->effective_capacity_bytes.reason, "two"));
	} else {
		foot_expect_room(&examples[0], &c->effective_capacity_bytes);
	}
	machine_close(o.m);
}
END_TEST

/* Nothing that others have found is touched, nor a level that was seen, but lets no
 * lines in, nor one that a busy CPU hides.
 */
START_TEST(what_is_known_stays)
{
	struct opened o;

	open_first(&o);
	parameter_measured(&o.h.caches[2].ways, 4, 0, "test");
	ck_assert(!parameter_is_measured(&measure(&o)->latency_cycles));
	foot_know(&o.h, &examples[0], 0);
	o.h.caches[2].unreached = UNREACHED_NOT;
	ck_assert(!parameter_is_measured(&measure(&o)->latency_cycles));
	foot_know(&o.h, &examples[0], 0);
	o.h.caches[2].unreached = UNREACHED_BUSY;
	ck_assert(!parameter_is_measured(&measure(&o)->latency_cycles));
	foot_know(&o.h, &examples[0], 0);
	parameter_undecided(&o.h.caches[1].capacity_bytes, "test", "open");
	ck_assert(!parameter_is_measured(&measure(&o)->latency_cycles));
	machine_close(o.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("footprint");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, what_is_open_is_found, 0,
			    SEEDS * sizeof(examples) / sizeof(examples[0]));
	tcase_add_test(t, lines_of_another_set_do_not_count);
	tcase_add_test(t, pages_are_listed_again);
	tcase_add_test(t, room_taken_for_a_while_is_found_later);
	tcase_add_test(t, one_way_is_not_enough);
	tcase_add_test(t, latency_above_is_not_needed);
	tcase_add_loop_test(t, room_of_a_level_that_was_timed, 0, 2);
	tcase_add_test(t, what_is_known_stays);
	suite_add_tcase(s, t);
	return s;
}
