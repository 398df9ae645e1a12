// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/sharing.h"

#include <errno.h>
#include <math.h>

#include "method/probe/hit_range.h"
#include "method/level/level.h"
#include "method/level/resident_lines.h"
#include "method/probe/grain.h"
#include "method/sharing/lines.h"
#include "method/sharing/tuning.h"
#include "result/outcome.h"

#define METHOD "eviction by another CPU"
#define SETTLE_ROUNDS 250
/* What lines that are there may take more, in misses, and less, in hits above. */
#define STRAY 0.25

/**
 * struct question - which CPUs share this level?
 * @p: measurement
 * @h: what is known
 * @k: index of the level
 * @level: it
 * @shape: lines that miss above and hit here
 * @counter: of the level's misses, a bit; 0: time
 * @above, @here: ticks of a hit in the level above, 0 for the first, and here
 * @unit: ticks that a miss costs at least
 * @assumed: that is a bound, until own lines have been pushed out
 * @unspared: a level below may lose own lines to those of any CPU
 * @stray: (out) where no CPU pushes
 */
struct question {
	struct prober *p;
	const struct hierarchy *h;
	size_t k;
	struct cache_result *level;
	struct shape shape;
	unsigned int counter;
	double above;
	double here;
	double unit;
	bool assumed;
	bool unspared;
	struct stray stray;
};

static int build(struct question *q, struct sharing_lines *l, struct failure *f)
{
	int error = sharing_is_listed(q->level) ?
			    sharing_place_listed(q->p, q->h, q->k, l, f) :
			    sharing_place_strided(q->p, q->h, q->k, &q->shape,
						  l, f);

	return error ? error : sharing_set_aside(q->h, l, f);
}

/* All own lines are there before, where new ones seldom get in: flushed, each
 * leaves its place. One that got none would cost more while others push it out
 * of the levels below, too.
 */
static int settle(struct question *q, const struct sharing_lines *l,
		  struct failure *f)
{
	const struct walk_plan plan = { .warm_rounds = SETTLE_ROUNDS,
					.loads = 1,
					.samples = 1 };
	struct sample unused;

	return q->p->m->ops->walk(q->p->m, &l->own, &plan, &unused, f);
}

/**
 * struct placement - the question to one CPU
 * @q: the question
 * @other: number of the CPU, as of struct walk_step
 * @l: where lines lie now
 */
struct placement {
	struct question *q;
	size_t other;
	struct sharing_lines l;
};

/* Own lines, after the other CPU has loaded @theirs, from memory. Lines that clear
 * the levels above follow both: nothing is left there of either.
 */
