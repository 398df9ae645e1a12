// SPDX-License-Identifier: GPL-2.0
#include "inclusion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../observe/sampler.h"

#define METHOD "kept line"
/* Reads of x in a round: the words of its line. */
#define WORD_BYTES 8
/* A round pushes x out once, whatever the order, with so many more lines. Of
 * three times the ways none hits that comes again, whether x is lost meanwhile
 * or not: by time a hit more here would hide a miss of x.
 */
#define SPARE_LINES 2
#define TIMES_WAYS 3
/* Of the others, if x is sure to be pushed out. */
#define NEARLY_ALL 0.85
/* Latencies are averages, and those of other sequences. */
#define NOT_BELOW 1.25
/* x can add misses, not take away any: then something else is different. */
#define LESS (-0.25)
#define NEITHER 0.4
#define STEADY 0.05
/* Of a miss: where lines go at random x is lost now and then only. */
#define COUNTED_UNIT 0.25
#define BASE_ALIGN 4096

/**
 * struct question - the question, for one level
 * @p: asks the machine
 * @first: first level
 * @level: the level in question
 * @conflict: bytes between lines that share a set with x
 * @between: of them between two reads of x
 * @reads: of x in a round
 * @unit: ticks that a lost x costs at least
 * @least: (out) share of the others that missed the level, the least seen:
 *         only when nearly all do x is surely pushed out of it
 * @most: (out) the most seen: above 1 they miss the level below, too
 * @beyond: (out) misses of a round, by the counter, beyond those of the others:
 *          x is not kept by the first level itself
 * @spread: (out) of misses of a round between samples: it loses lines at random
 */
struct question {
	struct prober *p;
	const struct cache_result *first;
	const struct cache_result *level;
	uint64_t conflict;
	size_t between;
	size_t reads;
	double unit;
	double least;
	double most;
	double beyond;
	double spread;
};

static const struct walk_plan walk_rounds = {
	.warm_rounds = 32,
	.loads = 4000,
	.samples = 8,
};

static bool measured(const struct parameter *p)
{
	return p->status == PARAMETER_MEASURED;
}

static bool by_counter(const struct question *x)
{
	return x->p->counters >> COUNTER_L1D_MISS & 1;
}

static double ticks_per_ns(const struct question *x)
{
	return x->p->m->timer.ticks_per_ns;
}

static double ticks_between(const struct question *x,
			    const struct parameter *slow_ns)
{
	return (slow_ns->value - x->first->latency_ns.value) * ticks_per_ns(x);
}

static uint64_t way_bytes(const struct cache_result *c)
{
	return (uint64_t)(c->capacity_bytes.value / c->ways.value);
}

static bool shows_sets(const struct cache_result *c)
{
	return measured(&c->ways) && measured(&c->capacity_bytes) &&
	       measured(&c->line_bytes) && measured(&c->latency_ns) &&
	       measured(&c->index_decision) && c->index != INDEX_HASHED;
}

static size_t others(const struct question *x)
{
	return x->between * x->reads;
}

/* Offsets from the base: others at multiples of the conflict stride. */
static uint64_t span_of(const struct question *x)
{
	return (others(x) + 1) * x->conflict;
}

/* @kept: where the line lies that is read again and again
 * @apart: bytes between the others
 */
static int build(const struct question *x, uint64_t base, uint64_t kept,
		 uint64_t apart, const uint64_t *order, struct sequence *s,
		 struct failure *f)
{
	size_t n = 0;

	s->offsets = calloc(others(x) + x->reads, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < x->reads; i++) {
		s->offsets[n++] = kept + i * WORD_BYTES;
		for (size_t j = 0; j < x->between; j++)
			s->offsets[n++] =
				base + order[i * x->between + j] * apart;
	}
	s->length = n;
	return 0;
}

