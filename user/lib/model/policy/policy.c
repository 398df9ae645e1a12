// SPDX-License-Identifier: GPL-2.0
/* policy.c - choosing and setting up a replacement policy. */
#include <stdlib.h>
#include <string.h>

#include "model/policy/policy.h"

/* Longest set whose recency order fits into one word. */
#define PACKED_WAYS 16
/* Largest tree whose inner nodes fit into one word. */
#define SMALL_LEAVES 64
/* Largest forest whose trees have a nibble of a word each. */
#define SMALL_FOREST (16 * POLICY_FOREST_TREE)
/* QLRU's randomised insertions: 1 of 16. */
#define QLRU_RARE (UINT64_C(1) << 28)

static bool hit_ages(const char *two, uint8_t *hit)
{
	static const char *const known[] = { "00", "10", "11", "20", "21" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strncmp(two, known[i], 2))
			continue;
		hit[0] = hit[1] = 0;
		hit[2] = (uint8_t)(two[1] - '0');
		hit[3] = (uint8_t)(two[0] - '0');
		return true;
	}
	return false;
}

static bool age(char c, uint8_t *value)
{
	*value = (uint8_t)(c - '0');
	return c >= '0' && c <= '3';
}

/* "M1" or "MR31"; returns what follows, NULL when it is neither. */
static const char *insertion(const char *at, struct policy_qlru *q)
{
	if (at[0] != 'M')
		return NULL;
	if (at[1] != 'R') {
		if (!age(at[1], &q->insert))
			return NULL;
		q->insert_rare = q->insert;
		return at + 2;
	}
	if (!age(at[2], &q->insert) || !age(at[3], &q->insert_rare))
		return NULL;
	return at + 4;
}

bool policy_parse_qlru(const char *variant, struct policy_qlru *q,
		       bool *rightmost)
{
	const char *at = variant;
	uint8_t update;

	*q = (struct policy_qlru){ .insert = 0 };
	if (!strncmp(at, "QLRU_", 5))
		at += 5;
	if (at[0] != 'H' || !hit_ages(at + 1, q->hit) || at[3] != '_')
		return false;
	at = insertion(at + 4, q);
	if (!at || strncmp(at, "_R", 2) || at[2] < '0' || at[2] > '2')
		return false;
	*rightmost = at[2] == '2';
	at += 3;
	if (strncmp(at, "_U", 2) || !age(at[2], &update))
		return false;
	q->update = (enum policy_update)update;
	q->on_miss_only = !strcmp(at + 3, "_UMO");
	return !at[3] || q->on_miss_only;
}

static void use_recency(struct policy *p, bool protect_hits, bool back)
{
	p->protect_hits = protect_hits;
	p->insert_back = back;
	p->ops = p->ways <= PACKED_WAYS ? &policy_recency_packed :
					  &policy_recency_list;
	if (!protect_hits)
		p->fast = POLICY_NOTHING;
	else if (p->ways <= PACKED_WAYS)
		p->fast = POLICY_PACKED;
	p->fast_fill = p->fast == POLICY_PACKED && !back;
}

static void use_tree(struct policy *p)
{
	p->leaves = 1;
	while (p->leaves < p->ways)
		p->leaves *= 2;
	p->ops = p->leaves <= SMALL_LEAVES ? &policy_tree_small :
					     &policy_tree_large;
	p->fast_fill = p->leaves <= SMALL_LEAVES;
	if (p->fast_fill)
		p->fast = POLICY_TREE;
}

/* The tree is that of all ways: those that are not in use stay where they are. */
static void use_masked_tree(struct policy *p, uint64_t mask)
{
	unsigned int last = 63 - (unsigned int)__builtin_clzll(mask);

	p->mask = mask;
	p->leaves = 1;
	while (p->leaves <= last)
		p->leaves *= 2;
	p->ops = &policy_tree_masked;
	p->fast = POLICY_TREE;
}

static void use_forest(struct policy *p, bool most_recent)
{
	bool small = p->ways <= SMALL_FOREST;

	p->most_recent_tree = most_recent;
	p->ops = small ? &policy_forest_small : &policy_forest_large;
	p->fast = small ? POLICY_FOREST : POLICY_SLOW;
	p->fast_fill = small;
}

/* One word has a bit of every way. */
static void be_fast(struct policy *p, enum policy_fast fast)
{
	if (p->word_ways != 1)
		return;
	p->fast = fast;
	p->fast_fill = true;
	p->all = p->ways < 64 ? (UINT64_C(1) << p->ways) - 1 : UINT64_MAX;
}

static void use_bits(struct policy *p)
{
	p->ops = &policy_bit_plru;
	be_fast(p, POLICY_BITS);
}

/* SRRIP-HP is QLRU_H00_M2_R0_U0_UMO; BRRIP mostly inserts at 3. */
static void use_rrip(struct policy *p, uint8_t insert)
{
	p->ops = &policy_ages;
	p->qlru = (struct policy_qlru){ .insert = insert,
					.insert_rare = 2,
					.update = POLICY_U0,
					.on_miss_only = true };
}

static int use_qlru(struct policy *p, const struct profile_policy *profile)
{
	p->ops = &policy_ages;
	p->rare = QLRU_RARE;
	if (!policy_parse_qlru(profile->variant, &p->qlru, &p->free_rightmost))
		return -EINVAL;
	if (p->qlru.insert == p->qlru.insert_rare)
		p->rare = 0;
	return 0;
}

