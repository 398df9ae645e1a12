// SPDX-License-Identifier: GPL-2.0
/* check_levels.c - what is peculiar to some levels: own ways in exclusive
 * hierarchies, sets that are no power of two, prefetchers, LIP, interrupts.
 */
#include <math.h>

#include "method/stride/stride.h"
#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "kit/simcache.h"
#include "machine/sim/sim.h"
#include "method/level/level.h"
#include "suites.h"

#define LEVEL(number, type, bytes, ways, latency, more) \
	"{\"level\":" #number ",\"type\":\"" type "\"," \
	"\"capacity_bytes\":" #bytes ",\"ways\":" #ways \
	",\"line_bytes\":64,\"latency_cycles\":" #latency more "}"
#define EXCLUSIVE ",\"inclusion\":\"exclusive\""
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
/* Bits 13 and 14 are folded onto the lowest of the index; 12 is not. */
#define FOLDED                                                \
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x2040\"," \
	"\"0x4080\",\"0x100\",\"0x200\",\"0x400\",\"0x800\"]}"
#define HASHED                                                                          \
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x48040\",\"0x90080\",\"0x120100\"," \
	"\"0x240200\",\"0x480400\",\"0x900800\",\"0x1201000\",\"0x2402000\","           \
	"\"0x804000\",\"0x1008000\"]}"
#define LIP ",\"policy\":{\"name\":\"lip\"}"

#define NOISY                                             \
	",\"noise\":{\"jitter_cycles\":10,"               \
	"\"tail_probability\":0.01,\"tail_cycles\":2000," \
	"\"interrupts_per_million_loads\":10,"            \
	"\"lines_evicted_per_interrupt\":16}"

#define OPEN 0

