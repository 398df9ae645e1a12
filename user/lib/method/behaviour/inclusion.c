// SPDX-License-Identifier: GPL-2.0
/*
 * inclusion.c - whether a level holds what the levels above hold.
 *
 * The first level keeps a line, or, below a level that may be inclusive, the
 * level right above does. Other lines of its set evict it from the level in
 * question meanwhile.
 * Inclusive: the line leaves the levels above, too, just when it is evicted, and
 * not when other lines of the same sets above pass by.
 * Neither: it is still there above, and once it is evicted there it misses in
 * the level, as it does not after other lines have passed by.
 * Exclusive is a level that adds its ways to those above (effective ways,
 * X-Ray). (Digest of published methods: Yan et al., "Attack Directories, Not
 * Caches", S&P 2019, on why a level has to be inclusive for that.)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/behaviour/behaviour.h"
#include "method/behaviour/pinned_own.h"
#include "method/behaviour/tuning.h"

#define METHOD "pinned line"

static void lay(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, struct pinned_steps *s)
{
	pinned_begin(k, at, s);
	pinned_rounds(k, at, (enum pinned_list)act->how, act->before, s);
	pinned_step_all(k, at, STEP_LOAD,
			act->side == PINNED_HERE ? PINNED_UPPER :
						   PINNED_OVER_HOLDER,
			s);
}

/* While the line is used @rounds lines of @passing come, and then it is looked
 * for in the level or in the holder.
 */
static struct pinned_act act_of(enum pinned_list passing, enum pinned_side side,
				size_t rounds)
{
	return (struct pinned_act){
		.lay = lay, .side = side, .how = passing, .before = rounds
	};
}

static int calibrate_holder(struct pinned *k, const struct pinned_place *at,
			    struct failure *f)
{
	struct pinned_scale *above = &k->scales[PINNED_ABOVE];

	return pinned_present(k, at, PINNED_OVER_HOLDER, above->counter,
			      &above->base, f);
}

static size_t ways(const struct pinned *k)
{
	return (size_t)k->h->caches[k->level].ways.value;
}

/* The holder keeps the line, and the level has lost it. */
static int vote_neither(void *context, const struct pinned_place *at,
			struct pinned_votes *votes, struct failure *f)
{
	struct pinned *k = context;
	size_t rounds = k->wanted - rng_below(&k->p->rng, k->wanted - ways(k));
	const struct pinned_act acts[] = {
		act_of(PINNED_UPPER, PINNED_HERE, rounds),
		act_of(PINNED_PUSH, PINNED_HERE, rounds),
	};
	const struct pinned_act held =
		act_of(PINNED_PUSH, PINNED_ABOVE, rounds);
	enum pinned_fate kept, fates[2];
	int error = calibrate_holder(k, at, f);

	if (!error)
		error = pinned_fate(k, at, &held, &kept, f);
	if (!error)
		error = pinned_fates(k, at, acts, fates, f);
	if (error)
		return error;
	/* A line that the holder has lost says nothing of the level. */
	if (kept != PINNED_THERE && fates[0] == PINNED_THERE)
		votes->nothing++;
	else
		pinned_count(fates, votes);
	return 0;
}

/* After how many lines does the holder lose it? LRU: as many as there are ways.
 * A line that was lost earlier is back again. *rounds: 0: never.
 */
static int find_loss(const struct pinned *k, const struct pinned_place *at,
		     size_t *rounds, struct failure *f)
{
	for (size_t i = 0; i < k->wanted; i++) {
		struct pinned_act act;
		enum pinned_fate fate;
		int error;

		*rounds = (ways(k) + i - 1) % k->wanted + 1;
		act = act_of(PINNED_PUSH, PINNED_ABOVE, *rounds);
		error = pinned_fate(k, at, &act, &fate, f);
		if (error || fate == PINNED_LOST)
			return error;
	}
	*rounds = 0;
	return 0;
}

/* Do the levels above never lose it by themselves, after however many lines?
 * They would as well where it is evicted below.
 */
