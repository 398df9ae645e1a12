// SPDX-License-Identifier: GPL-2.0
#include "method/evset/count/count.h"

#include <math.h>

#include "method/evset/oracle/list_walk.h"

/* Lines per set, as a share of its ways: a twentieth of the lines are in sets
 * that overflow, or nearly all. Sets of few ways overflow by chance more often.
 */
#define FITTING_WAYS 0.5
#define FITTING_FEW_WAYS 0.35
#define FEW_WAYS 8
#define OVERFLOWING_WAYS 1.5
/* Misses per load. If there are half as many sets, half of the lines are in
 * sets that overflow, and a sixth of all misses under a random policy; if there
 * are twice as many, one line in six is in such sets. Under any policy a third
 * of the lines of sets that are half as full again miss.
 */
#define MISSES_MOST 0.12
#define MISSES_LEAST 0.22
/* Contention may have slowed misses while the penalty was measured: in any case
 * few misses are a small part of many (of twice as many sets: a fifth).
 */
#define MISSES_PART 0.16
#define WAYS_LEAST 4
#define DRAWS 4
#define SPARSE 8

/* Mean over some draws: if a few bits of the page select sets, chance is
 * uneven. NAN: too many or too few pages; OUTCOME_VOID: fewer than two draws were
 * undisturbed.
 */
static int ask_often(struct evset_machine *e, double pages, uint64_t line_bytes,
		     double *misses, enum outcome *outcome, struct failure *f)
{
	double sum = 0;
	int error = 0, seen = 0;

	*misses = NAN;
	if (!evset_whole_pages_fit(e, (size_t)pages, line_bytes))
		return 0;
	for (int i = 0; !error && i < DRAWS; i++) {
		double m = NAN;

		error = evset_whole_pages(e, (size_t)pages, SPARSE, line_bytes,
					  &m, f);
		seen += isfinite(m);
		sum += isfinite(m) ? m : 0;
	}
	if (seen < 2)
		*outcome = OUTCOME_VOID;
	else
		*misses = sum / seen;
	return error;
}

int evset_occupancy(struct evset_machine *e, uint64_t sets, size_t ways,
		    uint64_t line_bytes, enum outcome *outcome,
		    struct failure *f)
{
	const double all = (double)(sets * ways) * (double)line_bytes /
			   (double)e->window.low_bytes;
	const double fitting = ways < FEW_WAYS ? FITTING_FEW_WAYS :
						 FITTING_WAYS;
	double few = NAN, many = NAN;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	if (ways < WAYS_LEAST)
		return 0;
	error = ask_often(e, fitting * all, line_bytes, &few, outcome, f);
	if (!error)
		error = ask_often(e, OVERFLOWING_WAYS * all, line_bytes, &many,
				  outcome, f);
	if (!error && *outcome == OUTCOME_DECIDED &&
	    (few > MISSES_MOST || few > many * MISSES_PART ||
	     many < MISSES_LEAST))
		*outcome = OUTCOME_OPEN;
	return error;
}