/* What L2 is, or undecided; then whether a reason has these words. */
static const struct {
	const char *name;
	const char *caches;
	const char *more;
	unsigned int ways, capacity_kib, effective_ways, line_bytes;
	const char *reason;
} levels[] = {
	{ "exclusive below a virtual index",
	  LEVEL(1, "data", 65536, 2, 3, "") "," LEVEL(2, "unified", 524288, 16,
						      30, EXCLUSIVE),
	  "", 16, 512, 18, 64, "" },
	{ "18 ways of its own below a virtual index",
	  LEVEL(1, "data", 65536, 2, 3, "") "," LEVEL(2, "unified", 589824, 18,
						      30, ""),
	  "", 18, 576, 18, 64, "" },
	{ "exclusive below a physical index",
	  LEVEL(1, "data", 65536, 2, 3,
		",\"addressing\":\"physical\"") "," LEVEL(2, "unified", 524288,
							  16, 30, EXCLUSIVE),
	  "", OPEN, OPEN, 18, 64, "16 ways if" },
	{ "sets in no power of two",
	  LEVEL(1, "data", 32768, 8, 3, "") "," LEVEL(2, "unified", 1572864, 8,
						      30, MODULO),
	  "", 8, 1536, 8, 64, "" },
	{ "sets in nine times a power of two (4601/23)",
	  LEVEL(1, "data", 49152, 12, 4, "") "," LEVEL(2, "unified", 294912, 8,
						       12, MODULO),
	  "", 8, 288, 8, 64, "" },
	{ "below an adjacent-line prefetcher",
	  LEVEL(1, "data", 32768, 8, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"adjacent-line\",\"level\":2}]", 8, 256,
	  8, 64, "" },
	{ "new lines first in the queue (LIP)",
	  LEVEL(1, "data", 32768, 8, 4,
		"") "," LEVEL(2, "unified", 262144, 8, 12,
			      LIP) "," LEVEL(3, "unified", 2097152, 16, 40, ""),
	  "", 8, 256, OPEN, 64, "whether it holds" },
	{ "hashed above a linear one that is inclusive",
	  LEVEL(1, "data", 32768, 8, 4,
		"") "," LEVEL(2, "unified", 524288, 8, 14,
			      HASHED) "," LEVEL(3, "unified", 2097152, 16, 40,
						",\"inclusion\":\"inclusive\""),
	  "", OPEN, OPEN, OPEN, OPEN, "" },
	/* Here so few lines miss above that each has a set of its own below. Of strides
	 * nothing is believed; lines that are evicted one by one say the rest.
	 */
	{ "LIP below two ways",
	  LEVEL(1, "data", 8192, 2, 5, "") "," LEVEL(2, "unified", 262144, 8,
						     17, LIP),
	  "", 8, 256, OPEN, 64, "whether it holds" },
	{ "LIP below two ways, noise",
	  LEVEL(1, "data", 8192, 2, 5, "") "," LEVEL(2, "unified", 262144, 8,
						     17, LIP),
	  NOISY, 8, 256, OPEN, 64, "whether it holds" },
	{ "direct-mapped below two ways, noise",
	  LEVEL(1, "data", 8192, 2, 5, "") "," LEVEL(2, "unified", 32768, 1, 17,
						     ""),
	  NOISY, 1, 32, 1, 64, "" },
};

static struct machine *open_caches(const char *caches, const char *more,
				   uint64_t seed)
{
	char text[2000];

	snprintf(text, sizeof(text), "{\"caches\":[%s%s%s}", caches,
		 PROFILEKIT_REST, more);
	return profilekit_open(text, UINT64_C(256) << 20, seed);
}

static void expect(const char *name, const char *what,
		   const struct parameter *p, unsigned int wanted,
		   const char *reason)
{
	bool measured = p->status == PARAMETER_MEASURED;

	ck_assert_msg(measured == (wanted != OPEN), "%s: %s: %g %s", name, what,
		      p->value, p->reason);
	if (measured)
		ck_assert_msg(p->value == wanted, "%s: %s: %g instead of %u",
			      name, what, p->value, wanted);
	else
		ck_assert_msg(strstr(p->reason, reason), "%s: %s: %s", name,
			      what, p->reason);
}

START_TEST(second_level)
{
	if (!is_in_part(_i))
		return;

	struct machine *m = open_caches(levels[_i].caches, levels[_i].more, 1);
	const char *name = levels[_i].name, *reason = levels[_i].reason;
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_int_ge(found.cache_count, 2);
	c = &found.caches[1];
	expect(name, "ways", &c->ways, levels[_i].ways, reason);
	expect(name, "capacity", &c->capacity_bytes,
	       levels[_i].capacity_kib * 1024, reason);
	expect(name, "effective ways", &c->effective_ways,
	       levels[_i].effective_ways, reason);
	expect(name, "line", &c->line_bytes, levels[_i].line_bytes, reason);
	machine_close(m);
}
END_TEST

/* Two interrupts in a sample of the usual length, half of them unseen. */
START_TEST(interrupts)
{
	if (!is_in_part(_i))
		return;

	uint64_t seed = (uint64_t)_i;
	struct machine *m =
		open_caches(LEVEL(1, "data", 32768, 8, 4, "") "," LEVEL(
				    2, "unified", 262144, 8, 12, ""),
			    ",\"noise\":{\"jitter_cycles\":20,"
			    "\"interrupts_per_million_loads\":1000,"
			    "\"lines_evicted_per_interrupt\":128}",
			    seed);
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy found;
	struct prober prober;
	char name[40];

	snprintf(name, sizeof(name), "seed %d", _i);
	prober_begin(&prober, m, seed);
	prober.most_levels = 1;
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	c = &found.caches[0];
	expect(name, "ways", &c->ways, 8, "");
	expect(name, "capacity", &c->capacity_bytes, 32768, "");
	expect(name, "line", &c->line_bytes, 64, "");
	ck_assert_msg(fabs(c->latency_cycles.value - 4) < 0.1, "%s: %g", name,
		      c->latency_cycles.value);
	machine_close(m);
}
END_TEST

#define KIB UINT64_C(1024)

/* Ways and bytes of a way that the third level is taken for; it has 4 of 4 MiB.
 * All lines of it are too many to be tried, and those of a few sets would all
 * stay in the second level.
 */
static const struct {
	size_t ways;
	uint64_t way_bytes;
	bool fits;
} capacities[] = {
	{ 4, 4096 * KIB, true },
	{ 4, 8192 * KIB, false },
	{ 4, 16384 * KIB, false },
	{ 3, 4096 * KIB, true },
};

START_TEST(capacity_of_many_lines)
{
	if (!is_in_part_of(_i, sizeof(capacities) / sizeof(capacities[0])))
		return;

	const struct sim_config config = {
		.levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
			    { 16, 2048, 64, 14, SIM_LRU, false, { 0 } },
			    { 4, 65536, 64, 40, SIM_LRU, false, { 0 } } },
		.memory_latency = 200,
		.region_bytes = 131072 * KIB,
		.seed = 1,
	};
	const struct xray_level upper[] = { { .ways = 8, .way_bytes = 4096 },
					    { .ways = 16,
					      .way_bytes = 128 * KIB } };
	const struct xray_level level = {
		.ways = capacities[_i].ways,
		.way_bytes = capacities[_i].way_bytes,
	};
	struct failure f = { .text = "" };
	struct prober prober;
	struct xray x = { .prober = &prober,
			  .upper = upper,
			  .upper_count = 2,
			  .hit_ticks = 40 };
	struct machine *m = sim_open(&config);
	enum outcome outcome = OUTCOME_OPEN;

	x.reference.penalty_ticks = 160;
	prober_begin(&prober, m, 1);
	ck_assert_int_eq(xray_check_capacity(&x, &level, 64, &outcome, &f), 0);
	ck_assert_int_eq(outcome == OUTCOME_DECIDED, capacities[_i].fits);
	machine_close(m);
}
END_TEST

