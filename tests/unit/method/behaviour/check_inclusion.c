// SPDX-License-Identifier: GPL-2.0
/* check_inclusion.c - a line that the first level keeps, and levels below that
 * lose it: inclusive ones take it away, no other does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "method/level/level.h"
#include "suites.h"

#define LINE 64
#define LATENCIES 4

static const double latencies[LATENCIES] = { 4, 12, 40, 200 };
static const char *const kinds[] = { "nine", "inclusive", "exclusive" };

/**
 * struct level - one of a machine
 * @ways: lines of a set
 * @sets: a power of two
 * @policy: name in the profile
 * @kind: index of kinds
 */
struct level {
	unsigned int ways;
	unsigned int sets;
	const char *policy;
	unsigned int kind;
};

static int write_level(char *text, size_t size, const struct level *l, int i)
{
	return snprintf(text, size,
			"%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
			"\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":%g,"
			"\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\"}",
			i ? "," : "", i + 1, i ? "unified" : "data",
			l->ways * l->sets * LINE, l->ways, latencies[i],
			l->policy, kinds[l->kind]);
}

static struct machine *open_levels(const struct level *levels, const char *more,
				   uint64_t seed)
{
	char text[2000] = "{\"caches\":[";

	for (int i = 0; i < 3; i++)
		write_level(text + strlen(text), sizeof(text) - strlen(text),
			    &levels[i], i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"memory\":{\"latency_cycles\":%g}%s}",
		 latencies[3], more);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

static void know(struct parameter *p, double value)
{
	parameter_measured(p, value, 1e-6, "test");
}

/* What X-Ray would have found. */
static void know_levels(struct hierarchy *h, const struct level *levels)
{
	hierarchy_init(h);
	for (int i = 0; i < 3; i++) {
		struct cache_result *c = hierarchy_add(h);
		const struct level *l = &levels[i];

		know(&c->ways, l->ways);
		know(&c->capacity_bytes, l->ways * l->sets * LINE);
		know(&c->line_bytes, LINE);
		know(&c->latency_ns, latencies[i] * 0.5);
		know(&c->index_decision, 0);
		know(&c->effective_ways,
		     l->kind == 2 ? l->ways + levels[i - 1].ways : l->ways);
		c->index = INDEX_LINEAR;
	}
	know(&h->memory_latency_ns, latencies[3] * 0.5);
}

static void measure(const struct level *levels, const char *more, uint64_t seed,
		    unsigned int counters, struct hierarchy *h)
{
	struct machine *m = open_levels(levels, more, seed);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	know_levels(h, levels);
	ck_assert_msg(inclusion_measure(&p, h, &f) == 0, "%s", f.text);
	machine_close(m);
}

#define TIMED ",\"cycle_ns\":0.5"
#define COUNTED TIMED ",\"counters\":[\"l1d_miss\"]"
#define NOISY                                                   \
	TIMED ",\"noise\":{\"jitter_cycles\":20,"               \
	      "\"tail_probability\":0.01,\"tail_cycles\":2000," \
	      "\"interrupts_per_million_loads\":10,"            \
	      "\"lines_evicted_per_interrupt\":16}"

static const struct {
	const char *name;
	struct level levels[3];
	const char *more;
	const char *wanted[2]; /* of L2 and L3; NULL: undecided */
} cases[] = {
	{ "inclusive L3",
	  { { 8, 64, "lru", 0 }, { 8, 512, "lru", 0 }, { 16, 2048, "lru", 1 } },
	  TIMED,
	  { "nine", "inclusive" } },
	{ "inclusive L3, counted",
	  { { 8, 64, "lru", 0 }, { 8, 512, "lru", 0 }, { 16, 2048, "lru", 1 } },
	  COUNTED,
	  { "nine", "inclusive" } },
	{ "inclusive L3, noise",
	  { { 8, 64, "lru", 0 }, { 8, 512, "lru", 0 }, { 16, 2048, "lru", 1 } },
	  NOISY,
	  { "nine", "inclusive" } },
	{ "nothing inclusive",
	  { { 8, 64, "tree-plru", 0 },
	    { 8, 512, "tree-plru", 0 },
	    { 16, 2048, "srrip", 0 } },
	  TIMED,
	  { "nine", "nine" } },
	{ "exclusive L2",
	  { { 2, 512, "lru", 0 },
	    { 16, 1024, "lru", 2 },
	    { 16, 4096, "lru", 0 } },
	  TIMED,
	  { "exclusive", "nine" } },
	{ "inclusive L3 below an inclusive L2",
	  { { 8, 64, "lru", 0 }, { 8, 512, "lru", 1 }, { 16, 2048, "lru", 1 } },
	  TIMED,
	  { "inclusive", "inclusive" } },
	{ "L3 below an inclusive L2, noise",
	  { { 8, 64, "lru", 0 }, { 8, 512, "lru", 1 }, { 16, 2048, "lru", 0 } },
	  NOISY,
	  { "inclusive", "nine" } },
	{ "a first level of two ways",
	  { { 2, 256, "lru", 0 },
	    { 16, 1024, "srrip", 1 },
	    { 16, 4096, "srrip", 0 } },
	  TIMED,
	  { "inclusive", "nine" } },
	{ "a first level that keeps nothing for certain",
	  { { 8, 64, "random", 0 },
	    { 8, 512, "lru", 0 },
	    { 16, 2048, "lru", 0 } },
	  TIMED,
	  { NULL, "nine" } },
};

START_TEST(known_machines)
{
	if (!is_in_part(_i))
		return;

	unsigned int counters = cases[_i].more[0] &&
						strstr(cases[_i].more, "l1d") ?
					1U << COUNTER_L1D_MISS :
					0;
	struct hierarchy h;

	measure(cases[_i].levels, cases[_i].more, 5, counters, &h);
	for (int i = 0; i < 2; i++) {
		const struct cache_result *c = &h.caches[i + 1];
		const char *wanted = cases[_i].wanted[i];
		bool decided = c->inclusion_decision.status ==
			       PARAMETER_MEASURED;

		ck_assert_msg(decided == (wanted != NULL), "%s: L%d: %s %s",
			      cases[_i].name, i + 2,
			      inclusion_name(c->inclusion),
			      c->inclusion_decision.reason);
		if (wanted)
			ck_assert_str_eq(inclusion_name(c->inclusion), wanted);
		else
			ck_assert(c->inclusion_decision.reason[0]);
	}
}
END_TEST

/* L2 pushes nothing out that an inclusive L3 of little more room does not. */
START_TEST(hidden_level)
{
	const struct level levels[] = { { 4, 64, "tree-plru", 0 },
					{ 16, 512, "tree-plru", 0 },
					{ 16, 1024, "fifo", 1 } };
	struct machine *m = open_levels(levels, _i ? COUNTED : TIMED, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 5);
	p.counters = _i ? 1U << COUNTER_L1D_MISS : 0;
	ck_assert_msg(xray_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_int_ge(h.cache_count, 2);
	ck_assert(parameter_is_measured(&h.caches[1].ways));
	ck_assert_str_ne(inclusion_name(h.caches[1].inclusion), "inclusive");
	machine_close(m);
}
END_TEST

#define HASH_APART 20
#define HASH_BITS 10
/* The lowest address bit that no mask has. */
#define FREE_BIT 16

/* L2 of 1024 sets that XOR two bits each, below an L1 of 64 sets. */
static struct machine *open_hashed(unsigned int kind, uint64_t seed)
{
	char text[2000], masks[400] = "";

	for (int i = 0; i < HASH_BITS; i++)
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"0x%llx\"", i ? "," : "",
			 0x40ULL << i | 0x40ULL << (i + HASH_APART));
	snprintf(
		text, sizeof(text),
		"{\"cycle_ns\":0.5,\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":524288,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12,\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":200}}",
		kinds[kind], masks);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

/* Lines of one set, as they would have been collected; @count 0: none were. */
static void know_hashed(struct hierarchy *h, unsigned int kind, size_t count)
{
	const struct level levels[] = { { 8, 64, "lru", 0 },
					{ 8, 1024, "lru", kind },
					{ 8, 64, "lru", 0 } };
	struct cache_result *c = &h->caches[1];

	know_levels(h, levels);
	h->cache_count = 2;
	know(&h->memory_latency_ns, 100);
	c->index = INDEX_HASHED;
	/* In bits that no mask has. */
	for (uint64_t i = 0; i < count; i++)
		c->set_lines[i] = i << FREE_BIT;
	c->set_line_count = count;
}

static const struct {
	unsigned int kind;
	size_t lines;
	const char *reason; /* NULL: decided */
} listed[] = {
	{ 0, 48, NULL },
	{ 1, 48, NULL },
	{ 0, 12, "too few lines" },
	{ 1, 0, "not known" },
};

/* Of a hashed level the lines are those that were found. */
START_TEST(listed_lines)
{
	struct machine *m = open_hashed(listed[_i].kind, 5);
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 5);
	know_hashed(&h, listed[_i].kind, listed[_i].lines);
	c = &h.caches[1];
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	if (listed[_i].reason)
		ck_assert_msg(strstr(c->inclusion_decision.reason,
				     listed[_i].reason),
			      "%s", c->inclusion_decision.reason);
	else
		ck_assert_msg(!strcmp(inclusion_name(c->inclusion),
				      kinds[listed[_i].kind]),
			      "%s instead of %s: %s",
			      inclusion_name(c->inclusion),
			      kinds[listed[_i].kind],
			      c->inclusion_decision.reason);
	machine_close(m);
}
END_TEST

static uint64_t seed_of_day(void)
{
	const char *text = getenv("PROBE_PHYS_SEED");

	return text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL) / 86400;
}

