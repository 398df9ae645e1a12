// SPDX-License-Identifier: GPL-2.0
/* check_evict.c - a hashed second level that lets lines in on reuse only, and
 * what lines that are pushed out of it tell of the third.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "method/levels/internal.h"
#include "method/levels/levels.h"
#include "kit/neighbour.h"
#include "kit/profilekit.h"
#include "method/evict/evict.h"
#include "method/evset/oracle/session.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define MEMORY_CYCLES 300
#define ROUNDS 4
/* L2 XORs each bit of its set with the one so many bits above. */
#define APART 8
/* L3 does, too, where it is hashed: with one so many above its ways. */
#define FOLDED_BIT 4

static const char *const kinds[] = { "nine", "inclusive", "exclusive" };

/**
 * struct pair - L1 of 4 ways and 16 KiB, a hashed L2 of 8 ways and 64 KiB, and L3
 * @name: what is peculiar to it
 * @policies: of L2 and L3
 * @kind: L3's inclusion, as index of kinds
 * @ways: of L3
 * @kib: its capacity
 * @folded: the top bit of what looks like its set is XORed onto another one, so
 *          that it has half the sets
 * @noisy: others interrupt
 * @open: L3 may be left open
 */
struct pair {
	const char *name;
	const char *policies[2];
	unsigned int kind;
	unsigned int ways;
	unsigned int kib;
	bool folded;
	bool noisy;
	bool open;
};

static const struct pair machines[] = {
	{ .name = "L2 lets few in, L3 takes its victims",
	  .policies = { "brrip", "tree-plru" },
	  .kind = 2,
	  .ways = 16,
	  .kib = 1024 },
	{ .name = "L2 puts lines first in the queue",
	  .policies = { "lip", "lru" },
	  .kind = 2,
	  .ways = 8,
	  .kib = 1024 },
	{ .name = "L3 has what L2 has, too",
	  .policies = { "brrip", "lru" },
	  .kind = 0,
	  .ways = 16,
	  .kib = 1024 },
	{ .name = "others interrupt",
	  .policies = { "bip", "tree-plru" },
	  .kind = 2,
	  .ways = 8,
	  .kib = 1024,
	  .noisy = true,
	  .open = true },
	{ .name = "two sets of L3 are one",
	  .policies = { "brrip", "lru" },
	  .kind = 2,
	  .ways = 16,
	  .kib = 1024,
	  .folded = true,
	  .open = true },
};

/* What has been measured of L2's index. */
static void know_masks(struct index_function *known)
{
	*known = (struct index_function){ .kind = INDEX_HASHED,
					  .low_bit = 6,
					  .high_bit = 25 };
	for (unsigned int i = 0; i < 7; i++)
		known->masks[known->rank++] = UINT64_C(0x40) << i |
					      UINT64_C(0x40) << (i + APART);
}

static void append(char *text, size_t size, bool first, uint64_t mask)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s\"0x%llx\"", first ? "" : ",",
		 (unsigned long long)mask);
}

static uint64_t way_bytes(const struct pair *b)
{
	return b->kib * KIB / b->ways;
}

/* L3's index: linear, or one bit less of it, XORed onto another. */
static void write_index(char *text, size_t size, const struct pair *b)
{
	uint64_t top = way_bytes(b);

	text[0] = '\0';
	for (uint64_t bit = 0x40; bit < top; bit *= 2)
		append(text, size, bit == 0x40,
		       bit == UINT64_C(0x40) << FOLDED_BIT && b->folded ?
			       bit | top :
			       bit);
}

static struct machine *open_pair(const struct pair *b, uint64_t seed)
{
	char text[3000], masks[2][600] = { "", "" };
	struct index_function known;

	know_masks(&known);
	for (size_t i = 0; i < known.rank; i++)
		append(masks[0], sizeof(masks[0]), !i, known.masks[i]);
	write_index(masks[1], sizeof(masks[1]), b);
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":65536,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12,\"policy\":{\"name\":\"%s\"},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":40,\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":%d}%s}",
		b->policies[0], masks[0], b->kib * 1024, b->ways,
		b->policies[1], kinds[b->kind], masks[1], MEMORY_CYCLES,
		b->noisy ?
			",\"noise\":{\"seed\":1,\"jitter_cycles\":10,\"tail_probability\":0.01,\"tail_cycles\":1000,\"interrupts_per_million_loads\":20,\"lines_evicted_per_interrupt\":8}" :
			"");
	return profilekit_open(text, 128 * KIB * KIB, seed);
}

