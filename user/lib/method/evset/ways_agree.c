// SPDX-License-Identifier: GPL-2.0
/* ways_agree.c - the ways of a minimal set, counted in two more ways. */
#include "method/evset/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/misses_below.h"
#include "method/evset/tuning.h"
#include "method/probe/time_limit.h"

#define CHECKS 4
/* Checks of lines that are moved in their pages, to sets with less contention.
 */
#define MOVED_CHECKS 12
#define MORE_TRIED 4096
/* In clusters each third line is of the set. */
#define MORE_SIMILAR_TRIED 128
#define SUBSETS 3
/* Of 64 offsets in a page, for each of some sets: a neighbour's part of a page
 * is seldom at all of them.
 */
#define PLACES 8

/*
 * A line that may share the set: any one of the window; or in contiguous memory
 * one as far from a third member as two are from each other, which an index
 * that is linear over GF(2) puts into the same set.
 */
static uint64_t likely_line(struct evset_machine *e,
			    const struct evset_set *set)
{
	struct rng *rng = &e->x->prober->rng;
	size_t places = e->window.bytes / e->window.low_bytes;
	uint64_t line = 0;

	/* Half of the time: the cluster may have no more lines of the set. */
	if (e->search.pools && rng_below(rng, 2))
		return evset_cluster_pools_similar(
			e, set->lines[rng_below(rng, set->count)]);
	if (!e->window.contiguous || rng_below(rng, 2))
		return e->window.begin + set->lines[0] % e->window.low_bytes +
		       rng_below(rng, places) * e->window.low_bytes;
	for (int i = 0; i < 3; i++)
		line ^= set->lines[rng_below(rng, set->count)] -
			e->window.begin;
	return e->window.begin + line;
}

/* Does a line of the set have a cluster? */
static bool has_similar(struct evset_machine *e, const struct evset_set *set)
{
	for (size_t i = 0; e->search.pools && i < set->count; i++)
		if (evset_cluster_pools_similar(e, set->lines[i]) !=
		    set->lines[i])
			return true;
	return false;
}

int evset_gather_more(struct evset_machine *e, const struct evset_set *set,
		      uint64_t *more, size_t *count, struct failure *f)
{
	const size_t most = has_similar(e, set) ? MORE_SIMILAR_TRIED :
						  MORE_TRIED;
	int error = 0;

	*count = 0;
	for (size_t i = 0; !error && *count < EVSET_MORE && i < most; i++) {
		uint64_t line = likely_line(e, set);
		enum verdict verdict = VERDICT_UNDECIDED;

		if (evset_set_holds(set, line) ||
		    evset_holds(more, *count, line))
			continue;
		error = evset_congruent(&e->o, set, line, false, &verdict, f);
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = evset_congruent(&e->o, set, line, true,
						&verdict, f);
		if (verdict == VERDICT_NON_COMPACT)
			more[(*count)++] = line;
	}
	return error;
}

/* Any A of the congruent lines are compact, no A + 1 of them are. */
static int check_subsets(struct evset_machine *e, const struct evset_set *set,
			 uint64_t *lines, size_t count, size_t ways,
			 enum outcome *outcome, struct failure *f)
{
	struct sequence all = { lines, count };
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (int i = 0; !error && *outcome == OUTCOME_DECIDED && i < SUBSETS;
	     i++) {
		enum verdict fits = VERDICT_UNDECIDED, over = fits;

		sequence_shuffle(&all, &e->x->prober->rng);
		error = evset_ask_set(&e->o, set, lines, ways, true, &fits, f);
		if (!error)
			error = evset_ask_set(&e->o, set, lines, ways + 1, true,
					      &over, f);
		*outcome = outcome_if(fits == VERDICT_COMPACT &&
					      over == VERDICT_NON_COMPACT,
				      OUTCOME_OPEN);
	}
	return error;
}