static struct level random_level(struct rng *rng, int i)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "fifo",
						"srrip", "random",    "nru" };
	static const unsigned int sets[] = { 64, 512, 2048 };
	const struct level l = {
		.ways = 4U << rng_below(rng, 3),
		.sets = sets[i] >> rng_below(rng, 2),
		.policy = policies[rng_below(rng, 6)],
		.kind = i ? (unsigned int)rng_below(rng, 2) : 0,
	};

	return l;
}

/* Right or open, whatever the machine. */
START_TEST(random_machines)
{
	uint64_t seed = seed_of_day();
	struct rng rng = { seed };

	printf("inclusion: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int round = 0; round < 60; round++) {
		bool counted = round % 2;
		struct level levels[3];
		struct hierarchy h;
		uint64_t of_round;

		for (int i = 0; i < 3; i++)
			levels[i] = random_level(&rng, i);
		of_round = rng_next(&rng) >> 8;
		if (!is_in_part(round))
			continue;
		measure(levels, counted ? COUNTED : TIMED, of_round,
			counted ? 1U << COUNTER_L1D_MISS : 0, &h);
		for (int i = 1; i < 3; i++)
			ck_assert_msg(
				h.caches[i].inclusion == INCLUSION_UNKNOWN ||
					!strcmp(inclusion_name(
							h.caches[i].inclusion),
						kinds[levels[i].kind]),
				"seed %llu, machine %d: L%d is %s, found %s; %u %u %s, %u %u %s, %u %u %s",
				(unsigned long long)seed, round, i + 1,
				kinds[levels[i].kind],
				inclusion_name(h.caches[i].inclusion),
				levels[0].ways, levels[0].sets,
				levels[0].policy, levels[1].ways,
				levels[1].sets, levels[1].policy,
				levels[2].ways, levels[2].sets,
				levels[2].policy);
	}
}
END_TEST

Suite *make_inclusion_suite(void)
{
	Suite *s = suite_create("inclusion");
	TCase *t = tcase_create("kept line");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, known_machines, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(t, listed_lines, 0,
			    sizeof(listed) / sizeof(listed[0]));
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	t = tcase_create("hidden level");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, hidden_level, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
