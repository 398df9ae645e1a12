// SPDX-License-Identifier: GPL-2.0
/* share.c - are two translation arrays one? */
#include "method/tlb/hierarchy.h"

#include <errno.h>
#include <math.h>

#include "method/tlb/tuning.h"
#include "observe/sampler.h"

/* With fewer undisturbed trials nothing is decided. */
#define LEAST_TRIALS (SHARE_TRIALS / 4)
/* Shares of the time that the loss of all translations costs. */
#define LOST 0.5
#define KEPT 0.25
#define NEITHER ((LOST + KEPT) / 2)
/*
 * Losing all translations costs at most this many times the penalties of the
 * levels.
 */
#define COSTS_MORE 2
/*
 * A level of which each set has this many times as many ways as pages were visited in
 * it loses at most a quarter of these, under any policy.
 */
#define KEEPS 4
#define KEEP_SHARE 8
#define ROW_STRIDE 17
/* A sweep is twice as long as an array; an eighth of it are few pages. */
#define FEW 8

/* A row of pages that visits all sets of an array. */
static struct shape row_of(const struct tlb_geometry *g, size_t count)
{
	uint64_t stride = g->group > 1 ? g->group : ROW_STRIDE;

	return (struct shape){ .inner = 1,
			       .stride = g->index == INDEX_HASHED ? 1 : stride,
			       .outer = count };
}

/* Time one round after @warm_rounds. @ticks: (out) per load; 0: disturbed */
static int one_round(struct prober *p, const struct tlb_layout *layout,
		     unsigned int warm_rounds, double *ticks, struct failure *f)
{
	const struct walk_plan plan = { .flags = warm_rounds ? 0 : WALK_AT_ONCE,
					.warm_rounds = warm_rounds,
					.loads = 1,
					.samples = 1 };
	struct sample sample;
	int error;

	if (prober_stopped(p))
		return -EINTR;
	error = p->m->ops->view_walk(layout->view, &layout->s, &plan, &sample,
				     f);
	if (!error)
		*ticks = sample.disturbed || !sample.loads ?
				 0 :
				 sample.ticks / (double)sample.loads;
	return error;
}

/* Rows visit all sets alike. */
static bool keeps(const struct tlb_geometry *g, size_t pages)
{
	return g->found && g->ways >= KEEPS * ((pages + g->sets - 1) / g->sets);
}

/*
 * Most that a lost translation costs after @others pages, in misses of this
 * level: a level below whose sets have room for many times as many keeps it.
 */
static double cost_of_lost(struct tlb_array a, size_t others)
{
	double all = a.tlbs->levels[a.level].penalty_ticks;

	for (int i = a.level + 1; i < TLB_LEVELS; i++) {
		const struct tlb_level *l = &a.tlbs->levels[i];

		if (keeps(&l->geometry, others))
			break;
		all += l->penalty_ticks;
	}
	return all / a.tlbs->levels[a.level].penalty_ticks;
}

/*
 * Lost translations miss each time, and cost what the levels cost. Losses now
 * and then, or more costly ones, are cache lines that were lost by chance.
 */
static double believed(const double *shares, size_t count, double most)
{
	double share = statistics_middle(shares, count);
	double low = statistics_peek(shares, count, 0.25);

	if (share > LOST && (low <= LOST || share > COSTS_MORE * most))
		return NEITHER;
	return share;
}

/* Misses of @a in the round after a sweep, against a round after no sweep. */
static int lost_share(struct prober *p, struct tlb_array a,
		      const struct tlb_layout *kept,
		      const struct tlb_layout *swept, double *share,
		      struct failure *f)
{
	const double penalty = a.tlbs->levels[a.level].penalty_ticks;
	double shares[SHARE_TRIALS];
	size_t count = 0;

	for (int i = 0; i < SHARE_TRIALS; i++) {
		double settled = 0, unused, after = 0;
		int error = one_round(p, kept, 8, &settled, f);

		if (!error)
			error = one_round(p, kept, 0, &settled, f);
		if (!error)
			error = one_round(p, swept, 2, &unused, f);
		if (!error)
			error = one_round(p, kept, 0, &after, f);
		if (error)
			return error;
		if (settled > 0 && after > 0)
			shares[count++] = (after - settled) / penalty;
	}
	if (count < LEAST_TRIALS)
		return tlb_view_unseen(f);
	*share = believed(shares, count, cost_of_lost(a, swept->s.length));
	return 0;
}

/*
 * Translations to keep: half of an array, and more than the levels above hold.
 */
static size_t to_keep(struct tlb_array a)
{
	const struct tlb_level *l = &a.tlbs->levels[a.level];
	size_t keep = (l->geometry.entries + 1) / 2, upper;

	if (!a.level)
		return keep;
	upper = a.tlbs->levels[a.level - 1].geometry.entries;
	if (keep > KEEP_SHARE * upper)
		keep = KEEP_SHARE * upper;
	return keep < 2 * upper ? 0 : keep;
}

/* A view that is as long as the shape. */
static int open_for(struct tlb_view *v, const struct tlb_hierarchy *tlbs,
		    const struct shape *w, struct prober *p,
		    const struct cache_result *cache, struct failure *f)
{
	uint64_t pages = TLB_LEAST_PAGES;

	while (pages < shape_span(w))
		pages *= 2;
	return tlb_hierarchy_open_view(tlbs, p, cache, pages, false, v, f);
}

