// SPDX-License-Identifier: GPL-2.0
/* rate_bounds.c - from counts of groups to a number of sets. */
#include <math.h>

#include "base/wilson.h"
#include "method/evset/count/rate_bounds.h"

/* Of a normal distribution: EVSET_RATES_WRONG, half of it on either side. */
#define SIGMAS 4.75
/* A slice has no fewer sets. */
#define SLICE_SETS 1024.0
#define APART 0.25
/* More errors than these are not taken off. They say that something is wrong, as soon as
 * it is not chance: two of the first fifty are, and more groups tell.
 */
#define MOST_STRANGE 0.02
#define MOST_LOST 0.1
/* Of each set that counts. */
#define LEAST_GROUPS 48

static double part(const struct evset_tally *t)
{
	return t->groups ? (double)t->meeting / (double)t->groups : 0;
}

/* Surely, and not by chance. */
static bool is_wrong(uint64_t errors, uint64_t groups, double most)
{
	double low, high;

	wilson_bounds(errors, groups, &low, &high);
	return low > most;
}

/* Without those that are an error; clear of 0 and 1. */
static double corrected(const struct evset_rates_seen *s, double seen)
{
	const double strange = part(&s->strange), lost = 1 - part(&s->planted);
	const double p = (seen - strange) / (1 - strange - lost);

	return fmin(fmax(p, 1e-6), 1 - 1e-6);
}

static bool is_told(const struct evset_tally *t)
{
	return t->groups >= LEAST_GROUPS;
}

/* Groups that are expected to meet, whatever did; somebody may have used a set all
 * the time.
 */
static double weigh(const struct evset_tally *t)
{
	return is_told(t) ? (double)t->groups * (double)t->lines : 0;
}

/* Relative variance of what a part says of lines: of p by var. */
static double spread(double p, double var)
{
	const double log_rest = log1p(-p);

	return var / ((1 - p) * (1 - p) * log_rest * log_rest);
}

/* One more error than there were, so that none is not certain. */
static double error_variance(const struct evset_tally *t, uint64_t errors)
{
	const double n = (double)t->groups;

	return (double)(errors + 1) / (n * n);
}

/* Relative variance by the chance of pages. */
static double page_variance(const struct evset_rates_seen *s, double lines)
{
	return 1 / (s->places * (double)s->meeting * lines);
}

/* The part of all lines that are of one set, where unclear groups are @unclear of
 * them that meet it; *var: relative variance by the chance of groups.
 */
static double lines_of(const struct evset_rates_seen *s,
		       const struct evset_tally *t, double unclear, double *var)
{
	const double all = (double)(t->groups + t->unclear);
	const double seen =
		((double)t->meeting + unclear * (double)t->unclear) / all;
	const double p = corrected(s, seen);
	const double lines = -expm1(log1p(-p) / (double)t->lines);

	*var = spread(p, p * (1 - p) / all);
	return lines;
}

/* Wilson and Hilferty's approximation of chi-square (PNAS 17, 1931). */
static bool is_likely(double chi_square, double freedom)
{
	const double part = 2 / (9 * freedom);

	return (cbrt(chi_square / freedom) - (1 - part)) / sqrt(part) < SIGMAS;
}

/* What to add for the chance of both rates of errors. */
static double error_part(const struct evset_rates_seen *s, double p)
{
	const uint64_t lost = s->planted.groups - s->planted.meeting;

	return spread(p, error_variance(&s->strange, s->strange.meeting) *
					 (1 - p) * (1 - p) +
				 error_variance(&s->planted, lost) * p * p);
}

/* Sets, by lines of those that are told together; *var of that, relatively. Chance
 * counts as if all of them were of the same pages, which is too much, if anything.
 */
static double sets_by(const struct evset_rates_seen *s, double unclear,
		      double *var, bool *alike)
{
	double lines[EVSET_RATES_SETS], vars[EVSET_RATES_SETS];
	double sum = 0, chi_square = 0, freedom = -1, weights = 0, most = 0;
	double pages;

	*var = 0;
	for (size_t k = 0; k < s->count; k++) {
		const double weight = weigh(&s->of[k]);

		if (weight <= 0)
			continue;
		lines[k] = lines_of(s, &s->of[k], unclear, &vars[k]);
		sum += weight * lines[k];
		weights += weight;
		freedom++;
		*var += weight * weight * vars[k];
		most = fmax(most, error_part(s, corrected(s, part(&s->of[k]))));
	}
	pages = page_variance(s, sum / weights);
	for (size_t k = 0; k < s->count; k++)
		if (weigh(&s->of[k]) > 0)
			chi_square += pow(lines[k] * weights / sum - 1, 2) /
				      (vars[k] + pages);
	*alike = is_likely(chi_square, freedom);
	*var = *var / (weights * weights) + pages + most;
	return (double)s->offsets * weights / ((double)s->meeting * sum);
}

bool evset_rates_between(const struct evset_rates_seen *s, double *low,
			 double *high)
{
	double var = 0;
	bool fewer = true, more = true;
	size_t told = 0;

	*low = 0;
	*high = INFINITY;
	for (size_t k = 0; k < s->count; k++)
		told += is_told(&s->of[k]);
	if (told < EVSET_RATES_LEAST || !is_told(&s->strange) ||
	    !is_told(&s->planted))
		return true;
	*low = sets_by(s, 1, &var, &fewer);
	*low *= exp(-SIGMAS * sqrt(var));
	*high = sets_by(s, 0, &var, &more);
	*high *= exp(SIGMAS * sqrt(var));
	if (part(&s->strange) > MOST_STRANGE ||
	    part(&s->planted) < 1 - MOST_LOST) {
		*low = 0;
		*high = INFINITY;
	}
	return (fewer || more) &&
	       !is_wrong(s->strange.meeting, s->strange.groups, MOST_STRANGE) &&
	       !is_wrong(s->planted.groups - s->planted.meeting,
			 s->planted.groups, MOST_LOST);
}

uint64_t evset_rates_number(double low, double high)
{
	const uint64_t n = isfinite(high) && high >= 1 && high < 0x1p40 ?
				   UINT64_C(1) << (int)log2(high) :
				   0;
	const double apart = fmin(APART * (double)n, SLICE_SETS);

	return (double)n >= low && low > (double)n - apart &&
			       high < (double)n + apart ?
		       n :
		       0;
}
