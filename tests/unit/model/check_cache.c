// SPDX-License-Identifier: GPL-2.0
/* check_cache.c - caches above each other: who has a line, what it costs,
 * and random caches against naive ones.
 */
#include <stdlib.h>

#include "base/rng.h"
#include "model/model.h"
#include "model/modelkit.h"
#include "model/policy/naive_policy.h"
#include "suites.h"

#define LINE 64
#define MEMORY 200

/* Two levels, 2 x 4 and 4 x 8 lines, at 4 and 12 cycles. */
static struct profile two_levels(enum profile_inclusion inclusion)
{
	struct profile p = { .page_bytes = 4096,
			     .phys_bits = 40,
			     .cpus = 1,
			     .cache_count = 2,
			     .memory_latency_cycles = MEMORY };

	p.caches[0] = kit_cache(1, 2, 4, 4);
	p.caches[1] = kit_cache(2, 4, 8, 12);
	p.caches[1].inclusion = inclusion;
	return p;
}

/* Line i of set 0 of both levels. */
static uint64_t line(unsigned int i)
{
	return (uint64_t)i * LINE * 8;
}

START_TEST(test_costs)
{
	struct profile p = two_levels(PROFILE_NINE);
	struct model *m = model_create(&p);

	ck_assert_uint_eq(kit_load(m, line(0)), MEMORY);
	ck_assert_uint_eq(kit_load(m, line(0) + 63), 4);
	kit_load(m, line(1));
	kit_load(m, line(2));
	ck_assert_uint_eq(kit_load(m, line(0)), 12);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_LOADS), 5);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L1D_MISS), 4);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L2_MISS), 3);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L3_MISS), 0);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_CYCLES),
			  3 * MEMORY + 4 + 12);
	model_flush_line(m, line(0));
	ck_assert_uint_eq(kit_load(m, line(0)), MEMORY);
	model_flush_caches(m, 0);
	ck_assert_uint_eq(kit_load(m, line(0)), MEMORY);
	model_destroy(m);
}
END_TEST

/* A miss right after a miss of the same set takes longer, in each level by
 * itself; a hit or another set between ends it.
 */
START_TEST(test_same_set_misses)
{
	struct profile p = two_levels(PROFILE_NINE);
	struct model *m;

	p.caches[0].same_set_miss_cycles = 3;
	p.caches[1].same_set_miss_cycles = 50;
	m = model_create(&p);
	ck_assert_uint_eq(kit_load(m, line(0)), MEMORY);
	ck_assert_uint_eq(kit_load(m, line(1)), MEMORY + 3 + 50);
	ck_assert_uint_eq(kit_load(m, line(2)), MEMORY + 3 + 50);
	ck_assert_uint_eq(kit_load(m, line(0)), 12 + 3);
	ck_assert_uint_eq(kit_load(m, line(3)), MEMORY + 3);
	ck_assert_uint_eq(kit_load(m, line(3)), 4);
	ck_assert_uint_eq(kit_load(m, line(1)), 12);
	ck_assert_uint_eq(kit_load(m, line(0) + LINE), MEMORY);
	ck_assert_uint_eq(kit_load(m, line(2)), 12);
	model_destroy(m);
}
END_TEST

/* a stays in L1 by hits that L2 does not see, until L2 wants its place. */
static unsigned int reload_after_l2_eviction(enum profile_inclusion inclusion)
{
	struct profile p = two_levels(inclusion);
	struct model *m = model_create(&p);
	unsigned int cost;

	for (unsigned int i = 0; i < 5; i++) {
		kit_load(m, line(0));
		kit_load(m, line(i));
	}
	cost = kit_load(m, line(0));
	model_destroy(m);
	return cost;
}

START_TEST(test_nine_and_inclusive)
{
	ck_assert_uint_eq(reload_after_l2_eviction(PROFILE_NINE), 4);
	ck_assert_uint_eq(reload_after_l2_eviction(PROFILE_INCLUSIVE), MEMORY);
}
END_TEST

/* 2 + 4 lines fit exactly when the levels hold different ones. */
START_TEST(test_exclusive_adds_up)
{
	static const enum profile_inclusion kinds[] = { PROFILE_EXCLUSIVE,
							PROFILE_NINE };

	for (int kind = 0; kind < 2; kind++)
		for (unsigned int n = 1; n <= 8; n++) {
			struct profile p = two_levels(kinds[kind]);
			struct model *m = model_create(&p);
			unsigned int slow = 0;

			for (unsigned int i = 0; i < 20 * n; i++) {
				unsigned int cost = kit_load(m, line(i % n));

				slow += cost == MEMORY && i >= 10 * n;
			}
			ck_assert_msg(!slow == (n <= (kind ? 4u : 6u)),
				      "kind %d, %u lines, %u slow", kind, n,
				      slow);
			model_destroy(m);
		}
}
END_TEST

