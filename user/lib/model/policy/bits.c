// SPDX-License-Identifier: GPL-2.0
/*
 * bits.c - one bit per way: bit-PLRU ("MRU"), NRU; and random, which
 * has none. A set bit means not recently used.
 */
#include "model/policy/policy.h"

static uint64_t word_mask(const struct policy *p, unsigned int word)
{
	unsigned int left = p->ways - 64 * word;

	return left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}

static unsigned int bits_words(const struct policy *p)
{
	return p->word_ways;
}

static void bits_set_all(struct policy *p, uint64_t set)
{
	uint64_t *bits = policy_state(p, set);

	for (unsigned int i = 0; i < p->words; i++)
		bits[i] = word_mask(p, i);
}

static bool bits_none(struct policy *p, uint64_t set)
{
	const uint64_t *bits = policy_state(p, set);

	for (unsigned int i = 0; i < p->words; i++)
		if (bits[i])
			return false;
	return true;
}

static void bits_clear(struct policy *p, uint64_t set, unsigned int way)
{
	policy_state(p, set)[way / 64] &= ~(UINT64_C(1) << way % 64);
}

static unsigned int bits_first(struct policy *p, uint64_t set)
{
	const uint64_t *bits = policy_state(p, set);

	for (unsigned int i = 0; i < p->words; i++)
		if (bits[i])
			return i * 64 + (unsigned int)__builtin_ctzll(bits[i]);
	return 0;
}

/* All used: forget all but this one at once. */
static void mru_access(struct policy *p, uint64_t set, unsigned int way)
{
	bits_clear(p, set, way);
	if (!bits_none(p, set))
		return;
	bits_set_all(p, set);
	bits_clear(p, set, way);
}

const struct policy_ops policy_bit_plru = {
	.words = bits_words,
	.reset = bits_set_all,
	.hit = mru_access,
	.victim = bits_first,
	.fill = mru_access,
};

/* All used: forget when the next line comes. */
static void nru_miss(struct policy *p, uint64_t set)
{
	if (bits_none(p, set))
		bits_set_all(p, set);
}

const struct policy_ops policy_nru = {
	.words = bits_words,
	.reset = bits_set_all,
	.hit = bits_clear,
	.miss = nru_miss,
	.victim = bits_first,
	.fill = bits_clear,
};

static unsigned int random_words(const struct policy *p)
{
	(void)p;
	return 0;
}

static void random_reset(struct policy *p, uint64_t set)
{
	(void)p;
	(void)set;
}

static void random_access(struct policy *p, uint64_t set, unsigned int way)
{
	(void)p;
	(void)set;
	(void)way;
}

static unsigned int random_victim(struct policy *p, uint64_t set)
{
	(void)set;
	return (unsigned int)rng_below(&p->rng, p->ways);
}

const struct policy_ops policy_random = {
	.words = random_words,
	.reset = random_reset,
	.hit = random_access,
	.victim = random_victim,
	.fill = random_access,
};
