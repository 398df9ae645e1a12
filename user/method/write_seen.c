// SPDX-License-Identifier: GPL-2.0
#include "write_seen.h"

#include <errno.h>
#include <math.h>

#include "../observe/sampler.h"
#include "kept_line.h"

#define METHOD "kept line, stored to"
#define STRAY 0.25
/* Placements where the controls say nothing are many: the numbers of lines are
 * drawn at random.
 */
#define DRAWS 40

/** enum act - what happens to the line in the middle */
enum act {
	ACT_LOADED, /* from the first level */
	ACT_SEEN,   /* stored to where only the second level has it */
	ACT_STORED, /* stored to in the first level */
	ACTS,
};

/**
 * struct ask - the question
 * @k: the first level keeps, the second one loses
 * @scale: of misses of the second level
 * @counter: of these, a bit; 0: time
 * @before, @after: lines that push, in the block under way
 * @stray: (out) how far lines that hit in the second level are from that
 */
struct ask {
	struct kept k;
	struct kept_scale scale;
	unsigned int counter;
	size_t before;
	size_t after;
	double stray;
};

static void lay(const struct ask *a, const struct kept_place *at, enum act act,
		struct kept_steps *s)
{
	const struct kept *k = &a->k;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, s);
	kept_step(k, at, STEP_FLUSH, KEPT_PUSH, 0, k->wanted, s);
	kept_step(k, at, STEP_LOAD, KEPT_FILL, 0,
		  at->counts[KEPT_PUSH] - k->wanted, s);
	kept_rounds(k, at, KEPT_PUSH, a->before, s);
	if (act == ACT_SEEN)
		kept_step(k, at, STEP_LOAD, KEPT_EVICT, 0,
			  at->counts[KEPT_EVICT], s);
	kept_step(k, at, act == ACT_LOADED ? STEP_LOAD : STEP_STORE, KEPT_WORD,
		  0, 1, s);
	kept_step(k, at, STEP_LOAD, KEPT_PUSH, a->before, a->after, s);
}

static int observe(struct ask *a, const struct kept_place *at, enum act act,
		   enum kept_end *end, struct failure *f)
{
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES];
	size_t count = 0;
	int error;

	lay(a, at, act, &s);
	error = kept_observe(&a->k, at, &s, a->counter, values, &count, f);
	*end = kept_end(values, count, &a->scale);
	return error;
}

static double ticks_of(const struct ask *a, size_t index)
{
	return a->k.h->caches[index].latency_ns.value *
	       a->k.p->m->timer.ticks_per_ns;
}

static int calibrate(struct ask *a, const struct kept_place *at,
		     double miss_ticks, struct failure *f)
{
	int error = kept_present(&a->k, at, KEPT_EVICT, a->counter,
				 &a->scale.base, f);

	if (!error)
		error = kept_stray(&a->k, at, miss_ticks, &a->stray, f);
	return error;
}

/* What is stored to, and what the second level sees stored to, in either order,
 * where what is only loaded is lost.
 */
static int vote(struct ask *a, const struct kept_place *at,
		struct kept_votes *votes, struct failure *f)
{
	size_t ways = (size_t)a->k.h->caches[1].ways.value;
	struct rng *rng = &a->k.p->rng;
	enum act first = rng_below(rng, 2) ? ACT_SEEN : ACT_STORED;
	enum kept_end ends[ACTS];
	int error;

	a->before = 1 + rng_below(rng, ways);
	a->after = 1 + rng_below(rng, ways);
	if (a->before + a->after > a->k.wanted)
		a->after = a->k.wanted - a->before;
	error = observe(a, at, ACT_LOADED, &ends[ACT_LOADED], f);
	if (error || ends[ACT_LOADED] != KEPT_LOST)
		return error;
	error = observe(a, at, first, &ends[first], f);
	first = first == ACT_SEEN ? ACT_STORED : ACT_SEEN;
	if (!error)
		error = observe(a, at, first, &ends[first], f);
	if (error)
		return error;
	if (ends[ACT_SEEN] == KEPT_THERE && ends[ACT_STORED] == KEPT_LOST)
		votes->for_it++;
	else if (ends[ACT_SEEN] == KEPT_LOST && ends[ACT_STORED] == KEPT_THERE)
		votes->against++;
	else if (ends[ACT_SEEN] == KEPT_THERE)
		votes->nothing++;
	return 0;
}

static int ask_until_sure(struct ask *a, double miss_ticks,
			  struct kept_votes *votes, struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < DRAWS * 4 && kept_goes_on(&a->k, votes) &&
			(votes->for_it || i < DRAWS);
	     i++) {
		struct kept_place at;

		error = kept_place(&a->k, &at, f);
		if (!error)
			error = calibrate(a, &at, miss_ticks, f);
		if (!error)
			error = vote(a, &at, votes, f);
		kept_release(&at);
	}
	a->k.p->tests++;
	return error;
}

static void conclude(const struct ask *a, const struct kept_votes *votes,
		     struct parameter *to)
{
	double bound = kept_bound(votes);

	if (!(a->stray <= STRAY))
		parameter_undecided(
			to, METHOD,
			"lines that should hit in the second level do not all do so");
	else if (bound <= a->k.p->rules.alpha)
		parameter_measured(to, 1, bound, METHOD);
	else if (votes->nothing)
		parameter_undecided(
			to, METHOD,
			"what is stored to stays in the second level like what that one sees: written through, or the first level had lost it");
	else
		parameter_undecided(
			to, METHOD,
			"nothing that the second level sees keeps a line there");
	to->by = a->counter ? "counters" : "time";
}

int write_back_unseen(struct prober *p, const struct hierarchy *h,
		      struct parameter *to, struct failure *f)
{
	struct ask a = { .k = { .p = p, .h = h, .level = 1 } };
	const struct parameter *below = h->cache_count > 2 ?
						&h->caches[2].latency_ns :
						&h->memory_latency_ns;
	struct kept_votes votes = { .for_it = 0 };
	const char *why = NULL;
	double miss_ticks = 0;
	int error;

	if (!parameter_is_measured(below) ||
	    !parameter_is_measured(&h->caches[0].latency_ns) ||
	    !parameter_is_measured(&h->caches[1].latency_ns) ||
	    ticks_of(&a, 1) <= ticks_of(&a, 0) ||
	    below->value <= h->caches[1].latency_ns.value)
		why = "what a miss costs is not known";
	if (!why)
		why = kept_prepare(&a.k);
	if (why) {
		parameter_undecided(to, METHOD, "%s", why);
		return 0;
	}
	a.counter = kept_counter(&a.k, 1);
	miss_ticks = below->value * p->m->timer.ticks_per_ns - ticks_of(&a, 1);
	a.scale.unit = a.counter ? 1 : miss_ticks;
	error = ask_until_sure(&a, miss_ticks, &votes, f);
	if (error && error != -ERANGE)
		return error;
	conclude(&a, &votes, to);
	return 0;
}
