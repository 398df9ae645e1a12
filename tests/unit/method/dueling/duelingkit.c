// SPDX-License-Identifier: GPL-2.0
#include "method/dueling/duelingkit.h"

#include <string.h>

#include "suites.h"

#define MOST_WAYS 16
#define READ_ROUNDS 8
#define READINGS 3
/* Blocks that the search does not know. */
#define OTHER_BLOCKS 1000

uint64_t duelingkit_seed(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

static bool touch(struct duelingkit *c, uint64_t set, unsigned int block)
{
	struct array *a = &c->arrays[set % c->count];
	uint64_t old;
	int way;

	set /= c->count;
	way = array_find(a, set, block);
	if (way == ARRAY_NONE)
		array_take(a, set, block, &old);
	else
		policy_hit(&a->policy, set, (unsigned int)way);
	return way == ARRAY_NONE;
}

static unsigned int walk_set(struct duelingkit *c, uint64_t set,
			     const struct cycle *cycle)
{
	struct array *a = &c->arrays[set % c->count];
	unsigned int misses = 0;

	for (unsigned int i = 0; cycle->cold && i < cycle->length; i++) {
		int way = array_find(a, set / c->count, cycle->blocks[i]);

		if (way != ARRAY_NONE)
			array_drop(a, set / c->count, (unsigned int)way);
	}
	for (size_t i = 0; i < cycle->length; i++)
		misses += touch(c, set, cycle->blocks[i]);
	return misses;
}

static int walk(void *context, const bool *groups, const struct cycle *cycle,
		struct failure *f)
{
	struct duelingkit *c = context;
	uint64_t from = rng_below(&c->rng, DUELINGKIT_SETS);

	(void)f;
	for (uint64_t i = 0; i < DUELINGKIT_SETS; i++)
		if (groups[(i ^ from) % (DUELINGKIT_SETS / 4)])
			walk_set(c, i ^ from, cycle);
	return 0;
}

static unsigned int circle(struct duelingkit *c, uint64_t set)
{
	unsigned int
		blocks[(READ_ROUNDS + DUELING_LINES_PER_WAY) * (MOST_WAYS + 1)];
	struct cycle cycle = { .blocks = blocks, .cold = true };

	cycle.length = dueling_circle(c->ways, READ_ROUNDS, blocks);
	return walk_set(c, set, &cycle);
}

static int read_set(void *context, uint64_t set, double *misses,
		    struct failure *f)
{
	struct duelingkit *c = context;

	(void)f;
	for (unsigned int i = 0; i < c->disturbances; i++)
		touch(c, rng_below(&c->rng, DUELINGKIT_SETS),
		      OTHER_BLOCKS + (unsigned int)rng_below(&c->rng, 1000));
	for (int i = 0; i < READINGS; i++)
		*misses = circle(c, set);
	if (rng_uniform(&c->rng) < c->wrong)
		*misses =
			(double)rng_below(&c->rng, READ_ROUNDS * (c->ways + 1));
	return 0;
}

struct dueling_oracle duelingkit_begin(struct duelingkit *c,
				       const struct profile_policy *policy,
				       unsigned int ways, uint64_t seed)
{
	c->ways = ways;
	c->count = c->count ? c->count : 1;
	c->rng.state = seed + 99;
	for (unsigned int i = 0; i < c->count; i++)
		ck_assert_int_eq(array_init(&c->arrays[i], policy, ways,
					    DUELINGKIT_SETS / c->count),
				 0);
	return (struct dueling_oracle){
		.ways = ways,
		.sets = DUELINGKIT_SETS,
		.groups = DUELINGKIT_SETS / 4,
		.rounds = READ_ROUNDS,
		.contrast = dueling_contrast(ways, READ_ROUNDS),
		.walk = walk,
		.read = read_set,
		.context = c,
	};
}

void duelingkit_end(struct duelingkit *c, struct dueling_finding *found)
{
	dueling_finding_free(found);
	for (unsigned int i = 0; i < c->count; i++)
		array_free(&c->arrays[i]);
}

enum dueling_role duelingkit_role(const struct duelingkit *c, uint64_t set)
{
	static const enum dueling_role roles[] = { DUELING_FOLLOWS,
						   DUELING_LEADS_REUSE,
						   DUELING_LEADS_THRASH };

	return roles[c->arrays[0].policy.roles[set]];
}

/* Ivy Bridge's, Haswell's, DRRIP's, and one with sets spread over all. */
struct profile_policy duelingkit_policy(int which)
{
	struct profile_policy p = { .name = PROFILE_DRRIP,
				    .epsilon = 1.0 / 32,
				    .seed = duelingkit_seed() };
	static const char *const pairs[][2] = {
		{ "H11_M1_R1_U2", "H11_MR31_R1_U2" },
		{ "H11_M1_R0_U0", "H11_MR31_R0_U0" },
		{ "", "" },
		{ "H00_M1_R0_U1", "H00_MR31_R0_U1" },
	};

	strcpy(p.variant, pairs[which][0]);
	strcpy(p.second, pairs[which][1]);
	for (unsigned int i = 0; which < 2 && i < 16; i++) {
		p.leaders[p.leader_count++] = 64 + i;
		p.leaders[p.leader_count++] = 160 + i;
	}
	for (unsigned int i = 0; which == 3 && i < 8; i++) {
		p.leaders[p.leader_count++] = 33 * i;
		p.leaders[p.leader_count++] = 31 * i + 7;
	}
	return p;
}