/*
 * Hits of a round, N - misses, grow by one with each line up to A, and no
 * policy keeps more than A lines then: the most hits of any N are A.
 *
 * An inclusive level below that loses a line takes it from this level, too, at
 * the cost of a miss of both: lines of a set of that level seem to miss more
 * often than there are lines. The penalty may be too small, if candidates
 * overflowed few sets before they were slow; whole pages correct it.
 */
static int most_hits(struct evset_machine *e, const struct evset_set *set,
		     const uint64_t *lines, size_t count, size_t from,
		     double *most, bool *below, struct failure *f)
{
	const double miss = fmax(e->scale.penalty, e->scale.whole_penalty) /
			    e->scale.penalty;
	uint64_t list[2 * EVSET_MOST_WAYS + EVSET_MOST_EVICTORS];

	*most = 0;
	*below = false;
	for (size_t n = from; n <= count; n++) {
		size_t all = evset_with_evictors(set, lines, n, list);
		double share = 0;
		int error;

		error = evset_list_misses(
			e, list, all, set->evictor_count ? n : 0, &share, f);
		if (error)
			return error;
		*most = fmax(*most, (double)n - share * (double)all);
		*below |= share * (double)all >
			  EVSET_BELOW_TIMES * miss * (double)n;
	}
	return 0;
}

/**
 * struct checked - lines of one set, and two more counts of its ways
 * @set: a minimal one
 * @lines: its lines, then more of the set; @count in all
 * @minimal: OUTCOME_DECIDED: any A of them are compact, no A + 1 of them are
 * @hits: the most lines of a list that hit
 * @below: the lines miss further below, too
 */
struct checked {
	struct evset_set set;
	uint64_t lines[EVSET_MOST_WAYS + 1 + EVSET_MORE];
	size_t count;
	enum outcome minimal;
	double hits;
	bool below;
};

static int check_counts(struct evset_machine *e, struct checked *c,
			struct failure *f)
{
	const size_t ways = c->set.count - 1;
	int error = check_subsets(e, &c->set, c->lines, c->count, ways,
				  &c->minimal, f);

	if (!error && c->minimal == OUTCOME_DECIDED)
		error = most_hits(e, &c->set, c->lines, c->count,
				  ways > 3 ? ways - 2 : 1, &c->hits, &c->below,
				  f);
	if (!error && c->minimal == OUTCOME_DECIDED && !c->below)
		error = evset_misses_below(e, &c->set, c->lines, c->count,
					   &c->below, f);
	return error;
}

/* A, or 0 and a reason. */
static uint64_t conclude(const struct checked *c, char *reason, size_t size)
{
	const size_t ways = c->set.count - 1;

	if (c->minimal != OUTCOME_DECIDED)
		snprintf(
			reason, size,
			"%zu lines are a minimal set, but not every choice of as many lines of that set is",
			ways + 1);
	else if (c->below)
		snprintf(
			reason, size,
			"%zu lines are a minimal set, but miss further below: it may be that of an inclusive level there",
			ways + 1);
	else if (fabs(c->hits - (double)ways) > 0.5)
		snprintf(
			reason, size,
			"%zu lines are a minimal set, but at most %.1f lines hit",
			ways + 1, c->hits);
	else
		return ways;
	return 0;
}

/* All lines of the set are moved by @by in their pages. */
static int cross_check(struct evset_machine *e, const struct evset_set *at,
		       uint64_t by, uint64_t *checked, char *reason,
		       size_t size, struct failure *f)
{
	struct checked c = { .hits = 0 };
	size_t more = 0;
	int error;

	*checked = 0;
	memcpy(c.lines, at->lines, at->count * sizeof(*c.lines));
	error = evset_gather_more(e, at, c.lines + at->count, &more, f);
	evset_move_set(e, at, by, &c.set);
	c.count = at->count + more;
	for (size_t i = 0; i < c.count; i++)
		c.lines[i] = evset_move_line(e, c.lines[i], by);
	if (!error && more < EVSET_MORE / 2) {
		snprintf(reason, size,
			 "only %zu more lines of the same set were found",
			 more);
		return 0;
	}
	if (!error)
		error = check_counts(e, &c, f);
	if (!error)
		*checked = conclude(&c, reason, size);
	return error;
}

