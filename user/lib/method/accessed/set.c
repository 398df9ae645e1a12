// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/set.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/accessed/trials.h"
#include "method/accessed/tuning.h"
#include "result/policy_finding.h"

/*
 * Pages per entry of the array above that leave none of the earlier ones there: two
 * do so under LRU, FIFO and their kin. Of a random array of 64 entries each page
 * stays with (1 - 1/64)^256 = 2 %.
 */
#define CLEAR_TIMES 4
/* Two halves of the clearing pages come in turns, so that they miss as well. */
#define HALVES 2
/* Blocks per way: cycles need 3 to 4. */
#define BLOCKS_PER_WAY 4
/* Visits to a block; pages set no limit, and cycles are no longer than this needs. */
#define MOST_VISITS 16
/* Predictions are means of as many rounds (policy/predict.c). */
#define ROUNDS 16
/* Of policies that draw lots: as many as a mean of a cache has, set/open_set.c. */
#define MEAN_ROUNDS (8 * ROUNDS)
/*
 * Under a random policy one page of as many as fit finds the last way that is not
 * theirs with 1/ways; after as many rounds of 24 ways that has failed with 2e-5, and
 * controls show it.
 */
#define MOST_FILLING 256
/* Looks at what one page more pushes out. All of them disturbed: 2^-20. */
#define LOOKS 20

/**
 * struct piece - clearing pages, and different blocks after them
 * @at: of the first one
 * @clearing: their number
 * @blocks: their number
 */
struct piece {
	size_t at;
	size_t clearing;
	size_t blocks;
};

/**
 * struct round - a cycle as pages
 * @offsets: of all pieces, @length of them
 * @pieces: @count of them
 * @distinct: number of different blocks
 */
struct round {
	uint64_t *offsets;
	size_t length;
	struct piece *pieces;
	size_t count;
	size_t distinct;
};

static uint64_t offset_of(const struct accessed_set *s, uint64_t row,
			  uint64_t column)
{
	return kept_offset(s->v, row * s->stride + column, row);
}

static void begin_piece(const struct accessed_set *s, struct round *r)
{
	const size_t half = r->count % HALVES * s->clearing;
	const struct kept_shape w = { .rows = s->v->pages / s->stride,
				      .columns = s->columns,
				      .stride = s->stride };

	r->pieces[r->count++] =
		(struct piece){ .at = r->length, .clearing = s->clearing };
	for (size_t i = 0; i < s->clearing; i++)
		r->offsets[r->length++] = kept_other(s->v, &w, 0, half + i);
}

static void round_free(struct round *r)
{
	free(r->offsets);
	free(r->pieces);
}

/* A block that comes again begins a piece. */
static int round_make(const struct accessed_set *s, const struct cycle *c,
		      struct round *r, struct failure *f)
{
	size_t *last = calloc(s->oracle.blocks, sizeof(*last));

	*r = (struct round){
		.offsets = calloc(c->length * (s->clearing + 1),
				  sizeof(*r->offsets)),
		.pieces = calloc(c->length, sizeof(*r->pieces)),
	};
	if (!last || !r->offsets || !r->pieces) {
		free(last);
		return prober_out_of_memory(f);
	}
	for (size_t i = 0; i < c->length; i++) {
		unsigned int block = c->blocks[i];

		r->distinct += !last[block];
		if (!r->count || last[block] == r->count)
			begin_piece(s, r);
		r->pieces[r->count - 1].blocks++;
		r->offsets[r->length++] = offset_of(s, block, 0);
		last[block] = r->count;
	}
	free(last);
	return 0;
}

/* Touch the blocks of a piece. @first: whole rounds before. */
static int walk_piece(const struct accessed_set *s, const struct round *r,
		      const struct piece *p, unsigned int first,
		      uint64_t *walked, struct failure *f)
{
	const struct sequence all = { .offsets = r->offsets,
				      .length = r->length };
	const struct sequence clearing = { .offsets = r->offsets + p->at,
					   .length = p->clearing };
	const struct sequence blocks = {
		.offsets = r->offsets + p->at + p->clearing, .length = p->blocks
	};
	struct touch before[2];
	struct touch_plan plan = { .before = before,
				   .test = { &blocks, s->v->kind, 1 } };
	struct touch_answer answer;
	int error;

	if (first)
		before[plan.before_count++] =
			(struct touch){ &all, s->v->kind, first };
	if (p->clearing)
		before[plan.before_count++] =
			(struct touch){ &clearing, s->v->kind, 1 };
	error = kept_touch(s->v, &plan, &answer, f);
	if (error)
		return error;
	*walked += answer.walked;
	return answer.disturbed ? -EAGAIN : 0;
}

static int walk_round(const struct accessed_set *s, const struct round *r,
		      unsigned int first, uint64_t *walked, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < r->count; i++)
		error = walk_piece(s, r, &r->pieces[i], i ? 0 : first, walked,
				   f);
	return error;
}

