// SPDX-License-Identifier: GPL-2.0
/*
 * page_sample.c - a list of blocks, its twin and some that are watched,
 * walked one after the other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/page_oracle.h"
#include "observe/sampler.h"

/* Share of a round's time that may drift between a list and its twin. */
#define DOUBT 0.004
/* Per look: who shares the power or the clock may come or go. */
#define LEARNING 0.2
#define FORGETTING 1.0003
#define USUAL 1.02
#define FIRST_LOOKS 4
/* The same since a list of that length was seen to fit; a list that takes less
 * than that is none to compare with what was.
 */
#define STALE 0.05
/* Of the misses of one that overflows: less is none of these. */
#define CLEARLY 0.5
#define SAMPLES 2
/* Of a sample, in whole rounds: what the clock cannot resolve is less than the
 * doubt.
 */
#define LEAST_LOADS 600
/* What another list has left goes first; what misses may have to settle, too. */
#define WARM_ROUNDS 2
#define SETTLING 2

/*
 * Each pass of a walk has a line of each block, always in the order of @blocks:
 * then translations hit and miss alike in a list and its twin. Fewer passes than
 * there are places take each of these as often as any other, by chance: if it
 * were by turns, blocks of one class in every other place of the order would meet
 * in all of their lines.
 */
static int build(const struct evset_blocks *b, const uint64_t *blocks,
		 size_t count, size_t passes, struct sequence *s,
		 struct failure *f)
{
	struct rng *rng = &b->e->x->prober->rng;
	uint64_t places[EVSET_BLOCK_LINES];
	struct sequence order = { places, b->per_block };
	size_t at = 0;

	s->length = count * passes;
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	memcpy(places, b->places, b->per_block * sizeof(*places));
	for (size_t i = 0; i < count; i++) {
		if (!i || at + passes > b->per_block) {
			sequence_shuffle(&order, rng);
			at = 0;
		}
		for (size_t j = 0; j < passes; j++)
			s->offsets[j * count + i] = blocks[i] + places[at++];
	}
	return 0;
}

/* *value: ticks per load; INFINITY: disturbed. */
static int walk(struct evset_blocks *b, const uint64_t *blocks, size_t count,
		size_t passes, bool settle, double *value, struct failure *f)
{
	struct walk_plan plan = { .samples = SAMPLES, .seldom = true };
	size_t rounds = WARM_ROUNDS * (settle ? SETTLING : 1);
	struct readings r = { .count = 0 };
	struct sequence s;
	int error;

	error = build(b, blocks, count, passes, &s, f);
	if (error)
		return error;
	plan.warm_rounds = (unsigned int)rounds;
	plan.loads = (unsigned int)((LEAST_LOADS + s.length - 1) / s.length *
				    s.length);
	error = sampler_observe(b->e->x->prober->m, &s, &plan, 0, &r, f);
	*value = r.count ? sampler_peek(r.values, r.count, 0) : INFINITY;
	if (r.count)
		b->e->walked_ticks +=
			*value * (double)(s.length * rounds +
					  SAMPLES * (size_t)plan.loads);
	sequence_free(&s);
	return error;
}

/* The twin has to miss in the levels above, too, but to fit although half of the
 * blocks are of one class.
 */
static size_t few_passes(const struct evset_blocks *b, size_t count)
{
	size_t passes = (b->lines_each * b->per_block + count - 1) / count;

	return passes < b->per_block / 2 ? passes : b->per_block / 2;
}

/* While somebody else uses the level the same few blocks as always take longer,
 * and a list tells nothing.
 */
static int is_usual(struct evset_blocks *b, bool *usual, struct failure *f)
{
	size_t passes = few_passes(b, b->watched_count);
	double now = 0;
	int error = 0;

	*usual = false;
	do {
		error = walk(b, b->watched, b->watched_count, passes, false,
			     &now, f);
		if (error || !isfinite(now))
			return error;
		if (!b->looks)
			b->usual = now;
		else if (now < b->usual)
			b->usual -= LEARNING * (b->usual - now);
		else
			b->usual *= FORGETTING;
	} while (++b->looks <= FIRST_LOOKS);
	*usual = now <= b->usual * USUAL;
	return 0;
}

/* Does a list take as long as others of that length that fit? */
static bool fits_alone(const struct evset_blocks *b, size_t count, double list,
		       double *misses)
{
	double hit = b->hits[evset_bucket(count)];
	double loads = (double)(count * b->per_block);
	double doubt = STALE * loads * hit / b->e->penalty;

	*misses = (list - hit) * loads / b->e->penalty;
	return hit > 0 && *misses > -doubt &&
	       *misses + doubt < CLEARLY * evset_blocks_least(b);
}

/* Upwards slowly: nobody may have seen who disturbed. */
static void learn_hit(struct evset_blocks *b, size_t count, double twin)
{
	double *hit = &b->hits[evset_bucket(count)];

	if (*hit > 0 && *hit < twin)
		*hit += LEARNING * (twin - *hit);
	else
		*hit = twin;
}

/* *l->undisturbed: a list that fits needs no twin. */
static int walk_both(struct evset_blocks *b, const struct sequence *order,
		     bool settle, double *list, double *twin,
		     struct block_look *l, struct failure *f)
{
	size_t count = order->length;
	int error =
		walk(b, order->offsets, count, b->per_block, settle, list, f);

	if (!error && !settle)
		l->undisturbed = fits_alone(b, count, *list, &l->misses);
	if (error || l->undisturbed)
		return error;
	return walk(b, order->offsets, count, few_passes(b, count), settle,
		    twin, f);
}

int evset_blocks_look(struct evset_blocks *b, const uint64_t *blocks,
		      size_t count, bool settle, struct block_look *l,
		      struct failure *f)
{
	struct sequence order = { calloc(count, sizeof(*blocks)), count };
	double loads = (double)(count * b->per_block);
	double list = INFINITY, twin = INFINITY;
	int error;

	if (!order.offsets)
		return prober_out_of_memory(f);
	memcpy(order.offsets, blocks, count * sizeof(*blocks));
	sequence_shuffle(&order, &b->e->x->prober->rng);
	*l = (struct block_look){ .misses = INFINITY };
	error = walk_both(b, &order, settle, &list, &twin, l, f);
	sequence_free(&order);
	if (error || l->undisturbed)
		return error;
	if (!isfinite(list) || !isfinite(twin))
		return 0;
	l->misses = (list - twin) * loads / b->e->penalty;
	l->doubt = DOUBT * loads * twin / b->e->penalty;
	error = is_usual(b, &l->undisturbed, f);
	if (!error && l->undisturbed)
		learn_hit(b, count, twin);
	return error;
}

void evset_blocks_forget(struct evset_blocks *b)
{
	b->looks = 0;
	memset(b->hits, 0, sizeof(b->hits));
}

void evset_blocks_watch(struct evset_blocks *b, const uint64_t *blocks,
			size_t count)
{
	size_t most = 2 * b->o.clearing < EVSET_WATCHED ? 2 * b->o.clearing :
							  EVSET_WATCHED;

	b->watched_count = count < most ? count : most;
	memcpy(b->watched, blocks, b->watched_count * sizeof(*blocks));
	evset_blocks_forget(b);
}
