// SPDX-License-Identifier: GPL-2.0
/* check_memory_end.c - levels above memory, and above another level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/levelkit.h"
#include "method/levels/memory_end.h"
#include "suites.h"

#define MEMORY_NS 100
#define MACHINES 60
/* Lines of one set of the first level: three times its ways. */
#define KNOWN_LINES 24
/* Each sees no level with a probability of 1/20 at most: all of them, 1e-5. */
#define NOISY_RUNS 4

/* Of each level from the second on: memory, or surely none, lies below. */
static void ask(const struct level *levels, const char *more, uint64_t seed,
		bool *memory, bool *level)
{
	struct machine *m = levelkit_open(levels, more, seed);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	levelkit_know(&h, levels);
	for (int i = 1; i < LEVELS; i++) {
		double ticks = MEMORY_NS * m->timer.ticks_per_ns;
		enum outcome outcome;

		ck_assert_msg(!level_end_is_memory(&p, &h.caches[i], ticks,
						   &outcome, &f),
			      "%s", f.text);
		memory[i] = outcome == OUTCOME_DECIDED;
		ck_assert_msg(!level_end_is_level(&p, &h.caches[i], ticks,
						  INFINITY, NULL, &outcome, &f),
			      "%s", f.text);
		level[i] = outcome == OUTCOME_DECIDED;
	}
	machine_close(m);
}

/* A round of any length hits in these, so that rounds get below none of them. */
static const struct {
	struct level levels[LEVELS];
	bool memory; /* is distinguished from the last level */
} cases[] = {
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "nru", NINE, false, false, NULL },
	    { 16, 2048, "nru", NINE, false, false, NULL } },
	  true },
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "srrip", NINE, false, false, NULL },
	    { 16, 512, "srrip", INCLUSIVE, false, false, NULL } },
	  true },
	/* What is too much for the one is too much for the other. */
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 16, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 1024, "fifo", INCLUSIVE, false, false, NULL } },
	  true },
	/* A victim cache is a level below, too. */
	{ { { 4, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "random", NINE, false, false, NULL },
	    { 16, 2048, "random", EXCLUSIVE, false, false, NULL } },
	  true },
	/* Nothing new stays long enough to be seen there. */
	{ { { 4, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "random", NINE, false, false, NULL },
	    { 16, 2048, "lip", NINE, false, false, NULL } },
	  false },
};

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

/* Nothing wrong in one run. Return: whether the level below L2 was seen. */
static bool is_seen(int i, uint64_t seed)
{
	static const char *const more[] = { TIMED, NOISY };
	bool memory[LEVELS] = { false }, level[LEVELS] = { false };
	unsigned long long shown = seed;

	ask(cases[i / 2].levels, more[i % 2], seed, memory, level);
	ck_assert_msg(!level[2], "seed %llu: no level lies there", shown);
	ck_assert_msg(!memory[1], "seed %llu: a level lies there", shown);
	if (!(i % 2) && cases[i / 2].memory)
		ck_assert_msg(memory[2], "seed %llu: memory lies there", shown);
	return level[1];
}

/* level_end_is_level() promises no more than that a level it sees is there. The
 * jitter of NOISY is as wide as the distance of two levels, so that some runs
 * see none, one in forty of the worst machine: one of several has to.
 */
static void expect_seen(int i, uint64_t seed)
{
	struct rng rng = { seed };
	int most = i % 2 ? NOISY_RUNS : 1;
	bool seen = is_seen(i, seed) || !cases[i / 2].memory;

	for (int n = 1; !seen && n < most; n++)
		seen = is_seen(i, rng_next(&rng) >> 8);
	ck_assert_msg(seen, "seed %llu: no level was seen there",
		      (unsigned long long)seed);
}

START_TEST(below_known_levels)
{
	expect_seen(_i, levelkit_seed() + (uint64_t)_i);
}
END_TEST

/* Seeds whose first run sees no level. */
START_TEST(below_known_levels_with_noise)
{
	static const struct {
		int which;
		uint64_t seed;
	} runs[] = { { 3, 50000021 }, { 7, 25007 } };

	expect_seen(runs[_i].which, runs[_i].seed);
}
END_TEST

/* Steps of a clock are no level. */
START_TEST(coarse_clock)
{
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	bool memory[LEVELS] = { false }, level[LEVELS] = { false };

	ask(cases[_i % CASES].levels, TIMED ",\"timer\":{\"resolution_ns\":30}",
	    seed, memory, level);
	ck_assert_msg(!level[2], "seed %llu: no level lies there",
		      (unsigned long long)seed);
}
END_TEST

/* --- before a level that is known ------------------------------------------ */

