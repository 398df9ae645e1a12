// SPDX-License-Identifier: GPL-2.0
/*
 * ages.c - two-bit ages: QLRU in all variants, SRRIP, BRRIP, DRRIP.
 *
 * The ages of a set are two bit planes, low bits then high bits, so that all
 * ways age at once. Age 3 goes first. A variant that leaves no way at age 3
 * where R0 or R2 wants one is undefined; the leftmost way goes then, as with
 * R1.
 */
#include "model/policy/policy.h"

#define PSEL_MAX 1023
#define PSEL_MIDDLE 512
#define NO_WAY (~0u)

static unsigned int ages_words(const struct policy *p)
{
	return 2 * p->word_ways;
}

static uint64_t ways_mask(const struct policy *p, unsigned int word,
			  unsigned int except)
{
	unsigned int left = p->ways - 64 * word;
	uint64_t mask = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;

	if (except / 64 == word)
		mask &= ~(UINT64_C(1) << except % 64);
	return mask;
}

static void ages_reset(struct policy *p, uint64_t set)
{
	uint64_t *low = policy_state(p, set), *high = low + p->word_ways;

	for (unsigned int i = 0; i < p->word_ways; i++)
		low[i] = high[i] = ways_mask(p, i, NO_WAY);
}

static unsigned int age_of(const struct policy *p, uint64_t set,
			   unsigned int way)
{
	const uint64_t *low = policy_state(p, set), *high = low + p->word_ways;

	return (unsigned int)(low[way / 64] >> way % 64 & 1) +
	       2 * (unsigned int)(high[way / 64] >> way % 64 & 1);
}

static void set_age(struct policy *p, uint64_t set, unsigned int way,
		    unsigned int age)
{
	uint64_t *low = policy_state(p, set), *high = low + p->word_ways;
	uint64_t bit = UINT64_C(1) << way % 64;

	low[way / 64] = age & 1 ? low[way / 64] | bit : low[way / 64] & ~bit;
	high[way / 64] = age & 2 ? high[way / 64] | bit : high[way / 64] & ~bit;
}

static unsigned int oldest(struct policy *p, uint64_t set, unsigned int except)
{
	const uint64_t *low = policy_state(p, set), *high = low + p->word_ways;
	uint64_t any3 = 0, any2 = 0, any1 = 0;

	for (unsigned int i = 0; i < p->word_ways; i++) {
		uint64_t mask = ways_mask(p, i, except);

		any3 |= low[i] & high[i] & mask;
		any2 |= high[i] & mask;
		any1 |= low[i] & mask;
	}
	if (any3)
		return 3;
	return any2 ? 2 : any1 ? 1 : 0;
}

/* No age in the mask is above 3 - @years. */
static void grow(struct policy *p, uint64_t set, unsigned int years,
		 unsigned int except)
{
	uint64_t *low = policy_state(p, set), *high = low + p->word_ways;

	for (unsigned int i = 0; i < p->word_ways; i++) {
		uint64_t mask = ways_mask(p, i, except);

		if (years & 2)
			high[i] |= mask;
		if (years & 1) {
			high[i] ^= low[i] & mask;
			low[i] ^= mask;
		}
	}
}

static void update(struct policy *p, uint64_t set, unsigned int accessed)
{
	unsigned int except = NO_WAY, most;

	if (p->qlru.update == POLICY_U1 || p->qlru.update == POLICY_U3)
		except = accessed;
	if (p->qlru.update <= POLICY_U1) {
		most = oldest(p, set, except);
		if (most < 3)
			grow(p, set, 3 - most, except);
	} else if (oldest(p, set, NO_WAY) < 3) {
		grow(p, set, 1, except);
	}
}

static void ages_hit(struct policy *p, uint64_t set, unsigned int way)
{
	set_age(p, set, way, p->qlru.hit[age_of(p, set, way)]);
	if (!p->qlru.on_miss_only)
		update(p, set, way);
}

static void ages_miss(struct policy *p, uint64_t set)
{
	if (p->qlru.on_miss_only)
		update(p, set, NO_WAY);
}

static unsigned int ages_victim(struct policy *p, uint64_t set)
{
	const uint64_t *low = policy_state(p, set), *high = low + p->word_ways;

	for (unsigned int i = 0; i < p->word_ways; i++)
		if (low[i] & high[i])
			return i * 64 +
			       (unsigned int)__builtin_ctzll(low[i] & high[i]);
	return 0;
}

static void ages_fill(struct policy *p, uint64_t set, unsigned int way)
{
	set_age(p, set, way,
		policy_rarely(p) ? p->qlru.insert_rare : p->qlru.insert);
	if (!p->qlru.on_miss_only)
		update(p, set, way);
}

const struct policy_ops policy_ages = {
	.words = ages_words,
	.reset = ages_reset,
	.hit = ages_hit,
	.miss = ages_miss,
	.victim = ages_victim,
	.fill = ages_fill,
};

/*
 * DRRIP: leaders of the first policy (role 1) and of the second (role 2) count
 * their misses against each other; the others do what misses less.
 */
static void duel_choose(struct policy *p, uint64_t set)
{
	bool second = p->roles[set] ? p->roles[set] == 2 :
				      p->psel >= PSEL_MIDDLE;

	p->qlru = p->duel[second];
}

static void duel_hit(struct policy *p, uint64_t set, unsigned int way)
{
	duel_choose(p, set);
	ages_hit(p, set, way);
}

static void duel_miss(struct policy *p, uint64_t set)
{
	if (p->roles[set] == 1 && p->psel < PSEL_MAX)
		p->psel++;
	else if (p->roles[set] == 2 && p->psel)
		p->psel--;
	duel_choose(p, set);
	ages_miss(p, set);
}

/* Only a policy with random insertion draws a random number. */
static void duel_fill(struct policy *p, uint64_t set, unsigned int way)
{
	uint64_t rare = p->rare;

	duel_choose(p, set);
	if (p->qlru.insert == p->qlru.insert_rare)
		p->rare = 0;
	ages_fill(p, set, way);
	p->rare = rare;
}

const struct policy_ops policy_duel = {
	.words = ages_words,
	.reset = ages_reset,
	.hit = duel_hit,
	.miss = duel_miss,
	.victim = ages_victim,
	.fill = duel_fill,
};
