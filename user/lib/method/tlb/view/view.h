/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view.h - translations seen through a view: a cache whose lines are pages
 * (X-Ray section 6).
 *
 * Sequences are shapes in units of pages. A layout gives each element a word of
 * its own, spread evenly over the sets of the first cache, and never shows one
 * set under two virtual indices. Each element has a line to itself as long as
 * these fit well: where ways are predicted by virtual address, a line that
 * several pages show is slow in itself. Longer sequences have full lines. Slow
 * loads are then misses of translation.
 */
#ifndef PROBE_PHYS_METHOD_TLB_VIEW_H
#define PROBE_PHYS_METHOD_TLB_VIEW_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * struct tlb_view - views of one page size
 * @prober: machine, random numbers and rules
 * @narrow: shows few frames under many pages, arranged such that no two pages
 *          can be entered as one; NULL: no frame is shown twice
 * @wide: shows more frames and pages, for sequences that need more words; NULL:
 *        not open
 * @wide_frames: frames of @wide, once it is open
 * @pages: virtual pages of @narrow, or of @wide if there is no @narrow
 * @least_pages: with fewer of them it is not opened
 * @executable: both are executable
 * @code: what the elements of executable ones are
 * @cycle_ticks: samples of returns are taken at one frequency of the core's clock
 *               (walk_plan.cycle_ticks); 0: at any
 * @page_bytes: size of each page
 * @slot_bytes: room of one element
 * @line_bytes: of the first cache
 * @colors: pages of one way of the first cache
 * @way_bytes: of the first cache
 * @cached: elements that the first cache holds
 * @apart: elements that can have a line each
 * @loads: loads of one sample
 * @orders: in which a sequence visits its pages, one after the other, if a line has
 *          room for a word for each
 * @counters: counters that are believed in views, bits 1 << enum
 *            machine_counter: machine.view_counters, and those that have proved
 *            themselves
 */
struct tlb_view {
	struct prober *prober;
	struct view *narrow;
	struct view *wide;
	uint64_t wide_frames;
	uint64_t pages;
	uint64_t least_pages;
	bool executable;
	enum view_code code;
	double cycle_ticks;
	uint64_t page_bytes;
	uint64_t slot_bytes;
	uint64_t line_bytes;
	uint64_t colors;
	uint64_t way_bytes;
	uint64_t cached;
	uint64_t apart;
	unsigned int loads;
	unsigned int orders;
	unsigned int counters;
};

/** enum tlb_access - what asks for translations */
enum tlb_access {
	TLB_LOADS,
	TLB_JUMPS,
	TLB_RETURNS, /* mispredicted ones */
};

/**
 * tlb_view_open() - few frames under as many pages as possible, or pages with
 * frames of their own where pages cannot share frames
 * @cache: first-level data cache as measured; NULL: unknown
 * @most_pages: pages wanted
 * @contiguous: as many frames as pages, in a row
 * Return: 0; -EOPNOTSUPP; or another -errno with @f set.
 */
int tlb_view_open(struct tlb_view *v, struct prober *p, uint64_t page_bytes,
		  enum tlb_access access, const struct cache_result *cache,
		  uint64_t most_pages, bool contiguous, struct failure *f);
void tlb_view_close(struct tlb_view *v);

/**
 * tlb_view_widen() - open the wide view
 * Return: 0; -ERANGE: not available; another -errno with @f set.
 */
int tlb_view_widen(struct tlb_view *v, struct failure *f);

/**
 * struct tlb_layout - a sequence as offsets of a view
 * @s: offsets; sequence_free() releases them
 * @view: the view
 * @dense: lines are full
 * @orders: in which its pages are visited
 */
struct tlb_layout {
	struct sequence s;
	struct view *view;
	bool dense;
	unsigned int orders;
};

/** TLB_VIEW_SAMPLES - of each walk */
#define TLB_VIEW_SAMPLES 8

/**
 * struct tlb_observation - samples of one sequence
 * @ticks: time per load, @count values
 * @misses: misses per load; valid when @counted
 * @counted: the counter ran in all samples
 */
struct tlb_observation {
	double ticks[TLB_VIEW_SAMPLES];
	double misses[TLB_VIEW_SAMPLES];
	size_t count;
	bool counted;
};

