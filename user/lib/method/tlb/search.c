// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/finding.h"
#include "method/tlb/tuning.h"

#include <stdio.h>

/*
 * With random replacement in a set of a third of their number, a share h of the
 * pages survives a round, h = exp(-3 (1 - h)).
 */
#define RESIDUE 0.06

/* One more check that the answer must pass; otherwise there is a reason. */
static int expect(struct tlb_finding *s, uint64_t stride, size_t count,
		  enum verdict wanted, enum outcome *outcome, struct failure *f)
{
	enum verdict verdict;
	int error;

	if (*outcome != OUTCOME_DECIDED)
		return 0;
	error = tlb_compact(s, stride, count, &verdict, f);
	if (error)
		return error;
	*outcome = outcome_if(verdict == wanted, OUTCOME_OPEN);
	if (*outcome != OUTCOME_DECIDED && verdict != VERDICT_UNDECIDED)
		tlb_leave_open(s, stride, count,
			       wanted == VERDICT_COMPACT ?
				       "not compact, against Theorem 1" :
				       "compact, against Theorem 1");
	return 0;
}

/*
 * Sets: the smallest stride at which one page more than the ways still misses.
 */
static int descend(struct tlb_finding *s, enum outcome *outcome,
		   struct failure *f)
{
	s->sets = s->stride;
	while (*outcome == OUTCOME_DECIDED && s->sets > 1) {
		enum verdict verdict;
		int error =
			tlb_compact(s, s->sets / 2, s->ways + 1, &verdict, f);

		if (error)
			return error;
		*outcome =
			outcome_if(verdict != VERDICT_UNDECIDED, OUTCOME_OPEN);
		if (verdict != VERDICT_NON_COMPACT)
			break;
		s->sets /= 2;
	}
	return 0;
}

/*
 * Sets that are an odd multiple m of a power of two: at strides that are powers
 * of two, pages come round in m sets, which look like one of m times the ways.
 */
static int find_odd_sets(struct tlb_finding *s, enum outcome *outcome,
			 struct failure *f)
{
	size_t all = s->ways;

	for (size_t m = all; m >= 3 && *outcome == OUTCOME_DECIDED; m--) {
		enum verdict verdict;
		int error;

		if (m % 2 == 0 || all % m)
			continue;
		error = tlb_compact(s, m * s->sets, all / m + 1, &verdict, f);
		if (error)
			return error;
		*outcome =
			outcome_if(verdict != VERDICT_UNDECIDED, OUTCOME_OPEN);
		if (verdict != VERDICT_NON_COMPACT)
			continue;
		s->ways = all / m;
		s->sets *= m;
		s->g->index = INDEX_MODULO;
		break;
	}
	return 0;
}

/* Theorem 1 around the answer, then all of it in a row. */
static int verify(struct tlb_finding *s, struct failure *f)
{
	struct shape farther = tlb_shape(s->x, 3 * s->sets, s->ways + 1);
	enum outcome outcome = OUTCOME_DECIDED;
	int error = expect(s, s->sets, s->ways, VERDICT_COMPACT, &outcome, f);

	s->g->conflict = s->sets;
	if (!error)
		error = expect(s, s->sets, s->ways + 1, VERDICT_NON_COMPACT,
			       &outcome, f);
	if (!error && shape_span(&farther) <= s->x->view->pages)
		error = expect(s, 3 * s->sets, s->ways + 1, VERDICT_NON_COMPACT,
			       &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = tlb_find_group(s, &outcome, f);
	return error || outcome != OUTCOME_DECIDED ? error :
						     tlb_check_capacity(s, f);
}

static int time_dense(struct tlb_search *x, const struct shape *w,
		      struct failure *f)
{
	struct tlb_layout layout;
	int error = tlb_layout_place_dense(x->view, w, false, &layout, f);

	if (error)
		return error;
	error = tlb_view_time_layout(x->view, &layout, &x->dense_ticks, f);
	sequence_free(&layout.s);
	return error;
}

static int find_hit(struct tlb_search *x, struct failure *f)
{
	struct shape w;
	double above;
	int error;

	if (!x->upper) {
		error = tlb_view_time(x->view, NULL, CONTROL_WORDS,
				      &x->hit_ticks, f);
		x->dense_ticks = x->hit_ticks;
		return error;
	}
	w = tlb_control(x);
	error = tlb_view_time(x->view, &w, 0, &x->hit_ticks, f);
	if (!error)
		error = time_dense(x, &w, f);
	if (!error && x->dense_ticks <= 0)
		error = tlb_view_unseen(f);
	if (!error)
		error = tlb_view_time(x->view, NULL, CONTROL_WORDS, &above, f);
	if (!error && x->dense_ticks > above)
		x->residue_ticks = RESIDUE * (x->dense_ticks - above);
	return error;
}

int tlb_find_geometry(struct tlb_search *x, struct tlb_geometry *g,
		      struct failure *f)
{
	struct tlb_finding s = { .x = x, .g = g };
	enum outcome outcome = OUTCOME_OPEN;
	int error;

	*g = (struct tlb_geometry){ .index = INDEX_LINEAR };
	error = find_hit(x, f);
	if (!error)
		error = tlb_find_ways(&s, &outcome, f);
	if (error == -ERANGE) {
		snprintf(g->reason, sizeof(g->reason),
			 "a view has too few pages");
		return 0;
	}
	if (!error && !s.slow && s.untried) {
		g->unseen = true;
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu pages far apart are more than a view can show, and fewer never miss",
			s.untried);
	} else if (!error && !s.slow) {
		g->absent = true;
		snprintf(g->reason, sizeof(g->reason),
			 "up to %d pages far apart never miss", TLB_MOST_WAYS);
	}
	if (!error && outcome == OUTCOME_DECIDED)
		error = descend(&s, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = find_odd_sets(&s, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = verify(&s, f);
	return error;
}
