// SPDX-License-Identifier: GPL-2.0
/* evset_blocks.c - do blocks of memory fit, all of their lines together? */
#include "evset_blocks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../observe/sampler.h"

/* Fewer lines of a block are no better than single ones. */
#define LEAST_LINES 8
/* A class overflows in all of its sets at once, somebody else in few. */
#define LEAST_SHARE 0.5
/* Share of a round's time that may drift between a list and its twin. */
#define DOUBT 0.004
#define LOOKS 6
#define AGAIN 1.02
/* Half of a list has to clear the levels above, whatever their policy. */
#define CLEARING 3
/* Others come for tenths of a second; who stays for longer is not waited for. */
#define MOST_LOOKS 60
/* Ten seconds in all. */
#define MOST_PAUSES 1000
#define BUCKETS_PER_OCTAVE 12
/* Per test: who shares the power or the clock may come or go. */
#define LEARNING 0.2
#define FORGETTING 1.0003
#define USUAL 1.04
#define LONGER 1.15
#define PAUSE_MS 10
/* Sorting asks some three hundred questions for each class. */
#define MOST_TESTS 16000
#define MOST_ACCESSES 3000000
/* Walks of them, on a machine that is slow. */
#define MOST_NS 12e9
#define SAMPLES 2
/* What another list has left goes first; what misses may have to settle, too. */
#define WARM_LOADS 10000
#define WARM_LEAST 3
#define WARM_MOST 8
#define SETTLING 2

/* What a walk takes of each block: all lines, or every so-manyth of them. */
static int build(const struct evset_blocks *b, const uint64_t *blocks,
		 size_t count, size_t every, struct sequence *s,
		 struct failure *f)
{
	struct rng *rng = &b->e->x->prober->rng;