/* Misses of x in a round, in @values, as far as one can tell from one walk. */
static int observe(const struct question *x, const struct sequence *s,
		   double *values, size_t *count, struct failure *f)
{
	struct prober *p = x->p;

	if (prober_stopped(p))
		return -EINTR;
	if (by_counter(x))
		return sampler_count(p->m, s, &walk_rounds, COUNTER_L1D_MISS,
				     values, count, f);
	return sampler_take(p->m, s, &walk_rounds, values, count, f);
}

/* From per load to lost lines per round, above what the control shows. */
static void to_losses(const struct question *x, double base, double *values,
		      size_t count)
{
	double loads = (double)(others(x) + x->reads);

	for (size_t i = 0; i < count; i++) {
		values[i] = (values[i] - base) * loads /
			    (by_counter(x) ? COUNTED_UNIT : x->unit);
		if (values[i] < LESS)
			values[i] = NEITHER;
	}
}

/* The others of a control, whose x hits: what they take tells where they hit. */
static int note_missing(struct question *x, const struct sequence *control,
			struct failure *f)
{
	double first = x->first->latency_ns.value * ticks_per_ns(x);
	double here = x->level->latency_ns.value * ticks_per_ns(x);
	double ticks[SAMPLER_MAX], each, share;
	size_t count = 0, reads = x->reads;
	int error =
		sampler_take(x->p->m, control, &walk_rounds, ticks, &count, f);

	if (error || !count)
		return error;
	each = (sampler_quantile(ticks, count, 0.25) *
			(double)(others(x) + reads) -
		first * (double)reads) /
	       (double)others(x);
	share = (each - here) / (first + x->unit - here);
	x->least = fmin(x->least, share);
	x->most = fmax(x->most, share);
	return 0;
}

/*
 * By its counter the first level is compared with itself: lines that conflict
 * there alone do to it what those that conflict further down do, unless it is
 * made to give lines back. By time lines cost what they cost where they hit, so
 * they stay what they are and x makes way for a line of another set.
 */
static int build_control(const struct question *x, uint64_t base,
			 const uint64_t *order, struct sequence *s,
			 struct failure *f)
{
	uint64_t line = (uint64_t)x->level->line_bytes.value;
	uint64_t way = way_bytes(x->first);

	if (by_counter(x))
		return build(x, base, base, way, order, s, f);
	return build(x, base, base + way / 2 / line * line, x->conflict, order,
		     s, f);
}

/* What the first level does by itself, by its counter. */
static void note_first(struct question *x, const double *control, size_t count)
{
	double loads = (double)(others(x) + x->reads);
	double low = loads * sampler_peek(control, count, 0.25);
	double high = loads * sampler_peek(control, count, 0.75);

	x->beyond = fmax(x->beyond, low - (double)others(x));
	x->spread = fmax(x->spread, high - low);
}

static int add_block(struct question *x, uint64_t *order, struct decision *d,
		     struct failure *f)
{
	double test[SAMPLER_MAX], control[SAMPLER_MAX], base_value;
	uint64_t base;
	struct sequence with = { .offsets = NULL }, without = with;
	size_t tests = 0, controls = 0;
	struct prober *p = x->p;
	int error;

	base = p->arena_offset +
	       rng_below(&p->rng,
			 (p->arena_bytes - span_of(x)) / BASE_ALIGN + 1) *
		       BASE_ALIGN;
	sequence_shuffle(&(struct sequence){ order, others(x) }, &p->rng);
	error = build(x, base, base, x->conflict, order, &with, f);
	if (!error)
		error = build_control(x, base, order, &without, f);
	if (!error)
		error = observe(x, &without, control, &controls, f);
	if (!error)
		error = observe(x, &with, test, &tests, f);
	if (!error)
		error = note_missing(x, by_counter(x) ? &with : &without, f);
	sequence_free(&with);
	sequence_free(&without);
	if (error)
		return error;
	base_value = controls ? sampler_peek(control, controls, 0.25) : 0;
	if (by_counter(x) && controls)
		note_first(x, control, controls);
	to_losses(x, base_value, test, tests);
	to_losses(x, base_value, control, controls);
	decision_add_block(d, test, tests, control, controls, 1);
	return 0;
}

