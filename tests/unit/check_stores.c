// SPDX-License-Identifier: GPL-2.0
/* check_stores.c - levels that allocate on writes and levels that do not, and
 * what machines do before a sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/sim.h"
#include "method/stores.h"
#include "method/write_back.h"
#include "suites.h"

#define LINE 64
#define LATENCIES 4
#define LEVELS 3

static const double latencies[LATENCIES] = { 4, 12, 40, 200 };

/**
 * struct level - one of a machine
 * @ways: lines of a set
 * @sets: a power of two
 * @policy: name in the profile
 * @kind: of the first level it says nothing
 * @bypassed: stores do not allocate
 * @through: it writes through
 */
struct level {
	unsigned int ways;
	unsigned int sets;
	const char *policy;
	enum inclusion kind;
	bool bypassed;
	bool through;
};

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

static const char *kind_of(const struct level *l)
{
	return l->kind ? inclusion_name(l->kind) : "nine";
}

static int write_level(char *text, size_t size, const struct level *l, int i)
{
	return snprintf(text, size,
			"%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
			"\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":%g,"
			"\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\","
			"\"write_allocate\":%s,\"write_back\":%s}",
			i ? "," : "", i + 1, i ? "unified" : "data",
			l->ways * l->sets * LINE, l->ways, latencies[i],
			l->policy, kind_of(l), truth(!l->bypassed),
			truth(!l->through));
}

static struct machine *open_levels(const struct level *levels, const char *more,
				   uint64_t seed)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = UINT64_C(64) << 20,
						 .seed = seed };
	struct failure f = { .text = "" };
	char text[2000] = "{\"caches\":[";
	struct profile *p;
	struct machine *m;

	for (int i = 0; i < LEVELS; i++)
		write_level(text + strlen(text), sizeof(text) - strlen(text),
			    &levels[i], i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"memory\":{\"latency_cycles\":%g}%s}",
		 latencies[LEVELS], more);
	p = profile_parse(text, strlen(text), "test", &f);
	ck_assert_msg(p != NULL, "%s: %s", f.text, text);
	m = machine_open_profile(p, &request, &f);
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

static void know(struct parameter *p, double value)
{
	parameter_measured(p, value, 1e-6, "test");
}

/* What X-Ray and the kept line would have found. */
static void know_levels(struct hierarchy *h, const struct level *levels)
{
	hierarchy_init(h);
	for (int i = 0; i < LEVELS; i++) {
		struct cache_result *c = hierarchy_add(h);
		const struct level *l = &levels[i];

		know(&c->ways, l->ways);
		know(&c->capacity_bytes, l->ways * l->sets * LINE);
		know(&c->line_bytes, LINE);
		know(&c->latency_ns, latencies[i] * 0.5);
		know(&c->index_decision, 0);
		know(&c->effective_ways, l->kind == INCLUSION_EXCLUSIVE ?
						 l->ways + levels[i - 1].ways :
						 l->ways);
		c->index = INDEX_LINEAR;
		c->inclusion = l->kind;
	}
	know(&h->memory_latency_ns, latencies[LEVELS] * 0.5);
}

static void measure(const struct level *levels, const char *more, uint64_t seed,
		    unsigned int counters, struct hierarchy *h)
{
	struct machine *m = open_levels(levels, more, seed);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	ck_assert_msg(stores_measure(&p, h, &f) == 0, "%s", f.text);
	ck_assert_msg(write_back_measure(&p, h, &f) == 0, "%s", f.text);
	machine_close(m);
}

#define TIMED ",\"cycle_ns\":0.5"
#define COUNTED TIMED ",\"counters\":[\"l1d_miss\",\"l2_miss\",\"l3_miss\"]"
#define NOISY                                                   \
	TIMED ",\"noise\":{\"jitter_cycles\":20,"               \
	      "\"tail_probability\":0.01,\"tail_cycles\":2000," \
	      "\"interrupts_per_million_loads\":10,"            \
	      "\"lines_evicted_per_interrupt\":16}"
#define ALL_COUNTERS \
	(1U << COUNTER_L1D_MISS | 1U << COUNTER_L2_MISS | 1U << COUNTER_L3_MISS)
