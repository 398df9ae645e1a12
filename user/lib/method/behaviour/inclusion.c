// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/inclusion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/behaviour/inclusion_ask.h"
#include "method/behaviour/inclusion_steps.h"

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
#define STEADY 0.05

static double ticks_between(const struct question *x,
			    const struct parameter *slow_ns)
{
	return (slow_ns->value - x->first->latency_ns.value) *
	       question_ticks_per_ns(x);
}

static bool is_known(const struct cache_result *c)
{
	return parameter_is_measured(&c->ways) &&
	       parameter_is_measured(&c->capacity_bytes) &&
	       parameter_is_measured(&c->line_bytes) &&
	       parameter_is_measured(&c->latency_ns) &&
	       parameter_is_measured(&c->index_decision);
}

static bool shows_sets(const struct cache_result *c)
{
	return is_known(c) && c->index != INDEX_HASHED;
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
		if (question_others(x) >= needed)
			return true;
	return false;
}

/* Lines of a set of level @c, of as many as x has others, @stride apart. */
static double crowd(const struct question *x, uint64_t stride,
		    const struct cache_result *c)
{
	double lines = (double)(question_others(x) + 1),
	       way = (double)question_way_bytes(c);

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
	uint64_t way = question_way_bytes(x.first);
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	*survives = false;
	if (crowd(&x, way, x.level) > x.level->ways.value / 2)
		return 0;
	x.conflict = way;
	x.unit = ticks_between(&x, &second->latency_ns);
	error = question_is_kept(&x, &verdict, f);
	*survives = !error && verdict == VERDICT_COMPACT;
	return error;
}