/*
 * Number of pages that show all lines of a view, each at its place in the first
 * cache.
 */
static uint64_t pages_of_lines(const struct tlb_view *v,
			       const struct tlb_layout *layout)
{
	return layout->view->request.frames * v->colors;
}

static void fold_pages(struct tlb_layout *layout, uint64_t bytes)
{
	for (size_t i = 0; i < layout->s.length; i++)
		layout->s.offsets[i] %= bytes;
}

/*
 * Lines of the swept pages may evict lines of the kept ones, which looks like
 * lost translations: an inclusive level soon loses new lines. The same lines,
 * visited through few pages, then cause the same loss.
 */
static int sweep(struct tlb_array a, struct tlb_view *kept_view,
		 const struct shape *keep, struct tlb_view *swept_view,
		 const struct shape *sweeper, double *share, struct failure *f)
{
	struct tlb_layout kept, swept;
	double by_lines = 0;
	uint64_t pages;
	int error = tlb_layout_place(kept_view, keep, true, &kept, f);

	if (error)
		return error;
	error = tlb_layout_place(swept_view, sweeper, true, &swept, f);
	if (!error) {
		error = lost_share(kept_view->prober, a, &kept, &swept, share,
				   f);
		pages = pages_of_lines(swept_view, &swept);
		if (!error && *share > LOST && pages <= sweeper->outer / FEW) {
			fold_pages(&swept, pages * swept_view->page_bytes);
			error = lost_share(kept_view->prober, a, &kept, &swept,
					   &by_lines, f);
		}
		sequence_free(&swept.s);
	}
	if (by_lines > KEPT)
		*share = NEITHER;
	sequence_free(&kept.s);
	return error;
}

/* Whether sweeping one array evicts the translations of the other. */
static int find_lost(struct tlb_array kept, struct tlb_array swept,
		     struct prober *p, const struct cache_result *cache,
		     enum tlb_sharing *sharing, struct failure *f)
{
	const struct tlb_level *k = &kept.tlbs->levels[kept.level];
	const struct tlb_geometry *g =
		&swept.tlbs->levels[swept.level].geometry;
	struct tlb_view kept_view, swept_view;
	struct shape keep, sweeper;
	double share = NEITHER;
	int error;

	*sharing = TLB_SHARING_UNKNOWN;
	if (!k->geometry.found || !g->found || !to_keep(kept))
		return 0;
	keep = row_of(&k->geometry, to_keep(kept));
	sweeper = row_of(g, 2 * g->entries);
	error = open_for(&kept_view, kept.tlbs, &keep, p, cache, f);
	if (error)
		return tlb_failure(error);
	error = open_for(&swept_view, swept.tlbs, &sweeper, p, cache, f);
	if (!error) {
		error = sweep(kept, &kept_view, &keep, &swept_view, &sweeper,
			      &share, f);
		if (!error && share > LOST)
			*sharing = TLB_SHARED;
		else if (!error && share < KEPT)
			*sharing = TLB_APART;
		tlb_view_close(&swept_view);
	}
	tlb_view_close(&kept_view);
	return tlb_failure(error);
}

/*
 * If its own pages do not evict a translation, other pages would not be seen to
 * evict it either.
 */
static int prove_apart(struct tlb_array kept, struct prober *p,
		       const struct cache_result *cache,
		       enum tlb_sharing *sharing, struct failure *f)
{
	enum tlb_sharing own;
	int error = find_lost(kept, kept, p, cache, &own, f);

	if (own != TLB_SHARED)
		*sharing = TLB_SHARING_UNKNOWN;
	return error;
}

/* One test of both arrays. */
static int ask_shared(struct tlb_array kept, struct tlb_array swept,
		      struct prober *p, const struct cache_result *cache,
		      enum tlb_sharing *sharing, struct failure *f)
{
	enum tlb_sharing back = TLB_SHARING_UNKNOWN, again = back;
	int error = find_lost(kept, swept, p, cache, sharing, f);

	if (error || *sharing == TLB_SHARING_UNKNOWN)
		return error;
	if (*sharing == TLB_APART)
		return prove_apart(kept, p, cache, sharing, f);
	/*
	 * A cache in between may lose lines as well. If both are one array, the
	 * order and the place of the pages make no difference.
	 */
	error = find_lost(swept, kept, p, cache, &back, f);
	if (!error)
		error = find_lost(kept, swept, p, cache, &again, f);
	if (back == TLB_APART || again != TLB_SHARED)
		*sharing = TLB_SHARING_UNKNOWN;
	return error;
}

int tlb_find_shared(struct tlb_array kept, struct tlb_array swept,
		    struct prober *p, const struct cache_result *cache,
		    enum tlb_sharing *sharing, struct failure *f)
{
	int error = 0;

	*sharing = TLB_SHARING_UNKNOWN;
	for (int i = 0;
	     !error && i < SHARE_PLACES && *sharing == TLB_SHARING_UNKNOWN; i++)
		error = ask_shared(kept, swept, p, cache, sharing, f);
	return error;
}
