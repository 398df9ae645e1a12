// SPDX-License-Identifier: GPL-2.0
/* check_below_hashed.c - what is decided of a third level below a hashed second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "method/stride/stride.h"
#include "method/level/xor_copies.h"
#include "kit/profilekit.h"
#include "method/evset/oracle/session.h"
#include "method/level/level.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define MEMORY_CYCLES 300
#define ROUNDS 6

static const char *const kinds[] = { "nine", "inclusive", "exclusive" };

/**
 * struct below - L1 of 4 ways and 16 KiB, a hashed L2, and a linear L3
 * @name: what is peculiar to it
 * @ways: of L2 and L3
 * @kib: their capacity
 * @apart: bits between those that L2 XORs in pairs
 * @policies: of L2 and L3
 * @kinds: their inclusion, as index of kinds
 * @conflict: cycles that a miss of L1 takes longer right after one of its set
 * @open: L3 may be undecided
 */
struct below {
	const char *name;
	unsigned int ways[2];
	unsigned int kib[2];
	unsigned int apart;
	const char *policies[2];
	unsigned int kinds[2];
	double conflict;
	bool open;
};

static const struct below machines[] = {
	{ "L3 takes L2's victims",
	  { 8, 16 },
	  { 64, 1024 },
	  8,
	  { "lru", "lru" },
	  { 1, 2 },
	  0,
	  false },
	{ "L3 takes victims, trees",
	  { 8, 16 },
	  { 512, 16384 },
	  10,
	  { "tree-plru", "tree-plru" },
	  { 0, 2 },
	  0,
	  false },
	{ "L3 is neither",
	  { 8, 16 },
	  { 64, 1024 },
	  8,
	  { "lru", "tree-plru" },
	  { 0, 0 },
	  0,
	  false },
	{ "L3 with ways in no power of two",
	  { 4, 12 },
	  { 64, 1536 },
	  9,
	  { "tree-plru", "lru" },
	  { 0, 0 },
	  0,
	  false },
	{ "misses of one L1 set in a row take longer",
	  { 8, 16 },
	  { 512, 16384 },
	  10,
	  { "tree-plru", "tree-plru" },
	  { 1, 2 },
	  4,
	  false },
	{ "the same, with more copies than high bits make",
	  { 16, 16 },
	  { 1024, 8192 },
	  10,
	  { "tree-plru", "lru" },
	  { 1, 0 },
	  4,
	  false },
	{ "L2 loses lines at random",
	  { 8, 16 },
	  { 64, 1024 },
	  8,
	  { "random", "lru" },
	  { 0, 0 },
	  0,
	  true },
};

/* What has been measured of L2's index. */
static void know_masks(const struct below *b, struct index_function *known)
{
	unsigned int sets = b->kib[0] * 1024 / 64 / b->ways[0];

	*known = (struct index_function){ .kind = INDEX_HASHED,
					  .low_bit = 6,
					  .high_bit = 25 };
	for (unsigned int i = 0; sets >> i > 1; i++)
		known->masks[known->rank++] = UINT64_C(0x40) << i |
					      UINT64_C(0x40) << (i + b->apart);
}

static void write_masks(char *text, size_t size, const struct below *b)
{
	struct index_function known;
	size_t n = 0;

	know_masks(b, &known);
	for (size_t i = 0; i < known.rank; i++)
		n += (size_t)snprintf(text + n, size - n, "%s\"0x%llx\"",
				      i ? "," : "",
				      (unsigned long long)known.masks[i]);
}

static struct machine *open_below(const struct below *b, uint64_t seed)
{
	char text[2000], masks[400];

	write_masks(masks, sizeof(masks), b);
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4,\"same_set_miss_cycles\":%g},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":12,\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":40,\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\"}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":%d}}",
		b->conflict, b->kib[0] * 1024, b->ways[0], b->policies[0],
		kinds[b->kinds[0]], masks, b->kib[1] * 1024, b->ways[1],
		b->policies[1], kinds[b->kinds[1]], MEMORY_CYCLES);
	return profilekit_open(text, 128 * KIB * KIB, seed);
}

/**
 * struct levels - what is known when L3's turn comes
 * @upper: L1 and L2
 * @masks: L2's
 * @p: walks lists, in a window that is aligned to its length
 * @x: L3's measurement
 */
struct levels {
	struct xray_level upper[2];
	struct index_function masks;
	struct prober p;
	struct xray x;
};

