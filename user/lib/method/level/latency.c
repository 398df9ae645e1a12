// SPDX-License-Identifier: GPL-2.0
/* latency.c - what a hit of a level takes. */
#include "method/level/latency.h"

#include <errno.h>
#include <math.h>

#include "method/level/page_share.h"
#include "method/level/tuning.h"
#include "method/level/xor_copies.h"
#include "observe/sampler.h"

/* Two controls, one of them a third longer, must agree this well. */
#define STEADY 0.05
/* Less of a latency than that is not taken off it. */
#define ASIDE 0.03
/* Times the ways of a level: more than they are. */
#define LEAST_MULTIPLE 2
/* Of the control. */
#define MULTIPLE 3
/*
 * Where a policy keeps k lines of a set whatever comes, k/n of a list of n hit above. A
 * list twice as long as the control grows by half of what the control lacks: by no more
 * than KEPT_LESS where it lacks twice that. One a third longer grows by half as much. If k
 * is all ways and a hit above takes nothing, the list twice as long grows by MOST_KEPT.
 */
#define KEPT_LESS 0.04
#define MOST_KEPT 0.25
/* While the line size is not known. */
#define USUAL_LINE_BYTES 64

/* --- translations -------------------------------------------------------- */

int latency_aside(struct xray *x, const struct list *list, double *ticks,
		  struct failure *f)
{
	const struct reference *r = &x->reference;
	struct sequence q;
	int error = list_build(x->prober, list, &q, f);

	if (error)
		return error;
	error = prober_translation(x->prober, &q, r, ticks, f);
	if (!error && !isfinite(*ticks))
		error = page_share_added(
			x->prober, &q, r->twin_lines * r->line_bytes, ticks, f);
	sequence_free(&q);
	return error;
}

/*
 * Lines far apart (copies of a hashed index) miss translations as well, for
 * which each load waits before it goes to the caches: what their pages cost is
 * taken off, and what every page of the memory does.
 */
int latency_find_hit(struct xray *x, const struct list *list,
		     unsigned int flags, struct latency_hit *hit,
		     struct failure *f)
{
	double added[ASIDE_TRIALS] = { 0 }, ticks = 0, all;
	int error = latency_find(x->prober, list, flags | WALK_PLAIN_LOADS,
				 &hit->l, f);

	for (int i = 0; !error && x->upper_count && i < ASIDE_TRIALS; i++)
		error = latency_aside(x, list, &added[i], f);
	if (error)
		return error;
	for (int i = 0; i < ASIDE_TRIALS; i++)
		ticks += added[i] / ASIDE_TRIALS;
	if (isfinite(ticks))
		ticks = statistics_quantile(added, ASIDE_TRIALS, 0.5);
	all = hit->l.ticks;
	if (isfinite(ticks) && ticks <= ASIDE * all)
		ticks = 0;
	latency_take_off(&hit->l,
			 x->prober->page_ticks + (isfinite(ticks) ? ticks : 0));
	hit->aside = ticks / (all - ticks);
	return 0;
}

/* --- whether they are the level's ---------------------------------------- */

/*
 * The same hits, though the core's clock may have changed its pace between: then
 * they take as many cycles. Where the level has a clock of its own it is the time
 * that stays.
 */
static bool agree(const struct latency *a, const struct latency *b,
		  double within)
{
	return fabs(a->ticks - b->ticks) <= within * b->ticks ||
	       fabs(a->cycles - b->cycles) <= within * b->cycles;
}

bool latency_same(const struct latency *a, const struct latency *b)
{
	return agree(a, b, PAGE_SHARE_PART) ||
	       fabs(a->cycles - b->cycles) <= PAGE_SHARE_CYCLES;
}

uint64_t latency_longest_line(const struct xray *x)
{
	uint64_t line = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		if (x->upper[j].line_bytes > line)
			line = x->upper[j].line_bytes;
	return line ? line : USUAL_LINE_BYTES;
}

/**
 * struct seen - what lists say of a level
 * @w: the control, @one of its sets
 * @other: a third longer, or shorter where that agrees with @w
 * @one: @w, lines of one set of the level above
 * @turns: of several in turn; @turn_sets of them, 1: there is no room for more
 * @many: @other in many sets, in any order; @many_sets
 * @keeps: the level above keeps some of them; @twice is a list of @other then
 */
