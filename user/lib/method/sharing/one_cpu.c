// SPDX-License-Identifier: GPL-2.0
/* one_cpu.c - one CPU loads, and what own lines take then. */
#include "method/sharing/one_cpu.h"

#include <math.h>

#include "method/probe/hit_range.h"
#include "method/sharing/lines.h"
#include "method/sharing/tuning.h"

#define SETTLE_ROUNDS 250
/* A decision holds lines that stay against such of which this share goes, at least in
 * half of the observations (decision.c).
 */
#define LEAST_PUSHED 0.5

static int build(struct sharing_question *q, struct sharing_lines *l,
		 struct failure *f)
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
static int settle(struct sharing_question *q, const struct sharing_lines *l,
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
	struct sharing_question *q;
	size_t other;
	struct sharing_lines l;
};

/*
 * Own lines, after the other CPU has loaded @theirs, from memory. Lines that clear
 * the levels above follow both: nothing is left there of either. All of it is soon
 * done: another thread of the core, which a guest does not see, empties its first
 * level in a few microseconds.
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
		{ STEP_LOAD_TOGETHER, &l->own, 0 },
		{ STEP_LOAD_TOGETHER, &l->clear, 0 },
		{ STEP_LOAD_TOGETHER, theirs, a->other },
		{ STEP_LOAD_TOGETHER, &l->clear, clearing },
		{ STEP_FLUSH, &l->aside, 0 },
	};
	const struct walk_plan plan = { .samples = SHARING_SAMPLES,
					.steps = steps,
					.step_count = sizeof(steps) /
						      sizeof(steps[0]) };

	return prober_observe(a->q->p, &l->own, &plan, counter, r, f);
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

static bool is_near(const struct sharing_question *q, double off)
{
	if (off < 0 && !q->k)
		return true;
	return fabs(off) - q->stray.grain <=
	       SHARING_STRAY * (off < 0 ? q->stray.less : q->unit);
}

/* The least of some looks where no CPU pushes. What disturbs own lines once need not
 * do so again.
 */
static int find_least(const struct placement *a, double *least,
		      struct failure *f)
{
	struct sharing_question *q = a->q;
	const double step =
		q->p->m->timer.resolution_ticks / (double)a->l.own.length;
	const struct hit_range now = hit_range_now(q->p, q->level);
	int error = 0;

	*least = NAN;
	q->stray.grain = step / 2;
	for (int i = 0; !error && !is_near(q, *least) && i < SHARING_LOOKS;
	     i++) {
		double off;

		error = find_off(a, step, &now, &off, f);
		if (isnan(*least) || fabs(off) < fabs(*least))
			*least = off;
	}
	return error;
}

/* The same once another thread of the core rests: it works for a while, and rests
 * for a while.
 */
static int await_rest(const struct placement *a, double *least,
		      struct failure *f)
{
	struct sharing_question *q = a->q;
	int error = find_least(a, least, f);

	for (; !error && q->pauses && !is_near(q, *least); q->pauses--) {
		q->p->m->ops->pause(q->p->m, SHARING_PAUSE_MS);
		error = find_least(a, least, f);
	}
	return error;
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	double unused;
	int error = build(a->q, &a->l, f);

	(void)b;
	if (!error)
		error = settle(a->q, &a->l, f);
	return error ? error : await_rest(a, &unused, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *a = context;

	return look(a, side == TRIAL_TEST ? &a->l.push : &a->l.beside,
		    a->q->counter, &b->of[side], f);
}

/* Where no CPU pushes own lines hit here, and not above. */
static int note_control(void *context, struct trial_block *b, struct failure *f)
{
	struct sharing_question *q = ((const struct placement *)context)->q;
	double least;
	int error = await_rest(context, &least, f);

	(void)b;
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
static void correct_unit(struct sharing_question *q, double misses)
{
	if (!q->assumed)
		return;
	q->assumed = false;
	q->unit = fmax(q->unit, misses * q->unit);
	q->stray.more = q->unit;
}

/* A policy that lets few new lines in leaves own ones there, whichever CPU loads: then a CPU
 * that leaves them there, too, may share the level. And where some own lines may have
 * been above, such a CPU pushes out fewer than the measured one.
 */
static bool differ(const struct sharing_question *q)
{
	return q->pushed >= LEAST_PUSHED &&
	       q->lost <= SHARING_STRAY * q->pushed;
}

/* What a CPU that is apart shows has to differ clearly from what the measured one does,
 * before and after. One that pushes own lines out needs no comparison.
 */
static void compare(struct sharing_question *q, size_t other,
		    const struct trial *t, enum verdict *verdict)
{
	if (*verdict != (other ? VERDICT_COMPACT : VERDICT_NON_COMPACT))
		return;
	if (other)
		q->lost = fmax(q->lost, t->most_misses);
	else
		q->pushed = fmin(q->pushed, t->least_misses);
	q->apart = q->apart || other;
	if (q->apart && !differ(q))
		*verdict = VERDICT_UNDECIDED;
}

int sharing_try_cpu(struct sharing_question *q, size_t other,
		    enum verdict *verdict, struct failure *f)
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
	if (error)
		return error;
	compare(q, other, &t, verdict);
	if (!other && *verdict == VERDICT_NON_COMPACT)
		correct_unit(q, t.least_misses);
	return 0;
}
