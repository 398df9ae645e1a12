// SPDX-License-Identifier: GPL-2.0
/* share.c - what translation arrays share, with each other and among the
 * pages of one entry.
 */
#include "method/tlb/side.h"

#include <errno.h>
#include <math.h>

#include "observe/sampler.h"

#define METHOD "x-ray"

#define LEAST_PAGES 64

/* Pieces of a page that are tried: twice what the smaller pages' array holds,
 * or so many, if that is not known.
 */
#define PIECES 128
#define PIECE_TRIALS 3

#define TRIALS 16
/* Fewer of them undisturbed tell nothing. */
#define LEAST_TRIALS (TRIALS / 4)
/* Of what all translations lost would cost. */
#define LOST 0.5
#define KEPT 0.25
#define NEITHER ((LOST + KEPT) / 2)
/* Losing them costs no more than so many times what the levels say. */
#define COSTS_MORE 2
/* A level of so many times as many entries as pages come by loses a quarter at most,
 * whatever its policy.
 */
#define KEEPS 4
#define KEEP_SHARE 8
#define ROW_STRIDE 17
/* A sweep is twice an array long: an eighth of it are few pages. */
#define FEW 8
/* Which lines are lost with them depends on where the pages lie. */
#define PLACES 3

#define MOST_COALESCED 16

/* Views that are too short, or not to be had, or a CPU that leaves no sample
 * undisturbed: a question stays open, and the others are still asked.
 */
static int untold(int error)
{
	switch (error) {
	case -ERANGE:
	case -ENOSPC:
	case -ENOMEM:
	case -EOPNOTSUPP:
	case -EAGAIN:
		return 0;
	}
	return error;
}

static uint64_t lines_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED ||
	    c->line_bytes.status != PARAMETER_MEASURED)
		return 0;
	return (uint64_t)(c->capacity_bytes.value / c->line_bytes.value);
}

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
	int error = tlb_side_open(side, p, cache, LEAST_PAGES, false, &lens, f);

	if (error)
		return untold(error);
	/* Pieces are entered where the smaller pages are, and miss like them. */
	if (g->found && level->penalty_ticks < miss)
		miss = level->penalty_ticks;
	/* Each piece has a line of its own, which must not be what misses. */
	error = 2 * count > lines_of(cache) ? -ERANGE : 0;
	if (!error)
		error = excess_of_pieces(&lens, smaller->page_bytes, count,
					 &excess, f);
	if (!error && excess > KEPT * miss)
		side->broken_bytes = smaller->page_bytes;
	/* What they would cost is known from the smaller pages alone. */
	side->whole = !error && g->found && !side->broken_bytes;
	lens_close(&lens);
	return untold(error);
}

/* A row of pages that comes round in all sets of an array. */
static struct shape row_of(const struct tlb_geometry *g, size_t count)
{
	uint64_t stride = g->group > 1 ? g->group : ROW_STRIDE;

	return (struct shape){ .inner = 1,
			       .stride = g->index == INDEX_HASHED ? 1 : stride,
			       .outer = count };
}

/* One round after @warm_rounds, 0: as it comes; ticks per load, 0 when disturbed. */
static int one_round(struct prober *p, const struct laid *laid,
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
	error = p->m->ops->view_walk(laid->view, &laid->s, &plan, &sample, f);
	if (!error)
		*ticks = sample.disturbed || !sample.loads ?
				 0 :
				 sample.ticks / (double)sample.loads;
	return error;
}

/* What a translation costs at most after so many others, in misses of this level: a
 * level below that holds many times as many keeps it.
 */
static double cost_of_lost(struct tlb_array a, size_t others)
{
	double all = a.side->levels[a.level].penalty_ticks;

	for (int i = a.level + 1; i < TLB_LEVELS; i++) {
		const struct tlb_level *l = &a.side->levels[i];

		if (l->geometry.found && l->geometry.entries >= KEEPS * others)
			break;
		all += l->penalty_ticks;
	}
	return all / a.side->levels[a.level].penalty_ticks;
}

/* Translations are lost each time, and cost what the levels cost. What is lost now
 * and then, or costs more, are lines, in caches that lose them by chance.
 */
static double believed(const double *shares, size_t count, double most)
{
	double share = sampler_middle(shares, count);
	double low = sampler_peek(shares, count, 0.25);

	if (share > LOST && (low <= LOST || share > COSTS_MORE * most))
		return NEITHER;
	return share;
}

