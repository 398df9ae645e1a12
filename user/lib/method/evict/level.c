// SPDX-License-Identifier: GPL-2.0
/* level.c - latency of the level below, and whether it takes victims. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/evict/internal.h"
#include "method/evict/tuning.h"

/* Twice as many evicting lines must not change more than that. */
#define STEADY 0.05
/* Or more of a level's latency than of the one above. */
#define CLEARLY_SLOWER 1.25
/* Of placements by chance: where one in a hundred will do, none is found with a
 * probability of 1e-8. A trial places anew for each block, and ends without an
 * answer where one block finds none.
 */
#define TRIES 2000

/* Lines of one page, no neighbours, in sets of their own. */
static int time_page(void *context, double *ticks, struct failure *f)
{
	struct evictor *ev = context;
	struct prober *p = ev->p;
	uint64_t lines[EVICT_LINES], page;
	struct evict_walk w = { .lines = lines,
				.touch = true,
				.rounds = EVICT_ROUNDS };
	struct readings r;
	int error;

	r.count = 0;
	page = p->arena_offset +
	       rng_below(&p->rng, p->arena_bytes / EVICT_PAGE_BYTES) *
		       EVICT_PAGE_BYTES;
	while (2 * w.count * ev->line_bytes < EVICT_PAGE_BYTES / 2 &&
	       w.count < EVICT_LINES) {
		lines[w.count] = page + 2 * w.count * ev->line_bytes;
		w.count++;
	}
	error = evict_flush_sets(ev, lines, w.count, f);
	if (!error)
		error = evict_observe(ev, &w, &r, f);
	*ticks = r.count ? statistics_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}

int evict_measure_latency(struct evictor *ev, struct latency_finding *found,
			  struct failure *f)
{
	const struct shape words = prober_words(ev->p);
	struct latency l, more = { NAN, NAN, NAN };
	int error = latency_of_trials(ev->p, time_page, ev, &l, f);

	if (!error)
		error = prober_time(ev->p, &words, 0, &ev->first_ticks, f);
	ev->evict_count *= 2;
	if (!error)
		error = latency_of_trials(ev->p, time_page, ev, &more, f);
	ev->evict_count /= 2;
	if (error)
		return error;
	ev->hit_ticks = l.ticks;
	ev->penalty_ticks = ev->memory_ticks - ev->hit_ticks;
	found->steady = fabs(more.ticks - l.ticks) <= STEADY * l.ticks &&
			l.ticks > CLEARLY_SLOWER * ev->above_ticks;
	found->decided = false;
	if (found->steady && latency_same(&more, &l)) {
		found->method = EVICT_METHOD;
		found->decided = true;
		found->latency = l;
		/* Other translations are there. */
		latency_take_off(&found->latency, ev->p->page_ticks);
	}
	if (found->steady)
		error = evict_find_penalty(ev, f);
	if (error || found->decided)
		return error;
	latency_leave_open(
		found, EVICT_METHOD,
		"%.2f ns after %zu lines of its set, %.2f ns after %zu: the level above keeps some whatever comes",
		l.ns, ev->evict_count, more.ns, 2 * ev->evict_count);
	return 0;
}

/**
 * struct exchange - lines of one set, some of which come back and are replaced
 * @lines: that many as the level has ways; the first of them come back
 * @added: those that come instead
 */
struct exchange {
	uint64_t lines[EVICT_LINES];
	uint64_t added[EVICT_LINES];
};

/* Do those that come instead leave those that came back where they are? */
static bool apart(const struct evictor *ev, const struct exchange *e,
		  size_t kept)
{
	for (size_t i = 0; i < kept; i++)
		for (size_t j = 0; j < kept; j++)
			if (!evict_spares(ev, e->added[j], e->lines[i]))
				return false;
	return true;
}

/* Rows of @level in a random order; @control: in as many sets. */
static bool place_exchange(struct evictor *ev, const struct xray_level *level,
			   size_t kept, struct exchange *test,
			   struct exchange *control)
{
	const struct evict_rows rows = { .stride = level->way_bytes,
					 .count = level->ways + kept,
					 .anywhere = true };
	uint64_t lines[2][EVICT_LINES];
	size_t order[EVICT_LINES] = { 0 };

