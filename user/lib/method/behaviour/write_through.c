// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/write_through.h"

#include <errno.h>
#include <math.h>

#include "method/behaviour/pinned_leak.h"
#include "observe/sampler.h"

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
	ACT_KEPT,   /* that, and pushed out below again, and then above */
	ACT_CLEAN,  /* the same, but loaded */
	ACT_READ,  /* after it was stored to in the first level, loaded there */
	ACT_AGAIN, /* the same, but stored to there once more */
	ACTS,
};

/**
 * struct ask - the question
 * @k: the first level keeps, the second one loses
 * @scale: of misses of the second level
 * @counter: of these, a bit; 0: time
 * @before, @after: lines that push, in the block under way
 * @stray: (out) how far lines that hit in the second level are from that
 * @leaks: (out) placements where the first level did not keep the line
 * @gone: (out) placements where the line was lost, stored to or not
 * @drawn_before: alpha_drawn of the budget when nothing was drawn for the answer
 */
struct ask {
	struct kept k;
	struct kept_scale scale;
	unsigned int counter;
	size_t before;
	size_t after;
	double stray;
	unsigned int leaks;
	unsigned int gone;
	double drawn_before;
};

/* Only what is written back is in the second level then. */
static void lay_lost(const struct ask *a, const struct kept_place *at,
		     enum act act, struct kept_steps *s)
{
	const struct kept *k = &a->k;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, s);
	kept_step(k, at, STEP_FLUSH, KEPT_PUSH, 0, k->wanted, s);
	kept_step(k, at, STEP_LOAD, KEPT_FILL, 0,
		  at->counts[KEPT_PUSH] - k->wanted, s);
	kept_rounds(k, at, KEPT_PUSH, a->before, s);
	kept_step(k, at, act == ACT_KEPT ? STEP_STORE : STEP_LOAD, KEPT_WORD, 0,
		  1, s);
	kept_rounds(k, at, KEPT_PUSH, a->after, s);
	kept_step(k, at, STEP_LOAD, KEPT_EVICT, 0, at->counts[KEPT_EVICT], s);
}

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

/*
 * The line is modified in the first level, if that keeps what is stored to: then
 * it is nobody's else, and a second store is as silent as a load. In the end it
 * leaves the first level, modified or not in both acts alike.
 */
static void lay_again(const struct ask *a, const struct kept_place *at,
		      enum act act, struct kept_steps *s)
{
	const struct kept *k = &a->k;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, s);
	kept_step(k, at, STEP_FLUSH, KEPT_PUSH, 0, at->counts[KEPT_PUSH], s);
	kept_step(k, at, STEP_LOAD, KEPT_FILL, 0,
		  at->counts[KEPT_PUSH] - k->wanted, s);
	kept_step(k, at, STEP_LOAD, KEPT_X, 0, 1, s);
	kept_step(k, at, STEP_STORE, KEPT_WORD, 0, 1, s);
	kept_rounds(k, at, KEPT_PUSH, a->before, s);
	kept_step(k, at, act == ACT_AGAIN ? STEP_STORE : STEP_LOAD, KEPT_WORD,
		  0, 1, s);
	kept_step(k, at, STEP_LOAD, KEPT_PUSH, a->before, a->after, s);
	kept_step(k, at, STEP_LOAD, KEPT_EVICT, 0, at->counts[KEPT_EVICT], s);
}

static int observe(struct ask *a, const struct kept_place *at, enum act act,
		   enum kept_end *end, struct failure *f)
{
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES];
	size_t count = 0;
	int error;

	if (act == ACT_KEPT || act == ACT_CLEAN)
		lay_lost(a, at, act, &s);
	else if (act == ACT_READ || act == ACT_AGAIN)
		lay_again(a, at, act, &s);
	else
		lay(a, at, act, &s);
	error = kept_observe(&a->k, at, &s, a->counter, values, &count, f);
	*end = kept_end(values, count, &a->scale);
	return error;
}

