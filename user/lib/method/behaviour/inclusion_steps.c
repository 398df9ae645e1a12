// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/inclusion_steps.h"

#include <errno.h>
#include <math.h>

#include "method/behaviour/pinned_line.h"
#include "observe/sampler.h"

#define METHOD "kept line, in steps"
/* Of a hit: a level whose miss is served in less than one and a half times the
 * time of its hit would not have been told from the one below.
 */
#define LEAST_MISS 0.5
/* Where lines that have to hit are from that, of the way to the next level. */
#define STRAY 0.25
#define MOST_TRIES 2
#define TRIES_APART_MS 300

/**
 * struct ask - of one level
 * @k: who keeps and who loses
 * @above: what misses of the keeper look like
 * @here: what those of the level in question look like
 * @by_above: counter of the former, a bit; 0: time
 * @by_here: of the latter
 * @stray: (out) by time: how far lines that have to hit here are from that
 * @rounds: lines that push, in the block under way
 */
struct ask {
	struct kept k;
	struct kept_scale above;
	struct kept_scale here;
	unsigned int by_above;
	unsigned int by_here;
	double stray;
	size_t rounds;
};

/* What passes by while a line is kept, and where it is looked for. */
struct fate {
	enum kept_list passing;
	bool below;
};

static const struct fate there_above = { KEPT_EVICT, false };
static const struct fate pushed_above = { KEPT_PUSH, false };
static const struct fate there_below = { KEPT_EVICT, true };
static const struct fate pushed_below = { KEPT_PUSH, true };

static int observe(struct ask *a, const struct kept_place *at,
		   const struct fate *fate, enum kept_end *end,
		   struct failure *f)
{
	const struct kept *k = &a->k;
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES];
	size_t count = 0;
	int error;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, &s);
	/* Whatever passes is new to all levels, and so is what fills the set:
	 * lines that hit there each time would keep their places.
	 */
	kept_step(k, at, STEP_FLUSH, KEPT_PUSH, 0, at->counts[KEPT_PUSH], &s);
	kept_step(k, at, STEP_FLUSH, KEPT_EVICT, 0, at->counts[KEPT_EVICT], &s);
	kept_step(k, at, STEP_LOAD, KEPT_FILL, 0,
		  at->counts[KEPT_PUSH] - k->wanted, &s);
	kept_rounds(k, at, fate->passing, a->rounds, &s);
	kept_step(k, at, STEP_LOAD, fate->below ? KEPT_EVICT : KEPT_SHED, 0,
		  at->counts[fate->below ? KEPT_EVICT : KEPT_SHED], &s);
	error = kept_observe(k, at, &s, fate->below ? a->by_here : a->by_above,
			     values, &count, f);
	*end = kept_end(values, count, fate->below ? &a->here : &a->above);
	return error;
}

/* Two fates at one placement, in either order. */
static int observe_both(struct ask *a, const struct kept_place *at,
			const struct fate *there, const struct fate *pushed,
			enum kept_end *ends, struct failure *f)
{
	bool first = rng_below(&a->k.p->rng, 2);
	int error = observe(a, at, first ? there : pushed, &ends[!first], f);

	if (!error)
		error = observe(a, at, first ? pushed : there, &ends[first], f);
	return error;
}

static double ticks_of(const struct ask *a, size_t index)
{
	return prober_load_ticks(a->k.p,
				 a->k.h->caches[index].latency_ns.value);
}

static int calibrate(struct ask *a, const struct kept_place *at,
		     struct failure *f)
{
	int error = kept_present(&a->k, at, KEPT_SHED, a->by_above,
				 &a->above.base, f);

	if (!error)
		error = kept_present(&a->k, at, KEPT_EVICT, a->by_here,
				     &a->here.base, f);
	if (!error)
		error = kept_stray(&a->k, at,
				   LEAST_MISS * ticks_of(a, a->k.level),
				   &a->stray, f);
	return error;
}

