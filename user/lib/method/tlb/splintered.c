// SPDX-License-Identifier: GPL-2.0
/* splintered.c - are large pages entered in pieces? */
#include <errno.h>
#include <math.h>

#include "method/tlb/hierarchy.h"
#include "method/tlb/tuning.h"

/* Share of the time that all pieces would cost if they missed. */
#define KEPT 0.25

/*
 * Time of pieces of one page, less that of adjacent words; disturbance only
 * adds.
 */
static int excess_of_pieces(struct tlb_view *v, uint64_t piece_bytes,
			    size_t count, double *excess, struct failure *f)
{
	double pieces = INFINITY, words = INFINITY;

	for (int i = 0; i < PIECE_TRIALS; i++) {
		struct tlb_layout layout;
		double t;
		int error =
			tlb_layout_pieces(v, piece_bytes, count, &layout, f);

		if (error)
			return error;
		error = tlb_view_time_layout(v, &layout, &t, f);
		sequence_free(&layout.s);
		if (!error && t > 0)
			pieces = fmin(pieces, t);
		if (!error)
			error = tlb_view_time(v, NULL, count, &t, f);
		if (error)
			return error;
		words = fmin(words, t);
	}
	if (!isfinite(pieces))
		return tlb_view_unseen(f);
	*excess = pieces - words;
	return 0;
}

int tlb_find_splintered(struct tlb_hierarchy *tlbs,
			const struct tlb_hierarchy *smaller, struct prober *p,
			const struct cache_result *cache, struct failure *f)
{
	const struct tlb_level *level = &smaller->levels[0];
	const struct tlb_geometry *g = &level->geometry;
	size_t count = g->found ? 2 * g->entries : PIECES;
	/* Pieces are entered in the smaller pages' array, and miss like those pages. */
	double miss = g->found ? level->penalty_ticks :
				 tlbs->levels[0].penalty_ticks;
	struct tlb_hierarchy pages = *tlbs;
	double excess = 0;
	struct tlb_view v;
	int error;

	/* By what that cost was found. */
	if (g->found)
		pages.by_returns = smaller->by_returns;
	error = tlb_hierarchy_open_view(&pages, p, cache, TLB_LEAST_PAGES,
					false, &v, f);
	if (error)
		return tlb_failure(error);
	/* Each piece has a line of its own, and those lines must not miss. */
	error = 2 * count > tlb_lines_of(cache) ? -ERANGE : 0;
	if (!error)
		error = excess_of_pieces(&v, smaller->page_bytes, count,
					 &excess, f);
	if (!error && excess > KEPT * miss)
		tlbs->splintered_bytes = smaller->page_bytes;
	/* The cost of a miss is known from the smaller pages alone. */
	tlbs->whole = !error && g->found && !tlbs->splintered_bytes;
	tlb_view_close(&v);
	return tlb_failure(error);
}
