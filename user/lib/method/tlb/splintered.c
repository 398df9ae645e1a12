// SPDX-License-Identifier: GPL-2.0
/* splintered.c - are large pages entered in pieces? */
#include <errno.h>
#include <math.h>

#include "method/tlb/side.h"

/* Pieces of a page that are tried: twice what the smaller pages' array holds,
 * or so many, if that is not known.
 */
#define PIECES 128
#define PIECE_TRIALS 3
/* Of what all pieces would cost if they missed. */
#define KEPT 0.25

/* Pieces of one page against words of it; disturbance only adds. */
static int excess_of_pieces(struct lens *lens, uint64_t piece_bytes,
			    size_t count, double *excess, struct failure *f)
{
	double pieces = INFINITY, words = INFINITY;

	for (int i = 0; i < PIECE_TRIALS; i++) {
		struct laid laid;
		double t;
		int error = lens_pieces(lens, piece_bytes, count, &laid, f);

		if (error)
			return error;
		error = lens_time_laid(lens, &laid, &t, f);
		sequence_free(&laid.s);
		if (!error && t > 0)
			pieces = fmin(pieces, t);
		if (!error)
			error = lens_time(lens, NULL, count, &t, f);
		if (error)
			return error;
		words = fmin(words, t);
	}
	if (!isfinite(pieces))
		return lens_unseen(f);
	*excess = pieces - words;
	return 0;
}

int tlb_find_broken(struct tlb_side *side, const struct tlb_side *smaller,
		    struct prober *p, const struct cache_result *cache,
		    struct failure *f)
{
	const struct tlb_level *level = &smaller->levels[0];
	const struct tlb_geometry *g = &level->geometry;
	size_t count = g->found ? 2 * g->entries : PIECES;
	double miss = side->levels[0].penalty_ticks, excess = 0;
	struct lens lens;
	int error =
		tlb_side_open(side, p, cache, TLB_LEAST_PAGES, false, &lens, f);

	if (error)
		return tlb_untold(error);
	/* Pieces are entered where the smaller pages are, and miss like them. */
	if (g->found && level->penalty_ticks < miss)
		miss = level->penalty_ticks;
	/* Each piece has a line of its own, which must not be what misses. */
	error = 2 * count > tlb_lines_of(cache) ? -ERANGE : 0;
	if (!error)
		error = excess_of_pieces(&lens, smaller->page_bytes, count,
					 &excess, f);
	if (!error && excess > KEPT * miss)
		side->broken_bytes = smaller->page_bytes;
	/* What they would cost is known from the smaller pages alone. */
	side->whole = !error && g->found && !side->broken_bytes;
	lens_close(&lens);
	return tlb_untold(error);
}