static size_t ways(const struct ask *a)
{
	return (size_t)a->k.h->caches[a->k.level].ways.value;
}

/* It is kept above, and not here. */
static int vote_neither(struct ask *a, const struct kept_place *at,
			struct kept_votes *votes, struct failure *f)
{
	enum kept_end kept, ends[2];
	int error;

	a->rounds =
		a->k.wanted - rng_below(&a->k.p->rng, a->k.wanted - ways(a));
	error = observe(a, at, &pushed_above, &kept, f);
	if (!error)
		error = observe_both(a, at, &there_below, &pushed_below, ends,
				     f);
	if (error)
		return error;
	if (kept == KEPT_THERE && ends[0] == KEPT_THERE && ends[1] == KEPT_LOST)
		votes->for_it++;
	else if (ends[0] == KEPT_LOST && ends[1] == KEPT_THERE)
		votes->against++;
	else
		votes->nothing++;
	return 0;
}

/* After how many others is it lost? LRU: as many as there are ways. A line that
 * was lost earlier is back again. Return: 0 with 0 rounds when never.
 */
static int find_loss(struct ask *a, const struct kept_place *at,
		     struct failure *f)
{
	size_t most = a->k.wanted, begin = ways(a);

	for (size_t i = 0; i < most; i++) {
		enum kept_end end;
		int error;

		a->rounds = (begin + i - 1) % most + 1;
		error = observe(a, at, &pushed_above, &end, f);
		if (error || end == KEPT_LOST)
			return error;
	}
	a->rounds = 0;
	return 0;
}

/* Do the levels above never lose it by themselves, after however many others?
 * They would as well where it is pushed out below.
 */
static int is_always_kept(struct ask *a, const struct kept_place *at,
			  bool *kept, struct failure *f)
{
	const size_t rounds = a->rounds;

	*kept = true;
	for (a->rounds = 1; *kept && a->rounds <= a->k.wanted; a->rounds++) {
		enum kept_end end;
		int error = observe(a, at, &there_above, &end, f);

		if (error)
			return error;
		*kept = end == KEPT_THERE;
	}
	a->rounds = rounds;
	return 0;
}

/* It is taken away above. */
static int vote_inclusive(struct ask *a, const struct kept_place *at,
			  struct kept_votes *votes, struct failure *f)
{
	enum kept_end ends[2];
	bool kept = false;
	int error = find_loss(a, at, f);

	if (!error && a->rounds)
		error = is_always_kept(a, at, &kept, f);
	if (!error && !kept)
		votes->nothing++;
	if (error || !kept)
		return error;
	error = observe_both(a, at, &there_above, &pushed_above, ends, f);
	if (error)
		return error;
	if (ends[0] == KEPT_THERE && ends[1] == KEPT_LOST)
		votes->for_it++;
	else if (ends[0] == KEPT_LOST && ends[1] == KEPT_THERE)
		votes->against++;
	else
		votes->nothing++;
	return 0;
}

typedef int (*vote)(struct ask *a, const struct kept_place *at,
		    struct kept_votes *votes, struct failure *f);

/* Return: -ERANGE: too few lines there. */
static int ask_until_sure(struct ask *a, vote ask, bool *sure,
			  struct failure *f)
{
	struct kept_votes votes = { .for_it = 0 };
	const bool may = kept_draw(&a->k);
	int error = 0;

	while (!error && may && kept_goes_on(&a->k, &votes)) {
		struct kept_place at;

		error = kept_place(&a->k, &at, f);
		if (!error)
			error = calibrate(a, &at, f);
		if (!error)
			error = ask(a, &at, &votes, f);
		kept_release(&at);
	}
	a->k.p->tests++;
	*sure = kept_surely(&a->k, &votes);
	return error;
}