/* Of a level, when the one @below it is known, by lines @stride bytes apart. */
static enum outcome is_before(const struct level *levels, int above, int below,
			      uint64_t stride, const char *more, uint64_t seed)
{
	static const double latencies_ns[LEVELS] = { 2, 6, 20 };
	struct machine *m = levelkit_open(levels, more, seed);
	const struct shape control = { .inner = 1,
				       .stride = stride,
				       .outer = KNOWN_LINES };
	const double per_ns = m->timer.ticks_per_ns;
	struct failure f = { .text = "" };
	enum outcome outcome;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	levelkit_know(&h, levels);
	ck_assert_msg(!level_end_is_level(&p, &h.caches[above],
					  MEMORY_NS * per_ns,
					  latencies_ns[below] * per_ns,
					  &control, &outcome, &f),
		      "%s", f.text);
	machine_close(m);
	return outcome;
}

/* L1 of any policy, and a second level that is too small for three times its ways. */
static void draw_above(struct level *levels, const char *policy)
{
	const struct level drawn[LEVELS] = {
		{ 8, 64, policy, NINE, false, false, NULL },
		{ 4, 256, "lru", NINE, false, false, NULL },
		{ 16, 2048, "lru", NINE, false, false, NULL },
	};

	for (int i = 0; i < LEVELS; i++)
		levels[i] = drawn[i];
}

static const char *const disturbed[] = {
	TIMED, NOISY, TIMED ",\"timer\":{\"resolution_ns\":30}", COARSE
};

#define DISTURBED (int)(sizeof(disturbed) / sizeof(disturbed[0]))

/* 12 cycles between 4 and 40, whatever a reading of the clock is off by. */
START_TEST(level_before_a_known_one)
{
	static const char *const policies[] = { "lru", "tree-plru", "nru" };
	struct level levels[LEVELS];

	draw_above(levels, policies[_i / DISTURBED]);
	ck_assert_int_eq(is_before(levels, 0, 2, 4 << 10,
				   disturbed[_i % DISTURBED],
				   levelkit_seed() + (uint64_t)_i),
			 OUTCOME_DECIDED);
}
END_TEST

/* Lines that a level keeps, and others that it loses, are no level together. */
START_TEST(no_level_before_a_known_one)
{
	static const char *const policies[] = { "lru", "random", "nru",
						"brrip" };
	const char *more = disturbed[_i % DISTURBED];
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct level levels[LEVELS];

	draw_above(levels, policies[_i / DISTURBED]);
	levels[1].ways = 16;
	ck_assert_int_eq(is_before(levels, 0, 1, 4 << 10, more, seed),
			 OUTCOME_OPEN);
	levels[1].policy = policies[_i / DISTURBED];
	ck_assert_int_eq(is_before(levels, 1, 2, 16 << 10, more, seed),
			 OUTCOME_OPEN);
}
END_TEST

/* That no level was seen there says nothing then. */
START_TEST(clock_too_coarse_for_levels)
{
	struct level levels[LEVELS];

	draw_above(levels, "lru");
	ck_assert_int_eq(is_before(levels, 0, 2, 4 << 10,
				   TIMED ",\"timer\":{\"resolution_ns\":5000}",
				   levelkit_seed()),
			 OUTCOME_VOID);
}
END_TEST

/* Whatever the machine, what lies below the second level is no memory. */
START_SLOW_TEST(never_memory_above_a_level)
{
	static const char *const more[] = { TIMED, NOISY };
	static const enum inclusion kinds[] = { NINE, INCLUSIVE, EXCLUSIVE };
	uint64_t seed = levelkit_seed();
	struct rng rng = { seed };
	int decided = 0;

	printf("level end: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < MACHINES; i++) {
		struct level levels[LEVELS];
		bool memory[LEVELS] = { false };
		bool level[LEVELS] = { false };

		for (int j = 0; j < LEVELS; j++)
			levels[j] = levelkit_random(&rng, j);
		levels[2].kind = kinds[rng_below(&rng, 3)];
		ask(levels, more[i % 2], rng_next(&rng) >> 8, memory, level);
		ck_assert_msg(!memory[1],
			      "seed %llu, machine %d: %u %u %s, %u %u %s %d",
			      (unsigned long long)seed, i, levels[1].ways,
			      levels[1].sets, levels[1].policy, levels[2].ways,
			      levels[2].sets, levels[2].policy, levels[2].kind);
		ck_assert_msg(!level[2],
			      "seed %llu, machine %d: a level below the last",
			      (unsigned long long)seed, i);
		decided += memory[2];
	}
	ck_assert_int_ge(decided, MACHINES / 5);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("lost lines");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, below_known_levels, 0, 2 * CASES);
	tcase_add_loop_test(t, below_known_levels_with_noise, 0, 2);
	tcase_add_loop_test(t, coarse_clock, 0, 4 * CASES);
	tcase_add_loop_test(t, level_before_a_known_one, 0, 3 * DISTURBED);
	tcase_add_loop_test(t, no_level_before_a_known_one, 0, 4 * DISTURBED);
	tcase_add_test(t, clock_too_coarse_for_levels);
	tcase_add_test(t, never_memory_above_a_level);
	suite_add_tcase(s, t);
	return s;
}
