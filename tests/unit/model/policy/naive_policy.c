// SPDX-License-Identifier: GPL-2.0
/* naive_policy.c - replacement policies, word by word. */
#include <string.h>

#include "model/policy/naive_policy.h"

void naive_init(struct naive_set *s, enum profile_policy_name policy,
		const char *variant, unsigned int ways)
{
	memset(s, 0, sizeof(*s));
	s->policy = policy;
	s->variant = policy == PROFILE_SRRIP ? "H00_M2_R0_U0_UMO" : variant;
	s->ways = ways;
	for (unsigned int i = 0; i < ways; i++) {
		s->age[i] = policy == PROFILE_QLRU || policy == PROFILE_SRRIP ?
				    3 :
				    1;
		s->stamp[i] = -(int64_t)i - 1;
	}
}

static int highest_age(const struct naive_set *s, int except)
{
	int most = 0;

	for (int i = 0; i < (int)s->ways; i++)
		if (i != except && s->age[i] > most)
			most = s->age[i];
	return most;
}

static void grow(struct naive_set *s, int years, int except)
{
	for (int i = 0; i < (int)s->ways; i++)
		if (i != except)
			s->age[i] += years;
}

/* U0 to U3 of QLRU; -1: no exception. */
static void qlru_update(struct naive_set *s, int accessed)
{
	switch (strstr(s->variant, "_U")[2]) {
	case '0':
		grow(s, 3 - highest_age(s, -1), -1);
		break;
	case '1':
		grow(s, s->ways == 1 ? 0 : 3 - highest_age(s, accessed),
		     accessed);
		break;
	case '2':
		grow(s, highest_age(s, -1) < 3, -1);
		break;
	default:
		grow(s, highest_age(s, -1) < 3, accessed);
		break;
	}
}

static bool is_qlru(const struct naive_set *s)
{
	return s->policy == PROFILE_QLRU || s->policy == PROFILE_SRRIP;
}

static bool all_used_recently(const struct naive_set *s)
{
	return highest_age(s, -1) == 0;
}

static void set_ages(struct naive_set *s, int age)
{
	for (unsigned int i = 0; i < s->ways; i++)
		s->age[i] = age;
}

/* A tree over ways [base, base + n), node 1 of s->tree + at is its root. */
static void tree_access(int *tree, unsigned int leaves, unsigned int leaf)
{
	for (unsigned int i = leaf + leaves; i > 1; i /= 2)
		tree[i / 2] = i % 2 ? 0 : 1;
}

static unsigned int tree_victim(const int *tree, unsigned int leaves)
{
	unsigned int i = 1;

	while (i < leaves)
		i = 2 * i + (unsigned int)tree[i];
	return i - leaves;
}

static unsigned int leaves_of(const struct naive_set *s)
{
	unsigned int leaves = 1;

	while (leaves < s->ways)
		leaves *= 2;
	return leaves;
}

/* When was any way of a tree of four used last? */
static int64_t tree_stamp(const struct naive_set *s, unsigned int tree)
{
	return s->stamp[NAIVE_WAYS - 1 - tree];
}

static unsigned int forest_victim(const struct naive_set *s)
{
	unsigned int trees = s->ways / 4, oldest = 0, newest = 0, tree;

	for (unsigned int i = 1; i < trees; i++) {
		if (tree_stamp(s, i) < tree_stamp(s, oldest))
			oldest = i;
		if (tree_stamp(s, i) > tree_stamp(s, newest))
			newest = i;
	}
	tree = s->policy == PROFILE_LRU3PLRU4 ? oldest : (newest + 1) % trees;
	return tree * 4 + tree_victim(s->tree + (size_t)tree * 4, 4);
}

static void accessed(struct naive_set *s, unsigned int way, bool hit)
{
	switch (s->policy) {
	case PROFILE_LRU:
		s->stamp[way] = ++s->now;
		break;
	case PROFILE_FIFO:
		if (!hit)
			s->stamp[way] = ++s->now;
		break;
	case PROFILE_LIP:
		s->now++;
		s->stamp[way] = hit ? s->now : -s->now - NAIVE_WAYS;
		break;
	case PROFILE_TREE_PLRU:
		tree_access(s->tree, leaves_of(s), way);
		break;
	case PROFILE_BIT_PLRU:
		s->age[way] = 0;
		if (all_used_recently(s)) {
			set_ages(s, 1);
			s->age[way] = 0;
		}
		break;
	case PROFILE_NRU:
		s->age[way] = 0;
		break;
	default:
		tree_access(s->tree + way / 4 * 4, 4, way % 4);
		s->stamp[NAIVE_WAYS - 1 - way / 4] = ++s->now;
		break;
	}
}

static unsigned int least(const struct naive_set *s)
{
	unsigned int way = 0;

	for (unsigned int i = 1; i < s->ways; i++)
		if (s->stamp[i] < s->stamp[way])
			way = i;
	return way;
}

static unsigned int victim(struct naive_set *s)
{
	unsigned int way;

	switch (s->policy) {
	case PROFILE_LRU:
	case PROFILE_FIFO:
	case PROFILE_LIP:
		return least(s);
	case PROFILE_TREE_PLRU:
		way = tree_victim(s->tree, leaves_of(s));
		return way < s->ways ? way : s->ways - 1;
	case PROFILE_LRU3PLRU4:
	case PROFILE_MRU3PLRU4:
		return forest_victim(s);
	default:
		for (way = 0; way < s->ways; way++)
			if (s->age[way] == (is_qlru(s) ? 3 : 1))
				return way;
		return 0;
	}
}

static unsigned int place(struct naive_set *s)
{
	bool right = is_qlru(s) && strstr(s->variant, "_R2");

	for (unsigned int i = 0; i < s->ways; i++) {
		unsigned int way = right ? s->ways - 1 - i : i;

		if (!s->used[way])
			return way;
	}
	return victim(s);
}

static int find(const struct naive_set *s, uint64_t tag)
{
	for (unsigned int way = 0; way < s->ways; way++)
		if (s->used[way] && s->tag[way] == tag)
			return (int)way;
	return -1;
}

bool naive_access(struct naive_set *s, uint64_t tag)
{
	int found = find(s, tag), *age;
	bool hit = found >= 0, umo = is_qlru(s) && strstr(s->variant, "_UMO");
	unsigned int way;

	if (!hit && umo)
		qlru_update(s, -1);
	if (!hit && s->policy == PROFILE_NRU && all_used_recently(s))
		set_ages(s, 1);
	way = hit ? (unsigned int)found : place(s);
	s->used[way] = true;
	s->tag[way] = tag;
	if (!is_qlru(s)) {
		accessed(s, way, hit);
		return hit;
	}
	age = &s->age[way];
	if (!hit)
		*age = strchr(s->variant, 'M')[1] - '0';
	else if (*age >= 2)
		*age = s->variant[*age == 3 ? 1 : 2] - '0';
	else
		*age = 0;
	if (!umo)
		qlru_update(s, (int)way);
	return hit;
}

void naive_flush(struct naive_set *s, uint64_t tag)
{
	int way = find(s, tag);

	if (way >= 0)
		s->used[way] = false;
}
