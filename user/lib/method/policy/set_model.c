// SPDX-License-Identifier: GPL-2.0
#include "method/policy/set_model.h"

#include <errno.h>
#include <string.h>

/* HABIT_FIRST_OFTENER */
#define FIRST_ONE_IN 8

static void empty(struct policy_set *s)
{
	s->used = 0;
	for (unsigned int i = 0; i < SET_MOST_WAYS; i++) {
		s->blocks[i] = POLICY_SET_FREE;
		s->order[i] = (unsigned char)i;
	}
}

int policy_set_begin(struct policy_set *s, const struct profile_policy *policy,
		     enum policy_habit habit, unsigned int ways)
{
	*s = (struct policy_set){ .habit = habit, .ways = ways };
	empty(s);
	if (!ways || ways > SET_MOST_WAYS)
		return -EINVAL;
	return policy_init(&s->policy, policy, ways, 1);
}

void policy_set_begin_permutation(struct policy_set *s,
				  const struct permutation_policy *p)
{
	*s = (struct policy_set){ .permutation = p, .ways = p->ways };
	empty(s);
}

void policy_set_end(struct policy_set *s)
{
	if (!s->permutation)
		policy_free(&s->policy);
}

static bool find(const struct policy_set *s, unsigned int block,
		 unsigned int *way)
{
	for (*way = 0; *way < s->ways; ++*way)
		if (s->blocks[*way] == block)
			return true;
	return false;
}

static unsigned int free_way(const struct policy_set *s)
{
	unsigned int way = 0;

	if (s->policy.free_rightmost) {
		way = s->ways - 1;
		while (s->blocks[way] != POLICY_SET_FREE)
			way--;
		return way;
	}
	while (s->blocks[way] != POLICY_SET_FREE)
		way++;
	return way;
}

/* Nodes of a tree, a bit each: from @first to before @end. */
static void toss(struct policy_set *s, unsigned int first, unsigned int end)
{
	uint64_t *state = policy_state(&s->policy, 0);

	for (unsigned int node = first; node < end; node++) {
		*state &= ~(UINT64_C(1) << node);
		*state |= (rng_next(&s->policy.rng) & 1) << node;
	}
}

/*
 * Three subtrees are those of a root with four, the last of which has no ways.
 */
static void toss_root(struct policy_set *s)
{
	uint64_t *state = policy_state(&s->policy, 0), third;

	if (4 * s->ways != 3 * s->policy.leaves) {
		toss(s, 1, 2);
		return;
	}
	third = rng_below(&s->policy.rng, 3);
	*state &= ~(UINT64_C(1) << 1 | UINT64_C(1) << (2 + third / 2));
	*state |= third / 2 << 1 | third % 2 << (2 + third / 2);
}

static unsigned int victim(struct policy_set *s)
{
	if (s->habit == HABIT_RANDOM_ROOT)
		toss_root(s);
	else if (s->habit == HABIT_RANDOM_LEAVES)
		toss(s, s->policy.leaves / 2, s->policy.leaves);
	else if (s->habit == HABIT_FIRST_OFTENER &&
		 !rng_below(&s->policy.rng, FIRST_ONE_IN))
		return 0;
	return s->policy.ops->victim(&s->policy, 0);
}

static void move(struct policy_set *s, const unsigned char *to)
{
	unsigned char moved[SET_MOST_WAYS] = { 0 };

	for (unsigned int i = 0; i < s->ways; i++)
		moved[to[i]] = s->order[i];
	memcpy(s->order, moved, s->ways);
}

static bool access_permutation(struct policy_set *s, unsigned int block)
{
	const struct permutation_policy *p = s->permutation;
	unsigned int way;

	if (!find(s, block, &way)) {
		s->blocks[s->order[s->ways - 1]] = block;
		move(s, p->miss);
		return true;
	}
	for (unsigned int i = 0; i < s->ways; i++) {
		if (s->order[i] != way)
			continue;
		move(s, p->hit[i]);
		break;
	}
	return false;
}

bool policy_set_access(struct policy_set *s, unsigned int block)
{
	struct policy *p = &s->policy;
	unsigned int way;
	bool full = s->used == s->ways;

	if (s->permutation)
		return access_permutation(s, block);
	if (find(s, block, &way)) {
		if (full || s->habit != HABIT_STILL_WHILE_FREE)
			policy_hit(p, 0, way);
		return false;
	}
	if (p->ops->miss)
		p->ops->miss(p, 0);
	if (full || s->habit == HABIT_FILLS_BY_VICTIM)
		way = victim(s);
	else
		way = free_way(s);
	s->used += s->blocks[way] == POLICY_SET_FREE;
	s->blocks[way] = block;
	if (full || s->habit != HABIT_STILL_WHILE_FREE)
		policy_fill(p, 0, way);
	return true;
}

void policy_set_place(struct policy_set *s, unsigned int way,
		      unsigned int block)
{
	s->used += s->blocks[way] == POLICY_SET_FREE;
	s->blocks[way] = block;
	if (!s->permutation)
		policy_fill(&s->policy, 0, way);
}

void policy_set_drop(struct policy_set *s, unsigned int block)
{
	unsigned int way;

	if (!find(s, block, &way))
		return;
	s->blocks[way] = POLICY_SET_FREE;
	s->used--;
}

static bool has_state(const struct policy_set *s)
{
	if (s->permutation)
		return true;
	return s->policy.ops != &policy_random && !s->policy.rare &&
	       s->policy.ops != &policy_recency_list &&
	       s->habit != HABIT_RANDOM_ROOT &&
	       s->habit != HABIT_RANDOM_LEAVES &&
	       s->habit != HABIT_FIRST_OFTENER;
}

size_t policy_set_state(const struct policy_set *s, uint64_t *words)
{
	size_t count = 0;

	if (!has_state(s) || s->policy.words > 8)
		return 0;
	for (unsigned int i = 0; i < s->ways; i++)
		words[count++] = s->blocks[i];
	if (s->permutation) {
		words[count + (s->ways - 1) / 8] = 0;
		memcpy(words + count, s->order, s->ways);
		return count + (s->ways + 7) / 8;
	}
	memcpy(words + count, policy_state(&s->policy, 0),
	       s->policy.words * sizeof(*words));
	return count + s->policy.words;
}
