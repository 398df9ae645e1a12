// SPDX-License-Identifier: GPL-2.0
/* rate_bounds.c - from counts of groups to a number of sets. */
#include <math.h>

#include "base/statistics.h"
#include "base/wilson.h"
#include "method/evset/count/rate_bounds.h"

/* No slice has fewer sets. */
#define SLICE_SETS 1024.0
#define APART 0.25
/* Errors on controls are subtracted up to these shares. More errors say that
 * the method fails, unless they are chance: two of the first fifty are, and
 * more groups decide.
 */
#define MOST_FALSE_POSITIVES 0.02
#define MOST_FALSE_NEGATIVES 0.1
/* Groups of each set that counts. */
#define LEAST_GROUPS 48

static double part(const struct evset_tally *t)
{
	return t->groups ? (double)t->congruent / (double)t->groups : 0;
}

/* By more than chance. */
static bool is_wrong(uint64_t errors, uint64_t groups, double most)
{
	double low, high;

	wilson_bounds(errors, groups, &low, &high);
	return low > most;
}

/* Without the share of errors, above 0 and below 1. */
static double corrected(const struct evset_rate_counts *s, double seen)
{
	const double negative = part(&s->negative),
		     lost = 1 - part(&s->positive);
	const double p = (seen - negative) / (1 - negative - lost);

	return fmin(fmax(p, 1e-6), 1 - 1e-6);
}

static bool is_clear(const struct evset_tally *t)
{
	return t->groups >= LEAST_GROUPS;
}

/* Weight by the number of expected overflows, whatever was seen: a set may be
 * contended all the time.
 */
static double weigh(const struct evset_tally *t)
{
	return is_clear(t) ? (double)t->groups * (double)t->lines : 0;
}

/* Relative variance of a share of lines, from the variance of the share of
 * groups.
 */
static double spread(double p, double var)
{
	const double log_rest = log1p(-p);

	return var / ((1 - p) * (1 - p) * log_rest * log_rest);
}

/* One error more than there were: no error seen does not mean none. */
static double error_variance(const struct evset_tally *t, uint64_t errors)
{
	const double n = (double)t->groups;

	return (double)(errors + 1) / (n * n);
}

/* Relative variance by the chance of pages. */
static double page_variance(const struct evset_rate_counts *s, double lines)
{
	return 1 / (s->places * (double)s->congruent * lines);
}

/* The share of all lines that are of one set, if a share of @unclear of
 * undecided groups is congruent; *var: relative variance by the chance of
 * groups.
 */
static double lines_of(const struct evset_rate_counts *s,
		       const struct evset_tally *t, double unclear, double *var)
{
	const double all = (double)(t->groups + t->unclear);
	const double seen =
		((double)t->congruent + unclear * (double)t->unclear) / all;
	const double p = corrected(s, seen);
	const double lines = -expm1(log1p(-p) / (double)t->lines);

	*var = spread(p, p * (1 - p) / all);
	return lines;
}

/* Wilson and Hilferty's approximation of chi-square (PNAS 17, 1931). */
static bool is_likely(double chi_square, double freedom, double sigmas)
{
	const double part = 2 / (9 * freedom);

	return (cbrt(chi_square / freedom) - (1 - part)) / sqrt(part) < sigmas;
}

/* Variance of both rates of errors. */
static double error_part(const struct evset_rate_counts *s, double p)
{
	const uint64_t lost = s->positive.groups - s->positive.congruent;

	return spread(p, error_variance(&s->negative, s->negative.congruent) *
					 (1 - p) * (1 - p) +
				 error_variance(&s->positive, lost) * p * p);
}

/* Sets, by the lines of all clear sets together; *var: relative variance. The
 * chance of pages counts as if all sets had lines of the same pages, which is
 * an upper bound.
 */
static double sets_by(const struct evset_rate_counts *s, double unclear,
		      double sigmas, double *var, bool *similar)
{
	double lines[EVSET_RATE_MOST_SETS], vars[EVSET_RATE_MOST_SETS];
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
	*similar = is_likely(chi_square, freedom, sigmas);
	*var = *var / (weights * weights) + pages + most;
	return (double)s->offsets * weights / ((double)s->congruent * sum);
}

bool evset_rate_bounds(const struct evset_rate_counts *s, double wrong,
		       double *low, double *high)
{
	const double sigmas = statistics_sigmas(wrong);
	double var = 0;
	bool fewer = true, more = true;
	size_t clear = 0;

	*low = 0;
	*high = INFINITY;
	for (size_t k = 0; k < s->count; k++)
		clear += is_clear(&s->of[k]);
	if (clear < EVSET_RATE_LEAST_SETS || !is_clear(&s->negative) ||
	    !is_clear(&s->positive))
		return true;
	*low = sets_by(s, 1, sigmas, &var, &fewer);
	*low *= exp(-sigmas * sqrt(var));
	*high = sets_by(s, 0, sigmas, &var, &more);
	*high *= exp(sigmas * sqrt(var));
	if (part(&s->negative) > MOST_FALSE_POSITIVES ||
	    part(&s->positive) < 1 - MOST_FALSE_NEGATIVES) {
		*low = 0;
		*high = INFINITY;
	}
	return (fewer || more) &&
	       !is_wrong(s->negative.congruent, s->negative.groups,
			 MOST_FALSE_POSITIVES) &&
	       !is_wrong(s->positive.groups - s->positive.congruent,
			 s->positive.groups, MOST_FALSE_NEGATIVES);
}

uint64_t evset_rate_number(double low, double high)
{
	const uint64_t n = isfinite(high) && high >= 1 && high < 0x1p40 ?
				   UINT64_C(1) << (int)log2(high) :
				   0;
	const double checked = fmin(APART * (double)n, SLICE_SETS);

	return (double)n >= low && low > (double)n - checked &&
			       high < (double)n + checked ?
		       n :
		       0;
}
