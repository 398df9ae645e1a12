// SPDX-License-Identifier: GPL-2.0
/*
 * recency.c - LRU, FIFO, LIP, BIP: the ways of a set in an order, the
 * last one goes. Up to 16 ways the order is one word of nibbles, most recent
 * first; longer ones are doubly linked lists around a sentinel.
 */
#include "model/policy/policy.h"

static uint64_t to_back(uint64_t order, unsigned int way, unsigned int ways)
{
	unsigned int at = 0;
	uint64_t used, below, above;

	while ((order >> 4 * at & 15) != way)
		at++;
	used = ways < 16 ? (UINT64_C(1) << 4 * ways) - 1 : UINT64_MAX;
	below = (UINT64_C(1) << 4 * at) - 1;
	above = (order & used) >> 4 * at >> 4 << 4 * at;
	return (order & ~used) | (uint64_t)way << 4 * (ways - 1) | above |
	       (order & below);
}

static unsigned int packed_words(const struct policy *p)
{
	(void)p;
	return 1;
}

static void packed_reset(struct policy *p, uint64_t set)
{
	*policy_state(p, set) = UINT64_C(0xfedcba9876543210);
}

static void packed_hit(struct policy *p, uint64_t set, unsigned int way)
{
	uint64_t *order = policy_state(p, set);

	if (p->protect_hits)
		*order = policy_to_front(*order, way);
}

static unsigned int packed_victim(struct policy *p, uint64_t set)
{
	return *policy_state(p, set) >> 4 * (p->ways - 1) & 15;
}

static void packed_fill(struct policy *p, uint64_t set, unsigned int way)
{
	uint64_t *order = policy_state(p, set);

	if (p->insert_back && !policy_rarely(p))
		*order = to_back(*order, way, p->ways);
	else
		*order = policy_to_front(*order, way);
}

const struct policy_ops policy_recency_packed = {
	.words = packed_words,
	.reset = packed_reset,
	.hit = packed_hit,
	.victim = packed_victim,
	.fill = packed_fill,
};

/* Node @ways is the sentinel; [0] is the more recent neighbour, [1] the less
 * recent one.
 */
static uint16_t (*list_of(const struct policy *p, uint64_t set))[2]
{
	return (uint16_t(*)[2])(p->links + set * (p->ways + 1) * 2);
}

static void list_move(const struct policy *p, uint64_t set, unsigned int way,
		      bool front)
{
	uint16_t(*list)[2] = list_of(p, set);
	unsigned int toward = front ? 1 : 0, next;

	list[list[way][0]][1] = list[way][1];
	list[list[way][1]][0] = list[way][0];
	next = list[p->ways][toward];
	list[way][toward] = (uint16_t)next;
	list[way][1 - toward] = (uint16_t)p->ways;
	list[p->ways][toward] = (uint16_t)way;
	list[next][1 - toward] = (uint16_t)way;
}

static unsigned int list_words(const struct policy *p)
{
	(void)p;
	return 0;
}

static void list_reset(struct policy *p, uint64_t set)
{
	uint16_t(*list)[2] = list_of(p, set);

	for (unsigned int i = 0; i <= p->ways; i++) {
		list[i][0] = (uint16_t)(i ? i - 1 : p->ways);
		list[i][1] = (uint16_t)(i < p->ways ? i + 1 : 0);
	}
}

static void list_hit(struct policy *p, uint64_t set, unsigned int way)
{
	if (p->protect_hits && list_of(p, set)[p->ways][1] != way)
		list_move(p, set, way, true);
}

static unsigned int list_victim(struct policy *p, uint64_t set)
{
	return list_of(p, set)[p->ways][0];
}

static void list_fill(struct policy *p, uint64_t set, unsigned int way)
{
	list_move(p, set, way, !p->insert_back || policy_rarely(p));
}

const struct policy_ops policy_recency_list = {
	.words = list_words,
	.reset = list_reset,
	.hit = list_hit,
	.victim = list_victim,
	.fill = list_fill,
};
