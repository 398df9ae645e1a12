// SPDX-License-Identifier: GPL-2.0
/* check_levels.c - random hierarchies, access by access against naive
 * ones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "model/model.h"
#include "model/modelkit.h"
#include "model/naive_levels.h"
#include "suites.h"

/* Of each seed. */
#define MACHINES 200
#define ACCESSES 4000
#define MEMORY 100

static void random_index(struct profile_cache *c, struct rng *rng)
{
	unsigned int bits = (unsigned int)rng_below(rng, 4);

	c->sets = UINT64_C(1) << bits;
	switch (rng_below(rng, 3)) {
	case 0:
		c->index.kind = PROFILE_INDEX_LINEAR;
		break;
	case 1:
		c->index.kind = PROFILE_INDEX_MODULO;
		c->sets = 1 + rng_below(rng, 11);
		break;
	default:
		/* One set takes no mask. */
		c->sets += c->sets == 1;
		c->index.kind = PROFILE_INDEX_XOR;
		while (UINT64_C(1) << c->index.mask_count < c->sets)
			c->index.masks[c->index.mask_count++] =
				rng_next(rng) & ((UINT64_C(1) << 36) - 1);
		break;
	}
}

static struct profile_cache random_cache(int level, unsigned int line,
					 bool last, bool shared,
					 struct rng *rng)
{
	static const enum profile_inclusion kinds[] = { PROFILE_NINE,
							PROFILE_INCLUSIVE,
							PROFILE_EXCLUSIVE };
	unsigned int ways = 1 + (unsigned int)rng_below(rng, 12);
	struct profile_cache c = kit_cache(level, ways, 1, 10 * level);

	c.line_bytes = line;
	random_index(&c, rng);
	if (level > 1)
		c.inclusion = kinds[rng_below(rng, 3)];
	c.policy.name = rng_below(rng, 2) ? PROFILE_LRU : PROFILE_FIFO;
	c.write_allocate = rng_below(rng, 4);
	c.write_back = rng_below(rng, 4);
	if (!rng_below(rng, 4))
		c.reserved_lines_per_set = (unsigned int)rng_below(rng, ways);
	if (!rng_below(rng, 2))
		c.same_set_miss_cycles = (double)rng_below(rng, 4);
	c.shared_by[1] = !(last && shared);
	c.instances = c.shared_by[1] + 1;
	c.capacity_bytes = c.sets * c.ways * c.line_bytes;
	return c;
}

/* One to four levels; of two CPUs' caches the last or the last two are shared,
 * and lines may grow downwards.
 */
static struct profile random_machine(struct rng *rng)
{
	struct profile p = { .page_bytes = 4096,
			     .phys_bits = 40,
			     .cpus = 1 + (unsigned int)rng_below(rng, 2),
			     .cache_count = 1 + rng_below(rng, 4),
			     .memory_latency_cycles = MEMORY };
	size_t shared = 1 + rng_below(rng, 2);
	unsigned int line = 32;

	for (size_t i = 0; i < p.cache_count; i++) {
		line *= !i || rng_below(rng, 3) ? 1 : 2;
		p.caches[i] = random_cache((int)i + 1, line,
					   i + shared >= p.cache_count,
					   p.cpus > 1, rng);
	}
	return p;
}

static const char *describe(const struct profile *p, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%u CPUs", p->cpus);

	for (size_t i = 0; i < p->cache_count && used < size; i++) {
		const struct profile_cache *c = &p->caches[i];

		used += (size_t)snprintf(
			text + used, size - used,
			"; L%d %llux%u-%u x%u index %d policy %d incl %d wa %d wb %d inst %u",
			c->level, (unsigned long long)c->sets, c->ways,
			c->reserved_lines_per_set, c->line_bytes,
			(int)c->index.kind, (int)c->policy.name,
			(int)c->inclusion, c->write_allocate, c->write_back,
			c->instances);
	}
	return text;
}

/* Mostly near each other, to share lines; sometimes far away. */
static uint64_t random_address(uint64_t reach, struct rng *rng)
{
	uint64_t address = rng_below(rng, reach);

	return rng_below(rng, 8) ? address : address + (UINT64_C(3) << 33);
}

static void compare(uint64_t seed, uint64_t number)
{
	static struct naive_levels n;
	struct rng rng = { seed * MACHINES + number };
	struct profile p = random_machine(&rng);
	struct model *m = model_create(&p);
	uint64_t reach = UINT64_C(1) << (8 + rng_below(&rng, 7));
	char text[600];

	ck_assert_ptr_nonnull(m);
	naive_levels_init(&n, &p);
	for (int i = 0; i < ACCESSES; i++) {
		unsigned int cpu = (unsigned int)rng_below(&rng, p.cpus);
		uint64_t address = random_address(reach, &rng);
		uint64_t what = rng_below(&rng, 1000);
		bool store = what < 300;
		unsigned int cost;
		double more;
		size_t wanted;

		if (what > 970) {
			model_flush_line(m, address);
			naive_levels_flush_line(&n, address);
		}
		if (what == 970) {
			model_flush_caches(m, cpu);
			naive_levels_flush_cpu(&n, cpu);
		}
		wanted = naive_levels_access(&n, cpu, address, store);
		more = naive_levels_conflicts(&n, cpu, address, wanted);
		cost = kit_access(m, store ? MODEL_STORE : MODEL_LOAD, cpu,
				  address);
		ck_assert_msg(
			cost == (wanted == p.cache_count ? MEMORY :
							   10 * (wanted + 1)) +
					(unsigned int)more,
			"PROBE_PHYS_SEED=%llu, machine %llu, access %d: %u cycles, naive: level %zu and %g more; %s",
			(unsigned long long)seed, (unsigned long long)number, i,
			cost, wanted + 1, more,
			describe(&p, text, sizeof(text)));
	}
	model_destroy(m);
}

START_SLOW_TEST(random_hierarchies_as_naive_ones)
{
	const char *given = getenv("PROBE_PHYS_SEED");
	const char *seeds = getenv("PROBE_PHYS_SEEDS");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	uint64_t count = MACHINES * (seeds ? strtoull(seeds, NULL, 0) : 1);

	printf("naive hierarchies: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)seed);
	for (uint64_t i = 0; i < count; i++)
		compare(seed, i);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("levels");

	tcase_set_timeout(t, 900);
	tcase_add_test(t, random_hierarchies_as_naive_ones);
	suite_add_tcase(suite, t);
	return suite;
}
