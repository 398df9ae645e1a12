// SPDX-License-Identifier: GPL-2.0
/*
 * write_allocate.c - what a level does with a store.
 *
 * Lines are flushed, stored to, and loaded. In a level that allocates on writes
 * they hit, as lines do that were loaded before they were stored to (positive
 * control); in one that does not they miss, as lines do that were only flushed
 * (negative control). Lines for a lower level share sets of the levels above, more
 * than these hold, so that each has left them again: X-Ray's control sequence.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/behaviour/behaviour.h"
#include "method/behaviour/tuning.h"
#include "method/behaviour/write_allocate.h"
#include "method/probe/hit_range.h"
#include "method/level/level.h"
#include "method/level/resident_lines.h"
#include "method/probe/grain.h"

#define METHOD "store and load"
/* Where a line is stored to: not the word that the walk follows. */
#define OTHER_WORD 8
/* Until all lines are there, where new ones seldom get in: what is flushed then
 * leaves each its place.
 */
#define SETTLE_ROUNDS 250
/* Share of the lines that may do something else than hit here, that may miss, and
 * that have to get past the levels above, where all are to hit in the level.
 */
#define UNSETTLED 0.15
#define STRAY 0.25
#define MOST 0.7

/**
 * struct question - does this level allocate on writes?
 * @p: measurement
 * @h: what is known
 * @k: index of the level
 * @shape: lines that miss above and hit here; those of the first level are laid
 *         differently
 * @counter: of the level's misses, a bit; 0: time
 * @above, @here: ticks of a hit in the level above, 0 for the first, and here
 * @now: what a hit here costs when lines are looked at
 * @unit: ticks that a miss costs at least
 * @assumed: the unit is no measured one
 * @unsettled: (out) share of the lines that do not hit here while nothing is
 *             flushed, the most seen; lower levels only
 * @stray: (out) misses per line of the positive control, the most seen
 * @hits: (out) how far its lines are from hits here: the levels above keep those
 *        that take less
 */
struct question {
	struct prober *p;
	const struct hierarchy *h;
	size_t k;
	struct shape shape;
	unsigned int counter;
	double above;
	double here;
	struct hit_range now;
	double unit;
	bool assumed;
	double unsettled;
	double stray;
	struct stray hits;
};

/* How lines come before they are walked. */
enum arrival {
	ARRIVE_STORED, /* flushed, stored to */
	ARRIVE_LOADED, /* flushed, loaded, stored to: they are there, and dirty */
	ARRIVE_FLUSHED, /* they are not there */
};

/**
 * struct placement - one way of coming, at one place
 * @q: the question
 * @how: they come
 * @s: lines
 * @words: of them, which are stored to
 */
struct placement {
	struct question *q;
	enum arrival how;
	struct sequence s;
	struct sequence words;
};

/* Per line, after it has come as @how says. Of the first level stores come twice, as
 * from memory they take long: then lines were there no longer than loaded ones.
 * Another thread of the core empties that level in a few microseconds.
 */
static int look(const struct placement *a, enum arrival how,
		unsigned int counter, struct readings *r, struct failure *f)
{
	const struct walk_step store = { STEP_STORE, &a->words, 0 };
	struct walk_step steps[3] = { { STEP_FLUSH, &a->s, 0 }, store, store };
	struct walk_plan plan = { .samples = ALLOCATE_SAMPLES, .steps = steps };

	plan.step_count = how == ARRIVE_FLUSHED ? 1 : 3;
	if (how == ARRIVE_LOADED)
		steps[1] = (struct walk_step){ STEP_LOAD, &a->s, 0 };
	else if (how == ARRIVE_STORED && a->q->k)
		plan.step_count = 2;
	return prober_observe(a->q->p, &a->s, &plan, counter, r, f);
}

/*
 * By time all that is seen is how long all lines took, and one that misses every
 * level takes as long as many that miss this one, or hides that others hit
 * above. So first all of them have to take as long as hits here, round after
 * round; what is flushed then leaves each its place.
 */
static int settle(struct question *q, const struct sequence *s,
		  struct failure *f)
{
	struct walk_plan plan = { .warm_rounds = SETTLE_ROUNDS,
				  .loads = TIMED_LOADS,
				  .samples = ALLOCATE_SAMPLES };
	struct readings r;
	double off;
	int error;

	if (s->length * SETTLE_ROUNDS > SETTLE_LOADS)
		plan.warm_rounds = (unsigned int)(SETTLE_LOADS / s->length) + 1;
	error = prober_observe(q->p, s, &plan, 0, &r, f);
	if (error || !r.count || !q->k)
		return error;
	off = hit_range_off(&q->now,
			    statistics_quantile(r.values, r.count, 0.25));
	off /= off > 0 ? q->unit : q->here - q->above;
	q->unsettled = fmax(q->unsettled, fabs(off));
	return 0;
}

