// SPDX-License-Identifier: GPL-2.0
/* check_search.c - what strides alone say of a second level, right or open. */
#include <stdio.h>

#include "kit/profilekit.h"
#include "method/level/level.h"
#include "method/levels/internal.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define ROUNDS 24

/**
 * struct second - a level below 8 ways of 4 KiB
 * @name: what is peculiar to it
 * @ways: of it
 * @sets: a power of two, or three times one: the index is modulo
 * @line_bytes: of it
 * @apart: bits between those of a line's number that are XORed in pairs; 0: none
 * @policy: of it
 * @counted: by counters, else by time
 */
struct second {
	const char *name;
	unsigned int ways;
	unsigned int sets;
	unsigned int line_bytes;
	unsigned int apart;
	const char *policy;
	bool counted;
};

/* Bits without a part in the index, between those that have: 7 index 128 sets. */
static const struct second machines[] = {
	{ "linear", 8, 512, 64, 0, "lru", true },
	{ "longer lines", 8, 512, 128, 0, "tree-plru", true },
	{ "longer lines, by time", 8, 1024, 256, 0, "lru", false },
	{ "three times as many sets", 8, 768, 64, 0, "lru", true },
	{ "more ways than lines at a power of two show", 48, 192, 64, 0, "lru",
	  true },
	{ "the same, by time", 10, 768, 64, 0, "lru", false },
	{ "hashed", 8, 128, 64, 7, "lru", true },
	{ "one bit left out", 8, 128, 64, 8, "lru", true },
	{ "one bit left out, by time", 8, 128, 64, 8, "lru", false },
	{ "one bit left out, BRRIP", 8, 128, 64, 8, "brrip", true },
	{ "two bits left out", 8, 128, 64, 9, "tree-plru", true },
	{ "three bits left out", 8, 128, 64, 10, "bip", true },
	{ "longer lines, one bit left out", 8, 128, 128, 8, "lru", true },
};

static void write_index(const struct second *s, char *text, size_t size)
{
	size_t n;

	if (s->sets & (s->sets - 1)) {
		snprintf(text, size, "{\"kind\":\"modulo\"}");
		return;
	}
	n = (size_t)snprintf(text, size, "{\"kind\":\"xor\",\"masks\":[");
	for (unsigned int i = 0; s->sets >> i > 1; i++) {
		uint64_t mask = (uint64_t)s->line_bytes << i;

		if (s->apart)
			mask |= mask << s->apart;
		n += (size_t)snprintf(text + n, size - n, "%s\"0x%llx\"",
				      i ? "," : "", (unsigned long long)mask);
	}
	snprintf(text + n, size - n, "]}");
}

static struct machine *open_second(const struct second *s, uint64_t seed)
{
	char text[2000], index[600];

	write_index(s, index, sizeof(index));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":%u,\"latency_cycles\":12,\"policy\":{\"name\":\"%s\"},\"index\":%s}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],%s\"memory\":{\"latency_cycles\":200}}",
		s->ways * s->sets * s->line_bytes, s->ways, s->line_bytes,
		s->policy, index,
		s->counted ? "\"counters\":[\"l1d_miss\",\"l2_miss\"]," : "");
	return profilekit_open(text, 256 * KIB * KIB, seed);
}

static void expect_right(const struct second *s, const struct xray_geometry *g,
			 const struct parameter *line, uint64_t seed)
{
	uint64_t way_bytes = (uint64_t)s->sets * s->line_bytes;

	if (!g->found)
		return;
	ck_assert_msg(
		!s->apart && g->level.own == s->ways &&
			g->level.way_bytes == way_bytes,
		"%s, seed %llu: %zu ways of %llu bytes, linear, instead of %u of %llu (%u bits apart, %s)",
		s->name, (unsigned long long)seed, g->level.own,
		(unsigned long long)g->level.way_bytes, s->ways,
		(unsigned long long)way_bytes, s->apart, s->policy);
	ck_assert_msg(g->modulo == !!(s->sets & (s->sets - 1)),
		      "%s, seed %llu: modulo or not", s->name,
		      (unsigned long long)seed);
	if (parameter_is_measured(line))
		ck_assert_msg(line->value == s->line_bytes,
			      "%s, seed %llu: lines of %g bytes", s->name,
			      (unsigned long long)seed, line->value);
}

/* Return: whether a geometry was found. */
static bool search(const struct second *s, uint64_t seed)
{
	const struct xray_level first = {
		.ways = 8, .way_bytes = 4096, .line_bytes = 64, .own = 8
	};
	struct machine *m = open_second(s, seed);
	struct xray_geometry g = { .found = false };
	struct parameter line = { .method = NULL };
	struct failure f = { .text = "" };
	struct prober p;
	struct xray x = { .prober = &p, .upper = &first, .upper_count = 1 };
	struct strategy by = strategy_strides(&x);
	int error;

	prober_begin(&p, m, seed);
	if (s->counted)
		p.counters = 1U << COUNTER_L1D_MISS | 1U << COUNTER_L2_MISS;
	x.reference = (struct reference){ .control = xray_control(&x, 3),
					  .page_bytes = 2048 * KIB,
					  .line_bytes = 64,
					  .twin_lines = 128 };
	ck_assert_int_eq(
		prober_time(&p, &x.reference.control, 0, &x.hit_ticks, &f), 0);
	error = level_search(&x, &by, &g, &line, &f);
	ck_assert_msg(!error, "%s: %s", s->name, f.text);
	expect_right(s, &g, &line, seed);
	machine_close(m);
	return g.found;
}

START_TEST(second_level)
{
	if (!is_in_part(_i))
		return;

	const struct second *s = &machines[_i];

	for (uint64_t seed = 1; seed <= 3; seed++)
		ck_assert_msg(search(s, seed) == !s->apart,
			      "%s, seed %llu: open or not", s->name,
			      (unsigned long long)seed);
}
END_TEST

START_TEST(random_machines)
{
	/* Others keep some lines whatever comes; what follows a search sees that. */
	static const char *const policies[] = { "lru", "tree-plru", "fifo",
						"srrip" };
	const uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct rng rng = { seed };

	for (int i = 0; i < ROUNDS; i++) {
		const unsigned int bits = 6 + (unsigned int)rng_below(&rng, 4);
		const struct second s = {
			.name = "random machine",
			.ways = 4U << rng_below(&rng, 3),
			.sets = 1U << bits,
			.line_bytes = 64U << rng_below(&rng, 2),
			.apart = rng_below(&rng, 4) ?
					 bits + (unsigned int)rng_below(&rng,
									5) :
					 0,
			.policy = policies[rng_below(&rng, 4)],
			.counted = rng_below(&rng, 2),
		};
		const uint64_t own = rng_next(&rng) >> 8;

		if (is_in_part(i))
			search(&s, own);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("strides");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, second_level, 0,
			    sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(t, random_machines);
	suite_add_tcase(suite, t);
	return suite;
}
