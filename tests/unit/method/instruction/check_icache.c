// SPDX-License-Identifier: GPL-2.0
/* Instruction caches, on simulated machines and beside all that makes jumps
 * slow although their lines are there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/instruction/frontkit.h"
#include "method/instruction/icachekit.h"
#include "kit/levelkit.h"
#include "kit/neighbour.h"
#include "kit/profilekit.h"
#include "method/instruction/icache.h"
#include "suites.h"

#define L2_CYCLES FRONT_L2_CYCLES

/* --- simulated machines -------------------------------------------------- */

struct code_cache {
	unsigned int ways;
	unsigned int sets;
	unsigned int line;
	const char *policy;
	const char *more;
};

#define COUNTING ",\"counters\":[\"l1i_miss\"]"
#define LYING         \
	COUNTING      \
	",\"counter_" \
	"faults\":{\"l1i_miss\":{\"factor\":0}}"

static struct machine *open_code(const struct code_cache *c, uint64_t seed)
{
	char first[256] = "", text[1024];

	if (c->ways)
		snprintf(
			first, sizeof(first),
			"{\"level\":1,\"type\":\"instruction\",\"ways\":%u,\"capacity_bytes\":%u,"
			"\"line_bytes\":%u,\"latency_cycles\":3,\"policy\":{\"name\":\"%s\"}},",
			c->ways, c->ways * c->sets * c->line, c->line,
			c->policy);
	snprintf(
		text, sizeof(text),
		"{\"name\":\"code\",\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],"
		"\"caches\":[{\"level\":1,\"type\":\"data\",\"ways\":8,"
		"\"capacity_bytes\":32768,\"line_bytes\":64,\"latency_cycles\":4},%s"
		"{\"level\":2,\"type\":\"unified\",\"ways\":16,\"capacity_bytes\":1048576,\"line_bytes\":64,\"latency_cycles\":%d}],"
		"\"memory\":{\"latency_cycles\":200},\"timer\":{\"overhead_cycles\":20},\"cycle_ns\":0.5%s}",
		first, L2_CYCLES, c->more);
	return profilekit_open(text, FRONT_BYTES, seed);
}

/* A miss is half a percent of a round of returns, and the clock wanders by more. */
#define MISPREDICTED                               \
	",\"misprediction_cycles\":44,\"noise\":{" \
	"\"frequency_drift\":0.4}"

static const struct code_cache caches[] = {
	{ 8, 64, 64, "tree-plru", COUNTING },
	{ 3, 256, 64, "lru", COUNTING },
	{ 2, 128, 32, "fifo", COUNTING },
	{ 16, 64, 64, "lru", COUNTING },
	{ 1, 512, 64, "lru", COUNTING },
	{ 4, 128, 64, "lru", "" },
	{ 8, 64, 64, "tree-plru", "" },
	{ 6, 512, 64, "lru", "" },
	{ 16, 64, 64, "lru", MISPREDICTED },
	{ 8, 64, 64, "tree-plru", MISPREDICTED },
	/* Its counter is dead: time decides. */
	{ 8, 64, 64, "lru", LYING },
};

START_TEST(finds_simulated_code_caches)
{
	const struct code_cache *c = &caches[_i];
	uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct machine *m = open_code(c, seed);
	bool counts = !strcmp(c->more, COUNTING);
	struct hierarchy h;

	icache_kit_measure(m, PROBER_BY_AUTO, L2_CYCLES * 0.5, seed, &h);
	ck_assert_msg(icache_kit_decided(&h), "seed %llu: %s",
		      (unsigned long long)seed, h.instruction.ways.reason);
	icache_kit_expect(&h, c->ways, c->sets, c->line, seed);
	ck_assert_str_eq(h.instruction.ways.by, counts ? "counters" : "time");
	icache_kit_expect_miss(&h, L2_CYCLES - 3, seed);
	icache_kit_measure(m, PROBER_BY_COUNTERS, L2_CYCLES * 0.5, seed, &h);
	ck_assert_int_eq(icache_kit_decided(&h), counts);
	machine_close(m);
}
END_TEST