/* Return: whether L2 can be cleared. */
static bool begin(struct levels *l, const struct below *b, struct machine *m,
		  uint64_t seed)
{
	struct failure f = { .text = "" };
	uint64_t phys, offset, bytes;
	enum outcome clears = OUTCOME_OPEN;

	prober_begin(&l->p, m, seed);
	ck_assert(evset_window(&l->p, &offset, &bytes, &phys));
	ck_assert_uint_eq(phys % bytes, 0);
	l->p.arena_offset = offset;
	l->p.arena_bytes = bytes;
	know_masks(b, &l->masks);
	l->upper[0] = (struct xray_level){
		.ways = 4, .way_bytes = 4096, .line_bytes = 64, .own = 4
	};
	l->upper[1] = (struct xray_level){
		.ways = b->ways[0],
		.way_bytes = b->kib[0] * KIB / b->ways[0],
		.line_bytes = 64,
		.own = b->ways[0],
		.masks = &l->masks,
	};
	l->x = (struct xray){ .prober = &l->p,
			      .upper = l->upper,
			      .upper_count = 1,
			      .hit_ticks = 12 };
	l->x.reference.penalty_ticks = 28;
	ck_assert_int_eq(
		xray_find_copies_clearing(&l->x, &l->upper[1], &clears, &f), 0);
	l->x.upper_count = 2;
	l->x.reference =
		(struct reference){ .control = xray_copied_reference(&l->x),
				    .page_bytes = 2048 * KIB,
				    .line_bytes = 64,
				    .twin_lines = 128 };
	ck_assert_int_eq(prober_time(&l->p, &l->x.reference.control, 0,
				     &l->x.hit_ticks, &f),
			 0);
	return clears == OUTCOME_DECIDED;
}

static void expect_third(const struct below *b, const struct levels *l,
			 const struct xray_geometry *g, uint64_t seed)
{
	enum verdict wanted = b->kinds[1] == 2 ? VERDICT_COMPACT :
						 VERDICT_NON_COMPACT;
	const double ticks = l->x.hit_ticks;

	/* Lines of the control share a set of L1, or lie in two in turn. */
	ck_assert_msg((ticks > 39 && ticks < 41 + b->conflict) || b->open,
		      "%s: %g cycles", b->name, ticks);
	ck_assert_msg(g->found || b->open, "%s, seed %llu: %s", b->name,
		      (unsigned long long)seed, g->reason);
	if (!g->found)
		return;
	ck_assert_msg(g->level.own == b->ways[1], "%s, seed %llu: %zu ways",
		      b->name, (unsigned long long)seed, g->level.own);
	ck_assert_msg(g->level.way_bytes == b->kib[1] * KIB / b->ways[1],
		      "%s, seed %llu: %llu bytes", b->name,
		      (unsigned long long)seed,
		      (unsigned long long)g->level.way_bytes);
	ck_assert_msg(g->takes == wanted ||
			      (b->open && g->takes == VERDICT_UNDECIDED),
		      "%s, seed %llu: takes victims: %d", b->name,
		      (unsigned long long)seed, g->takes);
}

static void measure(const struct below *b, uint64_t seed)
{
	struct machine *m = open_below(b, seed);
	struct xray_geometry g = { .found = false };
	struct failure f = { .text = "" };
	struct levels l;

	if (begin(&l, b, m, seed)) {
		ck_assert_msg(xray_find_geometry(&l.x, &g, &f) == 0, "%s",
			      f.text);
		expect_third(b, &l, &g, seed);
	} else {
		ck_assert_msg(b->open, "%s: L2 is not cleared", b->name);
	}
	machine_close(m);
}

START_TEST(below_hashed)
{
	if (!is_in_part_of(_i, sizeof(machines) / sizeof(machines[0])))
		return;

	measure(&machines[_i], 7);
}
END_TEST

static uint64_t seed_of_day(void)
{
	const char *text = getenv("PROBE_PHYS_SEED");

	return text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL) / 86400;
}

/* Right or open, whatever the policies are. */
START_TEST(random_machines)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "fifo",
						"srrip", "random",    "nru" };
	uint64_t seed = seed_of_day();
	struct rng rng = { seed };

	printf("x-ray below: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned int ways = 4U << rng_below(&rng, 3);
		const struct below b = {
			.name = "random machine",
			.ways = { 4U << rng_below(&rng, 2), ways },
			.kib = { 64, 64 * ways },
			.apart = 8 + (unsigned int)rng_below(&rng, 3),
			.policies = { policies[rng_below(&rng, 6)],
				      policies[rng_below(&rng, 6)] },
			.kinds = { (unsigned int)rng_below(&rng, 2),
				   (unsigned int)rng_below(&rng, 3) },
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
	tcase_add_loop_test(t, below_hashed, 0,
			    sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	return s;
}
