// SPDX-License-Identifier: GPL-2.0
/*
 * check_evict.c - L3 measured by evicted lines, below a hashed L2 that inserts
 * a line only when it is used again.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "method/evict/evictkit.h"
#include "suites.h"

#define ROUNDS 4

static const struct evict_machine machines[] = {
	{ .name = "L2 seldom inserts lines, L3 takes its victims",
	  .policies = { "brrip", "tree-plru" },
	  .inclusion = EVICT_EXCLUSIVE,
	  .ways = 16,
	  .kib = 1024 },
	{ .name = "L2 inserts lines as the next to be replaced",
	  .policies = { "lip", "lru" },
	  .inclusion = EVICT_EXCLUSIVE,
	  .ways = 8,
	  .kib = 1024 },
	{ .name = "L3 may hold lines of L2, too",
	  .policies = { "brrip", "lru" },
	  .inclusion = EVICT_NINE,
	  .ways = 16,
	  .kib = 1024 },
	{ .name = "misses of one L1 set in a row take longer",
	  .policies = { "brrip", "tree-plru" },
	  .inclusion = EVICT_EXCLUSIVE,
	  .ways = 16,
	  .kib = 1024,
	  .conflict = 4 },
	{ .name = "the same, and L3 may hold lines of L2, too",
	  .policies = { "lip", "lru" },
	  .inclusion = EVICT_NINE,
	  .ways = 16,
	  .kib = 2048,
	  .conflict = 6 },
	{ .name = "interrupts disturb",
	  .policies = { "bip", "tree-plru" },
	  .inclusion = EVICT_EXCLUSIVE,
	  .ways = 8,
	  .kib = 1024,
	  .noisy = true,
	  .open = true },
	{ .name = "L3 has half as many sets as its index bits suggest",
	  .policies = { "brrip", "lru" },
	  .inclusion = EVICT_EXCLUSIVE,
	  .ways = 16,
	  .kib = 1024,
	  .folded = true,
	  .open = true },
};

/* L3 is right, or undecided where @b allows it. */
static void expect_level(const struct evict_machine *b,
			 const struct evict_levels *l,
			 const struct xray_geometry *g,
			 const struct parameter *line, bool fits,
			 unsigned long long seed)
{
	enum verdict wanted = b->inclusion == EVICT_EXCLUSIVE ?
				      VERDICT_COMPACT :
				      VERDICT_NON_COMPACT;

	ck_assert_msg(g->found || b->open, "%s, seed %llu: %s", b->name, seed,
		      g->reason);
	if (!g->found)
		return;
	ck_assert_msg(fits || b->open, "%s, seed %llu: does not fit", b->name,
		      seed);
	ck_assert_msg(!fits || !b->folded, "%s, seed %llu: fits", b->name,
		      seed);
	if (!fits)
		return;
	ck_assert_msg(fabs(l->ev.hit_ticks - 40) < 2, "%s, seed %llu: %g",
		      b->name, seed, l->ev.hit_ticks);
	ck_assert_msg(g->level.own == b->ways, "%s, seed %llu: %zu ways",
		      b->name, seed, g->level.own);
	ck_assert_msg(g->level.way_bytes == evict_kit_way_bytes(b),
		      "%s, seed %llu: %llu bytes", b->name, seed,
		      (unsigned long long)g->level.way_bytes);
	ck_assert_msg(g->takes == wanted ||
			      (b->open && g->takes == VERDICT_UNDECIDED),
		      "%s, seed %llu: takes victims: %d", b->name, seed,
		      g->takes);
	ck_assert_msg(parameter_is_measured(line) ? line->value == 64 : b->open,
		      "%s, seed %llu: line of %g bytes: %s", b->name, seed,
		      line->value, line->reason);
}

/* Return: whether L3 was found. */
static bool measure(const struct evict_machine *b, uint64_t seed)
{
	struct machine *m = evict_kit_open(b, seed);
	struct xray_geometry g = { .found = false };
	struct latency_finding latency = { .steady = false };
	struct parameter line = { .value = 0 };
	struct failure f = { .text = "" };
	enum outcome fits = OUTCOME_OPEN;
	struct evict_levels l;

	evict_kit_begin(&l, m, seed);
	ck_assert_int_eq(evict_measure_latency(&l.ev, &latency, &f), 0);
	ck_assert_msg(latency.steady || b->open, "%s, seed %llu: %s", b->name,
		      (unsigned long long)seed, latency.reason);
	if (latency.steady)
		ck_assert_int_eq(evict_find_geometry(&l.ev, &g, &f), 0);
	if (g.found) {
		ck_assert_int_eq(evict_find_line(&l.ev, &g, &line, &f), 0);
		ck_assert_int_eq(evict_check_capacity(&l.ev, &g.level, 64,
						      &fits, &f),
				 0);
	}
	expect_level(b, &l, &g, &line, fits == OUTCOME_DECIDED, seed);
	machine_close(m);
	return g.found;
}

