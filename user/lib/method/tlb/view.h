/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view.h - translations seen through a view: a cache whose lines are pages
 * (X-Ray section 6).
 *
 * Sequences are shapes in units of pages. The lens puts each element into a
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
 * struct lens - views of one page size, and how to lay elements into them
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
struct lens {
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
 * lens_open() - few frames under as many pages as the machine lets one have,
 * or pages of their own where they cannot share frames
 * @cache: first-level data cache as measured, NULL: unknown
 * @most_pages: pages wanted
 * @contiguous: as many frames as pages, in a row
 * Return: 0; -EOPNOTSUPP or another -errno with @f set.
 */
int lens_open(struct lens *lens, struct prober *p, uint64_t page_bytes,
	      bool executable, const struct cache_result *cache,
	      uint64_t most_pages, bool contiguous, struct failure *f);
void lens_close(struct lens *lens);

/** lens_widen() - open the wide view. Return: 0; -ERANGE when it is not to be
 * had; another -errno with @f set.
 */
int lens_widen(struct lens *lens, struct failure *f);

/**
 * struct laid - a sequence, laid into a view
 * @s: offsets; sequence_free() releases them
 * @view: the view
 * @dense: lines are full
 */
struct laid {
	struct sequence s;
	struct view *view;
	bool dense;
};

/** SAMPLES_OF_OBSERVATION - of each walk */
#define SAMPLES_OF_OBSERVATION 8

/**
 * struct observation - what samples of one sequence showed
 * @ticks: per load, @count values
 * @misses: per load, by the counter; valid when @counted
 */
struct observation {
	double ticks[SAMPLES_OF_OBSERVATION];
	double misses[SAMPLES_OF_OBSERVATION];
	size_t count;
	bool counted;
};

/**
 * lens_place() - the elements of a shape of pages, in random order, as offsets
 * of the view
 * @aligned: begin at page 0: the view itself lies as aligned as can be
 * Return: 0; -ERANGE when pages or words do not suffice; -ENOMEM with @f set.
 */
int lens_place(struct lens *lens, const struct shape *w, bool aligned,
	       struct laid *s, struct failure *f);

/** lens_place_dense() - the same, with full lines however few elements */
int lens_place_dense(struct lens *lens, const struct shape *w, bool aligned,
		     struct laid *s, struct failure *f);

/** lens_fills() - whether so many elements are laid with full lines */
bool lens_fills(const struct lens *lens, size_t count);

/** lens_words() - the same number of words in the fewest pages; of jumps, as
 * far apart as those of pages: how near they are matters to branch predictors
 */
int lens_words(struct lens *lens, size_t count, struct laid *s,
	       struct failure *f);

/** lens_pieces() - @count words of one page, @piece_bytes apart */
int lens_pieces(struct lens *lens, uint64_t piece_bytes, size_t count,
		struct laid *s, struct failure *f);

/** lens_room() - elements that the largest sequence can have */
uint64_t lens_room(const struct lens *lens);

/**
 * lens_observe() - walk it
 * @counter: what to count besides, or MACHINE_COUNTERS
 * Return: 0; -EINTR; another -errno with @f set.
 */
int lens_observe(struct lens *lens, const struct laid *s,
		 enum machine_counter counter, struct observation *o,
		 struct failure *f);

/** lens_time_laid() - ticks per load of one sequence; 0: all disturbed */
int lens_time_laid(struct lens *lens, const struct laid *s, double *ticks,
		   struct failure *f);

/**
 * lens_time() - ticks per load of a shape, median over several places
 * @w: the shape; NULL: words of the fewest pages, @words of them
 */
int lens_time(struct lens *lens, const struct shape *w, size_t words,
	      double *ticks, struct failure *f);

/** lens_unseen() - the failure of a walk none of whose samples was undisturbed
 * Return: -EAGAIN with @f set.
 */
int lens_unseen(struct failure *f);

#endif