/* Lines, and the words of them that are stored to. */
static int build(struct question *q, struct sequence *s, struct sequence *words,
		 struct failure *f)
{
	uint64_t base;
	int error;

	if (!prober_choose_base(q->p, &q->shape, &base))
		return -ERANGE;
	error = prober_build(q->p, &q->shape, base, s, f);
	if (error)
		return error;
	words->offsets = calloc(s->length, sizeof(*words->offsets));
	if (!words->offsets)
		return prober_out_of_memory(f);
	words->length = s->length;
	for (size_t i = 0; i < s->length; i++)
		words->offsets[i] = s->offsets[i] + OTHER_WORD;
	return 0;
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = build(a->q, &a->s, &a->words, f);

	(void)b;
	return error ? error : settle(a->q, &a->s, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	const struct placement *a = context;

	return look(a, side == TRIAL_TEST ? a->how : ARRIVE_LOADED,
		    a->q->counter, &b->of[side], f);
}

/* What the positive control shows: do its lines hit here and nowhere else? */
static int note_control(void *context, struct trial_block *b, struct failure *f)
{
	const struct placement *a = context;
	const struct readings *misses = &b->of[TRIAL_CONTROL];
	struct question *q = a->q;
	struct readings ticks;
	double each;
	int error = look(a, ARRIVE_LOADED, 0, &ticks, f);

	if (error || !ticks.count || !misses->count)
		return error;
	each = statistics_near_middle(ticks.values, ticks.count,
				      q->p->m->timer.resolution_ticks /
					      (double)a->s.length);
	if (q->counter)
		q->stray = fmax(q->stray, statistics_peek(misses->values,
							  misses->count, 0.25));
	else
		q->stray =
			fmax(q->stray, hit_range_off(&q->now, each) / q->unit);
	if (q->above > 0)
		latency_deviation_add(&q->hits, hit_range_off(&q->now, each));
	return 0;
}

static void release(void *context)
{
	struct placement *a = context;

	sequence_free(&a->s);
	sequence_free(&a->words);
}

/* Compact: what has come so is there. Without allocation hardly any of it is. */
static int ask(struct question *q, enum arrival how, enum verdict *verdict,
	       struct failure *f)
{
	static const struct trial_ops ops = { place, observe, note_control,
					      release };
	struct placement a = { .q = q, .how = how };
	struct trial t = prober_trial(q->p, &ops, &a);
	int error;

	t.miss = q->counter ? 1 : q->unit;
	t.hit_by_control = true;
	t.failed_counts = true;
	error = trial_run(&t, verdict, f);
	if (how == ARRIVE_STORED && *verdict == VERDICT_NON_COMPACT &&
	    !(t.least_misses >= MOST))
		*verdict = VERDICT_UNDECIDED;
	return error;
}

/* An exclusive level has nothing where nothing above had it first. */
static bool has_what_was_stored(const struct question *q)
{
	for (size_t j = 0; j < q->k; j++)
		if (parameter_is_measured(&q->h->caches[j].write_allocate) &&
		    q->h->caches[j].write_allocate.value > 0)
			return true;
	return false;
}

static bool may_be_exclusive(const struct question *q)
{
	enum inclusion kind = q->h->caches[q->k].inclusion;

	return q->k &&
	       (kind == INCLUSION_UNKNOWN || kind == INCLUSION_EXCLUSIVE);
}

/* Have controls been seen at all? */
static bool were_seen(const struct question *q)
{
	return isfinite(q->unsettled) && isfinite(q->stray) &&
	       (!(q->above > 0) || q->hits.count);
}

/* Why lines that have to hit here show nothing, or NULL. */
static const char *control_fails(const struct question *q, enum verdict flushed)
{
	if (flushed == VERDICT_NON_COMPACT && !were_seen(q))
		return "lines that have to hit here were never seen undisturbed";
	if (!(q->unsettled <= UNSETTLED))
		return "lines that should miss above and hit here do not all do so";
	if (!(q->stray <= STRAY))
		return "lines that were just loaded miss as well";
	if (q->above > 0 && !(latency_deviation_most(&q->hits) <= 1 - MOST))
		return "the levels above keep lines whatever comes";
	return NULL;
}

/* Why it is not decided, or NULL. */
static const char *why_not(const struct question *q, enum verdict stored,
			   enum verdict flushed)
{
	if (flushed != VERDICT_NON_COMPACT)
		return "lines that were flushed do not miss for certain";
	if (stored == VERDICT_COMPACT)
		return NULL;
	if (q->assumed && !q->counter)
		return "what a miss costs is not known";
	if (stored == VERDICT_UNDECIDED)
		return "no clear verdict on lines that were stored to";
	if (may_be_exclusive(q) && !has_what_was_stored(q))
		return "lines that were stored to miss, but an exclusive level gets none from levels that do not allocate";
	return NULL;
}

/* Both questions, at several places each. */
static int ask_both(struct question *q, enum verdict *stored,
		    enum verdict *flushed, struct failure *f)
{
	int error;

