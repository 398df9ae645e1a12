// SPDX-License-Identifier: GPL-2.0
#include "write_back.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../observe/sampler.h"
#include "own_lines.h"
#include "write_seen.h"

#define METHOD "kept line, stored to"
/* Kept lines, in sets of their own, and so many lines apart that no prefetcher
 * brings one for another.
 */
#define KEPT 8
#define LINES_APART 4
/* Where a line is stored to: not the word that the walk follows. */
#define OTHER_WORD 8
/* More than this pushes a line out whatever the order, times the ways. */
#define TIMES_WAYS 3
#define SAMPLES 6
/* Placements at most, and how many that say something else end it. */
#define MOST_BLOCKS 28
#define FEW 6
/* Misses of a line that is not there, and of one that is. */
#define LOST 0.5
#define THERE 0.25
#define BASE_ALIGN 4096
/* Of the way from a hit above to one here, and from that to a miss. */
#define STRAY 0.25

/**
 * struct question - does the first level write back?
 * @p: asks the machine
 * @first, @second: the levels
 * @counter: of the second level's misses, a bit; 0: time
 * @apart: bytes between kept lines
 * @kept: their number
 * @unit: ticks that a miss of the second level costs at least
 * @stray: (out) how far lines that have to hit there are from that, at most
 */
struct question {
	struct prober *p;
	const struct cache_result *first;
	const struct cache_result *second;
	unsigned int counter;
	uint64_t apart;
	size_t kept;
	double unit;
	double stray;
};

/* What becomes of the kept lines before they are walked. */
enum fate {
	FATE_STORED,  /* stored to while only the first level has them */
	FATE_CLEAN,   /* only read meanwhile */
	FATE_PRESENT, /* the second level has never lost them */
};

/**
 * struct lines - one placement
 * @x: the kept lines
 * @words: of them, to be stored to
 * @push: what pushes them out of the second level, with reads of them between
 * @evict: what pushes them out of the first, and leaves their sets in the second
 *         alone
 */
struct lines {
	struct sequence x;
	struct sequence words;
	struct sequence push;
	struct sequence evict;
};

static bool shows_sets(const struct cache_result *c)
{
	return own_lines_sets_known(c) &&
	       parameter_is_measured(&c->line_bytes) &&
	       parameter_is_measured(&c->latency_ns);
}

static size_t pushers(const struct question *q)
{
	return TIMES_WAYS * (size_t)q->second->ways.value;
}

static size_t evictors(const struct question *q)
{
	return TIMES_WAYS * (size_t)q->first->ways.value;
}

static uint64_t evictor(const struct question *q, size_t i)
{
	return own_lines_evictor(own_lines_way_bytes(q->first),
				 own_lines_way_bytes(q->second), i);
}

static uint64_t span_of(const struct question *q)
{
	uint64_t push = pushers(q) * own_lines_way_bytes(q->second);
	uint64_t evict = evictor(q, evictors(q) - 1);

	return (push > evict ? push : evict) + (q->kept + 1) * q->apart;
}

static void free_lines(struct lines *l)
{
	sequence_free(&l->x);
	sequence_free(&l->words);
	sequence_free(&l->push);
	sequence_free(&l->evict);
}

static bool allocate(const struct question *q, struct lines *l)
{
	l->x.length = l->words.length = q->kept;
	l->push.length = q->kept * (2 * pushers(q) + 1);
	l->evict.length = q->kept * evictors(q);
	l->x.offsets = calloc(l->x.length, sizeof(uint64_t));
	l->words.offsets = calloc(l->words.length, sizeof(uint64_t));
	l->push.offsets = calloc(l->push.length, sizeof(uint64_t));
	l->evict.offsets = calloc(l->evict.length, sizeof(uint64_t));
	return l->x.offsets && l->words.offsets && l->push.offsets &&
	       l->evict.offsets;
}

/* @order: of those that push a line out of the second level */
static void place(const struct question *q, const struct sequence *order,
		  struct lines *l)
{
	uint64_t *push = l->push.offsets, *evict = l->evict.offsets;

	for (size_t i = 0; i < q->kept; i++) {
		uint64_t x = l->x.offsets[i];

		l->words.offsets[i] = x + OTHER_WORD;
		*push++ = x;
		for (size_t j = 0; j < order->length; j++) {
			*push++ = x + order->offsets[j] *
					      own_lines_way_bytes(q->second);
			*push++ = x;
		}
		for (size_t j = 0; j < evictors(q); j++)
			*evict++ = x + evictor(q, j);
	}
}