static void measure_beside(enum neighbour when, struct hierarchy *h)
{
	const struct code_cache all = { 4, 64, 64, "lru", COUNTING };
	const struct code_cache held = { 3, 64, 64, "lru", COUNTING };
	struct machine *m = open_code(&all, 1), *less = open_code(&held, 1);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, 1);
	neighbour_begin(&p, less, when);
	icache_kit_know(h, L2_CYCLES * 0.5);
	ck_assert_msg(!icache_measure(&p, h, &f), "%s", f.text);
	machine_close(m);
	machine_close(less);
}

START_TEST(ways_that_somebody_holds)
{
	struct hierarchy h;

	measure_beside(NEIGHBOUR_LEAVES, &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, 4, 64, 64, 1);
	measure_beside(NEIGHBOUR_RETURNS, &h);
	ck_assert(!icache_kit_decided(&h));
}
END_TEST

/* Fetches go to L2 at once: that is no instruction cache. */
START_TEST(finds_none_where_there_is_none)
{
	const struct code_cache none = { .more = COUNTING };
	uint64_t seed = levelkit_seed();
	struct machine *m = open_code(&none, seed);
	struct hierarchy h;

	icache_kit_measure(m, PROBER_BY_AUTO, L2_CYCLES * 0.5, seed, &h);
	ck_assert(!icache_kit_decided(&h));
	ck_assert_ptr_nonnull(
		strstr(h.instruction.ways.reason, "no cache before that"));
	machine_close(m);
}
END_TEST

/* Code of a first level of its own, of L2's size and more, or of none. */
#define BELOW_CYCLES 12
#define CODE_BELOW(first, bytes)                                                      \
	"{\"name\":\"code\",\"phys_bits\":36,\"page_bytes\":4096,"                    \
	"\"huge_page_bytes\":[2097152],\"caches\":[{\"level\":1,\"type\":\"data\","   \
	"\"ways\":2,\"capacity_bytes\":65536,\"line_bytes\":64,"                      \
	"\"latency_cycles\":3}," first "{\"level\":2,\"type\":\"unified\","           \
	"\"ways\":16,\"capacity_bytes\":" bytes ",\"line_bytes\":64,"                 \
	"\"latency_cycles\":12,\"policy\":{\"name\":\"tree-plru\"},"                  \
	"\"inclusion\":\"exclusive\"},{\"level\":3,\"type\":\"unified\",\"ways\":32," \
	"\"capacity_bytes\":16777216,\"line_bytes\":64,\"latency_cycles\":31}],"      \
	"\"memory\":{\"latency_cycles\":230},\"timer\":{\"overhead_cycles\":20},"     \
	"\"noise\":{\"jitter_cycles\":20},\"cycle_ns\":0.5}"

static void measure_below(const char *profile, struct hierarchy *h)
{
	const uint64_t seed = levelkit_seed();
	struct machine *m = profilekit_open(profile, FRONT_BYTES, seed);

	icache_kit_measure(m, PROBER_BY_TIME, BELOW_CYCLES * 0.5, seed, h);
	machine_close(m);
}

/* L2 has no ways that are known, as an exclusive one in a guest, and a miss of it
 * costs hardly more than one of a cache before it would.
 */
START_TEST(takes_no_second_level_for_the_first)
{
	struct hierarchy h;

	measure_below(CODE_BELOW("", "524288"), &h);
	ck_assert_msg(!icache_kit_decided(&h), "%g ways",
		      h.instruction.ways.value);
	ck_assert_ptr_nonnull(
		strstr(h.instruction.ways.reason, "no cache before it"));
	measure_below(
		CODE_BELOW("{\"level\":1,\"type\":\"instruction\",\"ways\":16,"
			   "\"capacity_bytes\":524288,\"line_bytes\":64,"
			   "\"latency_cycles\":3},",
			   "4194304"),
		&h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, 16, 512, 64, levelkit_seed());
}
END_TEST

