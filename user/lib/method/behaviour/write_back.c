// SPDX-License-Identifier: GPL-2.0
/*
 * write_back.c - whether the first level keeps what was written until it loses
 * the line.
 *
 * Three questions, each a sign test on placements of a pinned line (pinned.h).
 * (The sequences are ours; published methods count writes, which no counter
 * here does.)
 *
 * The second level is neither inclusive nor exclusive (vote_lost): a line that
 * the first level keeps is stored to, evicted from the second level once more,
 * in case that the store went through to it, and then from the first. Is it in
 * the second level then, as a line that is loaded instead is not? A placement
 * counts only where the first level is seen to keep the line all the time: one
 * that drops it has it brought back to the second level by its next use.
 *
 * The second level is inclusive (vote_unseen): to loads alone a modified line is
 * no other than a clean one, as the second level has both. But a store that is
 * written through is a use of the line there, and the line stays longer. Lines
 * evict it from the second level, and so from the first. Meanwhile it is loaded
 * from the first level (and lost in spite of that), or the first level loses it
 * and it is stored to, which the second one sees (and it is there in the end),
 * or it is stored to in the first level: is it lost like the one, or there like
 * the other?
 *
 * A second level that is not inclusive may let what the first one writes back
 * pass where it has lost the line itself, so that nothing comes back to it. Then
 * the second question is put to it, too: about a line that it still has when it
 * is stored to, and looked for once the first level has lost it.
 *
 * Both only prove write-back: that a line is there may have other reasons. The
 * third question proves that stores are written through (vote_through): the line
 * is loaded and stored to, and so modified in a first level that writes back.
 * Others evict it from the second level; in between the first level is used once
 * more, by a load or by a store. In a first level that writes back both are the
 * same to the second one.
 */
#include <errno.h>

#include "method/behaviour/behaviour.h"
#include "method/behaviour/write_back_acts.h"

#define METHOD "pinned line, stored to"

/**
 * struct question - the first level holds, the second one loses
 * @k: these
 * @leaks: (out) placements where the first level did not keep the line
 * @gone: (out) placements where the line was lost, stored to or not
 * @before, @after: lines that push, of the last placement that voted;
 *                  0: there was none
 */
struct question {
	struct pinned k;
	unsigned int leaks;
	unsigned int gone;
	size_t before;
	size_t after;
};

/*
 * As many lines as are drawn, but no more than there are. Most numbers say
 * nothing; those that did once may again. Where both acts are the same to the
 * level, a placement says either by chance, whatever its numbers are.
 */
static void draw_lines(const struct question *q, size_t least, size_t most,
		       struct pinned_act *act)
{
	const struct pinned *k = &q->k;
	struct rng *rng = &k->p->rng;

	act->before = least + rng_below(rng, most);
	act->after = 1 + rng_below(rng, pinned_ways(k, 1));
	if (act->before + act->after > k->wanted)
		act->after = k->wanted - act->before;
	if (q->after && rng_below(rng, 2)) {
		act->before = q->before;
		act->after = q->after;
	}
}

/* @silent: placements that say nothing count as such */
static void count(struct question *q, const struct pinned_act *act,
		  const enum pinned_fate *fates, bool silent,
		  struct pinned_votes *votes)
{
	struct pinned_votes vote = { .for_it = 0 };

	pinned_count(fates, &vote);
	votes->for_it += vote.for_it;
	votes->against += vote.against;
	votes->nothing += vote.nothing && silent;
	if (vote.nothing)
		return;
	q->before = act->before;
	q->after = act->after;
}

/* What is stored to in the first level, and what the second level sees stored
 * to, where what is only loaded is lost.
 */
static int ask_unseen(struct question *q, const struct pinned_place *at,
		      struct pinned_act act, struct pinned_votes *votes,
		      struct failure *f)
{
	struct pinned_act acts[] = { act, act };
	enum pinned_fate fates[2], loaded;
	int error;

