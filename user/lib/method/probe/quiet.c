// SPDX-License-Identifier: GPL-2.0
#include "method/probe/quiet.h"

#include <math.h>

#include "method/probe/internal.h"
#include "method/probe/tuning.h"

/* Misses of a round that are none, and tries until there are none. */
#define NO_MISS 0.4
#define QUIET_TRIES 4
/* Part of its time by which code takes longer while another thread of the core is busy:
 * 1 to 27 % on a Golden Cove. At one frequency of the clock it otherwise differs by a
 * third of a percent from what many placements took, and by 3 % from the least of them
 * where elements are short.
 */
#define BUSY 0.01
#define BUSY_FROM_LEAST 0.03
/* Of the samples of a block, those that are to show none, and misses of a round that
 * are none there. What fits a set of 12 ways stayed in a fifth of short samples while
 * another thread of the core was busy, in two sets at once; what does not, in none.
 */
#define MOST_SAMPLES 0.75
#define NO_MISS_OF_DATA 0.25

static bool is_code(const struct placement *a)
{
	return a->r->code_bytes && !a->counter && a->how == AGAINST_CONTROL;
}

static double quiet(const struct readings *r)
{
	return r->count ? statistics_peek(r->values, r->count, 0.25) : 0;
}

static int observe_control(struct placement *a, struct readings *control,
			   struct failure *f)
{
	return probe_observe_shape(a->p, &a->control, 0, a->counter, a->loads,
				   control, f);
}

/* Ticks of @length elements, in misses. */
static double in_misses(const struct placement *a, double ticks)
{
	return ticks * (double)shape_length(a->w) / a->r->penalty_ticks;
}

static void keep_quieter(struct readings *kept, const struct readings *again)
{
	if (again->count && (!kept->count || quiet(again) < quiet(kept)))
		*kept = *again;
}

/* As many of both as @kept has had, and of @again if that has none. @faster: ticks that
 * those of @again are to lose.
 */
static void keep_quietest(struct readings *kept, const struct readings *again,
			  double faster)
{
	const size_t count = kept->count ? kept->count : again->count;

	for (size_t i = 0; i < again->count && kept->count < SAMPLER_MAX; i++)
		kept->values[kept->count++] = again->values[i] - faster;
	statistics_quantile(kept->values, kept->count, 0);
	kept->count = count;
}

/* Whether most samples of code show lines that are missed, or other work. */
static bool are_slow(const struct placement *a, const struct readings *r)
{
	return in_misses(a, statistics_peek(r->values, r->count, MOST_SAMPLES) -
				    a->hit) > NO_MISS;
}

/* Code of other work, also of the other thread of a core, takes lines that fit
 * out of the cache, though seldom all the time. What is slow all the time, or was
 * faster before, is no control.
 */
static int code_control(struct placement *a, struct readings *control,
			struct failure *f)
{
	int error = observe_control(a, control, f);

	for (int i = 1;
	     !error && a->hit > 0 && i < QUIET_TRIES && are_slow(a, control);
	     i++) {
		struct readings again;

		error = observe_control(a, &again, f);
		if (!error)
			keep_quietest(control, &again, 0);
	}
	if (a->hit > 0 && quiet(control) > (1 + a->busy) * a->hit)
		control->count = 0;
	else if (control->count && !(a->hit > 0))
		a->hit = quiet(control);
	else if (control->count && a->busy > BUSY)
		a->hit = fmin(a->hit, quiet(control));
	return error;
}

/* More lines than fit miss in each round, in whatever order: where none does,
 * they fit.
 */
static int code_test(struct placement *a, struct readings *test,
		     struct failure *f)
{
	struct readings again;
	int error = 0;

	if (a->hit <= 0)
		error = code_control(a, &again, f);
	for (int i = 1; !error && i < QUIET_TRIES && are_slow(a, test); i++) {
		sequence_free(&a->s);
		error = prober_build(a->p, a->w, a->base, &a->s, f);
		if (!error)
			error = probe_observe(a->p, &a->s, a->flags, a->counter,
					      a->loads, &again, f);
		if (!error)
			keep_quietest(test, &again, 0);
	}
	return error;
}