START_TEST(below_adaptive)
{
	if (!is_in_part(_i))
		return;
	measure(&machines[_i], 7);
}
END_TEST

/*
 * L2 seldom keeps a line that was loaded again: these misses in L2 are no
 * evidence against L3.
 */
START_TEST(lost_above)
{
	static const char *const policies[] = { "drrip", "brrip", "bip",
						"random" };
	const struct evict_machine b = {
		.name = policies[_i % 4],
		.policies = { policies[_i % 4], "lru" },
		.inclusion = EVICT_EXCLUSIVE,
		.ways = 16,
		.kib = 1024,
		.open = true,
	};

	if (is_in_part(_i))
		measure(&b, (uint64_t)_i + 1);
}
END_TEST

/*
 * An evicting line may share a set of a hashed L3 with another line under test.
 * Of 80 seeds of this machine these drew such a vector, which all placements
 * used: three of them reported an L3 without a hash.
 */
static const uint64_t misled_seeds[] = { UINT64_C(21645204470203630), 24, 28,
					 57 };

START_TEST(evicted_by_lines_of_other_sets)
{
	const struct evict_machine b = {
		.name = "evicting lines share sets of other lines",
		.policies = { "tree-plru", "random" },
		.inclusion = EVICT_INCLUSIVE,
		.ways = 4,
		.kib = 256,
		.folded = true,
		.open = true,
	};

	if (is_in_part(_i))
		measure(&b, misled_seeds[_i]);
}
END_TEST

/* Policies that keep a few old lines in a set of L2, however many follow. */
static const struct evict_machine seldom[] = {
	{ .name = "BRRIP",
	  .policies = { "brrip", "lru" },
	  .ways = 16,
	  .kib = 1024 },
	{
		.name = "BIP",
		.policies = { "bip", "lru" },
		.ways = 16,
		.kib = 1024,
	},
	{ .name = "DRRIP",
	  .policies = { "drrip", "tree-plru" },
	  .ways = 16,
	  .kib = 1024 },
};

/* Folds of the stride do not evict from L2 here; lines of its sets do. */
START_TEST(whole_machine)
{
	if (!is_in_part_of(_i, 3))
		return;

	const struct evict_machine *b = &seldom[_i];
	struct machine *m = evict_kit_open(b, 1);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_eq(h.cache_count, 3);
	ck_assert_msg(parameter_is_measured(&h.caches[2].ways), "%s: %s",
		      b->name, h.caches[2].ways.reason);
	ck_assert_double_eq(h.caches[2].ways.value, b->ways);
	ck_assert_double_eq(h.caches[2].capacity_bytes.value,
			    (double)(b->kib * KIB));
	machine_close(m);
}
END_TEST

static uint64_t seed_of_day(void)
{
	const char *text = getenv("PROBE_PHYS_SEED");

	return text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL) / 86400;
}

/* L3 is right or undecided, whatever the policies are. */
START_SLOW_TEST(random_machines)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "fifo",
						"srrip", "random",    "nru",
						"brrip", "bip",	      "lip" };
	uint64_t seed = seed_of_day();
	struct rng rng = { seed };

	printf("evict: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned int ways = 4U << rng_below(&rng, 3);
		const struct evict_machine b = {
			.name = "random machine",
			.policies = { policies[rng_below(&rng, 9)],
				      policies[rng_below(&rng, 9)] },
			.inclusion = (enum evict_inclusion)rng_below(&rng, 3),
			.ways = ways,
			.kib = 64 * ways << rng_below(&rng, 2),
			.folded = rng_below(&rng, 4) == 0,
			.noisy = rng_below(&rng, 3) == 0,
			.open = true,
		};

		measure(&b, rng_next(&rng) >> 8);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("third level");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, below_adaptive, 0,
			    sizeof(machines) / sizeof(machines[0]));
	tcase_add_loop_test(t, lost_above, 0, 12);
	tcase_add_loop_test(t, evicted_by_lines_of_other_sets, 0,
			    sizeof(misled_seeds) / sizeof(misled_seeds[0]));
	tcase_add_loop_test(t, whole_machine, 0,
			    sizeof(seldom) / sizeof(seldom[0]));
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	return s;
}
