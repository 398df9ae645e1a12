// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/write_back.h"

#include "method/behaviour/write_through.h"

#define METHOD "kept line, stored to"

static int ask_first_level(struct prober *p, struct hierarchy *h,
			   struct failure *f)
{
	struct parameter *to = &h->caches[0].write_back;
	enum inclusion below = h->caches[1].inclusion;
	const double before = p->budget.alpha_drawn;
	int error;

	if (below != INCLUSION_INCLUSIVE && below != INCLUSION_NINE) {
		parameter_undecided(
			to, METHOD,
			"the level below takes lines that are not modified, or may do so");
		return 0;
	}
	error = below == INCLUSION_INCLUSIVE ?
			write_back_unseen(p, h, before, to, f) :
			write_back_lost(p, h, before, to, f);
	if (!error && !parameter_is_measured(to))
		error = write_through_seen(p, h, before, to, f);
	h->tests = p->tests;
	return error;
}

int write_back_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	for (size_t k = 1; k < h->cache_count; k++)
		parameter_unavailable(
			&h->caches[k].write_back,
			"only writes of a level below would show it, and no counter counts them");
	if (!h->cache_count)
		return 0;
	prober_progress(p, "L1: write-back");
	if (h->cache_count > 1)
		return ask_first_level(p, h, f);
	parameter_undecided(&h->caches[0].write_back, METHOD,
			    "there is no level below that could show it");
	return 0;
}