/* An inclusive cache shared by two CPUs takes its victims from both. */
START_TEST(test_shared_back_invalidation)
{
	struct profile p = two_levels(PROFILE_INCLUSIVE);
	struct model *m;

	p.cpus = 2;
	p.caches[0].shared_by[1] = 1;
	p.caches[0].instances = 2;
	m = model_create(&p);
	kit_access(m, MODEL_LOAD, 1, line(0));
	ck_assert_uint_eq(kit_access(m, MODEL_LOAD, 1, line(0)), 4);
	ck_assert_uint_eq(kit_load(m, line(0)), 12);
	for (unsigned int i = 1; i < 5; i++)
		kit_load(m, line(i));
	ck_assert_uint_eq(kit_access(m, MODEL_LOAD, 1, line(0)), MEMORY);
	model_destroy(m);
}
END_TEST

/* The first level is or is not filled by a store. */
START_TEST(test_write_allocate)
{
	for (int allocate = 0; allocate < 2; allocate++) {
		struct profile p = two_levels(PROFILE_NINE);
		struct model *m;

		p.caches[0].write_allocate = allocate;
		m = model_create(&p);
		ck_assert_uint_eq(kit_access(m, MODEL_STORE, 0, line(0)),
				  MEMORY);
		ck_assert_uint_eq(kit_load(m, line(0)), allocate ? 4 : 12);
		model_destroy(m);
	}
}
END_TEST

/* A modified victim of L1 is written back into L2, which has lost it. */
START_TEST(test_write_back)
{
	for (int write_back = 0; write_back < 2; write_back++) {
		struct profile p = two_levels(PROFILE_NINE);
		struct model *m;

		p.caches[0].write_back = write_back;
		m = model_create(&p);
		kit_access(m, MODEL_STORE, 0, line(0));
		for (unsigned int i = 1; i < 5; i++) {
			kit_load(m, line(0));
			kit_load(m, line(i));
		}
		/* Gone from L2 by now, still in L1; two others push it out. */
		kit_load(m, line(6));
		kit_load(m, line(7));
		ck_assert_uint_eq(kit_load(m, line(0)),
				  write_back ? 12 : MEMORY);
		model_destroy(m);
	}
}
END_TEST

START_TEST(test_reserved_lines)
{
	struct profile p = two_levels(PROFILE_NINE);
	struct model *m;

	p.caches[1].reserved_lines_per_set = 1;
	m = model_create(&p);
	for (unsigned int i = 0; i < 100; i++)
		kit_load(m, line(i % 3));
	ck_assert_uint_eq(kit_load(m, line(0)) > 12, 0);
	for (unsigned int i = 0; i < 100; i++)
		kit_load(m, line(i % 4));
	ck_assert_uint_eq(kit_load(m, line(0)), MEMORY);
	model_destroy(m);
}
END_TEST

/* Virtual index bits above the page: a line is found by its virtual address,
 * and flushed by its physical one.
 */
START_TEST(test_virtual_index)
{
	struct profile p = two_levels(PROFILE_NINE);
	struct model_access a = { .virt = 0x7000, .page_bytes = 4096 };
	struct model *m;

	p.caches[0] = kit_cache(1, 1, 512, 4);
	p.caches[0].physical = false;
	m = model_create(&p);
	model_access(m, &a);
	ck_assert_uint_eq(model_access(m, &a), 4 * MODEL_TICKS);
	a.virt = 0x6000;
	ck_assert_uint_eq(model_access(m, &a), 12 * MODEL_TICKS);
	model_flush_line(m, 0);
	ck_assert_uint_eq(model_access(m, &a), MEMORY * MODEL_TICKS);
	a.virt = 0x7000;
	ck_assert_uint_eq(model_access(m, &a), 12 * MODEL_TICKS);
	model_destroy(m);
}
END_TEST

/* Instruction and data lines share the unified level only. */
START_TEST(test_split_levels)
{
	struct profile p = two_levels(PROFILE_NINE);
	struct model *m;

	p.cache_count = 3;
	p.caches[2] = p.caches[0];
	p.caches[2].type = PROFILE_INSTRUCTION;
	p.caches[2].latency_cycles = 3;
	m = model_create(&p);
	kit_load(m, line(0));
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, line(0)), 12);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, line(0)), 3);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L1I_MISS), 1);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L1D_MISS), 1);
	model_destroy(m);
}
END_TEST

static unsigned int cost_with(enum profile_prefetcher_kind kind, bool on,
			      const unsigned int *lines, size_t count)
{
	struct profile p = two_levels(PROFILE_NINE);
	unsigned int cost = 0;
	struct model *m;

	p.prefetchers[0] = (struct profile_prefetcher){ kind, 2, true };
	p.prefetcher_count = 1;
	m = model_create(&p);
	model_set_prefetchers(m, 0, on);
	for (size_t i = 0; i < count; i++)
		cost = kit_load(m, (uint64_t)lines[i] * LINE);
	model_destroy(m);
	return cost;
}

