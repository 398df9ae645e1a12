// SPDX-License-Identifier: GPL-2.0
#include "observe/decision.h"

#include <math.h>

/* Between these an observation speaks for neither side: half of the least
 * possible miss count, and half of that again.
 */
#define FAST_BELOW 0.25
#define SLOW_FROM 0.5

/* A round of a non-compact sequence cannot be free of misses; what allows for
 * the clock frequency rising between control and test.
 */
#define P_FAST_NON_COMPACT 0.02
/* ... and it shows at least half a miss in at least half of the observations:
 * the slack is for policies that bypass. Most show it in nearly all, which is
 * what distinguishes them from disturbance where that is in half of the observations.
 */
static const double slow_non_compact[DECISION_ALTERNATIVES] = { 0.5, 0.95 };
/* Even the quietest machine is disturbed now and then. */
#define P_DISTURBED_LEAST 0.03
/* Of the observations of what is non-compact, those that may show none of its misses. */
#define MOST_FAST 0.05
/* A fast round never speaks for non-compact. */
#define P_DISTURBED_MOST (1 - P_FAST_NON_COMPACT)

struct decision_rules decision_default_rules(void)
{
	return (struct decision_rules){
		.alpha = 1e-6,
		.min_blocks = 3,
		.min_non_compact_blocks = 3,
		.max_blocks = 24,
		.max_disturbed = 0.6,
	};
}

void decision_begin(struct decision *d, const struct decision_rules *rules)
{
	*d = (struct decision){ .rules = *rules };
}

static size_t count_from(const double *values, size_t count, double misses)
{
	size_t slow = 0;

	for (size_t i = 0; i < count; i++)
		slow += !(values[i] < misses);
	return slow;
}

static size_t count_fast(const double *values, size_t count)
{
	size_t fast = 0;

	for (size_t i = 0; i < count; i++)
		fast += values[i] < FAST_BELOW;
	return fast;
}

/* Laplace's rule keeps a few controls from promising too much. */
static double disturbed_share(size_t disturbed, size_t controls)
{
	return ((double)disturbed + 0.5) / ((double)controls + 1);
}

/* What takes longer is disturbed more often. */
static double exposed(double share, double exposure)
{
	return exposure > 1 ? 1 - pow(1 - share, exposure) : share;
}

static double within_bounds(double share)
{
	return fmin(fmax(share, P_DISTURBED_LEAST), P_DISTURBED_MOST);
}

/* Positive for compact. Where disturbance alone would show as many misses, they
 * say nothing.
 */
static double evidence(size_t fast, size_t slow, double disturbed,
		       double slow_share)
{
	double llr = (double)fast * log((1 - disturbed) / P_FAST_NON_COMPACT);

	if (disturbed < slow_share)
		llr += (double)slow * log(disturbed / slow_share);
	return llr;
}

/* The observations of one placement are not independent: a block may not
 * decide alone, however long it is. Return: the least.
 */
static double weigh(const struct decision *d, size_t fast, size_t slow,
		    double disturbed, double *llr)
{
	const double most = -log(d->rules.alpha) / 2;
	double least = INFINITY;

	for (int i = 0; i < DECISION_ALTERNATIVES; i++) {
		double e = evidence(fast, slow, disturbed, slow_non_compact[i]);

		e = fmax(fmin(e, most), -most);
		llr[i] += e;
		least = fmin(least, e);
	}
	return least;
}

/*
 * The same against what misses many in nearly every observation, where disturbance misses
 * a few all the time: that shows no compact sequence, and void blocks are none here.
 */
static void add_many(struct decision *d, const double *test, size_t test_count,
		     const double *control, size_t control_count,
		     double exposure)
{
	const double nearly_all = slow_non_compact[DECISION_ALTERNATIVES - 1];
	const double many = d->rules.many_misses;
	const size_t slow = count_from(test, test_count, many);
	double disturbed, e;

	if (!(many > SLOW_FROM) || !test_count || !control_count)
		return;
	d->many_controls += count_from(control, control_count, many / 2);
	d->many_observations += test_count;
	d->many += slow;
	disturbed = within_bounds(exposed(
		disturbed_share(d->many_controls, d->controls), exposure));
	e = fmax(evidence(test_count - slow, slow, disturbed, nearly_all),
		 log(d->rules.alpha) / 2);
	d->many_llr += e;
	d->many_blocks += e < -log(DECISION_ALTERNATIVES + 1);
}

void decision_add_block(struct decision *d, const double *test,
			size_t test_count, const double *control,
			size_t control_count, double exposure)
{
	size_t fast = count_fast(test, test_count);
	size_t slow = count_from(test, test_count, SLOW_FROM);
	size_t missed = control_count - count_fast(control, control_count);
	double disturbed, all;

	d->blocks++;
	d->controls += control_count;
	d->controls_disturbed += missed;
	add_many(d, test, test_count, control, control_count, exposure);
	if (!test_count || !control_count) {
		d->void_blocks++;
		return;
	}
	disturbed =
		fmax(disturbed_share(missed, control_count),
		     exposed((double)missed / (double)control_count, exposure));
	if (disturbed > d->rules.max_disturbed) {
		d->void_blocks++;
		return;
	}
	disturbed = within_bounds(disturbed);
	/* Few controls may come out undisturbed by chance. */
	all = within_bounds(exposed(
		disturbed_share(d->controls_disturbed, d->controls), exposure));
	d->compact_blocks += weigh(d, fast, slow, disturbed, d->llr) > 0;
	d->non_compact_blocks +=
		weigh(d, fast, slow, fmax(disturbed, all), d->cautious_llr) <
		-log(DECISION_ALTERNATIVES);
	d->fast += fast;
	d->slow += slow;
	d->observations += test_count;
}

static double least_of(const double *llr)
{
	double least = INFINITY;

	for (int i = 0; i < DECISION_ALTERNATIVES; i++)
		least = fmin(least, llr[i]);
	return least;
}

/* A fast round refutes non-compactness, a slow one never refutes compactness: the rare
 * fast ones are held against this answer.
 */
static bool misses_some(const struct decision *d, double bound)
{
	const bool many = d->rules.many_misses > 0;

	return least_of(d->cautious_llr) <=
		       -bound - log(DECISION_ALTERNATIVES + many) &&
	       d->non_compact_blocks >= d->rules.min_non_compact_blocks &&
	       (double)d->fast <= MOST_FAST * (double)d->observations;
}

static bool misses_many(const struct decision *d, double bound)
{
	return d->many_llr <= -bound - log(DECISION_ALTERNATIVES + 1) &&
	       d->many_blocks >= d->rules.min_non_compact_blocks &&
	       (double)(d->many_observations - d->many) <=
		       MOST_FAST * (double)d->many_observations;
}

/* Compact has to beat every alternative. Against it, the alternatives together
 * have to: each has a share of what they are allowed to be wrong.
 */
bool decision_done(const struct decision *d, enum verdict *verdict)
{
	double bound = log((1 - d->rules.alpha) / d->rules.alpha);

	*verdict = VERDICT_UNDECIDED;
	if (least_of(d->llr) >= bound &&
	    d->compact_blocks >= d->rules.min_blocks)
		*verdict = VERDICT_COMPACT;
	else if (misses_some(d, bound) ||
		 (d->rules.many_misses > 0 && misses_many(d, bound)))
		*verdict = VERDICT_NON_COMPACT;
	return *verdict != VERDICT_UNDECIDED ||
	       d->blocks >= d->rules.max_blocks;
}