/* Who keeps the line: below a level that may be inclusive only that one can. */
static size_t keeper_of(const struct hierarchy *h, size_t k)
{
	for (size_t i = 1; i < k; i++)
		if (h->caches[i].inclusion != INCLUSION_NINE &&
		    h->caches[i].inclusion != INCLUSION_EXCLUSIVE)
			return k - 1;
	return 0;
}

/* Why it cannot be asked, or NULL and @a is ready. */
static const char *prepare(struct ask *a)
{
	struct kept *k = &a->k;
	const struct cache_result *c = &k->h->caches[k->level];
	const struct parameter *below = k->level + 1 < k->h->cache_count ?
						&c[1].latency_ns :
						&k->h->memory_latency_ns;

	for (size_t i = 0; i <= k->level; i++) {
		if (!parameter_is_measured(&k->h->caches[i].latency_ns))
			return "what a hit costs is not known";
		if (i && ticks_of(a, i) <= ticks_of(a, i - 1))
			return "a miss costs nothing";
	}
	a->by_above = kept_counter(k, k->keeper);
	a->by_here = kept_counter(k, k->level);
	a->above.unit = a->by_above ?
				1 :
				ticks_of(a, k->level) - ticks_of(a, k->keeper);
	a->here.unit = LEAST_MISS * ticks_of(a, k->level);
	if (parameter_is_measured(below))
		a->here.unit = prober_load_ticks(k->p, below->value) -
			       ticks_of(a, k->level);
	if (!(a->here.unit > 0))
		return "a miss costs nothing";
	if (a->by_here)
		a->here.unit = 1;
	return kept_prepare(k);
}

/* Once more where neither is sure: somebody may have used the sets meanwhile. */
static int ask_both(struct ask *a, bool *neither, bool *inclusive,
		    struct failure *f)
{
	int error;

	for (int tries = 1;; tries++) {
		error = ask_until_sure(a, vote_neither, neither, f);
		if (!error && !*neither)
			error = ask_until_sure(a, vote_inclusive, inclusive, f);
		if (error || *neither || *inclusive || tries == MOST_TRIES)
			return error;
		a->k.p->m->ops->pause(a->k.p->m, TRIES_APART_MS);
	}
}

static int conclude(struct ask *a, struct cache_result *c, double drawn_before,
		    struct failure *f)
{
	struct parameter *to = &c->inclusion_decision;
	bool neither = false, inclusive = false;
	int error = ask_both(a, &neither, &inclusive, f);
	const double bound = budget_bound(&a->k.p->budget, drawn_before);

	if (error == -ERANGE)
		error = 0;
	if (error)
		return error;
	if (neither && !(a->stray <= STRAY))
		parameter_undecided(
			to, METHOD,
			"lines that should hit here and miss above do not all do so");
	else if (neither)
		parameter_measured(to, INCLUSION_NINE, bound, METHOD);
	else if (inclusive && !a->k.spares_below)
		parameter_undecided(
			to, METHOD,
			"a level below may be what takes a kept line away");
	else if (inclusive)
		parameter_measured(to, INCLUSION_INCLUSIVE, bound, METHOD);
	else
		parameter_undecided(
			to, METHOD,
			"a kept line is neither lost for certain nor kept for certain");
	if (parameter_is_measured(to))
		c->inclusion = (enum inclusion)to->value;
	to->by = a->by_above && (!neither || a->by_here) ? "counters" : "time";
	return 0;
}

int inclusion_by_steps(struct prober *p, struct hierarchy *h, size_t k,
		       double drawn_before, struct failure *f)
{
	struct ask a = {
		.k = { .p = p, .h = h, .keeper = keeper_of(h, k), .level = k },
		.stray = 0
	};
	const char *why = prepare(&a);

	if (!why)
		return conclude(&a, &h->caches[k], drawn_before, f);
	if (!h->caches[k].inclusion_decision.reason[0])
		parameter_undecided(&h->caches[k].inclusion_decision, METHOD,
				    "%s", why);
	return 0;
}