START_TEST(test_prefetchers)
{
	static const struct {
		enum profile_prefetcher_kind kind;
		unsigned int lines[4];
		size_t count;
		unsigned int cost;
	} cases[] = {
		{ PROFILE_ADJACENT_LINE, { 3, 2 }, 2, 12 },
		{ PROFILE_ADJACENT_LINE, { 3, 4 }, 2, MEMORY },
		{ PROFILE_NEXT_LINE, { 3, 4 }, 2, 12 },
		{ PROFILE_NEXT_LINE, { 63, 64 }, 2, MEMORY },
		{ PROFILE_STRIDE, { 1, 4, 7, 10 }, 4, 12 },
		{ PROFILE_STRIDE, { 1, 4, 7, 11 }, 4, MEMORY },
		{ PROFILE_STREAM, { 5, 6, 7, 9 }, 4, 12 },
		{ PROFILE_STREAM, { 9, 8, 7, 6 }, 4, 12 },
		{ PROFILE_STREAM, { 5, 7, 9, 11 }, 4, MEMORY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_msg(cost_with(cases[i].kind, true, cases[i].lines,
					cases[i].count) == cases[i].cost,
			      "case %zu", i);
		ck_assert_uint_eq(cost_with(cases[i].kind, false,
					    cases[i].lines, cases[i].count),
				  MEMORY);
	}
}
END_TEST

START_TEST(test_noise_takes_lines)
{
	struct profile p = two_levels(PROFILE_INCLUSIVE);
	struct model *m = model_create(&p);
	unsigned int slow = 0;

	for (int i = 0; i < 4000; i++) {
		model_evict_random(m, 0, 1);
		slow += kit_load(m, line(0)) != 4;
	}
	/* 1 of 8 lines of L1 and 1 of 32 of L2 each time. */
	ck_assert_msg(slow > 450 && slow < 850, "%u", slow);
	model_destroy(m);
}
END_TEST

/* Hits and misses of 1000 random traces on random caches. */
START_TEST(test_naive_caches)
{
	static const enum profile_policy_name names[] = {
		PROFILE_LRU, PROFILE_FIFO,  PROFILE_TREE_PLRU, PROFILE_BIT_PLRU,
		PROFILE_NRU, PROFILE_SRRIP, PROFILE_LIP,
	};
	struct rng rng = { .state = (uint64_t)_i };
	struct naive_set *sets = calloc(64, sizeof(*sets));

	for (int trace = 0; trace < 100; trace++) {
		unsigned int ways = 1 + (unsigned int)rng_below(&rng, 20);
		uint64_t count = 1 + rng_below(&rng, 64), misses = 0;
		enum profile_policy_name name = names[rng_below(&rng, 7)];
		struct profile p = { .page_bytes = 4096,
				     .cpus = 1,
				     .cache_count = 1 };
		struct model *m;

		p.caches[0] = kit_cache(1, ways, count, 4);
		p.caches[0].index.kind = PROFILE_INDEX_MODULO;
		p.caches[0].policy.name = name;
		m = model_create(&p);
		for (uint64_t i = 0; i < count; i++)
			naive_init(&sets[i], name, "", ways);
		for (int i = 0; i < 3000; i++) {
			uint64_t number = rng_below(&rng, count * ways * 3 / 2);

			kit_load(m, number * LINE);
			misses += !naive_access(&sets[number % count], number);
		}
		ck_assert_msg(
			model_counter(m, 0, PROFILE_COUNTER_L1D_MISS) == misses,
			"seed %d, trace %d: policy %d, %u ways, %llu sets", _i,
			trace, (int)name, ways, (unsigned long long)count);
		model_destroy(m);
	}
	free(sets);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *levels = tcase_create("levels");
	TCase *naive = tcase_create("naive");

	tcase_add_test(levels, test_costs);
	tcase_add_test(levels, test_same_set_misses);
	tcase_add_test(levels, test_nine_and_inclusive);
	tcase_add_test(levels, test_exclusive_adds_up);
	tcase_add_test(levels, test_shared_back_invalidation);
	tcase_add_test(levels, test_write_allocate);
	tcase_add_test(levels, test_write_back);
	tcase_add_test(levels, test_reserved_lines);
	tcase_add_test(levels, test_virtual_index);
	tcase_add_test(levels, test_split_levels);
	tcase_add_test(levels, test_prefetchers);
	tcase_add_test(levels, test_noise_takes_lines);
	tcase_add_loop_test(naive, test_naive_caches, 0, 10);
	suite_add_tcase(suite, levels);
	suite_add_tcase(suite, naive);
	return suite;
}
