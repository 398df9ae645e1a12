// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/write_allocate_steps.h"

#include <errno.h>
#include <math.h>

#include "method/behaviour/pinned_line.h"

#define METHOD "store and load, in steps"
#define STRAY 0.25

/**
 * struct ask - the question
 * @k: the level, and those above it
 * @scale: of its misses
 * @counter: of these, a bit; 0: time
 * @miss_ticks: what one costs
 * @stray: (out) how far lines that were loaded are from hitting here
 */
struct ask {
	struct kept k;
	struct kept_scale scale;
	unsigned int counter;
	double miss_ticks;
	double stray;
};

static int observe(struct ask *a, const struct kept_place *at, bool stored,
		   enum kept_end *end, struct failure *f)
{
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES];
	size_t count = 0;
	int error;

	kept_step(&a->k, at, STEP_FLUSH, KEPT_X, 0, 1, &s);
	if (stored)
		kept_step(&a->k, at, STEP_STORE, KEPT_WORD, 0, 1, &s);
	kept_step(&a->k, at, STEP_LOAD, KEPT_EVICT, 0, at->counts[KEPT_EVICT],
		  &s);
	error = kept_observe(&a->k, at, &s, a->counter, values, &count, f);
	*end = kept_end(values, count, &a->scale);
	return error;
}

/* Lines that were stored to and lines that were not, in either order. */
static int vote(struct ask *a, const struct kept_place *at,
		struct kept_votes *votes, struct failure *f)
{
	bool first = rng_below(&a->k.p->rng, 2);
	enum kept_end ends[2];
	int error = observe(a, at, first, &ends[first], f);

	if (!error)
		error = observe(a, at, !first, &ends[!first], f);
	if (error)
		return error;
	if (ends[true] == KEPT_THERE && ends[false] == KEPT_LOST)
		votes->for_it++;
	else if (ends[true] == KEPT_LOST && ends[false] == KEPT_THERE)
		votes->against++;
	else
		votes->nothing++;
	return 0;
}

static int ask_until_sure(struct ask *a, struct kept_votes *votes,
			  struct failure *f)
{
	const bool may = kept_draw(&a->k);
	int error = 0;

	while (!error && may && kept_goes_on(&a->k, votes)) {
		struct kept_place at;

		error = kept_place(&a->k, &at, f);
		if (!error)
			error = kept_present(&a->k, &at, KEPT_EVICT, a->counter,
					     &a->scale.base, f);
		if (!error)
			error = kept_stray(&a->k, &at, a->miss_ticks, &a->stray,
					   f);
		if (!error)
			error = vote(a, &at, votes, f);
		kept_release(&at);
	}
	a->k.p->tests++;
	return error;
}

/* Why it cannot be asked, or NULL and @a is ready. */
static const char *prepare(struct ask *a)
{
	const struct hierarchy *h = a->k.h;
	const struct cache_result *c = &h->caches[a->k.level];
	const struct parameter *below = a->k.level + 1 < h->cache_count ?
						&c[1].latency_ns :
						&h->memory_latency_ns;

	if (!parameter_is_measured(&c->latency_ns) ||
	    !parameter_is_measured(&c[-1].latency_ns) ||
	    c->latency_ns.value <= c[-1].latency_ns.value)
		return "what a hit costs is not known";
	if (!parameter_is_measured(below) ||
	    below->value <= c->latency_ns.value)
		return "what a miss costs is not known";
	a->miss_ticks = (below->value - c->latency_ns.value) *
			a->k.p->m->timer.ticks_per_ns;
	a->counter = kept_counter(&a->k, a->k.level);
	a->scale.unit = a->counter ? 1 : a->miss_ticks;
	return kept_prepare(&a->k);
}

int stores_by_steps(struct prober *p, const struct hierarchy *h, size_t k,
		    struct parameter *to, struct failure *f)
{
	struct ask a = { .k = { .p = p, .h = h, .level = k, .alone = true } };
	const double before = p->budget.alpha_drawn;
	struct kept_votes votes = { .for_it = 0 };
	const char *why = prepare(&a);
	int error;

	if (why) {
		parameter_undecided(to, METHOD, "%s", why);
		return 0;
	}
	error = ask_until_sure(&a, &votes, f);
	if (error && error != -ERANGE)
		return error;
	if (!(a.stray <= STRAY))
		parameter_undecided(
			to, METHOD,
			"lines that should miss above and hit here do not all do so");
	else if (kept_surely(&a.k, &votes))
		parameter_measured(to, 1, budget_bound(&p->budget, before),
				   METHOD);
	else
		parameter_undecided(
			to, METHOD,
			"exclusive, and what was stored to is not there for certain: the levels above may not have had it");
	to->by = a.counter ? "counters" : "time";
	return 0;
}
