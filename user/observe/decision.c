// SPDX-License-Identifier: GPL-2.0
#include "decision.h"

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
 * the slack is for policies that bypass.
 */
#define P_SLOW_NON_COMPACT 0.5
/* Even the quietest machine is disturbed now and then. */
#define P_DISTURBED_LEAST 0.03

struct decision_rules decision_default_rules(void)
{
	return (struct decision_rules){
		.alpha = 1e-6,
		.min_blocks = 3,
		.max_blocks = 24,
		.max_disturbed = 0.6,
	};
}

void decision_begin(struct decision *d, const struct decision_rules *rules)
{
	*d = (struct decision){ .rules = *rules };
}

static size_t count_slow(const double *values, size_t count)
{
	size_t slow = 0;

	for (size_t i = 0; i < count; i++)
		slow += !(values[i] < SLOW_FROM);
	return slow;
}

static size_t count_fast(const double *values, size_t count)
{
	size_t fast = 0;

	for (size_t i = 0; i < count; i++)
		fast += values[i] < FAST_BELOW;
	return fast;
}

void decision_add_block(struct decision *d, const double *test,
			size_t test_count, const double *control,
			size_t control_count)
{
	size_t fast = count_fast(test, test_count);
	size_t slow = count_slow(test, test_count);
	double disturbed, llr;

	d->blocks++;
	if (!test_count || !control_count) {
		d->void_blocks++;
		return;
	}
	/* Laplace's rule keeps a few controls from promising too much. */
	disturbed =
		((double)(control_count - count_fast(control, control_count)) +
		 0.5) /
		((double)control_count + 1);
	if (disturbed > d->rules.max_disturbed) {
		d->void_blocks++;
		return;
	}
	if (disturbed < P_DISTURBED_LEAST)
		disturbed = P_DISTURBED_LEAST;
	llr = (double)fast * log((1 - disturbed) / P_FAST_NON_COMPACT);
	if (disturbed < P_SLOW_NON_COMPACT)
		llr += (double)slow * log(disturbed / P_SLOW_NON_COMPACT);
	/* The observations of one placement are not independent: a block may
	 * not decide alone, however long it is.
	 */
	llr = fmax(fmin(llr, -log(d->rules.alpha) / 2),
		   log(d->rules.alpha) / 2);
	d->llr += llr;
	d->compact_blocks += llr > 0;
	d->non_compact_blocks += llr < 0;
	d->fast += fast;
	d->slow += slow;
	d->observations += test_count;
}

bool decision_done(const struct decision *d, enum verdict *verdict)
{
	double bound = log((1 - d->rules.alpha) / d->rules.alpha);

	*verdict = VERDICT_UNDECIDED;
	if (d->llr >= bound && d->compact_blocks >= d->rules.min_blocks)
		*verdict = VERDICT_COMPACT;
	/* A fast round refutes non-compactness, a slow one never refutes
	 * compactness: the rare fast ones are held against this answer.
	 */
	else if (d->llr <= -bound &&
		 d->non_compact_blocks >= d->rules.min_blocks &&
		 (double)d->fast <= 0.05 * (double)d->observations)
		*verdict = VERDICT_NON_COMPACT;
	return *verdict != VERDICT_UNDECIDED ||
	       d->blocks >= d->rules.max_blocks;
}