#define NINE INCLUSION_NINE
#define INCLUSIVE INCLUSION_INCLUSIVE
#define EXCLUSIVE INCLUSION_EXCLUSIVE

static const struct {
	const char *name;
	struct level levels[LEVELS];
	const char *more;
	unsigned int counters;
	int wanted[LEVELS]; /* -1: undecided */
	bool back;	    /* the first level is seen to write back */
} cases[] = {
	{ "all allocate",
	  { { 8, 64, "lru", NINE, false, false },
	    { 8, 512, "lru", NINE, false, false },
	    { 16, 2048, "lru", INCLUSIVE, false, false } },
	  TIMED,
	  0,
	  { 1, 1, 1 },
	  true },
	{ "all allocate, noise",
	  { { 8, 64, "lru", NINE, false, false },
	    { 8, 512, "lru", NINE, false, false },
	    { 16, 2048, "lru", INCLUSIVE, false, false } },
	  NOISY,
	  0,
	  { 1, 1, 1 },
	  true },
	{ "first level bypassed and written through",
	  { { 8, 64, "tree-plru", NINE, true, true },
	    { 8, 512, "tree-plru", NINE, false, false },
	    { 16, 2048, "lru", NINE, false, false } },
	  TIMED,
	  0,
	  { 0, 1, 1 },
	  false },
	{ "first level bypassed, counted",
	  { { 8, 64, "tree-plru", NINE, true, false },
	    { 8, 512, "tree-plru", NINE, false, false },
	    { 16, 2048, "lru", NINE, false, false } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 0, 1, 1 },
	  true },
	{ "second level bypassed, noise",
	  { { 8, 64, "lru", NINE, false, false },
	    { 8, 512, "lru", NINE, true, false },
	    { 16, 2048, "lru", NINE, false, false } },
	  NOISY,
	  0,
	  { 1, 0, 1 },
	  false },
	{ "third level bypassed, counted",
	  { { 8, 64, "lru", NINE, false, false },
	    { 8, 512, "lru", NINE, false, false },
	    { 16, 2048, "lru", NINE, true, false } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 1, 1, 0 },
	  true },
	{ "nobody allocates",
	  { { 8, 64, "lru", NINE, true, false },
	    { 8, 512, "lru", NINE, true, false },
	    { 16, 2048, "lru", NINE, true, false } },
	  TIMED,
	  0,
	  { 0, 0, 0 },
	  false },
	{ "exclusive L2",
	  { { 2, 512, "lru", NINE, false, false },
	    { 16, 1024, "lru", EXCLUSIVE, false, false },
	    { 16, 4096, "lru", NINE, false, false } },
	  TIMED,
	  0,
	  { 1, -1, 1 },
	  false },
};

START_TEST(known_machines)
{
	struct hierarchy h;

	know_levels(&h, cases[_i].levels);
	measure(cases[_i].levels, cases[_i].more, 5, cases[_i].counters, &h);
	for (int i = 0; i < LEVELS; i++) {
		const struct parameter *p = &h.caches[i].write_allocate;
		int wanted = cases[_i].wanted[i];
		bool decided = p->status == PARAMETER_MEASURED;

		ck_assert_msg(decided == (wanted >= 0), "%s: L%d: %g %s",
			      cases[_i].name, i + 1, p->value, p->reason);
		if (decided)
			ck_assert_msg((int)p->value == wanted, "%s: L%d: %g",
				      cases[_i].name, i + 1, p->value);
		else
			ck_assert(p->reason[0]);
	}
	ck_assert_msg((h.caches[0].write_back.status == PARAMETER_MEASURED) ==
			      cases[_i].back,
		      "%s: %s", cases[_i].name, h.caches[0].write_back.reason);
	ck_assert(cases[_i].back ? h.caches[0].write_back.value > 0 :
				   h.caches[0].write_back.reason[0]);
	ck_assert_int_eq(h.caches[1].write_back.status, PARAMETER_UNAVAILABLE);
}
END_TEST