/* All tests of this level, in whatever way it was decided. */
static double drawn_for(const struct question *x)
{
	return budget_bound(&x->p->budget, x->drawn_before);
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
static void not_inclusive(const struct question *x, struct cache_result *c)
{
	if (!parameter_is_measured(&c->effective_ways))
		leave(c,
		      "not inclusive; whether it adds its ways to those above is not known");
	else
		decide(c, INCLUSION_NINE, drawn_for(x));
}

/* The same of lines that are listed: the most in any set. */
static double listed_crowd(const struct question *x,
			   const struct cache_result *c)
{
	uint64_t way = question_way_bytes(c);
	size_t most = 0;

	for (size_t i = 0; i < x->line_count; i++) {
		size_t same = 0;

		for (size_t j = 0; j < x->line_count; j++)
			same += x->lines[j] % way == x->lines[i] % way;
		most = same > most ? same : most;
	}
	return (double)most;
}

/* Whether the lines that push x out of a level leave it alone further down. */
static bool spares_below(const struct question *x, const struct hierarchy *h,
			 size_t k)
{
	for (k++; k < h->cache_count; k++) {
		const struct cache_result *c = &h->caches[k];

		/* It has no line that those above have, and takes none. */
		if (c->inclusion == INCLUSION_EXCLUSIVE)
			continue;
		if (!shows_sets(c) ||
		    (x->conflict ? crowd(x, x->conflict, c) :
				   listed_crowd(x, c)) > c->ways.value / 2)
			return false;
	}
	return true;
}

static int ask_why_lost(struct question *x, struct hierarchy *h, size_t k,
			bool above_clear, struct failure *f)
{
	struct cache_result *c = &h->caches[k];
	bool survives = question_by_counter(x);
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
		decide(c, INCLUSION_INCLUSIVE, drawn_for(x));
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
	       question_has_others(x);
	     x->between++) {
		int error = question_is_kept(x, &verdict, f);

		if (error)
			return error;
		if (verdict != VERDICT_UNDECIDED && !isfinite(x->least)) {
			leave(c,
			      "where the lines that push hit was never seen undisturbed");
			return 0;
		}
		if (x->most > NOT_BELOW && (verdict != VERDICT_NON_COMPACT ||
					    !question_by_counter(x))) {
			leave(c,
			      "lines that conflict here conflict further down, too");
			return 0;
		}
		if (verdict == VERDICT_NON_COMPACT)
			return ask_why_lost(x, h, k, above_clear, f);
		if (verdict == VERDICT_COMPACT && x->least >= NEARLY_ALL &&
		    x->beyond <= -QUESTION_LESS && x->spread <= STEADY) {
			not_inclusive(x, c);
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

	x->conflict = 0;
	x->line_count = 0;
	if (shows_sets(c)) {
		x->conflict = question_way_bytes(c);
	} else if (is_known(c)) {
		x->line_count = c->set_line_count;
		memcpy(x->lines, c->set_lines, sizeof(x->lines));
	}
	if (!shows_sets(x->first) || (!x->conflict && !x->line_count))
		return "lines that share a set are not known";
	if (!parameter_is_measured(below))
		return "what a miss costs is not known";
	if (parameter_is_measured(&c->effective_ways) &&
	    c->effective_ways.value > ways)
		ways = c->effective_ways.value;
	x->level = c;
	x->unit = ticks_between(x, below);
	if (x->conflict % question_way_bytes(x->first) ||
	    question_way_bytes(x->first) <
		    2 * (uint64_t)x->first->line_bytes.value ||
	    !is_power_of_two((uint64_t)x->first->line_bytes.value))
		return "lines that share a set here do not share one in the first level";
	if (!choose_between(x, question_by_counter(x) ?
				       (size_t)ways + SPARE_LINES :
				       TIMES_WAYS * (size_t)ways))
		return "the first level has too few ways to keep a line so long";
	if (question_by_counter(x) &&
	    crowd(x, question_way_bytes(x->first), c) > c->ways.value / 2)
		return "lines that conflict in the first level conflict here, too";
	if (!question_has_others(x))
		return x->conflict ? "too little memory is contiguous" :
				     "too few lines that share a set are known";
	return NULL;
}

/* What an exclusive level takes from is the level right above; that one may be
 * exclusive itself.
 */
static void add_victims(struct cache_result *c,
			const struct cache_result *above)
{
	const struct parameter *bytes = &above->capacity_bytes;

	if (parameter_is_measured(&c->effective_capacity_bytes) ||
	    c->inclusion != INCLUSION_EXCLUSIVE ||
	    !parameter_is_measured(&c->capacity_bytes))
		return;
	if (above->inclusion == INCLUSION_EXCLUSIVE)
		bytes = &above->effective_capacity_bytes;
	if (!parameter_is_measured(bytes) ||
	    (above->level > 1 && above->inclusion == INCLUSION_UNKNOWN))
		return;
	parameter_measured(&c->effective_capacity_bytes,
			   c->capacity_bytes.value + bytes->value,
			   c->capacity_bytes.error_bound + bytes->error_bound,
			   METHOD);
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

		/* Known from how it was measured. */
		add_victims(c, c - 1);
		if (parameter_is_measured(&c->inclusion_decision))
			continue;
		prober_progress(p, "L%zu: inclusion", k + 1);
		if (parameter_is_measured(&c->ways) &&
		    parameter_is_measured(&c->effective_ways) &&
		    c->effective_ways.value > c->ways.value) {
			decide(c, INCLUSION_EXCLUSIVE,
			       c->effective_ways.error_bound);
			continue;
		}
		x.drawn_before = p->budget.alpha_drawn;
		why = prepare(&x, h, k);
		if (why)
			leave(c, why);
		else
			error = ask_level(&x, h, k, clear, f);
		if (!error && !parameter_is_measured(&c->inclusion_decision))
			error = inclusion_by_steps(p, h, k, x.drawn_before, f);
		clear = clear && (c->inclusion == INCLUSION_NINE ||
				  c->inclusion == INCLUSION_EXCLUSIVE);
	}
	h->tests = p->tests;
	return error;
}