/* Compact: x is never lost. */
static int is_kept(struct question *x, enum verdict *verdict, struct failure *f)
{
	uint64_t *order = calloc(others(x), sizeof(*order));
	struct decision d;
	int error = 0;

	if (!order)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < others(x); i++)
		order[i] = i + 1;
	x->least = INFINITY;
	x->most = -INFINITY;
	x->beyond = 0;
	x->spread = 0;
	decision_begin(&d, &x->p->rules);
	do {
		error = add_block(x, order, &d, f);
	} while (!error && !decision_done(&d, verdict));
	x->p->tests++;
	free(order);
	return error;
}

static bool is_power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

/*
 * The fewer lines between two reads of x the surer the first level keeps it,
 * but all words of a line are few reads: tree-PLRU keeps it over log2(ways)
 * others, LRU over ways - 1. Return: false when no number does.
 */
static bool choose_between(struct question *x, size_t needed)
{
	size_t ways = (size_t)x->first->ways.value, least = 1;

	while (ways >> (least + 1))
		least++;
	x->reads = (size_t)x->first->line_bytes.value / WORD_BYTES;
	for (x->between = least; x->between < ways; x->between++)
		if (others(x) >= needed)
			return true;
	return false;
}

/* Lines of a set of level @c, of as many as x has others, @stride apart. */
static double crowd(const struct question *x, uint64_t stride,
		    const struct cache_result *c)
{
	double lines = (double)(others(x) + 1), way = (double)way_bytes(c);

	return fmax(1, lines * fmin((double)stride, way) / way);
}

/* Whether the first level keeps x from lines that leave its place in the level
 * in question alone.
 */
static int survives_alone(const struct question *question,
			  const struct cache_result *second, bool *survives,
			  struct failure *f)
{
	struct question x = *question;
	uint64_t way = way_bytes(x.first);
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	*survives = false;
	if (crowd(&x, way, x.level) > x.level->ways.value / 2)
		return 0;
	x.conflict = way;
	x.unit = ticks_between(&x, &second->latency_ns);
	error = is_kept(&x, &verdict, f);
	*survives = !error && verdict == VERDICT_COMPACT;
	return error;
}

static void decide(struct cache_result *c, enum inclusion kind, double bound)
{
	parameter_measured(&c->inclusion_decision, kind, bound, METHOD);
	c->inclusion = kind;
}

static void leave(struct cache_result *c, const char *why)
{
	parameter_undecided(&c->inclusion_decision, METHOD, "%s", why);
}

/* By how the ways add up, when x was not lost. */
static void not_inclusive(struct prober *p, struct cache_result *c)
{
	if (!measured(&c->effective_ways))
		leave(c,
		      "not inclusive; whether it adds its ways to those above is not known");
	else
		decide(c, INCLUSION_NINE, 2 * p->rules.alpha);
}

/* Whether the lines that push x out of a level leave it alone further down. */
static bool spares_below(const struct question *x, const struct hierarchy *h,
			 size_t k)
{
	for (k++; k < h->cache_count; k++) {
		const struct cache_result *c = &h->caches[k];

		if (!shows_sets(c) ||
		    crowd(x, x->conflict, c) > c->ways.value / 2)
			return false;
	}
	return true;
}

static int ask_why_lost(struct question *x, struct hierarchy *h, size_t k,
			bool above_clear, struct failure *f)
{
	struct cache_result *c = &h->caches[k];
	bool survives = by_counter(x);
	int error = 0;

	if (!above_clear || !spares_below(x, h, k)) {
		leave(c,
		      above_clear ?
			      "a level below may be what takes a kept line away" :
			      "a level above may be what takes a kept line away");
		return 0;
	}
	if (!survives)
		error = survives_alone(x, &h->caches[1], &survives, f);
	if (!error && survives)
		decide(c, INCLUSION_INCLUSIVE, 2 * x->p->rules.alpha);
	else if (!error)
		leave(c, "the first level does not keep a line for certain");
	return error;
}