/* Nothing says what a line from L2 costs, or it costs more. */
START_TEST(leaves_open_what_time_cannot_tell)
{
	const struct code_cache common = { 8, 64, 64, "lru", "" };
	const struct code_cache narrow = { 4, 128, 32, "lru", "" };
	uint64_t seed = levelkit_seed();
	struct machine *m = open_code(&common, seed);
	struct hierarchy h;

	icache_kit_measure(m, PROBER_BY_TIME, 0, seed, &h);
	ck_assert(icache_kit_decided(&h) ||
		  strstr(h.instruction.ways.reason, "L2"));
	icache_kit_measure(m, PROBER_BY_TIME, 100, seed, &h);
	ck_assert(!icache_kit_decided(&h));
	ck_assert_ptr_nonnull(strstr(h.instruction.ways.reason, "decoded"));
	machine_close(m);
	m = open_code(&narrow, seed);
	icache_kit_measure(m, PROBER_BY_TIME, L2_CYCLES * 0.5, seed, &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, narrow.ways, narrow.sets, narrow.line, seed);
	machine_close(m);
}
END_TEST

/* --- beside other arrays of jumps ---------------------------------------- */

/* Counters decide half of them: of that many one is decided. */
#define FRONTS 12
#define MOST_FRONTS 60

START_SLOW_TEST(is_not_misled_by_predictors)
{
	struct rng rng = { levelkit_seed() };
	struct front *t = malloc(sizeof(*t));
	int right[2] = { 0 }, tried = 0;

	printf("icache: PROBE_PHYS_SEED=%llu\n", (unsigned long long)rng.state);
	ck_assert_ptr_nonnull(t);
	for (; tried < FRONTS || (!right[1] && tried < MOST_FRONTS); tried++) {
		uint64_t seed = rng_next(&rng);
		struct hierarchy h;

		front_draw(t, &rng);
		if (tried & 1)
			t->machine.counters = 1U << COUNTER_L1I_MISS;
		icache_kit_measure(&t->machine, PROBER_BY_AUTO, L2_CYCLES * 0.5,
				   seed, &h);
		if (!icache_kit_decided(&h))
			continue;
		icache_kit_expect(&h, t->code.ways, t->code.sets, 64, seed);
		right[tried & 1]++;
	}
	printf("icache: %d by time, %d by counters of %d each decided\n",
	       right[0], right[1], tried / 2);
	ck_assert_int_gt(right[1], 0);
	free(t);
}
END_TEST

/* Each counts no miss of a line that is decoded; by counters and by time. */
static const struct {
	unsigned int ways;
	unsigned int sets;
	unsigned int decoded_ways;
	unsigned int decoded_sets;
	unsigned int decode_cycles;
	unsigned int in_vain;
	uint64_t seed;
} hiding[] = {
	/* Two sets of the cache have as many ways as one of what is decoded:
	 * chains of jumps saw the sets of that; drawn with PROBE_PHYS_SEED=50000020.
	 */
	{ 2, 128, 4, 32, 2, 0, 16119297273718322208U },
	/* The same of three sets. */
	{ 1, 192, 3, 32, 2, 0, 1 },
	/* What is decoded has as many ways as the cache, and twice its sets. */
	{ 8, 32, 8, 64, 2, 0, 1 },
	/* A Zen 5. */
	{ 8, 64, 12, 64, 2, 0, 1 },
	/* A Zen 4: 128 full lines are kept decoded, 256 are not, and decoding costs as
	 * much as half a miss; each line brings the next one along.
	 */
	{ 8, 64, 16, 64, 9, 1, 1 },
	/* A small cache, whose lines are too many to be kept decoded, too. */
	{ 3, 64, 2, 64, 9, 0, 1 },
};

START_TEST(is_not_misled_by_decoded_jumps)
{
	struct front *t = malloc(sizeof(*t));
	const int i = _i / 2;
	uint64_t seed = hiding[i].seed;
	struct hierarchy h;

	ck_assert_ptr_nonnull(t);
	front_begin(t);
	t->machine.counters = 1U << COUNTER_L1I_MISS;
	front_empty(&t->code, hiding[i].ways, hiding[i].sets, 6, 6);
	front_empty(&t->targets, 8, 256, 4, 6);
	front_empty(&t->decoded, hiding[i].decoded_ways, hiding[i].decoded_sets,
		    3, 6);
	t->has_decoded = true;
	t->inclusive = false;
	t->target_cycles = 4;
	t->decode_cycles = hiding[i].decode_cycles;
	t->in_vain = hiding[i].in_vain;
	t->machine.counters = _i % 2 ? 0 : t->machine.counters;
	icache_kit_measure(&t->machine, PROBER_BY_AUTO, L2_CYCLES * 0.5, seed,
			   &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, hiding[i].ways, hiding[i].sets, 64, seed);
	free(t);
}
END_TEST