static int is_always_kept(const struct pinned *k, const struct pinned_place *at,
			  bool *kept, struct failure *f)
{
	*kept = true;
	for (size_t rounds = 1; *kept && rounds <= k->wanted; rounds++) {
		const struct pinned_act act =
			act_of(PINNED_UPPER, PINNED_ABOVE, rounds);
		enum pinned_fate fate;
		int error = pinned_fate(k, at, &act, &fate, f);

		if (error)
			return error;
		*kept = fate == PINNED_THERE;
	}
	return 0;
}

/* One line: whether the holder kept it is decided by all placements, in the end. */
static int add_own(struct pinned *k, const struct pinned_place *at,
		   size_t rounds, bool *kept, struct failure *f)
{
	const struct pinned_act passed =
		act_of(PINNED_UPPER, PINNED_ABOVE, rounds);
	const struct pinned_act gone = act_of(PINNED_UPPER, PINNED_HERE, 0);
	const struct pinned_act used = act_of(PINNED_UPPER, PINNED_ABOVE, 0);

	*kept = true;
	return pinned_own_add(k, at, &passed, &gone, &used, f);
}

/* The holder loses it when the level does. */
static int vote_inclusive(void *context, const struct pinned_place *at,
			  struct pinned_votes *votes, struct failure *f)
{
	struct pinned *k = context;
	struct pinned_act acts[2];
	enum pinned_fate fates[2];
	size_t rounds = 0;
	bool kept = false;
	int error = at->few_upper ? 0 : calibrate_holder(k, at, f);

	/* Too few lines pass to show that the holder never loses it itself. */
	if (!error && !at->few_upper)
		error = find_loss(k, at, &rounds, f);
	if (!error && rounds)
		error = k->alone ? add_own(k, at, rounds, &kept, f) :
				   is_always_kept(k, at, &kept, f);
	if (!error && !kept)
		votes->nothing++;
	if (error || !kept)
		return error;
	acts[0] = act_of(PINNED_UPPER, PINNED_ABOVE, rounds);
	acts[1] = act_of(PINNED_PUSH, PINNED_ABOVE, rounds);
	error = pinned_fates(k, at, acts, fates, f);
	if (!error)
		pinned_count(fates, votes);
	return error;
}

/* Below a level that may be inclusive only the level right above can hold it. */
static size_t holder_of(const struct hierarchy *h, size_t k)
{
	for (size_t i = 1; i < k; i++)
		if (h->caches[i].inclusion != INCLUSION_NINE &&
		    h->caches[i].inclusion != INCLUSION_EXCLUSIVE)
			return k - 1;
	return 0;
}

/*
 * Where only a list of the set is known, lines that evict the line from the levels
 * above may be of that set, too, and evict it here as well: many are, of a level
 * in slices that index with few bits. Then the line was there in the holder since
 * it was back in both. So a holder must not lose it, after however many lines.
 */
static int ask_again(struct pinned *k, enum inclusion *kind, struct failure *f)
{
	struct pinned_votes votes;
	int error;

	if (pinned_knows_sets(k, k->level))
		return 0;
	error = pinned_decide(k, vote_inclusive, k, &votes, f);
	if (error || votes.for_it)
		*kind = !error && pinned_surely(k, &votes) ?
				INCLUSION_INCLUSIVE :
				INCLUSION_UNKNOWN;
	return error;
}

static int ask_once(struct pinned *k, enum inclusion *kind, struct failure *f)
{
	struct pinned_votes votes;
	int error = pinned_decide(k, vote_neither, k, &votes, f);

	*kind = INCLUSION_UNKNOWN;
	if (error)
		return error;
	if (pinned_surely(k, &votes)) {
		*kind = INCLUSION_NINE;
		return ask_again(k, kind, f);
	}
	k->own = (struct pinned_own){ .count = 0 };
	error = pinned_decide(k, vote_inclusive, k, &votes, f);
	if (!error && pinned_surely(k, &votes) && pinned_own_keeps(k))
		*kind = INCLUSION_INCLUSIVE;
	return error;
}

/* Once more where neither is sure: load from elsewhere may have used the sets. */
static int ask_both(struct pinned *k, enum inclusion *kind, struct failure *f)
{
	int error;

	for (int tries = 1;; tries++) {
		error = ask_once(k, kind, f);
		if (error || *kind != INCLUSION_UNKNOWN ||
		    tries == INCLUSION_TRIES)
			return error == -ERANGE ? 0 : error;
		k->p->m->ops->pause(k->p->m, TRIES_APART_MS);
	}
}