static int look(const struct placement *a, const struct sequence *theirs,
		unsigned int counter, struct readings *r, struct failure *f)
{
	const struct sharing_lines *l = &a->l;
	/* Nothing to clear: then the other CPU has no step more. */
	const size_t clearing = l->clear.length ? a->other : 0;
	const struct walk_step steps[] = {
		{ STEP_FLUSH, &l->own, 0 },
		{ STEP_FLUSH, theirs, 0 },
		{ STEP_FLUSH, &l->clear, 0 },
		{ STEP_LOAD, &l->own, 0 },
		{ STEP_LOAD, &l->clear, 0 },
		{ STEP_LOAD, theirs, a->other },
		{ STEP_LOAD, &l->clear, clearing },
		{ STEP_FLUSH, &l->aside, 0 },
	};
	const struct walk_plan plan = { .samples = SHARING_SAMPLES,
					.steps = steps,
					.step_count = sizeof(steps) /
						      sizeof(steps[0]) };

	return prober_observe(a->q->p, &l->own, &plan, counter, r, f);
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = build(a->q, &a->l, f);

	(void)b;
	return error ? error : settle(a->q, &a->l, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *a = context;

	return look(a, side == TRIAL_TEST ? &a->l.push : &a->l.beside,
		    a->q->counter, &b->of[side], f);
}

/* How far own lines are from a hit here in one look, in ticks; NAN: not known. */
static int find_off(const struct placement *a, double step,
		    const struct hit_range *now, double *off, struct failure *f)
{
	struct readings ticks;
	int error = look(a, &a->l.beside, 0, &ticks, f);

	*off = NAN;
	if (!error && ticks.count)
		*off = hit_range_off(now,
				     statistics_near_middle(ticks.values,
							    ticks.count, step));
	return error;
}

static bool is_near(const struct question *q, double off)
{
	if (off < 0 && !q->k)
		return true;
	return fabs(off) - q->stray.grain <=
	       STRAY * (off < 0 ? q->stray.less : q->unit);
}

/* Where no CPU pushes own lines hit here, and not above. What disturbs them once
 * need not do so again.
 */
static int note_control(void *context, struct trial_block *b, struct failure *f)
{
	const struct placement *a = context;
	struct question *q = a->q;
	const double step =
		q->p->m->timer.resolution_ticks / (double)a->l.own.length;
	const struct hit_range now = hit_range_now(q->p, q->level);
	double least = NAN;
	int error = 0;

	(void)b;
	q->stray.grain = step / 2;
	for (int i = 0; !error && !is_near(q, least) && i < SHARING_LOOKS;
	     i++) {
		double off;

		error = find_off(a, step, &now, &off, f);
		if (isnan(least) || fabs(off) < fabs(least))
			least = off;
	}
	if (error || isnan(least) || (least < 0 && !q->k))
		return error;
	latency_deviation_add(&q->stray, least);
	return 0;
}

static void release(void *context)
{
	struct placement *a = context;

	sharing_lines_free(&a->l);
}

/* What own lines cost more that the measured CPU has pushed out. One that shares the
 * level shares those below, and pushes own lines as far down.
 */
static void correct_unit(struct question *q, double misses)
{
	if (!q->assumed)
		return;
	q->assumed = false;
	q->unit = fmax(q->unit, misses * q->unit);
	q->stray.more = q->unit;
}

/* Compact: CPU @other leaves own lines alone. */
static int ask(struct question *q, size_t other, enum verdict *verdict,
	       struct failure *f)
{
	static const struct trial_ops ops = { place, observe, note_control,
					      release };
	struct placement a = { .q = q, .other = other };
	struct trial t = prober_trial(q->p, &ops, &a);
	int error;

	t.miss = q->counter ? 1 : q->unit;
	t.hit_by_control = true;
	t.unanimous = true;
	t.failed_counts = true;
	error = trial_run(&t, verdict, f);
	if (!error && *verdict == VERDICT_NON_COMPACT && !other)
		correct_unit(q, t.least_misses);
	return error;
}

/* Why it cannot be measured, or NULL and @q is ready. */
static const char *prepare(struct question *q)
{
	const struct cache_result *c = q->level;
	const struct parameter *below = q->k + 1 < q->h->cache_count ?
						&c[1].latency_ns :
						&q->h->memory_latency_ns;

	if (!parameter_is_measured(&c->line_bytes) ||
	    (!resident_lines_sets_known(c) && !sharing_is_listed(c)))
		return "lines that share a set are not known";
	if (c->inclusion == INCLUSION_EXCLUSIVE)
		return "exclusive: own lines come and go with those of the levels above";
	if (!parameter_is_measured(&c->latency_ns) ||
	    (parameter_is_measured(below) &&
	     below->value <= c->latency_ns.value))
		return "what a miss costs is not known";
	q->here = prober_load_ticks(q->p, c->latency_ns.value);
	q->assumed = !parameter_is_measured(below);
	q->unit = LEVEL_LEAST_MISS * q->here;
	if (!q->assumed)
		q->unit = prober_load_ticks(q->p, below->value) - q->here;
	q->above = 0;
	if (q->k) {
		if (!parameter_is_measured(&c[-1].latency_ns) ||
		    c[-1].latency_ns.value >= c->latency_ns.value)
			return "what a hit above costs is not known";
		q->above = prober_load_ticks(q->p, c[-1].latency_ns.value);
	}
	q->stray.more = q->unit;
	q->stray.less = q->here - q->above;
	q->counter = sampler_miss_counter(q->p->counters, q->k);
	q->unspared = sharing_is_listed(c) ?
			      !sharing_nothing_lost_below(q->h, q->k) :
			      !sharing_spared_below(q->h, q->k);
	return sharing_is_listed(c) ?
		       sharing_list_usable(q->p, q->h, q->k) :
		       sharing_choose_strided(q->p, q->h, q->k, &q->shape);
}

/*
 * CPU @other leaves own lines alone: is it with an array of its own? What it
 * loads may be lost in an inclusive level below before it pushes anything out
 * here. But a CPU that shares this array shares all levels below it, so that it
 * would fare as the measured CPU does, which is tried before and after.
 */
static int confirm_apart(struct question *q, enum verdict *verdict,
			 struct failure *f)
{
	enum verdict own = VERDICT_UNDECIDED;
	int error;

	if (sharing_nothing_lost_below(q->h, q->k))
		return 0;
	error = ask(q, 0, &own, f);
	if (own != VERDICT_NON_COMPACT)
		*verdict = VERDICT_UNDECIDED;
	return error;
}

/* Until one CPU is not clear: *@tried is its number then. Return: -ERANGE also where
 * one pushes own lines out, but perhaps out of a level below alone.
 */
static int ask_cpus(struct question *q, size_t *tried, enum outcome *outcome,
		    struct failure *f)
{
	const struct machine *m = q->p->m;
	struct cache_result *c = q->level;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	c->shared_count = 0;
	c->shared_cpus[c->shared_count++] = m->cpu;
	for (size_t i = 0; i < m->other_count; i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		*tried = i;
		if (c->shared_count == RESULT_MAX_CPUS)
			return 0;
		error = ask(q, i + 1, &verdict, f);
		if (!error && verdict == VERDICT_COMPACT)
			error = confirm_apart(q, &verdict, f);
		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED ||
		    !(latency_deviation_most(&q->stray) <= STRAY)) {
			*outcome = OUTCOME_OPEN;
			return 0;
		}
		if (verdict == VERDICT_NON_COMPACT && q->unspared)
			return -ERANGE;
		if (verdict == VERDICT_NON_COMPACT)
			c->shared_cpus[c->shared_count++] = m->others[i];
	}
	*tried = m->other_count;
	return 0;
}