/* With more and more others, until nearly all of them miss or x is lost. */
static int ask_level(struct question *x, struct hierarchy *h, size_t k,
		     bool above_clear, struct failure *f)
{
	struct cache_result *c = &h->caches[k];
	enum verdict verdict = VERDICT_COMPACT;

	for (; x->between < (size_t)x->first->ways.value &&
	       span_of(x) <= x->p->arena_bytes;
	     x->between++) {
		int error = is_kept(x, &verdict, f);

		if (error)
			return error;
		if (x->most > NOT_BELOW &&
		    (verdict != VERDICT_NON_COMPACT || !by_counter(x))) {
			leave(c,
			      "lines that conflict here conflict further down, too");
			return 0;
		}
		if (verdict == VERDICT_NON_COMPACT)
			return ask_why_lost(x, h, k, above_clear, f);
		if (verdict == VERDICT_COMPACT && x->least >= NEARLY_ALL &&
		    x->beyond <= -LESS && x->spread <= STEADY) {
			not_inclusive(x->p, c);
			return 0;
		}
	}
	leave(c, verdict == VERDICT_COMPACT ?
			 "nothing is sure to push a kept line out of it" :
			 "no clear verdict on a kept line");
	return 0;
}

/* Why it cannot be asked, or NULL and @x is ready. */
static const char *prepare(struct question *x, const struct hierarchy *h,
			   size_t k)
{
	const struct cache_result *c = &h->caches[k];
	const struct parameter *below = k + 1 < h->cache_count ?
						&h->caches[k + 1].latency_ns :
						&h->memory_latency_ns;
	double ways = c->ways.value;

	if (!shows_sets(c) || !shows_sets(x->first))
		return "lines that share a set are not known";
	if (!measured(below))
		return "what a miss costs is not known";
	if (measured(&c->effective_ways) && c->effective_ways.value > ways)
		ways = c->effective_ways.value;
	x->level = c;
	x->conflict = way_bytes(c);
	x->unit = ticks_between(x, below);
	if (x->conflict % way_bytes(x->first) ||
	    way_bytes(x->first) < 2 * (uint64_t)x->first->line_bytes.value ||
	    !is_power_of_two((uint64_t)x->first->line_bytes.value))
		return "lines that share a set here do not share one in the first level";
	if (!choose_between(x, by_counter(x) ? (size_t)ways + SPARE_LINES :
					       TIMES_WAYS * (size_t)ways))
		return "the first level has too few ways to keep a line so long";
	if (by_counter(x) &&
	    crowd(x, way_bytes(x->first), c) > c->ways.value / 2)
		return "lines that conflict in the first level conflict here, too";
	if (span_of(x) > x->p->arena_bytes)
		return "too little memory is contiguous";
	return NULL;
}

int inclusion_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct question x = { .p = p, .first = &h->caches[0] };
	bool clear = true;
	int error = 0;

	if (!h->cache_count)
		return 0;

	for (size_t k = 1; !error && k < h->cache_count; k++) {
		struct cache_result *c = &h->caches[k];
		const char *why;

		prober_progress(p, "L%zu: inclusion", k + 1);
		if (measured(&c->ways) && measured(&c->effective_ways) &&
		    c->effective_ways.value > c->ways.value) {
			decide(c, INCLUSION_EXCLUSIVE,
			       c->effective_ways.error_bound);
			continue;
		}
		why = prepare(&x, h, k);
		if (why)
			leave(c, why);
		else
			error = ask_level(&x, h, k, clear, f);
		clear = clear && (c->inclusion == INCLUSION_NINE ||
				  c->inclusion == INCLUSION_EXCLUSIVE);
	}
	h->tests = p->tests;
	return error;
}
