// SPDX-License-Identifier: GPL-2.0
/* congruence_rate.c - groups of random lines held against one set. */
#include "method/evset/count/congruence_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"

/* Samples of a set that fits and of one that overflows, in turns. Disturbance
 * only adds: a quantile of the former and all of the latter give the threshold.
 * More rounds are needed if the timer is coarse or few lines of a set miss;
 * fewer than FEW_ROUNDS are enough only for a set that they decide nearly
 * always.
 */
#define LEARNING 32
#define UNDISTURBED 0.15
#define LEAST_GAP 0.15
#define LEAST_ROUNDS 4
#define FEW_ROUNDS 8
#define MOST_ROUNDS 64
/* Lines of other sets that overflow, too, are slower than most by more than
 * this many misses; fewer lines than LEAST_EVICTORS have no typical time.
 */
#define OVERFLOWING 0.5
#define LEAST_EVICTORS 8
/* Misses per load of a set that fits, without contention. */
#define MOST_FITTING 0.3
/* Groups of each size, until this many of them overflow the set. */
#define SIZE_GROUPS 24
#define SIZE_CONGRUENT 10
#define SIZE_UNCLEAR 6
/* A list that fits does so in as many samples as the control, lately; one that
 * overflows in a tenth, by error. Wald's sequential test, of EVSET_RATE_ERROR,
 * on pairs of samples. The control's fit rate is clamped to [0.5, 0.9]: contention
 * changes faster than the estimate.
 */
#define SELDOM 0.1
#define FITS_LEAST 0.5
#define FITS_MOST 0.9
/* Samples of the control that count. */
#define LATELY 32.0
#define MOST_PAIRS 100
#define PAUSE_MS 10
/* Pages that lines are drawn from, for each line of a walk. */
#define PLACES_TIMES 4
/* Places that a set is moved to, until this share of its samples is quiet. */
#define PLACES 16
#define QUIET 0.9
/* Failed checks in a row before the threshold is learnt again. */
#define WRONG 2

static size_t places(const struct evset_machine *e)
{
	return e->window.bytes / e->window.low_bytes;
}

/* Time of other lines that hit. Their quantile would be a timer step, which is
 * as much as a set that overflows by one line is slow.
 */
static double typical_ticks(const struct evset_rate *r, const double *others)
{
	const size_t count = r->moved.evictor_count;
	double sorted[EVSET_MOST_EVICTORS], most, sum = 0;
	size_t n = 0;

	memcpy(sorted, others, count * sizeof(*sorted));
	most = statistics_quantile(sorted, count, 0.5) +
	       OVERFLOWING * r->e->scale.penalty;
	for (size_t i = 0; i < count; i++)
		if (others[i] < most) {
			sum += others[i];
			n++;
		}
	return sum / (double)n;
}

/* Misses per load of the set's first @own lines beside its evictors and others.
 */
static int take_sample(struct evset_rate *r, size_t own,
		       const uint64_t *control, size_t count, double *misses,
		       struct failure *f)
{
	const struct evset_set *s = &r->moved;
	uint64_t lines[EVSET_MOST_WAYS + 1 + EVSET_MOST_EVICTORS +
		       EVSET_RATE_GROUP];
	double ticks[EVSET_MOST_WAYS + 1 + EVSET_MOST_EVICTORS];
	const size_t n = own + s->evictor_count;
	double sum = 0;
	int error;

	memcpy(lines, s->lines, own * sizeof(*lines));
	memcpy(lines + own, s->evictors, s->evictor_count * sizeof(*lines));
	memcpy(lines + n, control, count * sizeof(*lines));
	error = evset_sample_first(r->e, lines, n, n + count, r->rounds, ticks,
				   f);
	r->samples++;
	if (error)
		return error;
	for (size_t i = 0; i < own; i++)
		sum += ticks[i];
	*misses = (sum / (double)own - typical_ticks(r, ticks + own)) /
		  r->e->scale.penalty;
	return 0;
}

/* *quiet: share of samples of a set that fits which say so; 0: the set that
 * overflows is not slower each time.
 */