	s->length = 0;
	s->offsets = calloc(count * b->per_block, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		for (size_t j = rng_below(rng, every); j < b->per_block;
		     j += every)
			s->offsets[s->length++] = blocks[i] + j * b->line_bytes;
	sequence_shuffle(s, rng);
	return 0;
}

/* *value: ticks or misses per load; INFINITY: never undisturbed. */
static int observe(struct evset_blocks *b, const uint64_t *blocks, size_t count,
		   size_t every, bool settle, double *value, struct failure *f)
{
	struct prober *p = b->e->x->prober;
	unsigned int counter = xray_counter(b->e->x);
	double values[SAMPLER_MAX];
	struct sequence s;
	size_t taken = 0;
	int error;

	if (prober_stopped(p))
		return -EINTR;
	error = build(b, blocks, count, every, &s, f);
	if (error)
		return error;

	size_t warm = WARM_LOADS / s.length;

	warm = warm < WARM_LEAST ? WARM_LEAST :
	       warm > WARM_MOST	 ? WARM_MOST :
				   warm;

	const struct walk_plan plan = { .warm_rounds = (unsigned int)warm *
						       (settle ? SETTLING : 1),
					.loads = (unsigned int)s.length,
					.samples = SAMPLES };

	if (counter)
		error = sampler_count(
			p->m, &s, &plan,
			(enum machine_counter)__builtin_ctz(counter), values,
			&taken, f);
	else
		error = sampler_take(p->m, &s, &plan, values, &taken, f);
	*value = taken ? sampler_peek(values, taken, 0) : INFINITY;
	if (taken && !counter)
		b->ticks += *value * (double)s.length *
			    (plan.warm_rounds + SAMPLES);
	sequence_free(&s);
	return error;
}

/**
 * struct looks - a list of blocks and its twin, in turns
 * @list: least ticks per load; disturbance only adds
 * @second: the least but one: what nobody disturbed comes again
 * @twin: of the same blocks, but few lines of each, which fit
 * @settled: the list had time to settle, once
 * @taken: undisturbed looks, or the last one if there is none
 */
struct looks {
	double list;
	double second;
	double twin;
	bool settled;
	int taken;
};

static const struct looks nothing_seen = { .list = INFINITY,
					   .second = INFINITY,
					   .twin = INFINITY };

/* Each so-manyth line of a block: the twin has to miss in the levels above, too,
 * but to fit although half of the blocks are of one class.
 */
static size_t thinned(const struct evset_blocks *b, size_t count)
{
	size_t every = CLEARING * count / b->o.clearing / 2;

	return every < 2 ? 2 : every > b->per_block ? b->per_block : every;
}

/* What twins of that length take lately; of a length that is new hardly more than
 * shorter ones.
 */
static double *usual_of(struct evset_blocks *b, size_t count)
{
	double *usual = b->usual;
	size_t k = (size_t)(BUCKETS_PER_OCTAVE * log2((double)count)), i = k;

	while (usual[k] <= 0 && i-- > 0)
		if (usual[i] > 0)
			usual[k] = usual[i] * LONGER;
	return &usual[k];
}

/* While somebody else uses the level its twin takes longer, and a list tells
 * nothing.
 */
static bool is_usual(struct evset_blocks *b, size_t count, double twin)
{
	double *usual = usual_of(b, count);

	if (!isfinite(twin))
		return false;
	if (*usual <= 0)
		*usual = twin;
	else if (twin < *usual)
		*usual -= LEARNING * (*usual - twin);
	else
		*usual *= FORGETTING;
	return twin <= *usual * USUAL;
}

/* *good: nobody disturbed it, as far as the twin tells. */
static int look(struct evset_blocks *b, const uint64_t *blocks, size_t count,
		bool settle, struct looks *l, bool *good, struct failure *f)
{
	double list = 0, twin = 0;
	int error = observe(b, blocks, count, 1, settle, &list, f);

	*good = true;
	if (!error && !xray_counter(b->e->x)) {
		error = observe(b, blocks, count, thinned(b, count), settle,
				&twin, f);
		*good = is_usual(b, count, twin);
	}
	if (error)
		return error;
	if (*good && !l->taken)
		*l = nothing_seen;
	if (*good || !l->taken) {
		l->second = fmin(l->second, fmax(l->list, list));
		l->list = fmin(l->list, list);
		l->twin = fmin(l->twin, twin);
		l->settled |= settle;
	}
	l->taken += *good;
	return 0;
}

static double misses_of(const struct evset_blocks *b, size_t count,
			const struct looks *l)
{
	return (l->list - l->twin) * (double)(count * b->per_block) /
	       b->e->penalty;
}

/* *clear: nothing but this verdict fits. */
static enum verdict judge(const struct evset_blocks *b, size_t count,
			  const struct looks *l, bool *clear)
{
	double loads = (double)(count * b->per_block);
	double doubt = DOUBT * loads * l->twin / b->e->penalty;
	double least = LEAST_SHARE * (double)b->per_block;
	double misses = misses_of(b, count, l);

	*clear = false;
	if (!isfinite(misses))
		return VERDICT_NON_COMPACT;
	if (misses >= least + doubt) {
		*clear = l->settled && l->second <= l->list * AGAIN;
		return VERDICT_NON_COMPACT;
	}
	*clear = misses < least;
	return VERDICT_COMPACT;
}

/* *again: it is worth another look. Return: 0 or -EAGAIN, where it is no more. */
static int wait_for_others(struct evset_blocks *b, int *pauses, bool *again)
{
	struct machine *m = b->e->x->prober->m;

	if (++b->pauses > MOST_PAUSES)
		return -EAGAIN;
	m->ops->pause(m, PAUSE_MS);
	*again = ++*pauses < MOST_LOOKS;
	return 0;
}

static int blocks_compact(void *context, const uint64_t *blocks, size_t count,
			  bool surely, enum verdict *verdict, struct failure *f)
{
	struct evset_blocks *b = context;
	struct looks l = nothing_seen;
	bool clear = false, again = true;
	int error = 0, pauses = 0;

	(void)surely;
	b->e->x->prober->tests++;
	if (b->ticks > MOST_NS * b->e->x->prober->m->timer.ticks_per_ns)
		return -EAGAIN;
	if (b->o.tests > b->most_tests || b->o.accesses > b->most_accesses ||
	    count > EVSET_MOST_BLOCKS)
		return -EAGAIN;
	*verdict = VERDICT_COMPACT;
	while (!error && again && !clear && l.taken < LOOKS) {
		bool good = false;

		error = look(b, blocks, count,
			     l.taken && *verdict == VERDICT_NON_COMPACT, &l,
			     &good, f);
		if (error)
			break;
		*verdict = judge(b, count, &l, &clear);
		clear &= good;
		if (!good)
			error = wait_for_others(b, &pauses, &again);
	}
	if (!l.taken)
		*verdict = VERDICT_UNDECIDED;
	return error;
}

void evset_blocks_allow(struct evset_blocks *b)
{
	b->most_tests = b->o.tests + MOST_TESTS;
	b->most_accesses = b->o.accesses + MOST_ACCESSES;
}

static void blocks_pause(void *context)
{
	const struct evset_blocks *b = context;

	evset_machine_pause(b->e);
}

bool evset_blocks_begin(struct evset_blocks *b, struct evset_machine *e,
			uint64_t line_bytes)
{
	*b = (struct evset_blocks){
		.o = { .compact = blocks_compact,
		       .pause = blocks_pause,
		       .context = b,
		       .clearing =
			       CLEARING * (e->o.clearing ? e->o.clearing : 1) },
		.e = e,
		.line_bytes = line_bytes,
		.per_block = e->low_bytes / line_bytes,
	};
	evset_blocks_allow(b);
	return b->per_block >= LEAST_LINES &&
	       2 * b->o.clearing <= EVSET_MOST_PADDING;
}