/* Where the predictor has room for all, it hides no cache. */
START_TEST(finds_caches_beside_large_predictors)
{
	struct rng rng = { levelkit_seed() };
	struct front *t = malloc(sizeof(*t));
	struct hierarchy h;

	ck_assert_ptr_nonnull(t);
	front_draw(t, &rng);
	front_empty(&t->code, 8, 64, 6, 6);
	front_empty(&t->targets, 16, FRONT_MOST_SETS, 4, 4);
	t->has_decoded = false;
	icache_kit_measure(&t->machine, PROBER_BY_TIME, L2_CYCLES * 0.5,
			   rng.state, &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, 8, 64, 64, rng.state);
	free(t);
}
END_TEST

/* Two lines are fetched behind each one (a Zen 3), which makes three of them look
 * like one from its begin; more of them leave the line open.
 */
#define MOST_IN_VAIN 3

START_TEST(lines_end_where_others_are_fetched_in_vain)
{
	const uint64_t seed = levelkit_seed();
	struct front *t = malloc(sizeof(*t));
	struct hierarchy h;

	ck_assert_ptr_nonnull(t);
	front_begin(t);
	front_empty(&t->code, 8, 64, 6, 6);
	t->has_decoded = false;
	t->in_vain = (unsigned int)_i;
	icache_kit_measure(&t->machine, PROBER_BY_TIME, L2_CYCLES * 0.5, seed,
			   &h);
	if (_i < MOST_IN_VAIN)
		ck_assert_msg(icache_kit_decided(&h), "%s",
			      h.instruction.ways.reason);
	if (icache_kit_decided(&h))
		icache_kit_expect(&h, 8, 64, 64, seed);
	free(t);
}
END_TEST

#define UNUSED_TRIES 4

/* So in a Zen 4: whether one that is there is used by it makes no difference. */
START_TEST(lines_end_where_the_next_one_is_there_unused)
{
	const uint64_t seed = levelkit_seed() + (uint64_t)_i;
	struct front *t = malloc(sizeof(*t));
	struct hierarchy h;

	ck_assert_ptr_nonnull(t);
	front_begin(t);
	front_empty(&t->code, 8, 64, 6, 6);
	t->has_decoded = false;
	t->in_vain = 1;
	t->unused = true;
	icache_kit_measure(&t->machine, PROBER_BY_TIME, L2_CYCLES * 0.5, seed,
			   &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, 8, 64, 64, seed);
	free(t);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *simulated = tcase_create("simulated");
	TCase *fronts = tcase_create("fronts");

	tcase_set_timeout(simulated, 120);
	tcase_add_loop_test(simulated, finds_simulated_code_caches, 0,
			    (int)(sizeof(caches) / sizeof(caches[0])));
	tcase_add_test(simulated, ways_that_somebody_holds);
	tcase_add_test(simulated, finds_none_where_there_is_none);
	tcase_add_test(simulated, takes_no_second_level_for_the_first);
	tcase_add_test(simulated, leaves_open_what_time_cannot_tell);
	suite_add_tcase(suite, simulated);
	tcase_set_timeout(fronts, 300);
	tcase_add_test(fronts, is_not_misled_by_predictors);
	tcase_add_loop_test(fronts, is_not_misled_by_decoded_jumps, 0,
			    (int)(2 * sizeof(hiding) / sizeof(hiding[0])));
	tcase_add_test(fronts, finds_caches_beside_large_predictors);
	tcase_add_loop_test(fronts, lines_end_where_others_are_fetched_in_vain,
			    0, MOST_IN_VAIN + 1);
	tcase_add_loop_test(fronts,
			    lines_end_where_the_next_one_is_there_unused, 0,
			    UNUSED_TRIES);
	suite_add_tcase(suite, fronts);
	return suite;
}