/* What an unknown level below costs is assumed, and only hits are believed. */
START_TEST(unknown_below)
{
	struct level levels[LEVELS] = {
		{ 8, 64, "lru", NINE, false, false },
		{ 8, 512, "lru", NINE, false, false },
		{ 16, 2048, "lru", NINE, false, false },
	};
	const struct parameter *p;
	struct hierarchy h;

	levels[1].bypassed = _i;
	know_levels(&h, levels);
	parameter_undecided(&h.caches[2].latency_ns, "test", "not known");
	measure(levels, TIMED, 7, 0, &h);
	p = &h.caches[1].write_allocate;
	ck_assert_int_eq(p->status,
			 _i ? PARAMETER_UNDECIDED : PARAMETER_MEASURED);
	if (!_i)
		ck_assert(p->value > 0);
	ck_assert_int_eq(h.caches[2].write_allocate.status,
			 PARAMETER_UNDECIDED);
}
END_TEST

/* A level that may be exclusive has nothing of stores that bypass those above. */
START_TEST(unknown_inclusion)
{
	static const struct level levels[LEVELS] = {
		{ 2, 512, "lru", NINE, true, false },
		{ 16, 1024, "lru", EXCLUSIVE, false, false },
		{ 16, 4096, "lru", NINE, false, false },
	};
	struct hierarchy h;

	know_levels(&h, levels);
	h.caches[1].inclusion = INCLUSION_UNKNOWN;
	measure(levels, TIMED, 9, 0, &h);
	ck_assert_int_eq(h.caches[1].write_allocate.status,
			 PARAMETER_UNDECIDED);
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
						"srrip", "random",    "nru",
						"lip",	 "brrip" };
	static const unsigned int sets[] = { 64, 512, 2048 };
	const struct level l = {
		.ways = 4U << rng_below(rng, 3),
		.sets = sets[i] >> rng_below(rng, 2),
		.policy = policies[rng_below(rng, 8)],
		.kind = i && rng_below(rng, 2) ? INCLUSIVE : NINE,
		.bypassed = rng_below(rng, 2),
		.through = rng_below(rng, 2),
	};

	return l;
}

/* Right or open, whatever the machine. */
START_TEST(random_machines)
{
	static const char *const more[] = { TIMED, COUNTED, NOISY };
	uint64_t seed = seed_of_day();
	struct rng rng = { seed };
	int decided = 0;

	printf("stores: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int round = 0; round < 90; round++) {
		unsigned int counters = round % 3 == 1 ? ALL_COUNTERS : 0;
		struct level levels[LEVELS];
		struct hierarchy h;

		for (int i = 0; i < LEVELS; i++)
			levels[i] = random_level(&rng, i);
		/* Only below such a level write-backs are seen. */
		if (round & 4)
			levels[1].kind = NINE;
		know_levels(&h, levels);
		measure(levels, more[round % 3], rng_next(&rng) >> 8, counters,
			&h);
		ck_assert_msg(h.caches[0].write_back.status !=
					      PARAMETER_MEASURED ||
				      !levels[0].through,
			      "seed %llu, machine %d: L1 writes through",
			      (unsigned long long)seed, round);
		for (int i = 0; i < LEVELS; i++) {
			const struct parameter *p = &h.caches[i].write_allocate;

			if (p->status != PARAMETER_MEASURED)
				continue;
			decided++;
			ck_assert_msg(
				(p->value > 0) == !levels[i].bypassed,
				"seed %llu, machine %d: L%d: %g; %u %u %s %d, %u %u %s %d, %u %u %s %d",
				(unsigned long long)seed, round, i + 1,
				p->value, levels[0].ways, levels[0].sets,
				levels[0].policy, levels[0].bypassed,
				levels[1].ways, levels[1].sets,
				levels[1].policy, levels[1].bypassed,
				levels[2].ways, levels[2].sets,
				levels[2].policy, levels[2].bypassed);
		}
	}
	ck_assert_int_ge(decided, 90);
}
END_TEST

Suite *make_stores_suite(void)
{
	Suite *s = suite_create("stores");
	TCase *t = tcase_create("store and load");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, known_machines, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(t, unknown_below, 0, 2);
	tcase_add_test(t, unknown_inclusion);
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	return s;
}
