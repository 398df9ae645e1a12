// SPDX-License-Identifier: GPL-2.0
/* list_misses.c - what part of a list misses. */
#include "method/evset/oracle/list_walk.h"

#include <errno.h>
#include <math.h>

#define ATTEMPTS 3
#define PATIENCE 4
#define FITTING 0.35
#define NEARLY_ALL 0.9
/* A list of which a third misses into the level below takes this part of a hit
 * longer.
 */
#define FAR_FROM_HITS 0.5

static int least_misses(struct evset_machine *e, const uint64_t *lines,
			size_t count, double *misses, struct failure *f)
{
	int undisturbed = 0;

	*misses = INFINITY;
	for (int i = 0; i<ATTEMPTS && * misses> FITTING; i++) {
		double round = 0, hit = 0;
		int error;

		e->effort.warmup_factor = i ? PATIENCE : 1;
		error = evset_sample_list(e, lines, count, EVSET_CONTROL_PAGES,
					  &round, &hit, f);
		if (error && error != -EAGAIN)
			return error;
		undisturbed += !error;
		if (!error)
			*misses = fmin(*misses, round / (double)count);
		/* More warm-up rounds did not help. */
		if (i && *misses > NEARLY_ALL)
			break;
	}
	return undisturbed ? 0 : -EAGAIN;
}

int evset_list_misses(struct evset_machine *e, const uint64_t *lines,
		      size_t count, size_t together, double *misses,
		      struct failure *f)
{
	const size_t typical = e->o.together;
	const unsigned int patience = e->effort.warmup_factor;
	int error;

	e->o.together = together;
	error = least_misses(e, lines, count, misses, f);
	e->o.together = typical;
	e->effort.warmup_factor = patience;
	return error;
}

double evset_fitting_misses(const struct evset_machine *e, double share)
{
	if (xray_counter(e->x) || e->x->prober->m->virtual_machine)
		return share;
	return fmin(share, FAR_FROM_HITS * e->x->hit_ticks / e->scale.penalty);
}

int evset_list_misses_once(struct evset_machine *e, const uint64_t *lines,
			   size_t count, double *misses, struct failure *f)
{
	double round = 0, hit = 0;
	int error = evset_sample_list(e, lines, count, EVSET_CONTROL_SHORT,
				      &round, &hit, f);

	*misses = error ? INFINITY : round / (double)count;
	return error == -EAGAIN ? 0 : error;
}