static int build(struct question *q, struct lines *l, struct failure *f)
{
	struct prober *p = q->p;
	uint64_t base =
		p->arena_offset +
		rng_below(&p->rng,
			  (p->arena_bytes - span_of(q)) / BASE_ALIGN + 1) *
			BASE_ALIGN;
	struct sequence order = { .length = pushers(q) };

	order.offsets = calloc(order.length, sizeof(uint64_t));
	if (!order.offsets || !allocate(q, l)) {
		sequence_free(&order);
		return prober_out_of_memory(f);
	}
	for (size_t i = 0; i < q->kept; i++)
		l->x.offsets[i] = base + i * q->apart;
	for (size_t i = 0; i < order.length; i++)
		order.offsets[i] = i + 1;
	sequence_shuffle(&l->x, &p->rng);
	sequence_shuffle(&order, &p->rng);
	place(q, &order, l);
	sequence_free(&order);
	return 0;
}

static int observe(struct question *q, const struct lines *l, enum fate fate,
		   unsigned int counter, double *values, size_t *count,
		   struct failure *f)
{
	const struct walk_step present[] = { { STEP_FLUSH, &l->x, 0 },
					     { STEP_LOAD, &l->x, 0 },
					     { STEP_LOAD, &l->evict, 0 } };
	const struct walk_step lost[] = {
		{ STEP_FLUSH, &l->x, 0 },
		{ STEP_LOAD, &l->push, 0 },
		fate == FATE_STORED ?
			(struct walk_step){ STEP_STORE, &l->words, 0 } :
			(struct walk_step){ STEP_LOAD, &l->words, 0 },
		{ STEP_LOAD, &l->push, 0 },
		{ STEP_LOAD, &l->evict, 0 },
	};
	const struct walk_plan plan = {
		.samples = SAMPLES,
		.steps = fate == FATE_PRESENT ? present : lost,
		.step_count = fate == FATE_PRESENT ? 3 : 5,
	};

	if (prober_stopped(q->p))
		return -EINTR;
	if (!counter)
		return sampler_take(q->p->m, &l->x, &plan, values, count, f);
	return sampler_count(q->p->m, &l->x, &plan,
			     (enum machine_counter)__builtin_ctz(counter),
			     values, count, f);
}

/* Those that have to hit the second level: do they, and not the first? */
static int note_present(struct question *q, const struct lines *l,
			struct failure *f)
{
	double per_ns = q->p->m->timer.ticks_per_ns;
	double here = q->second->latency_ns.value * per_ns;
	double above = q->first->latency_ns.value * per_ns;
	double ticks[SAMPLER_MAX], off;
	size_t count = 0;
	int error = observe(q, l, FATE_PRESENT, 0, ticks, &count, f);

	if (error || !count)
		return error;
	off = sampler_quantile(ticks, count, 0.25) - here;
	off /= off > 0 ? q->unit : here - above;
	q->stray = fmax(q->stray, fabs(off));
	return 0;
}

/* Misses of a line; the upper or lower quartile of what is @count strong. */
static double misses(const struct question *q, const double *values,
		     size_t count, double base, double quantile)
{
	return (sampler_peek(values, count, quantile) - base) /
	       (q->counter ? 1 : q->unit);
}

/* How one placement came out. */
enum outcome {
	OUTCOME_VOID,	  /* what was not stored to was not lost, or noise */
	OUTCOME_BACK,	  /* only what was stored to is there */
	OUTCOME_LOST,	  /* neither is */
	OUTCOME_REVERSED, /* only what was not stored to is there */
};

static enum outcome outcome_of(const struct question *q, const double *clean,
			       const double *stored, size_t count, double base)
{
	bool clean_lost = misses(q, clean, count, base, 0.25) >= LOST;
	bool stored_lost = misses(q, stored, count, base, 0.25) >= LOST;
	bool clean_there = misses(q, clean, count, base, 0.75) <= THERE;
	bool stored_there = misses(q, stored, count, base, 0.75) <= THERE;

	if (clean_lost && stored_there)
		return OUTCOME_BACK;
	if (clean_lost && stored_lost)
		return OUTCOME_LOST;
	return clean_there && stored_lost ? OUTCOME_REVERSED : OUTCOME_VOID;
}

/* Both fates at one placement, in either order. */
static int observe_both(struct question *q, const struct lines *l,
			double *clean, double *stored, size_t *count,
			struct failure *f)
{
	bool first = rng_below(&q->p->rng, 2);
	size_t a = 0, b = 0;
	int error = observe(q, l, first ? FATE_STORED : FATE_CLEAN, q->counter,
			    first ? stored : clean, &a, f);

	if (!error)
		error = observe(q, l, first ? FATE_CLEAN : FATE_STORED,
				q->counter, first ? clean : stored, &b, f);
	*count = a < b ? a : b;
	return error;
}

static int ask(struct question *q, enum outcome *outcome, struct failure *f)
{
	double clean[SAMPLER_MAX], stored[SAMPLER_MAX], present[SAMPLER_MAX];
	struct lines l = { .x = { .offsets = NULL } };
	size_t count = 0, controls = 0;
	int error = build(q, &l, f);

	if (!error)
		error = observe(q, &l, FATE_PRESENT, q->counter, present,
				&controls, f);
	if (!error)
		error = observe_both(q, &l, clean, stored, &count, f);
	if (!error)
		error = note_present(q, &l, f);
	free_lines(&l);
	*outcome = OUTCOME_VOID;
	if (!error && count && controls)
		*outcome = outcome_of(q, clean, stored, count,
				      sampler_peek(present, controls, 0.25));
	return error;
}