/* The round after a sweep against one after none, in misses of @a. */
static int lost_share(struct prober *p, struct tlb_array a,
		      const struct laid *kept, const struct laid *swept,
		      double *share, struct failure *f)
{
	const double penalty = a.side->levels[a.level].penalty_ticks;
	double shares[TRIALS];
	size_t count = 0;

	for (int i = 0; i < TRIALS; i++) {
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
		return lens_unseen(f);
	*share = believed(shares, count, cost_of_lost(a, swept->s.length));
	return 0;
}

/* Translations to keep: half of an array, and more than the levels above. */
static size_t to_keep(struct tlb_array a)
{
	const struct tlb_level *l = &a.side->levels[a.level];
	size_t keep = (l->geometry.entries + 1) / 2, upper;

	if (!a.level)
		return keep;
	upper = a.side->levels[a.level - 1].geometry.entries;
	if (keep > KEEP_SHARE * upper)
		keep = KEEP_SHARE * upper;
	return keep < 2 * upper ? 0 : keep;
}

/* A lens that is as long as the shape. */
static int open_for(struct lens *lens, const struct tlb_side *side,
		    const struct shape *w, struct prober *p,
		    const struct cache_result *cache, struct failure *f)
{
	uint64_t pages = LEAST_PAGES;

	while (pages < shape_span(w))
		pages *= 2;
	return tlb_side_open(side, p, cache, pages, false, lens, f);
}

/* So few pages show all lines of a view, each at its place in the first cache. */
static uint64_t pages_of_lines(const struct lens *lens, const struct laid *laid)
{
	return laid->view->request.frames * lens->colors;
}

static void fold_pages(struct laid *laid, uint64_t bytes)
{
	for (size_t i = 0; i < laid->s.length; i++)
		laid->s.offsets[i] %= bytes;
}

/*
 * Lines of what is swept may push out lines of what is kept, which then look
 * like lost translations: an inclusive level soon loses what is new there. They do
 * so through few pages as well.
 */
static int sweep(struct tlb_array a, struct lens *kept_lens,
		 const struct shape *keep, struct lens *swept_lens,
		 const struct shape *sweeper, double *share, struct failure *f)
{
	struct laid kept, swept;
	double by_lines = 0;
	uint64_t pages;
	int error = lens_place(kept_lens, keep, true, &kept, f);

	if (error)
		return error;
	error = lens_place(swept_lens, sweeper, true, &swept, f);
	if (!error) {
		error = lost_share(kept_lens->prober, a, &kept, &swept, share,
				   f);
		pages = pages_of_lines(swept_lens, &swept);
		if (!error && *share > LOST && pages <= sweeper->outer / FEW) {
			fold_pages(&swept, pages * swept_lens->page_bytes);
			error = lost_share(kept_lens->prober, a, &kept, &swept,
					   &by_lines, f);
		}
		sequence_free(&swept.s);
	}
	if (by_lines > KEPT)
		*share = NEITHER;
	sequence_free(&kept.s);
	return error;
}

/* Whether sweeping one array empties the other. */
static int find_lost(struct tlb_array kept, struct tlb_array swept,
		     struct prober *p, const struct cache_result *cache,
		     enum tlb_sharing *sharing, struct failure *f)
{
	const struct tlb_level *k = &kept.side->levels[kept.level];
	const struct tlb_geometry *g =
		&swept.side->levels[swept.level].geometry;
	struct lens kept_lens, swept_lens;
	struct shape keep, sweeper;
	double share = NEITHER;
	int error;

	*sharing = TLB_SHARING_UNKNOWN;
	if (!k->geometry.found || !g->found || !to_keep(kept))
		return 0;
	keep = row_of(&k->geometry, to_keep(kept));
	sweeper = row_of(g, 2 * g->entries);
	error = open_for(&kept_lens, kept.side, &keep, p, cache, f);
	if (error)
		return untold(error);
	error = open_for(&swept_lens, swept.side, &sweeper, p, cache, f);
	if (!error) {
		error = sweep(kept, &kept_lens, &keep, &swept_lens, &sweeper,
			      &share, f);
		if (!error && share > LOST)
			*sharing = TLB_SHARED;
		else if (!error && share < KEPT)
			*sharing = TLB_APART;
		lens_close(&swept_lens);
	}
	lens_close(&kept_lens);
	return untold(error);
}

/* What its own kind does not push out either, it would not see others push out. */
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

/* Both arrays asked about once. */
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
	/* A cache in between may lose lines as well. What is one array is so
	 * whichever comes first, and wherever the pages lie.
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
	for (int i = 0; !error && i < PLACES && *sharing == TLB_SHARING_UNKNOWN;
	     i++)
		error = ask_shared(kept, swept, p, cache, sharing, f);
	return error;
}

/* As many pages in a row as @factor entries each make, and one set of more. */
static int fits(struct tlb_search *x, const struct tlb_geometry *g,
		size_t factor, bool more, enum verdict *verdict,
		struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = 1,
				 .outer = factor * g->sets *
					  (g->ways + (more ? 1 : 0)) };

	return tlb_decide(x, &w, true, (double)g->ways + 1, verdict, f);
}