static int ask_all(struct question *q, struct failure *f)
{
	const struct machine *m = q->p->m;
	struct budget *budget = &q->p->budget;
	const struct budget_scope scope = budget_open(budget);
	struct parameter *to = &q->level->sharing;
	enum verdict own = VERDICT_UNDECIDED;
	enum outcome outcome = OUTCOME_VOID;
	size_t tried = 0, untried;
	double bound;
	int error;

	error = ask(q, 0, &own, f);
	if (!error && own == VERDICT_NON_COMPACT)
		error = ask_cpus(q, &tried, &outcome, f);
	bound = budget_close(budget, &scope);
	if (error)
		return error;
	untried = m->unusable_cpus + m->other_count - tried;
	if (outcome == OUTCOME_VOID)
		parameter_undecided(to, METHOD,
				    "nothing is sure to push lines out of it");
	else if (outcome == OUTCOME_OPEN)
		parameter_undecided(to, METHOD, "no clear verdict on CPU %d",
				    m->others[tried]);
	else if (untried)
		parameter_undecided(
			to, METHOD,
			"%zu CPUs at least, but %zu that are online could not be tried (not allowed for this process, or too many)",
			q->level->shared_count, untried);
	else
		parameter_measured(to, (double)q->level->shared_count, bound,
				   METHOD);
	return 0;
}

int sharing_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < h->cache_count; k++) {
		struct cache_result *c = &h->caches[k];
		struct question q = { .p = p, .h = h, .k = k, .level = c };
		const char *why;

		if (!p->m->other_count) {
			parameter_unavailable(
				&c->sharing,
				"there is no other CPU to try it with");
			continue;
		}
		prober_progress(p, "L%zu: sharing", k + 1);
		why = prepare(&q);
		if (why)
			parameter_undecided(&c->sharing, METHOD, "%s", why);
		else
			error = ask_all(&q, f);
		if (error == -ERANGE) {
			parameter_undecided(
				&c->sharing, METHOD,
				"a level below may lose the lines first");
			error = 0;
		}
		if (!why)
			c->sharing.by = q.counter ? "counters" : "time";
	}
	h->tests = p->tests;
	return error;
}