static bool may_be_shared(const struct placement *a)
{
	return a->r->shared && !a->r->code_bytes && !a->counter &&
	       a->how == AGAINST_CONTROL;
}

static double most_misses(const struct placement *a,
			  const struct trial_block *b)
{
	const struct readings *test = &b->of[TRIAL_TEST];
	const struct readings *control = &b->of[TRIAL_CONTROL];

	if (!test->count || !control->count)
		return 0;
	return in_misses(a, statistics_peek(test->values, test->count,
					    MOST_SAMPLES) -
				    quiet(control));
}

/* The test in another order, between two looks at the control, of which the quieter
 * counts.
 * @control: the one before; (out) the one after
 */
static int observe_again(struct placement *a, struct readings *control,
			 struct trial_block *again, struct failure *f)
{
	int error;

	again->of[TRIAL_CONTROL] = *control;
	sequence_free(&a->s);
	error = prober_build(a->p, a->w, a->base, &a->s, f);
	if (!error && a->r->shaken)
		error = probe_shake(a->p, a->w, a->base, false, f);
	if (!error)
		error = probe_observe(a->p, &a->s, PROBER_SHORT_WARMUP, 0,
				      a->loads, &again->of[TRIAL_TEST], f);
	if (!error)
		error = observe_control(a, control, f);
	if (!error)
		keep_quieter(&again->of[TRIAL_CONTROL], control);
	return error;
}

/* The quietest of all samples, each against the control beside it. */
static void keep_quietest_test(struct trial_block *b,
			       const struct trial_block *again)
{
	const double faster =
		quiet(&again->of[TRIAL_CONTROL]) - quiet(&b->of[TRIAL_CONTROL]);

	if (again->of[TRIAL_CONTROL].count)
		keep_quietest(&b->of[TRIAL_TEST], &again->of[TRIAL_TEST],
			      faster);
}

/*
 * Lines of another thread of the core, also of another guest, take the places of some
 * that fit, now and then: then up to all of a set miss in turn. The shorter a sample,
 * the likelier nothing comes between. Lines that do not fit miss in each round, in
 * whatever order, so that the quietest samples show it as well.
 */
static int outlast_others(struct placement *a, struct trial_block *b,
			  struct failure *f)
{
	struct readings control = b->of[TRIAL_CONTROL];
	struct trial_block again;
	int error = 0;

	a->loads = probe_short_loads(a->p, (double)a->s.length,
				     a->r->penalty_ticks, a->loads);
	for (int i = 0;
	     !error && i < OUTLAST_TRIES && most_misses(a, b) > NO_MISS_OF_DATA;
	     i++) {
		error = observe_again(a, &control, &again, f);
		if (!error)
			keep_quietest_test(b, &again);
	}
	return error;
}

static bool is_short(const struct placement *a)
{
	return is_code(a) && a->r->few.outer &&
	       shape_length(a->w) <= shape_length(&a->r->few);
}

const struct shape *quiet_choose(const struct placement *a)
{
	return is_short(a) ? &a->r->few : &a->r->control;
}

void quiet_begin(struct placement *a, struct trial *t)
{
	if (!is_code(a))
		return;
	/* Shorter elements take less. */
	if (!a->control.lead)
		a->hit = is_short(a) ? a->r->few_ticks : a->r->quiet_ticks;
	a->busy = a->hit > 0 ? BUSY : BUSY_FROM_LEAST;
	/* What is faster than the control has shown that this was not quiet. */
	t->most_gain = fmax(1, in_misses(a, a->busy * a->hit));
	t->rules.many_misses = MANY_MISSED * t->loads;
}

int quiet_control(struct placement *a, struct readings *control,
		  struct failure *f)
{
	return is_code(a) ? code_control(a, control, f) :
			    observe_control(a, control, f);
}

int quiet_test(struct placement *a, struct trial_block *b, struct failure *f)
{
	if (is_code(a))
		return code_test(a, &b->of[TRIAL_TEST], f);
	return may_be_shared(a) ? outlast_others(a, b, f) : 0;
}
