/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view.h - translations seen through a view: a cache whose lines are pages
 * (X-Ray section 6).
 *
 * Sequences are shapes in units of pages. The v puts each element into a
 * word of its own, such that the words are spread evenly over the sets of the
 * first cache and never meet there under two virtual indices. Each has a line
 * to itself as long as these fit well, for a line that several pages show is
 * slow in itself where ways are predicted by virtual address; beyond that all
 * lines are full alike. What is slow, then, is translation.
 */
#ifndef PROBE_PHYS_METHOD_TLB_VIEW_H
#define PROBE_PHYS_METHOD_TLB_VIEW_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * struct tlb_view - views of one page size, and how to lay elements into them
 * @prober: whose machine, random numbers and rules
 * @narrow: pages show few frames, and such that no two of them can be entered
 *          as one; NULL: no frame is shown twice
 * @wide: more frames and pages, for sequences that need more words; NULL: none
 *        has
 * @wide_frames: of @wide, once it is open
 * @pages: virtual pages of @narrow, or of @wide without it
 * @executable: of both
 * @page_bytes: of each
 * @slot_bytes: room of one element
 * @line_bytes: of the first cache
 * @colors: pages of one way of the first cache
 * @way_bytes: of the first cache
 * @cached: elements that the first cache holds
 * @apart: so many elements have a line each
 * @loads: loads of one sample
 * @counters: those that are believed in views, bits 1 << enum machine_counter:
 *            machine.view_counters, unless others have proved themselves
 */
struct tlb_view {
	struct prober *prober;
	struct view *narrow;
	struct view *wide;
	uint64_t wide_frames;
	uint64_t pages;
	bool executable;
	uint64_t page_bytes;
	uint64_t slot_bytes;
	uint64_t line_bytes;
	uint64_t colors;
	uint64_t way_bytes;
	uint64_t cached;
	uint64_t apart;
	unsigned int loads;
	unsigned int counters;
};

/**
 * tlb_view_open() - few frames under as many pages as the machine lets one have,
 * or pages of their own where they cannot share frames
 * @cache: first-level data cache as measured, NULL: unknown
 * @most_pages: pages wanted
 * @contiguous: as many frames as pages, in a row
 * Return: 0; -EOPNOTSUPP or another -errno with @f set.
 */
int tlb_view_open(struct tlb_view *v, struct prober *p, uint64_t page_bytes,
		  bool executable, const struct cache_result *cache,
		  uint64_t most_pages, bool contiguous, struct failure *f);
void tlb_view_close(struct tlb_view *v);

/** tlb_view_widen() - open the wide view. Return: 0; -ERANGE when it is not to be
 * had; another -errno with @f set.
 */
int tlb_view_widen(struct tlb_view *v, struct failure *f);

/**
 * struct tlb_layout - a sequence, layout into a view
 * @s: offsets; sequence_free() releases them
 * @view: the view
 * @dense: lines are full
 */
struct tlb_layout {
	struct sequence s;
	struct view *view;
	bool dense;
};

/** TLB_VIEW_SAMPLES - of each walk */
#define TLB_VIEW_SAMPLES 8

/**
 * struct tlb_observation - what samples of one sequence showed
 * @ticks: per load, @count values
 * @misses: per load, by the counter; valid when @counted
 */
struct tlb_observation {
	double ticks[TLB_VIEW_SAMPLES];
	double misses[TLB_VIEW_SAMPLES];
	size_t count;
	bool counted;
};

/**
 * tlb_layout_place() - the elements of a shape of pages, in random order, as offsets
 * of the view
 * @aligned: begin at page 0: the view itself lies as aligned as can be
 * Return: 0; -ERANGE when pages or words do not suffice; -ENOMEM with @f set.
 */
int tlb_layout_place(struct tlb_view *v, const struct shape *w, bool aligned,
		     struct tlb_layout *s, struct failure *f);

/** tlb_layout_place_dense() - the same, with full lines however few elements */
int tlb_layout_place_dense(struct tlb_view *v, const struct shape *w,
			   bool aligned, struct tlb_layout *s,
			   struct failure *f);

/** tlb_layout_fills() - whether so many elements are layout with full lines */
bool tlb_layout_fills(const struct tlb_view *v, size_t count);

/** tlb_layout_words() - the same number of words in the fewest pages; of jumps, as
 * far apart as those of pages: how near they are matters to branch predictors
 */
int tlb_layout_words(struct tlb_view *v, size_t count, struct tlb_layout *s,
		     struct failure *f);

/** tlb_layout_pieces() - @count words of one page, @piece_bytes apart */
int tlb_layout_pieces(struct tlb_view *v, uint64_t piece_bytes, size_t count,
		      struct tlb_layout *s, struct failure *f);

/** tlb_view_room() - elements that the largest sequence can have */
uint64_t tlb_view_room(const struct tlb_view *v);

/**
 * tlb_view_observe() - walk it
 * @counter: what to count besides, or MACHINE_COUNTERS
 * Return: 0; -EINTR; another -errno with @f set.
 */
int tlb_view_observe(struct tlb_view *v, const struct tlb_layout *s,
		     enum machine_counter counter, struct tlb_observation *o,
		     struct failure *f);

/** tlb_view_time_layout() - ticks per load of one sequence; 0: all disturbed */
int tlb_view_time_layout(struct tlb_view *v, const struct tlb_layout *s,
			 double *ticks, struct failure *f);

/**
 * tlb_view_time() - ticks per load of a shape, median over several places
 * @w: the shape; NULL: words of the fewest pages, @words of them
 */
int tlb_view_time(struct tlb_view *v, const struct shape *w, size_t words,
		  double *ticks, struct failure *f);

/** tlb_view_unseen() - the failure of a walk none of whose samples was undisturbed
 * Return: -EAGAIN with @f set.
 */
int tlb_view_unseen(struct failure *f);

#endif