	act.how = ACT_LOADED;
	error = pinned_fate(&q->k, at, &act, &loaded, f);
	if (error || loaded != PINNED_LOST)
		return error;
	acts[0].how = ACT_SEEN;
	acts[1].how = ACT_STORED;
	error = pinned_fates(&q->k, at, acts, fates, f);
	if (!error)
		count(q, &act, fates, fates[0] == PINNED_THERE, votes);
	return error;
}

static int vote_unseen(void *context, const struct pinned_place *at,
		       struct pinned_votes *votes, struct failure *f)
{
	struct question *q = context;
	struct pinned_act act = { .lay = write_back_lay_unseen };

	draw_lines(q, 1, pinned_ways(&q->k, 1), &act);
	return ask_unseen(q, at, act, votes, f);
}

/*
 * The same of a line that the second level has when it is stored to: a store that
 * is written through is a use of it there, and one use is enough to keep it.
 */
static int vote_apart(void *context, const struct pinned_place *at,
		      struct pinned_votes *votes, struct failure *f)
{
	struct question *q = context;
	struct pinned_act act = { .lay = write_back_lay_apart,
				  .how = ACT_USED },
			  before;
	enum pinned_fate used, had = PINNED_UNCLEAR;
	int error;

	draw_lines(q, 1, pinned_ways(&q->k, 1), &act);
	before = act;
	before.lay = write_back_lay_before;
	error = pinned_fate(&q->k, at, &act, &used, f);
	if (!error && used == PINNED_THERE)
		error = pinned_fate(&q->k, at, &before, &had, f);
	if (error || had != PINNED_THERE)
		return error;
	return ask_unseen(q, at, act, votes, f);
}

/* What was stored to and what was not. */
static int vote_lost(void *context, const struct pinned_place *at,
		     struct pinned_votes *votes, struct failure *f)
{
	struct question *q = context;
	/* A store that is written through must not find it in the second. */
	const struct pinned_act acts[] = {
		{ .lay = write_back_lay_lost,
		  .how = ACT_STORED,
		  .before = q->k.wanted,
		  .after = q->k.wanted },
		{ .lay = write_back_lay_lost,
		  .how = ACT_LOADED,
		  .before = q->k.wanted,
		  .after = q->k.wanted },
	};
	enum pinned_fate fates[2];
	bool leaks = false;
	int error = pinned_fates(&q->k, at, acts, fates, f);

	if (!error && fates[0] == PINNED_THERE && fates[1] == PINNED_LOST)
		error = pinned_leak(&q->k, at, &leaks, f);
	if (error)
		return error;
	q->leaks += leaks;
	q->gone += fates[0] == PINNED_LOST && fates[1] == PINNED_LOST;
	if (leaks)
		votes->nothing++;
	else
		pinned_count(fates, votes);
	return 0;
}

/* What is stored to once more and what is loaded instead. Many numbers of lines
 * that push show nothing.
 */
static int vote_through(void *context, const struct pinned_place *at,
			struct pinned_votes *votes, struct failure *f)
{
	struct question *q = context;
	size_t above = pinned_ways(&q->k, 0), ways = pinned_ways(&q->k, 1);
	struct pinned_act acts[2] = {
		{ .lay = write_back_lay_through, .how = ACT_STORED },
		{ .lay = write_back_lay_through, .how = ACT_LOADED },
	};
	enum pinned_fate fates[2];
	int error;

	/* One that evicts lines in the order in which they came keeps it so long. */
	draw_lines(q, 0, above < ways ? above : ways, &acts[0]);
	acts[1].before = acts[0].before;
	acts[1].after = acts[0].after;
	error = pinned_fates(&q->k, at, acts, fates, f);
	if (!error)
		count(q, &acts[0], fates, false, votes);
	return error;
}

/* Why placements do not agree: what became of them. */
static const char *why_not(const struct question *q, bool inclusive,
			   const struct pinned_votes *votes)
{
	if (inclusive)
		return votes->nothing ?
			       "what is stored to stays in the second level like what that one sees: written through, or the first level had lost it" :
			       "nothing that the second level sees keeps a line there";
	if (q->leaks)
		return "the first level does not keep a line that is used again and again";
	if (q->gone)
		return "what was stored does not come back to the second level: written through, or not taken there";
	return "lines that were not stored to are not lost for certain";
}