/**
 * struct levels - what is known when L3's turn comes
 * @upper: L1 and L2
 * @masks: L2's
 * @p: asks, in a window that is aligned to its length
 * @x: L3's measurement
 * @ev: pushes lines out of L2
 */
struct levels {
	struct xray_level upper[2];
	struct index_function masks;
	struct prober p;
	struct xray x;
	struct evictor ev;
};

static void begin(struct levels *l, struct machine *m, uint64_t seed)
{
	uint64_t phys, offset, bytes;
	const char *why;

	prober_begin(&l->p, m, seed);
	ck_assert(evset_window(&l->p, &offset, &bytes, &phys));
	l->p.arena_offset = offset;
	l->p.arena_bytes = bytes;
	know_masks(&l->masks);
	l->upper[0] = (struct xray_level){
		.ways = 4, .way_bytes = 4096, .line_bytes = 64, .own = 4
	};
	l->upper[1] = (struct xray_level){ .ways = 8,
					   .way_bytes = 8192,
					   .line_bytes = 64,
					   .own = 8,
					   .masks = &l->masks };
	l->x = (struct xray){ .prober = &l->p,
			      .upper = l->upper,
			      .upper_count = 2 };
	why = evict_prepare(&l->ev, &l->x, 12, MEMORY_CYCLES);
	ck_assert_msg(!why, "%s", why);
}