static void decide(struct cache_result *c, enum inclusion kind, double bound)
{
	parameter_measured(&c->inclusion_decision, kind, bound, METHOD);
	c->inclusion = kind;
}

/* Why the answer is not sure; NULL: it is. */
static const char *doubt(const struct pinned *k, enum inclusion kind)
{
	if (kind == INCLUSION_NINE && !(k->stray <= PINNED_STRAY))
		return "lines that should hit here and miss above do not all do so";
	if (kind == INCLUSION_INCLUSIVE && !k->spares_below &&
	    !isfinite(k->scales[PINNED_ABOVE].beyond))
		return "a level below may be what takes a pinned line away";
	if (kind == INCLUSION_UNKNOWN)
		return "a pinned line is neither lost for certain nor kept for certain";
	return NULL;
}

/* Several lines at a time, or one: *why it is not decided, or NULL. */
static int ask_so(struct pinned *k, enum inclusion *kind, const char **why,
		  struct failure *f)
{
	int error;

	*kind = INCLUSION_UNKNOWN;
	*why = pinned_prepare(k);
	if (*why)
		return 0;
	error = pinned_find_miss(k, f);
	if (!error)
		error = ask_both(k, kind, f);
	*why = doubt(k, *kind);
	return error;
}

static int ask_level(struct prober *p, struct hierarchy *h, size_t level,
		     struct failure *f)
{
	struct cache_result *c = &h->caches[level];
	struct parameter *to = &c->inclusion_decision;
	struct pinned k = {
		.p = p, .h = h, .holder = holder_of(h, level), .level = level
	};
	struct pinned one = k;
	enum inclusion kind;
	struct budget_scope scope = budget_open(&p->budget);
	const char *why, *still;
	int error = ask_so(&k, &kind, &why, f);
	double bound;

	/* A prefetcher may bring one of several lines for another. */
	one.alone = true;
	if (!error && why) {
		error = ask_so(&one, &kind, &still, f);
		why = still ? why : NULL;
	}
	bound = budget_close(&p->budget, &scope);
	if (error)
		return error;
	if (why)
		parameter_undecided(to, METHOD, "%s", why);
	else
		decide(c, kind, bound);
	to->by = k.scales[PINNED_ABOVE].counter &&
				 (kind != INCLUSION_NINE ||
				  k.scales[PINNED_HERE].counter) ?
			 "counters" :
			 "time";
	return 0;
}

/* What an exclusive level takes from is the level right above; that one may be
 * exclusive itself.
 */
static void add_victims(struct cache_result *c,
			const struct cache_result *above)
{
	const struct parameter *bytes = &above->capacity_bytes;

	if (parameter_is_measured(&c->effective_capacity_bytes) ||
	    c->inclusion != INCLUSION_EXCLUSIVE ||
	    !parameter_is_measured(&c->capacity_bytes))
		return;
	if (above->inclusion == INCLUSION_EXCLUSIVE)
		bytes = &above->effective_capacity_bytes;
	if (!parameter_is_measured(bytes) ||
	    (above->level > 1 && above->inclusion == INCLUSION_UNKNOWN))
		return;
	parameter_measured(&c->effective_capacity_bytes,
			   c->capacity_bytes.value + bytes->value,
			   c->capacity_bytes.error_bound + bytes->error_bound,
			   METHOD);
}

int inclusion_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t k = 1; !error && k < h->cache_count; k++) {
		struct cache_result *c = &h->caches[k];

		/* Known from how it was measured. */
		add_victims(c, c - 1);
		if (parameter_is_measured(&c->inclusion_decision))
			continue;
		prober_progress(p, "L%zu: inclusion", k + 1);
		if (parameter_is_measured(&c->capacity_bytes) &&
		    parameter_is_measured(&c->effective_capacity_bytes) &&
		    c->effective_capacity_bytes.value > c->capacity_bytes.value)
			decide(c, INCLUSION_EXCLUSIVE,
			       c->effective_capacity_bytes.error_bound);
		else
			error = ask_level(p, h, k, f);
	}
	h->tests = p->tests;
	return error;
}