static int learn_middle(struct evset_rate *r, double *quiet, struct failure *f)
{
	const size_t ways = r->moved.count - 1;
	double fits[LEARNING], over[LEARNING], fit, least;
	int error = 0;

	*quiet = 0;
	for (size_t i = 0; !error && i < LEARNING; i++) {
		error = take_sample(r, ways, r->control, 0, &fits[i], f);
		if (!error)
			error = take_sample(r, ways + 1, r->control, 0,
					    &over[i], f);
	}
	if (error)
		return error;
	fit = statistics_quantile(fits, LEARNING, UNDISTURBED);
	least = statistics_quantile(over, LEARNING, 0);
	r->middle =
		(fit + statistics_quantile(over, LEARNING, UNDISTURBED)) / 2;
	if (least > r->middle && r->middle - fit > LEAST_GAP / 2 &&
	    fabs(fit) < MOST_FITTING)
		for (size_t i = 0; i < LEARNING; i++)
			*quiet += fits[i] < r->middle ? 1.0 / LEARNING : 0;
	return 0;
}

/* By as few rounds as decide, at the least contended place. If it needs far
 * more rounds than before, the place is contended.
 */
static int learn(struct evset_rate *r, enum outcome *outcome, struct failure *f)
{
	const unsigned int most_rounds =
		r->rounds && 2 * r->rounds < MOST_ROUNDS ? 2 * r->rounds :
							   MOST_ROUNDS;
	struct evset_rate best = *r;
	double most = 0;
	int error = 0;

	for (int i = 0; !error && most < QUIET && i < PLACES; i++) {
		double quiet = 0;

		evset_move_set(r->e, r->set, i ? evset_draw_move(r->e) : 0,
			       &r->moved);
		r->control_count = 0;
		for (r->rounds = LEAST_ROUNDS; !error; r->rounds *= 2) {
			error = learn_middle(r, &quiet, f);
			if (quiet >= QUIET ||
			    (quiet > 0 && r->rounds >= FEW_ROUNDS) ||
			    r->rounds >= most_rounds ||
			    (most > 0 && r->rounds >= best.rounds))
				break;
		}
		if (quiet > most) {
			best = *r;
			most = quiet;
		}
	}
	best.samples = r->samples;
	*r = best;
	r->fits = most;
	*outcome = outcome_if(most > 0, OUTCOME_OPEN);
	return error;
}

/* No line comes twice in a walk. */
static bool is_new(const struct evset_rate *r, const uint64_t *lines,
		   size_t count, uint64_t line)
{
	return !evset_holds(lines, count, line) &&
	       !evset_set_holds(&r->moved, line);
}

void evset_rate_draw(struct evset_rate *r, uint64_t by, uint64_t *lines)
{
	const struct evset_machine *e = r->e;
	const uint64_t at =
		((r->moved.lines[0] - e->window.begin) % e->window.low_bytes) ^
		by;

	for (size_t i = 0; i < r->group; i++)
		do
			lines[i] = e->window.begin + at +
				   rng_below(&e->x->prober->rng, places(e)) *
					   e->window.low_bytes;
		while (!is_new(r, lines, i, lines[i]));
}

static bool is_at_place(const struct evset_rate *r, uint64_t line)
{
	return (line - r->moved.lines[0]) % r->e->window.low_bytes == 0;
}

/* *more: log-likelihood ratio of "the set overflows". The control is walked if
 * one sample did not fit.
 */
static int sample_twice(struct evset_rate *r, size_t own, const uint64_t *lines,
			size_t count, double *more, struct failure *f)
{
	const double typical = fmin(fmax(r->fits, FITS_LEAST), FITS_MOST);
	double misses = 0;
	int error = take_sample(r, own, lines, count, &misses, f);
	const bool fits = misses < r->middle;

	if (!error && fits)
		*more += log(SELDOM / typical);
	if (error || (fits && *more < 0))
		return error;
	error = take_sample(r, r->moved.count - 1, r->control, r->control_count,
			    &misses, f);
	if (error)
		return error;
	if (misses < r->middle)
		*more += log((1 - SELDOM) / (1 - typical));
	r->fits += ((misses < r->middle) - r->fits) / LATELY;
	return 0;
}