	*stored = *flushed = VERDICT_UNDECIDED;
	q->now = hit_range_now(q->p, &q->h->caches[q->k]);
	q->unsettled = q->k ? -INFINITY : 0;
	q->stray = -INFINITY;
	q->hits = (struct stray){
		.more = INFINITY,
		.less = q->here - q->above,
		.grain = q->p->m->timer.resolution_ticks / 2 /
			 (double)shape_length(&q->shape),
	};
	error = ask(q, ARRIVE_FLUSHED, flushed, f);
	if (!error && *flushed == VERDICT_NON_COMPACT)
		error = ask(q, ARRIVE_STORED, stored, f);
	return error;
}

/* Again where the control has failed. *why: it is not decided, or NULL. */
static int ask_again(struct question *q, enum verdict *stored, const char **why,
		     struct failure *f)
{
	enum verdict flushed = VERDICT_UNDECIDED;
	int error = 0;

	*why = NULL;
	for (int i = 0; !error && (!i || (*why && i < ALLOCATE_TRIES)); i++) {
		if (i)
			q->p->m->ops->pause(q->p->m, TRIES_APART_MS);
		error = ask_both(q, stored, &flushed, f);
		*why = control_fails(q, flushed);
	}
	if (!error && !*why)
		*why = why_not(q, *stored, flushed);
	if (error == -ERANGE)
		*why = "too little memory is contiguous";
	return error == -ERANGE ? 0 : error;
}

static int ask_level(struct question *q, struct parameter *to,
		     struct failure *f)
{
	struct budget *budget = &q->p->budget;
	const struct budget_scope scope = budget_open(budget);
	enum verdict stored = VERDICT_UNDECIDED;
	const char *why;
	int error = ask_again(q, &stored, &why, f);
	const double bound = budget_close(budget, &scope);

	if (error)
		return error;
	if (why)
		parameter_undecided(to, METHOD, "%s", why);
	else
		parameter_measured(to, stored == VERDICT_COMPACT, bound,
				   METHOD);
	to->by = q->counter ? "counters" : "time";
	return 0;
}

/* Why it cannot be measured, or NULL and @q is ready. */
static const char *prepare(struct question *q)
{
	const struct cache_result *c = &q->h->caches[q->k];
	const struct parameter *below = q->k + 1 < q->h->cache_count ?
						&c[1].latency_ns :
						&q->h->memory_latency_ns;

	if (!parameter_is_measured(&c->latency_ns))
		return "what a hit costs is not known";
	q->here = prober_load_ticks(q->p, c->latency_ns.value);
	q->assumed = !parameter_is_measured(below);
	q->unit = q->assumed ? LEVEL_LEAST_MISS * q->here :
			       prober_load_ticks(q->p, below->value) - q->here;
	if (!(q->unit > 0))
		return "a miss costs nothing";
	q->above = 0;
	if (q->k) {
		if (!parameter_is_measured(&c[-1].latency_ns) ||
		    c[-1].latency_ns.value >= c->latency_ns.value)
			return "what a hit above costs is not known";
		q->above = prober_load_ticks(q->p, c[-1].latency_ns.value);
	}
	q->counter = sampler_miss_counter(q->p->counters, q->k);
	return resident_lines_choose(q->p, q->h, q->k, 1, &q->shape);
}

int write_allocate_measure(struct prober *p, struct hierarchy *h,
			   struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < h->cache_count; k++) {
		struct question q = { .p = p, .h = h, .k = k };
		struct parameter *to = &h->caches[k].write_allocate;
		const char *why = prepare(&q);

		prober_progress(p, "L%zu: write-allocate", k + 1);
		if (!why)
			error = ask_level(&q, to, f);
		else if (k)
			error = write_allocate_by_steps(p, h, k, to, f);
		else
			parameter_undecided(to, METHOD, "%s", why);
	}
	h->tests = p->tests;
	return error;
}