/* The paper's own sequences: what fits in memory that lies in a row. */
static int count_coalesced(struct tlb_search *x, const struct tlb_geometry *g,
			   uint64_t lines, size_t *factor,
			   enum verdict *verdict, struct failure *f)
{
	int error = fits(x, g, 1, false, verdict, f);

	*factor = 0;
	while (!error && *verdict == VERDICT_COMPACT) {
		*factor = *factor ? 2 * *factor : 1;
		/* Each page has a line of its own here. */
		if (2 * *factor * g->entries > lines ||
		    *factor == MOST_COALESCED) {
			*verdict = VERDICT_UNDECIDED;
			return 0;
		}
		error = fits(x, g, 2 * *factor, false, verdict, f);
	}
	if (!error && *factor && *verdict == VERDICT_NON_COMPACT)
		error = fits(x, g, *factor, true, verdict, f);
	return error;
}

/* Frames that lie in a row in a guest need not do so in the host, and hardware
 * enters as one what really does.
 */
static void report_factor(const struct prober *p, size_t factor, double bound,
			  struct parameter *coalesced)
{
	if (p->m->virtual_machine && factor == 1) {
		parameter_undecided(
			coalesced, METHOD,
			"virtual machine: frames may lie anywhere in the host, which hides that pages share an entry (measure on the host)");
		return;
	}
	parameter_measured(coalesced, (double)factor, bound, METHOD);
}

static int report_coalesced(struct tlb_search *x, const struct tlb_geometry *g,
			    uint64_t lines, struct parameter *coalesced,
			    struct parameter *entries, struct failure *f)
{
	const struct prober *p = x->lens->prober;
	const double before = p->budget.alpha_drawn;
	enum verdict verdict;
	size_t factor;
	int error = count_coalesced(x, g, lines, &factor, &verdict, f);

	if (error)
		return error;
	if (factor && verdict == VERDICT_NON_COMPACT) {
		report_factor(p, factor, budget_bound(&p->budget, before),
			      coalesced);
		return 0;
	}
	parameter_undecided(
		coalesced, METHOD,
		"no clear verdict on more than %zu pages in contiguous memory",
		factor * g->entries);
	if (!factor && verdict == VERDICT_NON_COMPACT)
		parameter_undecided(
			entries, METHOD,
			"%zu pages find room when they show one frame, fewer in contiguous memory",
			g->entries);
	return 0;
}

int tlb_find_coalesced(const struct tlb_side *side, struct prober *p,
		       const struct cache_result *cache,
		       struct parameter *coalesced, struct parameter *entries,
		       struct failure *f)
{
	const struct tlb_level *level = &side->levels[0];
	struct tlb_search x = { .counter = COUNTER_DTLB_MISS,
				.penalty_ticks = level->penalty_ticks };
	uint64_t pages = LEAST_PAGES;
	struct failure why = { .text = "" };
	struct lens lens;
	int error;

	if (!level->geometry.found || level->geometry.index == INDEX_HASHED ||
	    2 * level->geometry.entries > lines_of(cache))
		return 0;
	while (pages < 2 * MOST_COALESCED * level->geometry.entries)
		pages *= 2;
	error = tlb_side_open(side, p, cache, pages, true, &lens, &why);
	if (error) {
		parameter_unavailable(coalesced, "%s", why.text);
		return 0;
	}
	x.lens = &lens;
	if (lens.wide->contiguous)
		error = report_coalesced(&x, &level->geometry, lines_of(cache),
					 coalesced, entries, f);
	else
		parameter_unavailable(coalesced,
				      "frames lie in an order that is unknown");
	lens_close(&lens);
	return untold(error);
}