/* Right, or open where that is allowed. */
static void expect_level(const struct pair *b, const struct levels *l,
			 const struct xray_geometry *g,
			 const struct parameter *line, bool fits,
			 unsigned long long seed)
{
	enum verdict wanted = b->kind == 2 ? VERDICT_COMPACT :
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
	ck_assert_msg(g->level.way_bytes == way_bytes(b),
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

/* Return: whether something was found. */
static bool measure(const struct pair *b, uint64_t seed)
{
	struct machine *m = open_pair(b, seed);
	struct xray_geometry g = { .found = false };
	struct latency_finding latency = { .steady = false };
	struct parameter line = { .value = 0 };
	struct failure f = { .text = "" };
	bool fits = false;
	struct levels l;

	begin(&l, m, seed);
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
	expect_level(b, &l, &g, &line, fits, seed);
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

/* What came back stays above now and then only: that is not held against L3. */
START_TEST(lost_above)
{
	static const char *const policies[] = { "drrip", "brrip", "bip",
						"random" };
	const struct pair b = {
		.name = policies[_i % 4],
		.policies = { policies[_i % 4], "lru" },
		.kind = 2,
		.ways = 16,
		.kib = 1024,
		.open = true,
	};

	if (is_in_part(_i))
		measure(&b, (uint64_t)_i + 1);
}
END_TEST

/* An evicting line may share a set of a hashed L3 with another line under test.
 * Of 80 seeds of this machine these drew such a vector, which all placements
 * used: three of them reported an L3 without a hash.
 */
static const uint64_t misled_seeds[] = { UINT64_C(21645204470203630), 24, 28,
					 57 };

START_TEST(evicted_by_lines_of_other_sets)
{
	const struct pair b = {
		.name = "evicting lines are in sets of others",
		.policies = { "tree-plru", "random" },
		.kind = 1,
		.ways = 4,
		.kib = 256,
		.folded = true,
		.open = true,
	};

	if (is_in_part(_i))
		measure(&b, misled_seeds[_i]);
}
END_TEST

/* A machine, and what it is while somebody holds a way of each set. */
static const struct pair all = { .policies = { "brrip", "lru" },
				 .ways = 8,
				 .kib = 1024 };
static const struct pair held = { .policies = { "brrip", "lru" },
				  .ways = 7,
				  .kib = 896 };

/* As one that has a way less, until he leaves. */
START_TEST(way_that_somebody_holds)
{
	struct machine *m = open_pair(&all, 7), *less = open_pair(&held, 7);
	struct xray_geometry g = { .found = false };
	struct latency_finding latency;
	struct failure f = { .text = "" };
	bool more = false;
	struct levels l;

	begin(&l, m, 7);
	neighbour_begin(&l.p, less, NEIGHBOUR_LEAVES);
	ck_assert_int_eq(evict_measure_latency(&l.ev, &latency, &f), 0);
	ck_assert_int_eq(evict_find_geometry(&l.ev, &g, &f), 0);
	ck_assert_msg(g.found, "%s", g.reason);
	ck_assert_uint_eq(g.level.ways, 7);
	ck_assert_int_eq(evict_look_later(&l.ev, &g.level, &more, &f), 0);
	ck_assert(more);
	ck_assert_int_eq(evict_find_geometry(&l.ev, &g, &f), 0);
	ck_assert_uint_eq(g.level.ways, 8);
	ck_assert_int_eq(evict_look_later(&l.ev, &g.level, &more, &f), 0);
	ck_assert(!more);
	machine_close(m);
	machine_close(less);
}
END_TEST

/* Interrupted before he is known to have left, nothing is told of ways. */
START_SLOW_TEST(interrupted_beside_somebody)
{
	int error = -EINTR;

	for (unsigned int n = 8; error; n += 3 * part_step(4)) {
		struct machine *m = open_pair(&all, 7);
		struct machine *less = open_pair(&held, 7);
		struct xray_level level = { .ways = 0 };
		struct failure f = { .text = "" };
		struct level_finding found = { .exists = false };
		struct cache_result above, c;
		struct levels l;

		cache_result_init(&above, 2);
		parameter_measured(&above.latency_ns,
				   12 / m->timer.ticks_per_ns, 0, "test");
		begin(&l, m, 7);
		neighbour_begin(&l.p, less, NEIGHBOUR_LEAVES);
		neighbour_interrupts(&l.p, n);
		xray_prepare(&l.x, &l.p, l.upper, 2);
		error = level_find(&l.x, &above, MEMORY_CYCLES, &found, &level,
				   &f);
		level_report(&found, 3, &c);
		ck_assert_msg(!error || error == -EINTR, "%s", f.text);
		ck_assert(!error || !found.exists ||
			  !parameter_is_measured(&c.ways));
		if (!error) {
			ck_assert(found.exists);
			ck_assert_msg(parameter_is_measured(&c.ways), "%s",
				      c.ways.reason);
			ck_assert_double_eq(c.ways.value, 8);
		}
		machine_close(m);
		machine_close(less);
	}
}
END_TEST

/* However many lines of a set of L2 follow each other, a few of others stay there. */
static const struct pair seldom[] = {
	{ .name = "BRRIP",
	  .policies = { "brrip", "lru" },
	  .ways = 16,
	  .kib = 1024 },
	{ .name = "BIP", .policies = { "bip", "lru" }, .ways = 16, .kib = 1024 },
	{ .name = "DRRIP",
	  .policies = { "drrip", "tree-plru" },
	  .ways = 16,
	  .kib = 1024 },
};

/* All of it measured: folds do not get past L2 then, but pushing does. */
START_TEST(whole_machine)
{
	if (!is_in_part_of(_i, 3))
		return;

	const struct pair *b = &seldom[_i];
	struct machine *m = open_pair(b, 1);
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

/* Right or open, whatever the policies are. */
START_SLOW_TEST(random_machines)
{
	static const char *const policies[] = { "lru",	 "tree-plru", "fifo",
						"srrip", "random",    "nru",
						"brrip", "bip",	      "lip" };
	uint64_t seed = seed_of_day();
	struct rng rng = { seed };

	printf("pushed: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned int ways = 4U << rng_below(&rng, 3);
		const struct pair b = {
			.name = "random machine",
			.policies = { policies[rng_below(&rng, 9)],
				      policies[rng_below(&rng, 9)] },
			.kind = (unsigned int)rng_below(&rng, 3),
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
	tcase_add_test(t, way_that_somebody_holds);
	tcase_add_test(t, interrupted_beside_somebody);
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	return s;
}
