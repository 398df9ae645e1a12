// SPDX-License-Identifier: GPL-2.0
/* check_listed.c - which CPUs use a level of which the lines of one set
 * are listed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/sharing/sharing.h"
#include "suites.h"

#define LINE 64
#define CPUS 4
#define L1_WAYS 8
#define L2_WAY UINT64_C(16384)
#define L3_WAYS 12
#define L3_BITS 13
#define ROOM (UINT64_C(64) << 20)
/* Bits of a set that the second level has are those of the line's address; the
 * others are so, too, but for one so much higher.
 */
#define SAME 8
#define FOLD 5

static const char *const groups[] = { NULL, "[[0,1],[2,3]]", "[[0,1,2,3]]" };
static const unsigned int sharers[] = { 1, 2, 4 };

/**
 * struct hashed - a machine whose third level is hashed
 * @l2_ways: of the second
 * @policy: of the third
 * @inclusion: the same
 * @shared: of the second and the third, as index of groups
 * @listed: lines that are known of a set of the third
 * @more: of the profile
 * @counters: that are believed
 * @wanted: CPUs that share the third; 0: undecided
 */
struct hashed {
	unsigned int l2_ways;
	const char *policy;
	const char *inclusion;
	unsigned int shared[2];
	size_t listed;
	const char *more;
	unsigned int counters;
	unsigned int wanted;
};

static const struct hashed machines[] = {
	{ 8, "lru", "nine", { 0, 2 }, 48, TIMED, 0, 4 },
	{ 8, "lru", "nine", { 0, 1 }, 48, COUNTED, ALL_COUNTERS, 2 },
	{ 8, "tree-plru", "inclusive", { 1, 1 }, 48, TIMED, 0, 2 },
	/* All lines of a set fit into the level above. */
	{ 16, "srrip", "nine", { 1, 2 }, 64, COUNTED, ALL_COUNTERS, 4 },
	{ 16, "srrip", "nine", { 1, 1 }, 64, TIMED, 0, 2 },
	{ 16, "nru", "inclusive", { 0, 2 }, 64, NOISY, 0, 4 },
	/* Those that push would be too few. */
	{ 8, "lru", "nine", { 0, 2 }, 20, TIMED, 0, 0 },
	/* Lines go anywhere: nothing is sure to push them out. */
	{ 8, "lip", "nine", { 0, 2 }, 48, TIMED, 0, 0 },
};

static const double latencies[] = { 4, 14, 60, 300 };

static uint64_t mask(int bit)
{
	uint64_t mask = (uint64_t)LINE << bit;

	return bit < SAME ? mask : mask | mask << FOLD;
}

static void write_masks(char *text, size_t size)
{
	for (int i = 0; i < L3_BITS; i++)
		snprintf(text + strlen(text), size - strlen(text),
			 "%s\"0x%llx\"", i ? "," : "",
			 (unsigned long long)mask(i));
}

static struct machine *open_hashed(const struct hashed *h, uint64_t seed)
{
	const char *l2 = groups[h->shared[0]], *l3 = groups[h->shared[1]];
	char text[3000], masks[400] = "";

	write_masks(masks, sizeof(masks));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":14%s%s},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%d,\"ways\":%d,\"line_bytes\":64,\"latency_cycles\":60,\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}%s%s}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":300}%s}",
		h->l2_ways * (unsigned int)L2_WAY, h->l2_ways,
		l2 ? ",\"shared_by\":" : "", l2 ? l2 : "",
		L3_WAYS * LINE << L3_BITS, L3_WAYS, h->policy, h->inclusion,
		masks, l3 ? ",\"shared_by\":" : "", l3 ? l3 : "", h->more);
	return profilekit_open(text, ROOM, seed);
}

static uint64_t set_of(uint64_t phys)
{
	uint64_t set = 0;

	for (int i = 0; i < L3_BITS; i++)
		set |= (uint64_t)__builtin_parityll(phys & mask(i)) << i;
	return set;
}

static void know(struct parameter *p, double value)
{
	parameter_measured(p, value, 1e-6, "test");
}

static void know_level(struct hierarchy *h, unsigned int ways, uint64_t way)
{
	struct cache_result *c = hierarchy_add(h);

	know(&c->ways, ways);
	know(&c->capacity_bytes, (double)(ways * way));
	know(&c->line_bytes, LINE);
	know(&c->latency_ns, latencies[h->cache_count - 1] * 0.5);
	know(&c->index_decision, 0);
	c->index = INDEX_LINEAR;
	c->inclusion = NINE;
}

/* As they are collected: one set of the level above as well. */
static void list_lines(const struct machine *m, size_t count, uint64_t seed,
		       struct cache_result *c)
{
	uint64_t phys = m->region.extents[0].phys;
	uint64_t first = seed % (L2_WAY / LINE) * LINE;
	uint64_t set = set_of(phys + first);