int evset_ways_crosscheck(struct evset_machine *e, struct evset_set *sets,
			  size_t count, uint64_t *ways, char *reason,
			  size_t size, struct failure *f)
{
	const size_t checks = e->window.splintered ? MOVED_CHECKS : CHECKS;
	struct machine *m = e->x->prober->m;
	int error = cross_check(e, &sets[0], 0, ways, reason, size, f);

	for (size_t i = 1; !error && !*ways && i < checks; i++) {
		const uint64_t by = e->window.splintered ? evset_draw_move(e) :
							   0;
		const struct evset_set first = sets[0];
		size_t other = i % count;

		/* Contention may end, or a moment's disturbance. */
		m->ops->pause(m, other > 1 && !e->window.splintered ?
					 CHECKS_PAUSE_MS :
					 MOMENT_MS);
		sets[0] = sets[other];
		sets[other] = first;
		error = cross_check(e, &sets[0], by, ways, reason, size, f);
		if (!error && *ways) {
			const struct evset_set at = sets[0];

			evset_move_set(e, &at, by, &sets[0]);
		}
	}
	return error;
}

bool evset_is_still_minimal(struct evset_machine *e,
			    const struct evset_set *set)
{
	struct prober *p = e->x->prober;
	enum outcome still = OUTCOME_OPEN;
	struct failure unused = { .text = "" };
	struct time_limit before;

	time_limit_lift(p, &before);
	prober_progress(p, "L%zu: a later look", e->x->upper_count + 1);
	evset_allow(e);
	evset_overflows(&e->o, set, true, &still, &unused);
	time_limit_restore(p, &before);
	return still == OUTCOME_DECIDED;
}

/* VERDICT_COMPACT: by a final answer. */
static int fits_moved(struct evset_machine *e, const struct evset_set *moved,
		      enum verdict *verdict, struct failure *f)
{
	int error = evset_ask_set(&e->o, moved, moved->lines, moved->count,
				  false, verdict, f);

	if (!error && *verdict == VERDICT_COMPACT)
		error = evset_ask_set(&e->o, moved, moved->lines, moved->count,
				      true, verdict, f);
	return error;
}

/* As many of the set's other lines, @count of them, as make it overflow where
 * it is moved.
 */
static int grow(struct evset_machine *e, const uint64_t *more, size_t count,
		uint64_t by, struct evset_set *larger, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	for (size_t i = 0; !error && verdict == VERDICT_COMPACT && i < count &&
			   larger->count <= EVSET_MOST_WAYS;
	     i++) {
		larger->lines[larger->count++] =
			evset_move_line(e, more[i], by);
		error = evset_ask_set(&e->o, larger, larger->lines,
				      larger->count, true, &verdict, f);
	}
	if (!error && verdict == VERDICT_NON_COMPACT)
		error = evset_verify(&e->o, larger, &outcome, f);
	if (outcome != OUTCOME_DECIDED)
		larger->count = 0;
	return error;
}

int evset_ways_recheck(struct evset_machine *e, const struct evset_set *set,
		       struct evset_set *larger, struct failure *f)
{
	uint64_t more[EVSET_MORE];
	size_t count = 0;
	bool found = false;
	int error = 0;

	for (int i = 0; !error && !found && i < PLACES; i++) {
		const uint64_t by = evset_draw_move(e);
		enum verdict verdict = VERDICT_UNDECIDED;

		evset_move_set(e, set, by, larger);
		error = fits_moved(e, larger, &verdict, f);
		if (error || verdict != VERDICT_COMPACT)
			continue;
		/* Once, and only if they are needed. */
		if (!count)
			error = evset_gather_more(e, set, more, &count, f);
		if (error || !count)
			break;
		error = grow(e, more, count, by, larger, f);
		found = !error && larger->count;
	}
	if (!found)
		larger->count = 0;
	return error;
}