struct seen {
	struct shape w;
	struct shape other;
	struct latency_hit one;
	struct latency_hit turns;
	struct latency_hit many;
	struct latency_hit twice;
	size_t turn_sets;
	size_t many_sets;
	bool keeps;
};

/* *sets: how many there are; 1: no more than one. */
static int find_spread(struct xray *x, const struct shape *w, bool mixed,
		       unsigned int flags, struct latency_hit *hit,
		       size_t *sets, struct failure *f)
{
	struct spread s;
	const struct list list = { .spread = &s };
	int error = spread_begin(x->prober, w, latency_longest_line(x),
				 mixed ? SPREAD_MOST : LATENCY_TURNS, &s, f);

	s.mixed = mixed;
	*sets = s.count;
	if (error || s.count < 2)
		return error;
	error = latency_find_hit(x, &list, flags, hit, f);
	if (error == -ERANGE) {
		*sets = 1;
		error = 0;
	}
	return error;
}

/*
 * No conflict of misses that follow each other in a set: lists of several sets in
 * turn take as long as those of one, or as those of many. Nor then may it be less in
 * any order.
 */
static bool is_alone(const struct seen *s)
{
	const struct latency *one = &s->one.l, *turns = &s->turns.l;
	const struct latency *many = &s->many.l;

	if (s->turn_sets < 2 || (s->many_sets > 1 && latency_same(turns, many)))
		return true;
	return latency_same(turns, one) &&
	       (s->many_sets < 2 || many->ticks > one->ticks);
}

/* Of many lines policies that seldom let one in need more rounds. */
static int look_wide(struct xray *x, struct seen *s, struct failure *f)
{
	static const unsigned int flags[] = { 0, PROBER_LONG_WARMUP };
	int error = 0;

	for (int i = 0; !error && i < 2; i++) {
		error = find_spread(x, &s->w, false, flags[i], &s->turns,
				    &s->turn_sets, f);
		if (!error)
			error = find_spread(x, &s->other, true, flags[i],
					    &s->many, &s->many_sets, f);
		if (is_alone(s))
			break;
	}
	/* They lie in the same pages. */
	if (!isfinite(s->turns.aside) && s->one.aside == 0)
		s->turns.aside = 0;
	/* They do not all stay in the level then, where those of one set do. */
	if (s->turn_sets > 1 && s->turns.l.ticks > s->one.l.ticks &&
	    !latency_same(&s->turns.l, &s->one.l))
		s->turn_sets = 1;
	return error;
}

/*
 * Lines of fewer pages, of which translations take less. Where it is known what those
 * of more pages take, both have to agree: fewer lines may hit above.
 */
static int try_fewer(struct xray *x, const struct shape *w, struct seen *s,
		     struct failure *f)
{
	const struct list fewer = { .w = *w };
	struct latency_hit hit;
	int error = latency_find_hit(x, &fewer, 0, &hit, f);

	if (error || !(hit.aside < LATENCY_MOST_ASIDE) ||
	    (isfinite(s->one.aside) &&
	     (hit.aside >= s->one.aside || !agree(&hit.l, &s->one.l, STEADY))))
		return error;
	s->one = hit;
	s->w = s->other = *w;
	return 0;
}

/* Where translations take much of it, fewer lines may need fewer pages. */
static int look_narrow(struct xray *x, struct seen *s, struct failure *f)
{
	struct shape w = xray_control(x, LEAST_MULTIPLE);
	size_t least;
	int error;

	if (s->one.aside == 0 || xray_is_below_hashed(x))
		return 0;
	error = try_fewer(x, &w, s, f);
	/* What a policy might keep of these is seen. */
	least = LEAST_MULTIPLE * x->upper[x->upper_count - 1].ways;
	if (error || !(s->one.aside >= LATENCY_MOST_ASIDE) || w.inner > 1 ||
	    w.outer <= least)
		return error;
	w.outer = least;
	return try_fewer(x, &w, s, f);
}