	c->index = INDEX_HASHED;
	for (uint64_t i = first; c->set_line_count < count; i += L2_WAY) {
		ck_assert(i < m->region.bytes);
		if (set_of(phys + i) == set)
			c->set_lines[c->set_line_count++] = i;
	}
}

/* Checks what must never be, and returns whether it is decided. */
static bool is_decided(const struct hashed *x, uint64_t seed)
{
	struct machine *m = open_hashed(x, seed);
	struct failure f = { .text = "" };
	struct cache_result *c;
	struct hierarchy h;
	struct prober p;
	bool measured;

	hierarchy_init(&h);
	know_level(&h, L1_WAYS, 4096);
	know_level(&h, x->l2_ways, L2_WAY);
	know_level(&h, L3_WAYS, LINE << L3_BITS);
	know(&h.memory_latency_ns, latencies[3] * 0.5);
	c = &h.caches[2];
	list_lines(m, x->listed, seed, c);
	prober_begin(&p, m, seed);
	p.counters = x->counters;
	ck_assert_msg(sharing_measure(&p, &h, &f) == 0, "%s", f.text);
	measured = parameter_is_measured(&c->sharing);
	ck_assert_msg(!measured || c->shared_count == x->wanted,
		      "seed %llu: %zu CPUs, not %u", (unsigned long long)seed,
		      c->shared_count, x->wanted);
	ck_assert_msg(measured || c->sharing.reason[0], "no reason");
	for (size_t i = 0; measured && i < c->shared_count; i++)
		ck_assert_int_ge(c->shared_cpus[i], CPUS - (int)x->wanted);
	machine_close(m);
	return measured;
}

/* One answer in 1,000 is undecided, by tests that must be unanimous. */
START_TEST(who_shares_it)
{
	const struct hashed *x = &machines[_i];
	uint64_t seed = levelkit_seed() + (uint64_t)_i;

	ck_assert(!x->wanted || x->wanted == sharers[x->shared[1]]);
	ck_assert(is_decided(x, seed) == (x->wanted > 0) ||
		  (x->wanted && is_decided(x, ~seed)));
}
END_TEST

/* Right or open, whatever the policy. */
START_TEST(any_policy)
{
	static const char *const policies[] = { "lru",	 "fifo", "random",
						"brrip", "bip",	 "nru",
						"srrip", "lip",	 "tree-plru" };
	static const char *const kinds[] = { "nine", "inclusive" };
	uint64_t seed = levelkit_seed();
	struct rng rng = { seed };
	int decided = 0;

	printf("sharing, hashed: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)seed);
	for (int i = 0; i < 20; i++) {
		struct hashed x = { .l2_ways = 4U << rng_below(&rng, 3),
				    .policy = policies[rng_below(&rng, 9)],
				    .inclusion = kinds[rng_below(&rng, 2)],
				    .listed = 40 + rng_below(&rng, 25),
				    .more = i % 2 ? COUNTED : NOISY,
				    .counters = i % 2 ? ALL_COUNTERS : 0 };
		struct failure f = { .text = "" };
		struct hierarchy h;
		struct machine *m;
		struct prober p;

		x.shared[0] = (unsigned int)rng_below(&rng, 3);
		x.shared[1] = x.shared[0] +
			      (unsigned int)rng_below(&rng, 3 - x.shared[0]);
		if (!x.shared[1])
			x.shared[1] = 1;
		m = open_hashed(&x, rng_next(&rng) >> 8);
		hierarchy_init(&h);
		know_level(&h, L1_WAYS, 4096);
		know_level(&h, x.l2_ways, L2_WAY);
		know_level(&h, L3_WAYS, LINE << L3_BITS);
		know(&h.memory_latency_ns, latencies[3] * 0.5);
		list_lines(m, x.listed, rng_next(&rng), &h.caches[2]);
		prober_begin(&p, m, rng_next(&rng) >> 8);
		p.counters = x.counters;
		ck_assert_msg(sharing_measure(&p, &h, &f) == 0, "%s", f.text);
		if (parameter_is_measured(&h.caches[2].sharing)) {
			decided++;
			ck_assert_msg(h.caches[2].shared_count ==
					      sharers[x.shared[1]],
				      "seed %llu, machine %d: %zu, %s %s %u",
				      (unsigned long long)seed, i,
				      h.caches[2].shared_count, x.policy,
				      x.inclusion, x.l2_ways);
		}
		machine_close(m);
	}
	ck_assert_int_ge(decided, 5);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("listed lines");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, who_shares_it, 0,
			    sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(t, any_policy);
	suite_add_tcase(s, t);
	return s;
}
