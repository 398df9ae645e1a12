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

/**
 * struct orders - the same lines of pieces, two of each piece, in two orders
 * @least: what one after the other of all pieces takes more than both of each piece in
 *         a row, by the quickest walks
 * @most: the same, by the walks that were furthest apart
 *
 * Pieces that miss cost one miss a line in one order, one every two lines in the other.
 * Lines that miss cost the same in both.
 */
struct orders {
	double least;
	double most;
};

static int time_order(struct tlb_view *v, uint64_t piece_bytes, size_t count,
		      bool in_a_row, double *ticks, struct failure *f)
{
	struct tlb_layout layout;
	int error = tlb_layout_piece_pairs(v, piece_bytes, count, in_a_row,
					   &layout, f);

	if (error)
		return error;
	error = tlb_view_time_layout(v, &layout, ticks, f);
	sequence_free(&layout.s);
	return error || *ticks > 0 ? error : tlb_view_unseen(f);
}

static int compare_orders(struct tlb_view *v, uint64_t piece_bytes,
			  size_t count, struct orders *o, struct failure *f)
{
	double quickest = INFINITY, quickest_in_a_row = INFINITY;

	o->most = -INFINITY;
	for (int i = 0; i < PIECE_TRIALS; i++) {
		double apart, in_a_row;
		int error = time_order(v, piece_bytes, count, false, &apart, f);

		if (!error)
			error = time_order(v, piece_bytes, count, true,
					   &in_a_row, f);
		if (error)
			return error;
		quickest = fmin(quickest, apart);
		quickest_in_a_row = fmin(quickest_in_a_row, in_a_row);
		o->most = fmax(o->most, apart - in_a_row);
	}
	o->least = quickest - quickest_in_a_row;
	return 0;
}

/*
 * Pieces that are slower than words may have lines that miss: a hashed first cache
 * holds few lines of one offset, and others keep no line that is new. The order of the
 * same lines decides.
 */
static int look_for_pieces(struct tlb_view *v, uint64_t piece_bytes,
			   size_t count, double miss, bool *seen, bool *whole,
			   struct failure *f)
{
	/* Half of the misses are spared by the other order. */
	const double clear = KEPT * miss / 2;
	double excess = 0;
	struct orders o;
	int error = excess_of_pieces(v, piece_bytes, count, &excess, f);

	*seen = false;
	*whole = !error && excess <= KEPT * miss;
	if (error || *whole)
		return error;
	error = compare_orders(v, piece_bytes, count, &o, f);
	if (error)
		return error;
	*seen = o.least > clear;
	*whole = o.most <= clear;
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
	bool seen = false, whole = false;
	struct tlb_view v;
	int error;

	/* By what that cost was found. */
	if (g->found)
		pages.by_returns = smaller->by_returns;
	error = tlb_hierarchy_open_view(&pages, p, cache, 1, false, &v, f);
	if (error)
		return tlb_failure(error);
	/* Each piece has two lines of its own. */
	error = 2 * count > tlb_lines_of(cache) ? -ERANGE : 0;
	if (!error)
		error = look_for_pieces(&v, smaller->page_bytes, count, miss,
					&seen, &whole, f);
	if (seen)
		tlbs->splintered_bytes = smaller->page_bytes;
	/* The cost of a miss is known from the smaller pages alone. */
	tlbs->whole = whole && g->found;
	tlb_view_close(&v);
	return tlb_failure(error);
}