/* More lines fit into a set of L1 than any order shows that comes first. */
static const struct {
	const char *name;
	const char *caches;
	const char *more;
	unsigned int ways;
} misleading[] = {
	{ "one set below an adjacent-line prefetcher",
	  LEVEL(1, "data", 2048, 32, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"adjacent-line\",\"level\":1}]", 32 },
	{ "one set below a next-line prefetcher",
	  LEVEL(1, "data", 1024, 16, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"next-line\",\"level\":1}]", 16 },
	{ "a tree of 12 ways that uses few of them",
	  LEVEL(1, "data", 49152, 12, 4,
		",\"policy\":{\"name\":\"tree-plru\"}"),
	  "", 12 },
	{ "an inclusive L2 that takes new lines first (LIP)",
	  LEVEL(1, "data", 32768, 8, 4,
		"") "," LEVEL(2, "unified", 524288, 8, 12,
			      ",\"inclusion\":\"inclusive\"" LIP),
	  "", 8 },
	{ "an inclusive L2 that does so in fewer sets",
	  LEVEL(1, "data", 32768, 8, 5, ",\"policy\":{\"name\":\"tree-plru\"}") "," LEVEL(
		  2, "unified", 131072, 8, 17,
		  ",\"inclusion\":\"inclusive\"" LIP),
	  "", 8 },
	{ "a hash of bits above the lowest of a page",
	  LEVEL(1, "data", 32768, 8, 4,
		",\"addressing\":\"physical\"" FOLDED) "," LEVEL(2, "unified",
								 262144, 8, 12,
								 ""),
	  "", 8 },
};

#define MISLEADING_SEEDS 4

START_TEST(misleading_first_level)
{
	if (!is_in_part(_i / MISLEADING_SEEDS))
		return;

	const size_t i = (size_t)_i / MISLEADING_SEEDS;
	/* With 1, 7 and 12 a tree of 12 ways once had 3. */
	const uint64_t known[MISLEADING_SEEDS] = { 1, 7, 12 };
	const uint64_t seed = known[_i % MISLEADING_SEEDS] ?
				      known[_i % MISLEADING_SEEDS] :
				      from_environment("PROBE_PHYS_SEED", 2);
	struct machine *m =
		open_caches(misleading[i].caches, misleading[i].more, seed);
	const struct parameter *ways;
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, seed);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ways = &found.caches[0].ways;
	/* Half of them, and fewer, have been seen: open is as right. */
	if (ways->status == PARAMETER_MEASURED)
		expect(misleading[i].name, "ways", ways, misleading[i].ways,
		       "");
	machine_close(m);
}
END_TEST

/* The lines that are flushed lie in more pages than the TLB has entries. */
START_TEST(memory_without_translations)
{
	struct machine *m = open_caches(
		LEVEL(1, "data", 32768, 8, 4, "") "," LEVEL(2, "unified",
							    262144, 8, 12, ""),
		",\"virtual_machine\":true,\"host_page_bytes\":4096", 1);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, 1);
	prober.most_levels = 1;
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_int_eq(found.memory_latency_cycles.status,
			 PARAMETER_MEASURED);
	ck_assert_msg(fabs(found.memory_latency_cycles.value - 300) < 3,
		      "%g instead of 300", found.memory_latency_cycles.value);
	machine_close(m);
}
END_TEST

/* All that hits takes as many cycles as before, in more or less time; no level
 * comes of that.
 */
START_TEST(clock_that_changes_its_pace)
{
	const uint64_t first = from_environment("PROBE_PHYS_SEED", 11);
	const uint64_t seeds = 10;
	uint64_t decided = 0;

	for (uint64_t seed = first; seed < first + seeds; seed++) {
		struct machine *m = open_caches(
			LEVEL(1, "data", 32768, 8, 4,
			      "") "," LEVEL(2, "unified", 262144, 8, 12,
					    "") "," LEVEL(3, "unified", 2097152,
							  16, 40, ""),
			",\"noise\":{\"frequency_drift\":0.15}", seed);
		struct failure f = { .text = "" };
		struct hierarchy found;
		struct prober prober;

		prober_begin(&prober, m, seed);
		ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s",
			      f.text);
		ck_assert_msg(found.cache_count <= 3,
			      "%zu levels (PROBE_PHYS_SEED=%llu)",
			      found.cache_count, (unsigned long long)seed);
		decided += found.cache_count >= 2 &&
			   found.caches[1].latency_cycles.status ==
				   PARAMETER_MEASURED &&
			   fabs(found.caches[1].latency_cycles.value - 12) < 1;
		machine_close(m);
	}
	ck_assert_msg(decided >= seeds - 1,
		      "L2's latency in %llu of %llu (PROBE_PHYS_SEED=%llu)",
		      (unsigned long long)decided, (unsigned long long)seeds,
		      (unsigned long long)first);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("second level");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, second_level, 0,
			    sizeof(levels) / sizeof(levels[0]));
	tcase_add_loop_test(t, interrupts, 1, 9);
	tcase_add_loop_test(t, capacity_of_many_lines, 0,
			    sizeof(capacities) / sizeof(capacities[0]));
	tcase_add_test(t, memory_without_translations);
	tcase_add_test(t, clock_that_changes_its_pace);
	tcase_add_loop_test(t, misleading_first_level, 0,
			    MISLEADING_SEEDS * sizeof(misleading) /
				    sizeof(misleading[0]));
	suite_add_tcase(suite, t);
	return suite;
}