/**
 * tlb_layout_place() - lay out the elements of a shape of pages in random order
 * @aligned: begin at page 0, where the view is aligned best
 * Return: 0; -ERANGE: too few pages or words; -ENOMEM with @f set.
 */
int tlb_layout_place(struct tlb_view *v, const struct shape *w, bool aligned,
		     struct tlb_layout *s, struct failure *f);

/** tlb_layout_place_dense() - the same, with full lines however few elements */
int tlb_layout_place_dense(struct tlb_view *v, const struct shape *w,
			   bool aligned, struct tlb_layout *s,
			   struct failure *f);

/** tlb_layout_fills() - whether @count elements have full lines */
bool tlb_layout_fills(const struct tlb_view *v, size_t count);

/**
 * tlb_layout_words() - the same number of words in the fewest pages
 *
 * Words to jump to lie as far apart as those of pages: branch predictors depend
 * on the distance.
 */
int tlb_layout_words(struct tlb_view *v, size_t count, struct tlb_layout *s,
		     struct failure *f);

/**
 * tlb_layout_apart() - move every other element of a layout of words away
 * @pages: how far about; the words stay where they are in memory
 * Return: 0; -ERANGE: too few pages.
 */
int tlb_layout_apart(const struct tlb_view *v, uint64_t pages,
		     struct tlb_layout *s);

/** tlb_layout_pieces() - @count words of one page, @piece_bytes apart */
int tlb_layout_pieces(struct tlb_view *v, uint64_t piece_bytes, size_t count,
		      struct tlb_layout *s, struct failure *f);

/**
 * tlb_layout_piece_pairs() - two lines of each of @count pieces of one page
 * @in_a_row: those of each piece one after the other; else all first ones, then all
 *            second ones
 * Return: 0; -ERANGE: the page has fewer pieces, or pieces too few lines; another
 * -errno with @f set.
 */
int tlb_layout_piece_pairs(struct tlb_view *v, uint64_t piece_bytes,
			   size_t count, bool in_a_row, struct tlb_layout *s,
			   struct failure *f);

/** tlb_view_room() - elements of the longest sequence */
uint64_t tlb_view_room(const struct tlb_view *v);

/**
 * tlb_view_observe() - walk a layout
 * @counter: event to count besides; MACHINE_COUNTERS: none
 * Return: 0; -EINTR; another -errno with @f set.
 */
int tlb_view_observe(struct tlb_view *v, const struct tlb_layout *s,
		     enum machine_counter counter, struct tlb_observation *o,
		     struct failure *f);

/**
 * tlb_view_time_layout() - ticks per load of one layout; 0: all samples were
 * disturbed
 */
int tlb_view_time_layout(struct tlb_view *v, const struct tlb_layout *s,
			 double *ticks, struct failure *f);

/**
 * tlb_view_time() - ticks per load of a shape, median over several places
 * @w: the shape; NULL: @words words in the fewest pages
 */
int tlb_view_time(struct tlb_view *v, const struct shape *w, size_t words,
		  double *ticks, struct failure *f);

/**
 * tlb_view_count_returns() - how many returns make a sample: each takes as long as tens
 * of loads
 * @v: of returns; (out) its loads
 * Return: as tlb_view_time()
 */
int tlb_view_count_returns(struct tlb_view *v, struct failure *f);

/**
 * struct tlb_least - the least of several times of a load: disturbance only adds
 * @ticks: of the machine's clock
 * @cycles: of the core, each timed next to additions; NAN: one core cycle could not
 *          be timed
 */
struct tlb_least {
	double ticks;
	double cycles;
};

/**
 * tlb_view_least() - the least time of a shape, of several placements and trials
 * Return: as tlb_view_time()
 */
int tlb_view_least(struct tlb_view *v, const struct shape *w,
		   struct tlb_least *least, struct failure *f);

/**
 * tlb_view_difference() - cycles between two shapes, each timed next to additions: the
 * median of several
 * @fast: NULL: words in few pages
 * @cycles: (out) NAN: one core cycle could not be timed
 * Return: as tlb_view_time()
 */
int tlb_view_difference(struct tlb_view *v, const struct shape *slow,
			const struct shape *fast, double *cycles,
			struct failure *f);

/**
 * tlb_view_unseen() - fail because no sample was undisturbed
 * Return: -EAGAIN with @f set.
 */
int tlb_view_unseen(struct failure *f);

#endif