static void conclude(const struct seen *s, struct latency_finding *found)
{
	const struct latency_hit *hit = s->turn_sets > 1 ? &s->turns : &s->one;

	if (isfinite(hit->aside) && hit->aside < LATENCY_MOST_ASIDE &&
	    is_alone(s)) {
		found->method = LATENCY_METHOD;
		found->decided = true;
		found->latency = hit->l;
	} else if (!isfinite(hit->aside)) {
		latency_leave_open(
			found, LATENCY_METHOD,
			"%.2f ns with what translations of its pages take, which is not known",
			hit->l.ns);
	} else if (!(hit->aside < LATENCY_MOST_ASIDE)) {
		latency_leave_open(
			found, LATENCY_METHOD,
			"%.2f ns beside translations that take %.0f %% of that",
			hit->l.ns, 100 * hit->aside);
	} else {
		latency_leave_open(
			found, LATENCY_METHOD,
			"%.2f ns for lines of %zu sets of the level above in turn, %.2f ns for lines of %zu in any order, %.2f ns for those of one",
			s->turns.l.ns, s->turn_sets, s->many.l.ns, s->many_sets,
			s->one.l.ns);
	}
}

/* *check: what a longer list takes, or a shorter one. */
static int look_steady(struct xray *x, struct seen *s,
		       struct latency_hit *check, struct failure *f)
{
	/* Too few lines may hit above, too many may miss here. */
	static const size_t others[] = { 4, LEAST_MULTIPLE };
	/* Of twice as many copies more get past a policy that keeps some; other
	 * lists of as many copies do not test that.
	 */
	int trials = xray_is_below_hashed(x) ? 1 : 2, error;
	struct list list = { .w = s->w };

	error = latency_find_hit(x, &list, 0, &s->one, f);
	*check = s->one;
	for (int i = 0; !error && x->upper_count && i < trials; i++) {
		s->other = list.w = xray_control(x, others[i]);
		error = latency_find_hit(x, &list, 0, check, f);
		if (agree(&check->l, &s->one.l, STEADY))
			break;
	}
	return error;
}

static bool grows(const struct latency *from, const struct latency *to,
		  double part)
{
	return to->ticks > from->ticks && !agree(to, from, part);
}

/*
 * A longer list takes longer as more of it gets past the level above.
 * @check: of one a third longer, or of a shorter one
 */
static int look_for_kept(struct xray *x, struct seen *s,
			 const struct latency_hit *check, struct failure *f)
{
	const struct list twice = { .w = xray_control(x, 2 * MULTIPLE) };
	int error;

	if (!grows(&s->one.l, &check->l, KEPT_LESS / 2))
		return 0;
	error = latency_find_hit(x, &twice, 0, &s->twice, f);
	if (error)
		return error == -ERANGE ? 0 : error;
	/* What grows by more misses this level. */
	s->keeps = grows(&s->one.l, &s->twice.l, KEPT_LESS) &&
		   !grows(&s->one.l, &s->twice.l, MOST_KEPT);
	if (s->keeps)
		s->other = twice.w;
	return 0;
}

/* Lines in fewer pages, and in many sets. */
static int look_further(struct xray *x, struct seen *s,
			const struct latency_hit *check, struct failure *f)
{
	int error = look_for_kept(x, s, check, f);

	if (!error && !s->keeps)
		error = look_narrow(x, s, f);
	if (!error && !s->keeps)
		error = look_wide(x, s, f);
	return error;
}

int xray_measure_latency(struct xray *x, struct latency_finding *found,
			 struct failure *f)
{
	struct seen s = { .w = xray_control(x, MULTIPLE),
			  .turn_sets = 1,
			  .many_sets = 1 };
	struct latency_hit check;
	bool agreed;
	int error = look_steady(x, &s, &check, f);

	agreed = !error && agree(&check.l, &s.one.l, STEADY);
	if (!error)
		found->steady = agree(&check.l, &s.one.l, 2 * STEADY);
	if (agreed && x->upper_count)
		error = look_further(x, &s, &check, f);
	if (error && error != -ERANGE)
		return error;
	if (error)
		latency_leave_open(found, LATENCY_METHOD,
				   "not enough contiguous memory");
	else if (s.keeps)
		latency_leave_open(
			found, LATENCY_METHOD,
			"%.2f ns with %zu lines, %.2f ns with %zu: the level above keeps some of them",
			s.one.l.ns, shape_length(&s.w), s.twice.l.ns,
			shape_length(&s.other));
	else if (agreed)
		conclude(&s, found);
	else
		latency_leave_open(
			found, LATENCY_METHOD,
			"%.2f ns with %zu lines, %.2f ns with %zu: they do not all hit in this level",
			s.one.l.ns, shape_length(&s.w), check.l.ns,
			shape_length(&s.other));
	return 0;
}