static double ticks_of(const struct ask *a, size_t index)
{
	return prober_load_ticks(a->k.p,
				 a->k.h->caches[index].latency_ns.value);
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

/* Two acts at one placement, in either order. */
static int observe_both(struct ask *a, const struct kept_place *at,
			enum act one, enum act other, enum kept_end *ends,
			struct failure *f)
{
	bool first = rng_below(&a->k.p->rng, 2);
	int error = observe(a, at, first ? one : other,
			    &ends[first ? one : other], f);

	if (!error)
		error = observe(a, at, first ? other : one,
				&ends[first ? other : one], f);
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
	enum kept_end ends[ACTS];
	int error;

	a->before = 1 + rng_below(rng, ways);
	a->after = 1 + rng_below(rng, ways);
	if (a->before + a->after > a->k.wanted)
		a->after = a->k.wanted - a->before;
	error = observe(a, at, ACT_LOADED, &ends[ACT_LOADED], f);
	if (error || ends[ACT_LOADED] != KEPT_LOST)
		return error;
	error = observe_both(a, at, ACT_SEEN, ACT_STORED, ends, f);
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

/* What was stored to and what was not, in either order. */
static int vote_lost(struct ask *a, const struct kept_place *at,
		     struct kept_votes *votes, struct failure *f)
{
	enum kept_end ends[ACTS];
	bool leaks = false;
	int error;

	/* A store that is written through must not find it in the second. */
	a->before = a->k.wanted;
	a->after = a->k.wanted;
	error = observe_both(a, at, ACT_KEPT, ACT_CLEAN, ends, f);
	if (!error && ends[ACT_KEPT] == KEPT_THERE &&
	    ends[ACT_CLEAN] == KEPT_LOST)
		error = kept_leak(&a->k, at, &leaks, f);
	if (error)
		return error;
	a->leaks += leaks;
	a->gone += ends[ACT_KEPT] == KEPT_LOST && ends[ACT_CLEAN] == KEPT_LOST;
	if (ends[ACT_KEPT] == KEPT_THERE && ends[ACT_CLEAN] == KEPT_LOST &&
	    !leaks)
		votes->for_it++;
	else if (ends[ACT_KEPT] == KEPT_LOST && ends[ACT_CLEAN] == KEPT_THERE)
		votes->against++;
	else
		votes->nothing++;
	return 0;
}

/* What is stored to once more and what is loaded instead, in either order. Many
 * numbers of lines that push tell nothing.
 */
static int vote_through(struct ask *a, const struct kept_place *at,
			struct kept_votes *votes, struct failure *f)
{
	size_t above = (size_t)a->k.h->caches[0].ways.value;
	size_t ways = (size_t)a->k.h->caches[1].ways.value;
	struct rng *rng = &a->k.p->rng;
	enum kept_end ends[ACTS];
	int error;

	/* One that puts lines out in the order in which they came keeps it so long. */
	a->before = rng_below(rng, above < ways ? above : ways);
	a->after = 1 + rng_below(rng, ways);
	if (a->before + a->after > a->k.wanted)
		a->after = a->k.wanted - a->before;
	error = observe_both(a, at, ACT_READ, ACT_AGAIN, ends, f);
	if (error)
		return error;
	votes->for_it += ends[ACT_AGAIN] == KEPT_THERE &&
			 ends[ACT_READ] == KEPT_LOST;
	votes->against += ends[ACT_AGAIN] == KEPT_LOST &&
			  ends[ACT_READ] == KEPT_THERE;
	return 0;
}

typedef int (*vote_function)(struct ask *a, const struct kept_place *at,
			     struct kept_votes *votes, struct failure *f);

static int ask_until_sure(struct ask *a, vote_function ask, double miss_ticks,
			  struct kept_votes *votes, struct failure *f)
{
	const bool may = kept_draw(&a->k);
	int error = 0;

	for (int i = 0;
	     !error && may && i < DRAWS * 4 && kept_goes_on(&a->k, votes) &&
	     (votes->for_it || i < DRAWS);
	     i++) {
		struct kept_place at;

		error = kept_place(&a->k, &at, f);
		if (!error && !i)
			error = kept_make_room(&a->k, &at, f);
		if (!error)
			error = calibrate(a, &at, miss_ticks, f);
		if (!error)
			error = ask(a, &at, votes, f);
		if (!error)
			error = kept_leave_room(&a->k, &at, f);
		kept_release(&at);
	}
	a->k.p->tests++;
	return error;
}

static void conclude(const struct ask *a, const struct kept_votes *votes,
		     const char *why, struct parameter *to)
{
	if (!(a->stray <= STRAY))
		parameter_undecided(
			to, METHOD,
			"lines that should hit in the second level do not all do so");
	else if (kept_surely(&a->k, votes))
		parameter_measured(
			to, 1, budget_bound(&a->k.p->budget, a->drawn_before),
			METHOD);
	else
		parameter_undecided(to, METHOD, "%s", why);
	to->by = a->counter ? "counters" : "time";
}

/* Why it cannot be asked, or NULL and @a is ready. */
static const char *prepare(struct ask *a, double *miss_ticks)
{
	const struct hierarchy *h = a->k.h;
	const struct parameter *below = h->cache_count > 2 ?
						&h->caches[2].latency_ns :
						&h->memory_latency_ns;

	if (!parameter_is_measured(below) ||
	    !parameter_is_measured(&h->caches[0].latency_ns) ||
	    !parameter_is_measured(&h->caches[1].latency_ns) ||
	    ticks_of(a, 1) <= ticks_of(a, 0) ||
	    below->value <= h->caches[1].latency_ns.value)
		return "what a miss costs is not known";
	*miss_ticks = prober_load_ticks(a->k.p, below->value) - ticks_of(a, 1);
	a->counter = kept_counter(&a->k, 1);
	a->scale.unit = a->counter ? 1 : *miss_ticks;
	return kept_prepare(&a->k);
}

/* Why placements do not agree: what became of them. */
typedef const char *(*why_function)(const struct ask *a,
				    const struct kept_votes *votes);

static const char *why_not_unseen(const struct ask *a,
				  const struct kept_votes *votes)
{
	(void)a;
	if (votes->nothing)
		return "what is stored to stays in the second level like what that one sees: written through, or the first level had lost it";
	return "nothing that the second level sees keeps a line there";
}

static const char *why_not_lost(const struct ask *a,
				const struct kept_votes *votes)
{
	(void)votes;
	if (a->leaks)
		return "the first level does not keep a line that is used again and again";
	if (a->gone)
		return "what was stored does not come back to the second level: written through, or not taken there";
	return "lines that were not stored to are not lost for certain";
}

static int decide_write_back(struct ask *a, vote_function vote_by,
			     why_function why_not, struct parameter *to,
			     struct failure *f)
{
	struct kept_votes votes = { .for_it = 0 };
	double miss_ticks = 0;
	const char *why = prepare(a, &miss_ticks);
	int error;

	if (why) {
		parameter_undecided(to, METHOD, "%s", why);
		return 0;
	}
	error = ask_until_sure(a, vote_by, miss_ticks, &votes, f);
	if (error && error != -ERANGE)
		return error;
	conclude(a, &votes, why_not(a, &votes), to);
	return 0;
}

int write_back_unseen(struct prober *p, const struct hierarchy *h,
		      double drawn_before, struct parameter *to,
		      struct failure *f)
{
	struct ask a = { .k = { .p = p, .h = h, .level = 1 },
			 .drawn_before = drawn_before };

	return decide_write_back(&a, vote, why_not_unseen, to, f);
}

int write_back_lost(struct prober *p, const struct hierarchy *h,
		    double drawn_before, struct parameter *to,
		    struct failure *f)
{
	struct ask a = { .k = { .p = p, .h = h, .level = 1 },
			 .drawn_before = drawn_before };

	return decide_write_back(&a, vote_lost, why_not_lost, to, f);
}

int write_through_seen(struct prober *p, const struct hierarchy *h,
		       double drawn_before, struct parameter *to,
		       struct failure *f)
{
	struct ask a = { .k = { .p = p, .h = h, .level = 1 } };
	struct kept_votes votes = { .for_it = 0 };
	double miss_ticks = 0;
	int error;

	if (prepare(&a, &miss_ticks))
		return 0;
	error = ask_until_sure(&a, vote_through, miss_ticks, &votes, f);
	if (error && error != -ERANGE)
		return error;
	if (!(a.stray <= STRAY) || !kept_surely(&a.k, &votes))
		return 0;
	parameter_measured(to, 0, budget_bound(&p->budget, drawn_before),
			   METHOD);
	to->by = a.counter ? "counters" : "time";
	return 0;
}
