// SPDX-License-Identifier: GPL-2.0
#include "method/policy/cycle_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "method/policy/catalogue.h"
#include "method/policy/tuning.h"

/* Most accesses that make the set forget, per way. */
#define OTHERS_PER_WAY 9
#define SELDOM 12

/* How the next access of a cycle is drawn. */
enum drawing {
	ANY,
	/* at times one of the last few */
	RECENT,
	/* mostly one of as many lines as fit */
	MOSTLY_THOSE,
	IN_TURN,
	/* as many lines as fit, then another one */
	ONE_OTHER,
	TO_AND_FRO,
	DRAWINGS,
};

/**
 * struct body - a cycle that is being drawn
 * @ways: of the set
 * @lines: number of lines to draw from
 * @drawing: how
 * @blocks: drawn so far, @length of them
 */
struct body {
	unsigned int ways;
	unsigned int lines;
	enum drawing drawing;
	const unsigned int *blocks;
	size_t length;
};

static unsigned int draw(const struct body *b, struct rng *rng)
{
	unsigned int any = (unsigned int)rng_below(rng, b->lines);
	unsigned int turn = (unsigned int)(b->length % b->lines);

	switch (b->drawing) {
	case RECENT:
		if (b->length > 4 && rng_below(rng, 2))
			return b->blocks[b->length - 1 - rng_below(rng, 4)];
		return any;
	case MOSTLY_THOSE:
		return rng_below(rng, SELDOM) ? any % b->ways : any;
	case IN_TURN:
		return turn;
	case ONE_OTHER:
		if (b->length % (b->ways + 1) < b->ways)
			return any % b->ways;
		return b->ways + any % (b->lines - b->ways);
	case TO_AND_FRO:
		return b->length / b->lines % 2 ? b->lines - 1 - turn : turn;
	case ANY:
	case DRAWINGS:
		break;
	}
	return any;
}

/*
 * Lines that do not come again make the set forget: as many as fit, each used
 * twice, so that most stay (@kind 0, 1); twice as many, once (2); or the
 * thorough sequence of a catalogue (3).
 */
static size_t draw_others(unsigned int *blocks, const struct set_oracle *o,
			  unsigned int first, size_t kind)
{
	size_t length;

	if (kind % 4 >= 2)
		return policy_catalogue_others(blocks, o, first, kind % 4 == 3);
	length = cycle_repeat(blocks, first, o->ways, 2);
	return length + cycle_repeat(blocks + length, first, o->ways, 2);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Return: whether the cycle is long enough to distinguish policies. */
static bool draw_circle(struct cycle *c, unsigned int *blocks,
			const struct set_oracle *o, size_t kind,
			struct rng *rng)
{
	const unsigned int more[] = { 1, 2, o->ways / 2, o->ways };
	unsigned int left[4 * SET_MOST_WAYS] = { 0 };
	struct body b = { .ways = o->ways };
	size_t others, most;

	b.lines = least(o->ways + more[rng_below(rng, 4)], 2 * o->ways);
	b.drawing = (enum drawing)rng_below(rng, DRAWINGS);
	most = o->ways * (1 + rng_below(rng, POOL_PER_WAY)) +
	       rng_below(rng, POOL_MORE);
	if (b.lines + 2 * o->ways > o->blocks || b.lines == o->ways)
		return false;
	others = draw_others(blocks, o, b.lines, kind);
	b.blocks = blocks + others;
	for (unsigned int i = 0; i < b.lines; i++)
		left[i] = o->most_visits;
	while (b.length < most) {
		unsigned int block = draw(&b, rng), tried = 0;

		for (; !left[block] && tried < b.lines; tried++)
			block = (block + 1) % b.lines;
		if (!left[block])
			break;
		left[block]--;
		blocks[others + b.length++] = block;
	}
	*c = (struct cycle){ .blocks = blocks, .length = others + b.length };
	if (c->length > o->most_accesses)
		c->length = o->most_accesses;
	policy_catalogue_trim(c, o);
	return c->length >= others + o->ways;
}

int cycle_pool_make(struct cycle_pool *c, const struct set_oracle *oracle,
		    uint64_t seed)
{
	struct rng rng = { seed };
	size_t room = (OTHERS_PER_WAY + POOL_PER_WAY) * (size_t)oracle->ways +
		      POOL_MORE;

	*c = (struct cycle_pool){ .count = 0 };
	c->numbers = calloc(CYCLE_POOL_MOST * room, sizeof(*c->numbers));
	if (!c->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < CYCLE_POOL_MOST; i++)
		c->count += draw_circle(&c->cycles[c->count],
					c->numbers + c->count * room, oracle, i,
					&rng);
	return 0;
}

void cycle_pool_free(struct cycle_pool *c)
{
	free(c->numbers);
	*c = (struct cycle_pool){ .count = 0 };
}