/* Of two QLRU variants free ways are filled as the first one fills them. */
static int use_duel(struct policy *p, const struct profile_policy *profile)
{
	bool rightmost;

	use_rrip(p, 2);
	p->duel[0] = p->qlru;
	use_rrip(p, 3);
	p->duel[1] = p->qlru;
	p->ops = &policy_duel;
	if (!profile->second[0])
		return 0;
	p->rare = QLRU_RARE;
	if (!policy_parse_qlru(profile->variant, &p->duel[0],
			       &p->free_rightmost) ||
	    !policy_parse_qlru(profile->second, &p->duel[1], &rightmost))
		return -EINVAL;
	return 0;
}

static int choose(struct policy *p, const struct profile_policy *profile)
{
	switch (profile->name) {
	case PROFILE_FIFO:
		use_recency(p, false, false);
		return 0;
	case PROFILE_LIP:
		p->rare = 0;
		use_recency(p, true, true);
		return 0;
	case PROFILE_BIP:
		use_recency(p, true, true);
		return 0;
	case PROFILE_TREE_PLRU:
		if (profile->allocation_mask)
			use_masked_tree(p, profile->allocation_mask);
		else
			use_tree(p);
		return 0;
	case PROFILE_BIT_PLRU:
		use_bits(p);
		return 0;
	case PROFILE_NRU:
		p->ops = &policy_nru;
		return 0;
	case PROFILE_RANDOM:
		p->ops = &policy_random;
		p->fast = POLICY_NOTHING;
		return 0;
	case PROFILE_SRRIP:
		p->rare = 0;
		use_rrip(p, 2);
		return 0;
	case PROFILE_BRRIP:
		use_rrip(p, 3);
		return 0;
	case PROFILE_DRRIP:
		return use_duel(p, profile);
	case PROFILE_QLRU:
		return use_qlru(p, profile);
	case PROFILE_LRU3PLRU4:
	case PROFILE_MRU3PLRU4:
		use_forest(p, profile->name == PROFILE_MRU3PLRU4);
		return 0;
	case PROFILE_LRU:
		break;
	}
	use_recency(p, true, false);
	return 0;
}

/* Leaders: listed ones in turn; by default sets 0, 32, 64... and 1, 33, 65...
 */
static int assign_roles(struct policy *p, const struct profile_policy *profile)
{
	p->roles = calloc(p->sets, 1);
	if (!p->roles)
		return -ENOMEM;
	for (size_t i = 0; i < profile->leader_count; i++)
		if (profile->leaders[i] < p->sets)
			p->roles[profile->leaders[i]] = (uint8_t)(1 + i % 2);
	if (!profile->leader_count)
		for (uint64_t set = 0; set < p->sets; set++)
			if (set % 32 < 2)
				p->roles[set] = (uint8_t)(1 + set % 32);
	return 0;
}

/* The leaf of the tree that is @way. */
static unsigned int leaf_of(const struct policy *p, unsigned int way)
{
	uint64_t left = p->mask;

	if (!left)
		return way;
	while (way--)
		left &= left - 1;
	return (unsigned int)__builtin_ctzll(left);
}

static struct policy_path path_of(const struct policy *p, unsigned int way)
{
	unsigned int leaves = p->leaves, shift = 0;
	struct policy_path path = { .nodes = 0 };

	if (p->fast == POLICY_FOREST) {
		leaves = POLICY_FOREST_TREE;
		shift = way / leaves * 4;
		way %= leaves;
	}
	for (unsigned int i = leaf_of(p, way) + leaves; i > 1; i /= 2) {
		path.nodes |= UINT64_C(1) << i / 2 << shift;
		path.away |= (uint64_t) !(i & 1) << i / 2 << shift;
	}
	return path;
}

static int allocate(struct policy *p, const struct profile_policy *profile)
{
	p->words = p->stride = p->ops->words(p);
	p->state = calloc(p->sets * p->words + 1, sizeof(*p->state));
	if (!p->state)
		return -ENOMEM;
	if (p->fast == POLICY_TREE || p->fast == POLICY_FOREST) {
		p->paths = calloc(p->ways, sizeof(*p->paths));
		if (!p->paths)
			return -ENOMEM;
		for (unsigned int way = 0; way < p->ways; way++)
			p->paths[way] = path_of(p, way);
	}
	if (p->ops == &policy_recency_list) {
		p->links =
			calloc(p->sets * (p->ways + 1) * 2, sizeof(*p->links));
		if (!p->links)
			return -ENOMEM;
	}
	return profile->name == PROFILE_DRRIP ? assign_roles(p, profile) : 0;
}

int policy_init(struct policy *p, const struct profile_policy *profile,
		unsigned int ways, uint64_t sets)
{
	int error;

	*p = (struct policy){ .ways = ways, .sets = sets };
	p->word_ways = (ways + 63) / 64;
	p->rare = (uint64_t)(profile->epsilon * 0x1p32);
	p->rng.state = profile->seed;
	p->psel = 511;
	error = choose(p, profile);
	if (p->ops == &policy_ages)
		be_fast(p, POLICY_AGES);
	if (!error)
		error = allocate(p, profile);
	if (!error)
		policy_reset(p);
	return error;
}

void policy_free(struct policy *p)
{
	if (!p->borrowed)
		free(p->state);
	free(p->paths);
	free(p->links);
	free(p->roles);
	*p = (struct policy){ .ways = 0 };
}

void policy_move(struct policy *p, uint64_t *state, unsigned int stride)
{
	if (!p->borrowed)
		free(p->state);
	p->borrowed = true;
	p->state = state;
	p->stride = stride;
	policy_reset(p);
}

void policy_reset(struct policy *p)
{
	for (uint64_t set = 0; set < p->sets; set++)
		p->ops->reset(p, set);
}