int evset_rate_ask(struct evset_rate *r, const uint64_t *lines, size_t count,
		   bool positive, enum verdict *verdict, struct failure *f)
{
	struct machine *m = r->e->x->prober->m;
	const double certainly = -log(EVSET_RATE_ERROR);
	double more = 0;
	int error = 0;

	*verdict = VERDICT_UNDECIDED;
	for (int i = 0; !error && fabs(more) < certainly && i < MOST_PAIRS; i++)
		error = sample_twice(r, r->moved.count - 1 + positive, lines,
				     count, &more, f);
	if (error)
		return error;
	if (more >= certainly)
		*verdict = VERDICT_NON_COMPACT;
	else if (more <= -certainly)
		*verdict = VERDICT_COMPACT;
	else
		m->ops->pause(m, PAUSE_MS);
	/* The control is a recent group of the set's own place. */
	if (*verdict == VERDICT_COMPACT && !positive && count == r->group &&
	    lines != r->control && is_at_place(r, lines[0])) {
		memcpy(r->control, lines, count * sizeof(*lines));
		r->control_count = count;
	}
	return 0;
}

int evset_rate_check(struct evset_rate *r, enum outcome *outcome,
		     struct failure *f)
{
	enum verdict fits = VERDICT_UNDECIDED, over = VERDICT_UNDECIDED;
	int error = evset_rate_ask(r, r->control, r->control_count, false,
				   &fits, f);

	if (!error)
		error = evset_rate_ask(r, r->control, r->control_count, true,
				       &over, f);
	*outcome = outcome_if(!error && fits == VERDICT_COMPACT &&
				      over == VERDICT_NON_COMPACT,
			      OUTCOME_VOID);
	r->wrong = *outcome == OUTCOME_DECIDED ? 0 : r->wrong + 1;
	if (!error && r->wrong >= WRONG) {
		enum outcome learnt;

		r->wrong = 0;
		error = learn(r, &learnt, f);
	}
	return error;
}

/* *congruent: groups of the present size that overflow the set; one that does
 * not becomes the control.
 */
static int try_size(struct evset_rate *r, size_t *congruent, size_t *unclear,
		    struct failure *f)
{
	uint64_t lines[EVSET_RATE_GROUP];
	int error = 0;

	*congruent = 0;
	*unclear = 0;
	for (size_t i = 0; !error && i < SIZE_GROUPS; i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		evset_rate_draw(r, 0, lines);
		error = evset_rate_ask(r, lines, r->group, false, &verdict, f);
		*congruent += verdict == VERDICT_NON_COMPACT;
		*unclear += verdict == VERDICT_UNDECIDED;
	}
	return error;
}

/* Fewer lines of another place in pages would hit above, and never reach the
 * level.
 */
static size_t least_size(const struct evset_rate *r)
{
	size_t size = 2;

	while (size < r->e->o.upper_evictors)
		size *= 2;
	return size;
}

/* Can enough lines be drawn, none of them twice? */
static bool has_places(const struct evset_rate *r)
{
	const size_t lines = r->moved.count + r->moved.evictor_count + r->group;

	return r->group <= EVSET_RATE_GROUP &&
	       PLACES_TIMES * lines <= places(r->e);
}

static int choose_size(struct evset_rate *r, enum outcome *outcome,
		       struct failure *f)
{
	size_t congruent = 0, unclear = 0;
	int error = 0;

	if (r->group < least_size(r))
		r->group = least_size(r);
	for (; !error && has_places(r); r->group *= 2) {
		error = try_size(r, &congruent, &unclear, f);
		*outcome = outcome_if(congruent >= SIZE_CONGRUENT &&
					      unclear < SIZE_UNCLEAR &&
					      r->control_count == r->group,
				      OUTCOME_OPEN);
		if (*outcome == OUTCOME_DECIDED || unclear >= SIZE_UNCLEAR)
			break;
	}
	return error;
}

int evset_rate_begin(struct evset_rate *r, struct evset_machine *e,
		     const struct evset_set *set, size_t group,
		     enum outcome *outcome, struct failure *f)
{
	int error = 0;

	*outcome = OUTCOME_OPEN;
	*r = (struct evset_rate){ .e = e, .set = set, .group = group };
	if (set->evictor_count < LEAST_EVICTORS)
		return 0;
	error = learn(r, outcome, f);
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	*outcome = OUTCOME_OPEN;
	return choose_size(r, outcome, f);
}