/* One question: *@why it says nothing, or NULL. */
static int ask_one(struct question *q, pinned_vote vote, bool inclusive,
		   const char **why, struct failure *f)
{
	struct pinned_votes votes;
	int error;

	q->k.stray = 0;
	q->k.off = (struct stray){ .most = 0 };
	q->before = q->after = 0;
	error = pinned_decide(&q->k, vote, q, &votes, f);
	if (error && error != -ERANGE)
		return error;
	*why = NULL;
	if (!(q->k.stray <= PINNED_STRAY))
		*why = "lines that should hit in the second level do not all do so";
	else if (!pinned_surely(&q->k, &votes))
		*why = why_not(q, inclusive, &votes);
	return 0;
}

/* Why it is not decided, or NULL: *@value is the answer. */
static int ask_all(struct question *q, bool inclusive, double *value,
		   const char **why, struct failure *f)
{
	const char *no;
	int error = ask_one(q, inclusive ? vote_unseen : vote_lost, inclusive,
			    why, f);

	*value = 1;
	no = *why;
	if (!error && no && !inclusive)
		error = ask_one(q, vote_apart, false, &no, f);
	if (!error && no) {
		*value = 0;
		error = ask_one(q, vote_through, inclusive, &no, f);
	}
	if (!no)
		*why = NULL;
	return error;
}

/* Several lines at a time, or one. */
static int ask_so(struct question *q, bool inclusive, double *value,
		  const char **why, struct failure *f)
{
	int error = 0;

	*why = pinned_prepare(&q->k);
	if (!*why)
		error = pinned_find_miss(&q->k, f);
	if (!*why && q->k.assumed)
		*why = "what a miss costs is not known";
	if (error || *why)
		return error;
	return ask_all(q, inclusive, value, why, f);
}

static int ask_first_level(struct prober *p, const struct hierarchy *h,
			   struct parameter *to, struct failure *f)
{
	const bool inclusive = h->caches[1].inclusion == INCLUSION_INCLUSIVE;
	struct question q = {
		.k = { .p = p, .h = h, .level = 1, .clears_below = true }
	};
	struct question one = q;
	struct budget_scope scope = budget_open(&p->budget);
	const char *why, *still;
	double value = 0, bound;
	int error = ask_so(&q, inclusive, &value, &why, f);

	/* A prefetcher may bring one of several lines for another. Whether the first
	 * level keeps a line all the time, one alone does not show.
	 */
	one.k.alone = true;
	if (!error && why && inclusive) {
		error = ask_so(&one, inclusive, &value, &still, f);
		why = still ? why : NULL;
	}
	bound = budget_close(&p->budget, &scope);
	if (error)
		return error;
	if (why)
		parameter_undecided(to, METHOD, "%s", why);
	else
		parameter_measured(to, value, bound, METHOD);
	to->by = q.k.scales[PINNED_HERE].counter ? "counters" : "time";
	return 0;
}

static int ask_if_known(struct prober *p, const struct hierarchy *h,
			struct parameter *to, struct failure *f)
{
	const enum inclusion below = h->caches[1].inclusion;

	if (below == INCLUSION_INCLUSIVE || below == INCLUSION_NINE)
		return ask_first_level(p, h, to, f);
	parameter_undecided(
		to, METHOD,
		"the level below takes lines that are not modified, or may do so");
	return 0;
}

int write_back_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	int error = 0;

	for (size_t k = 1; k < h->cache_count; k++)
		parameter_unavailable(
			&h->caches[k].write_back,
			"only writes of a level below would show it, and no counter counts them");
	if (!h->cache_count)
		return 0;
	prober_progress(p, "L1: write-back");
	if (h->cache_count > 1)
		error = ask_if_known(p, h, &h->caches[0].write_back, f);
	else
		parameter_undecided(
			&h->caches[0].write_back, METHOD,
			"there is no level below that could show it");
	h->tests = p->tests;
	return error;
}