/* Once none of the blocks is missed, none will be. */
static int fill(const struct accessed_set *s, const struct round *r,
		struct failure *f)
{
	for (int i = 0; i < MOST_FILLING; i++) {
		uint64_t walked = 0;
		int error = walk_round(s, r, 0, &walked, f);

		if (error || !walked)
			return error;
	}
	return 0;
}

/*
 * The set stays as it is between two touches, as nothing else takes entries of it
 * where clearing the bits does not disturb. So each round goes on where the last
 * one has ended.
 */
static int ask(const struct accessed_set *s, const struct cycle *c,
	       unsigned int rounds, double *per_round, struct failure *f)
{
	uint64_t walked = 0;
	struct round r;
	int error = round_make(s, c, &r, f);
	const bool fits = r.distinct <= s->oracle.ways;

	if (!error && fits)
		error = fill(s, &r, f);
	for (unsigned int i = 0; !error && i < rounds; i++)
		error = walk_round(s, &r, !fits && !i ? SETTLE_ROUNDS : 0,
				   &walked, f);
	round_free(&r);
	*per_round = (double)walked / rounds;
	return error;
}

static int misses(void *context, const struct cycle *c, double *per_round,
		  struct failure *f)
{
	return ask(context, c, ROUNDS, per_round, f);
}

static int average(void *context, const struct cycle *c, double *per_round,
		   struct failure *f)
{
	return ask(context, c, MEAN_ROUNDS, per_round, f);
}

/*
 * Into an array that takes what leaves the one above, a page comes only later: one
 * page more than ways pushes nothing out at once.
 * @pushes: (out) something was pushed out
 */
static int look_at_once(const struct accessed_set *s, bool *pushes,
			struct failure *f)
{
	const unsigned int ways = s->oracle.ways;
	unsigned int blocks[SET_MOST_WAYS + 1];
	struct cycle c = { .blocks = blocks };
	uint64_t walked = 0;
	struct round r;
	int error;

	c.length = cycle_repeat(blocks, 0, ways, 1);
	error = round_make(s, &c, &r, f);
	if (!error)
		error = fill(s, &r, f);
	round_free(&r);
	if (error)
		return error;
	blocks[0] = ways;
	cycle_repeat(blocks + 1, 0, ways, 1);
	c.length = ways + 1;
	error = round_make(s, &c, &r, f);
	if (!error)
		error = walk_round(s, &r, 0, &walked, f);
	round_free(&r);
	*pushes = walked > 1;
	return error;
}

static int check_fills(const struct accessed_set *s, char *why, size_t size,
		       struct failure *f)
{
	int disturbed = 0;

	if (!budget_draw(&s->v->prober->budget, pow(0.5, LOOKS)))
		return -EDQUOT;
	for (int i = 0; i < LOOKS; i++) {
		bool pushes = true;
		int error = look_at_once(s, &pushes, f);

		if (error == -EAGAIN && ++disturbed < TRIAL_PATIENCE * LOOKS)
			continue;
		if (error)
			return error;
		if (!pushes) {
			snprintf(
				why, size,
				"one page more than its ways pushes none out at once: the array may hold what leaves the one above");
			return 0;
		}
	}
	return 0;
}

static bool has_room(const struct accessed_set *s)
{
	const uint64_t rows = s->v->pages / s->stride;

	if (s->oracle.ways < 2 || s->oracle.blocks > rows)
		return false;
	return !s->clearing ||
	       (s->columns > 1 &&
		HALVES * s->clearing / (s->columns - 1) + 1 <= rows);
}

int accessed_set_open(struct accessed_set *s, const struct kept_view *v,
		      const struct accessed_array *a, size_t above, char *why,
		      size_t size, struct failure *f)
{
	const unsigned int ways = (unsigned int)a->ways;

	*s = (struct accessed_set){
		.oracle = { .ways = ways,
			    .blocks = BLOCKS_PER_WAY * ways,
			    .most_visits = MOST_VISITS,
			    .most_accesses =
				    (size_t)BLOCKS_PER_WAY * ways * MOST_VISITS,
			    .misses = misses,
			    .average = average,
			    .context = s },
		.v = v,
		.stride = a->stride,
		.columns = a->columns,
		.clearing = CLEAR_TIMES * above,
	};
	why[0] = '\0';
	if (v->prober->m->clearing_disturbs)
		snprintf(
			why, size,
			"what clears the accessed bits takes entries of the array, too");
	else if (!a->ways_found || !s->stride || ways > SET_MOST_WAYS ||
		 !has_room(s))
		snprintf(
			why, size,
			"%u ways of %.0f sets: too few pages for questions to one set",
			ways, a->sets);
	else if (above)
		return check_fills(s, why, size, f);
	return 0;
}