	for (int tries = 0; tries < TRIES; tries++) {
		if (rows.count > EVICT_LINES ||
		    !evict_place(ev, &rows, lines[0], lines[1]))
			return false;
		for (size_t i = 0; i < rows.count; i++) {
			size_t j = rng_below(&ev->p->rng, i + 1);

			order[i] = order[j];
			order[j] = i;
		}
		for (size_t i = 0; i < level->ways; i++) {
			test->lines[i] = lines[0][order[i]];
			control->lines[i] = lines[1][order[i]];
		}
		for (size_t i = 0; i < kept; i++) {
			test->added[i] = lines[0][order[level->ways + i]];
			control->added[i] = lines[1][order[level->ways + i]];
		}
		if (apart(ev, test, kept))
			return true;
	}
	return false;
}

/* Are those that came back still in the hashed level then? One that is not makes
 * the lines below too many, as if the level below had kept what came back.
 */
static int stay(struct evictor *ev, struct evict_walk w, enum outcome *outcome,
		struct failure *f)
{
	const double most =
		(ev->first_ticks + ev->above_ticks +
		 (ev->hit_ticks - ev->above_ticks) / 2 / (double)w.kept_count) /
		EVICT_SPACED;
	struct readings r;
	int error;

	w.time_kept = true;
	error = evict_observe(ev, &w, &r, f);
	*outcome = outcome_if(r.count == EVICT_SAMPLES &&
				      statistics_quantile(r.values, r.count,
							  1) < most,
			      OUTCOME_VOID);
	return error;
}

/**
 * struct swap - the question of evict_takes_victims()
 * @ev: as it is
 * @level: whose ways they fill
 * @kept: lines that come back
 * @e: lines now, and as many in as many sets
 */
struct swap {
	struct evictor *ev;
	const struct xray_level *level;
	size_t kept;
	struct exchange e[TRIAL_SIDES];
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct swap *s = context;

	(void)b;
	(void)f;
	return evict_draw(s->ev) && place_exchange(s->ev, s->level, s->kept,
						   &s->e[TRIAL_TEST],
						   &s->e[TRIAL_CONTROL]) ?
		       0 :
		       -ERANGE;
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	const struct swap *s = context;
	const struct evict_walk w = { .lines = s->e[side].lines,
				      .count = s->level->ways,
				      .kept_count = s->kept,
				      .added = s->e[side].added,
				      .added_count = s->kept,
				      .spaced = true,
				      .rounds = EVICT_ROUNDS };
	bool test = side == TRIAL_TEST;
	enum outcome kept = OUTCOME_DECIDED;
	int error = evict_flush_sets(s->ev, w.lines, w.count, f);

	if (!error && test)
		error = stay(s->ev, w, &kept, f);
	if (!error && kept == OUTCOME_DECIDED)
		error = evict_observe(s->ev, &w, &b->of[side], f);
	if (!error && kept == OUTCOME_DECIDED && test)
		error = stay(s->ev, w, &kept, f);
	if (kept != OUTCOME_DECIDED)
		b->of[side].count = 0;
	return error;
}

int evict_takes_victims(struct evictor *ev, const struct xray_level *level,
			enum verdict *takes, struct failure *f)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe };
	size_t kept = (level->ways + KEPT_SHARE - 1) / KEPT_SHARE;
	struct swap s = { .ev = ev,
			  .level = level,
			  .kept = kept < MOST_KEPT ? kept : MOST_KEPT };
	struct trial t = evict_trial(ev, &ops, &s, level->ways);
	int error;

	*takes = VERDICT_UNDECIDED;
	t.failed_counts = true;
	error = trial_run(&t, takes, f);
	if (error == -ERANGE)
		*takes = VERDICT_UNDECIDED;
	return error == -ERANGE ? 0 : error;
}

int evict_ends(struct evictor *ev, const struct xray_level *level,
	       enum outcome *outcome, struct failure *f)
{
	struct evict_rows rows = { .stride = level->way_bytes,
				   .count = 2 * level->ways };
	uint64_t test[EVICT_LINES], control[EVICT_LINES];
	const struct evict_walk w = { .lines = test,
				      .count = rows.count,
				      .rounds = EVICT_ROUNDS };
	struct readings r;
	int error;

	*outcome = OUTCOME_OPEN;
	if (rows.count > EVICT_LINES || !evict_place(ev, &rows, test, control))
		return 0;
	error = evict_observe(ev, &w, &r, f);
	*outcome = outcome_if(
		!error && r.count &&
			statistics_quantile(r.values, r.count, 0.25) >
				LEVEL_END_SHARE * ev->memory_ticks,
		OUTCOME_OPEN);
	return error;
}