static void leave(struct parameter *p, const char *why)
{
	parameter_undecided(p, METHOD, "%s", why);
}

/*
 * If stores went through, stored lines and others would end alike; as the order
 * is random, either would then be the one that is there equally often. So each
 * placement halves the probability that this is chance.
 */
static int ask_until_sure(struct question *q, struct parameter *to,
			  struct failure *f)
{
	unsigned int seen[OUTCOME_REVERSED + 1] = { 0 };
	double bound = 1;
	int error = 0;

	for (int i = 0; !error && bound > q->p->rules.alpha && i < MOST_BLOCKS;
	     i++) {
		enum outcome outcome;

		error = ask(q, &outcome, f);
		if (error)
			return error;
		seen[outcome]++;
		if (outcome == OUTCOME_BACK)
			bound /= 2;
		/* It is not going to be sure any more. */
		if (seen[OUTCOME_REVERSED] || seen[OUTCOME_LOST] >= FEW ||
		    seen[OUTCOME_VOID] >= FEW)
			break;
	}
	q->p->tests++;
	if (!(q->stray <= STRAY))
		leave(to,
		      "lines that should hit in the second level do not all do so");
	else if (bound <= q->p->rules.alpha && !seen[OUTCOME_LOST])
		parameter_measured(to, 1, bound, METHOD);
	else if (seen[OUTCOME_LOST] >= FEW && !seen[OUTCOME_BACK])
		leave(to,
		      "what was stored does not come back to the second level: written through, or not taken there");
	else
		leave(to,
		      "lines that were not stored to are not lost for certain");
	to->by = q->counter ? "counters" : "time";
	return 0;
}

/* Why it cannot be asked, or NULL and @q is ready. */
static const char *prepare(struct question *q, const struct hierarchy *h)
{
	const struct cache_result *a = &h->caches[0], *b = &h->caches[1];
	const struct parameter *below = h->cache_count > 2 ?
						&h->caches[2].latency_ns :
						&h->memory_latency_ns;
	uint64_t way;

	if (h->cache_count < 2)
		return "there is no level below that could show it";
	if (!shows_sets(a) || !shows_sets(b))
		return "lines that share a set are not known";
	if (b->inclusion != INCLUSION_NINE)
		return "the level below takes lines that are not modified, or may do so";
	way = own_lines_way_bytes(a);
	if (!way || own_lines_way_bytes(b) % way ||
	    own_lines_way_bytes(b) == way)
		return "lines that share a set of the second level and lines that share one of the first are the same";
	if (!parameter_is_measured(below) ||
	    below->value <= b->latency_ns.value ||
	    b->latency_ns.value <= a->latency_ns.value)
		return "what a miss costs is not known";
	q->first = a;
	q->second = b;
	q->counter = q->p->counters & 1U << COUNTER_L2_MISS;
	q->unit = (below->value - b->latency_ns.value) *
		  q->p->m->timer.ticks_per_ns;
	q->apart = LINES_APART *
		   (uint64_t)fmax(a->line_bytes.value, b->line_bytes.value);
	q->kept = way / q->apart < KEPT ? way / q->apart : KEPT;
	if (!q->kept)
		return "the first level has too few sets";
	if (span_of(q) > q->p->arena_bytes)
		return "too little memory is contiguous";
	return NULL;
}

int write_back_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct question q = { .p = p };
	const char *why;
	int error = 0;

	for (size_t k = 1; k < h->cache_count; k++)
		parameter_unavailable(
			&h->caches[k].write_back,
			"only writes of a level below would show it, and no counter counts them");
	if (!h->cache_count)
		return 0;
	prober_progress(p, "L1: write-back");
	if (h->cache_count > 1 &&
	    h->caches[1].inclusion == INCLUSION_INCLUSIVE) {
		error = write_back_unseen(p, h, &h->caches[0].write_back, f);
		if (!error && !parameter_is_measured(&h->caches[0].write_back))
			error = write_through_seen(p, h,
						   &h->caches[0].write_back, f);
		h->tests = p->tests;
		return error;
	}
	why = prepare(&q, h);
	if (why) {
		leave(&h->caches[0].write_back, why);
		return 0;
	}
	error = ask_until_sure(&q, &h->caches[0].write_back, f);
	if (!error && !parameter_is_measured(&h->caches[0].write_back))
		error = write_back_below(p, h, &h->caches[0].write_back, f);
	if (!error && !parameter_is_measured(&h->caches[0].write_back))
		error = write_through_seen(p, h, &h->caches[0].write_back, f);
	h->tests = p->tests;
	return error;
}
