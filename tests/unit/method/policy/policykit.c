// SPDX-License-Identifier: GPL-2.0
#include "method/policy/policykit.h"

#include <string.h>

#include "suites.h"

#define WARM_ROUNDS 60
#define ROUNDS 24
/* First block of the lines of contention: no sequence visits them. */
#define CONTENDING 200000

/* Contention loads its lines into the set, in bursts. */
static void disturb(struct known_set *k)
{
	k->accesses++;
	if (k->burst && k->accesses / k->burst % 2 &&
	    !rng_below(&k->rng, k->taken))
		policy_set_access(&k->set, CONTENDING + (unsigned int)rng_below(
								&k->rng, 1000));
}

static int misses(void *context, const struct cycle *c, double *per_round,
		  struct failure *f)
{
	struct known_set *k = context;
	unsigned int sum = 0, rounds = k->rounds ? k->rounds : ROUNDS;

	(void)f;
	for (unsigned int i = 0; i < WARM_ROUNDS + rounds; i++) {
		for (size_t j = 0; c->cold && j < c->length; j++)
			policy_set_drop(&k->set, c->blocks[j]);
		/* No sequence of these tests flushes later in a round. */
		for (size_t j = 0; j < c->flush_count && !c->flushes[j].at; j++)
			policy_set_drop(&k->set, c->flushes[j].block);
		for (size_t j = 0; j < c->length; j++) {
			bool miss = policy_set_access(&k->set, c->blocks[j]);

			sum += miss && i >= WARM_ROUNDS;
			disturb(k);
		}
	}
	*per_round = (double)sum / rounds;
	if (k->answers++ < k->more_until && sum)
		*per_round += 1;
	if (rng_uniform(&k->rng) < k->wrong)
		*per_round += 1 + (double)rng_below(&k->rng, 3);
	return 0;
}

struct set_oracle oracle_for(struct known_set *k, unsigned int ways,
			     bool flushes)
{
	return (struct set_oracle){ .ways = ways,
				    .blocks = 4 * ways,
				    .most_visits = 8,
				    .most_accesses = 512,
				    .flushes = flushes,
				    .flushes_lines = flushes,
				    .misses = misses,
				    .context = k };
}

uint64_t test_seed(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

bool names(const struct policy_finding *found, const char *name)
{
	for (size_t i = 0; i < found->name_count; i++)
		if (!strcmp(found->names[i], name))
			return true;
	return false;
}

/* What was drawn is the bound of what is decided. */
void identify_set(const struct set_oracle *oracle,
		  const struct policy_catalogue *catalogue,
		  struct policy_finding *found)
{
	struct budget budget = budget_begin();
	struct failure f = { .text = "" };

	ck_assert_int_eq(policy_identify(oracle, catalogue, &budget, found, &f),
			 0);
	if (found->kind != POLICY_UNDECIDED)
		ck_assert(found->answer_bound == budget.alpha_drawn &&
			  found->answer_bound > 0);
}

void identify(const struct policy_catalogue *catalogue, struct known_set *k,
	      const struct hypothesis *truth, bool flushes,
	      struct policy_finding *found)
{
	struct set_oracle oracle =
		oracle_for(k, catalogue->known.ways, flushes);
	struct profile_policy policy = truth->policy;

	policy.seed = test_seed() + 77;
	k->rng.state = policy.seed;
	ck_assert_int_eq(policy_set_begin(&k->set, &policy, truth->habit,
					  catalogue->known.ways),
			 0);
	identify_set(&oracle, catalogue, found);
	policy_set_end(&k->set);
}

void make_catalogue(struct policy_catalogue *catalogue, unsigned int ways,
		    bool flushes)
{
	struct set_oracle oracle = oracle_for(NULL, ways, flushes);

	ck_assert_int_eq(policy_catalogue_make(catalogue, &oracle, POLICY_SEED),
			 0);
}

unsigned int samples(void)
{
	return (unsigned int)from_environment("PROBE_PHYS_SEEDS", 1);
}
