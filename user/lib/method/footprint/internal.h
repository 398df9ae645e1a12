/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of this folder share, from the bottom up. */
#ifndef PROBE_PHYS_METHOD_FOOTPRINT_INTERNAL_H
#define PROBE_PHYS_METHOD_FOOTPRINT_INTERNAL_H

#include "method/footprint/footprint.h"
#include "method/level/latency.h"

/** FOOTPRINT_PAGE_BYTES - pieces that may lie anywhere: no page is smaller */
#define FOOTPRINT_PAGE_BYTES 4096
/** FOOTPRINT_TOGETHER - lines of a page that are loaded at each visit: enough that
 * translations take little of them, and too few for a prefetcher
 */
#define FOOTPRINT_TOGETHER 8

/**
 * struct lists - pages whose lines at one place share a set of the level above
 * @pages: @count of them; 0: they are not known
 * @wanted: at a time, if there are as many
 */
struct lists {
	size_t pages[RESULT_SET_LINES];
	size_t count;
	size_t wanted;
};

/**
 * struct footprint - the question about a level
 * @p: measurement
 * @line_bytes: longest line of the levels above
 * @first_bytes: a footprint that the level above has no room for
 * @most_pages: of the machine's memory
 * @pages: these, the first ones of it are used
 * @lists: of pages that share sets of the level above
 * @above_ns: latency of the level above
 * @memory_ns: of memory
 */
struct footprint {
	struct prober *p;
	uint64_t line_bytes;
	uint64_t first_bytes;
	size_t most_pages;
	size_t *pages;
	struct lists lists;
	double above_ns;
	double memory_ns;
};

/* --- lines.c ------------------------------------------------------------- */

/** footprint_shuffle() - other pages from now on */
void footprint_shuffle(struct footprint *fp);

/** footprint_pages() - pages of @bytes of lines; 0: there are too few */
size_t footprint_pages(const struct footprint *fp, uint64_t bytes);

/**
 * footprint_build() - lines of @pages pages
 *
 * In rounds, each of which visits all pages in a random order. One translation
 * serves all lines of a visit, which lie apart, in a random order; the lines between
 * them are of other rounds.
 * Return: 0 or -ENOMEM with @f set.
 */
int footprint_build(const struct footprint *fp, size_t pages,
		    struct sequence *s, struct failure *f);

/** footprint_plan() - @samples of loads of a footprint that was walked before */
struct walk_plan footprint_plan(const struct footprint *fp,
				unsigned int samples);

/**
 * footprint_time_alone() - loads of the first @pages pages, without translations
 *
 * Words of a line or two of each page, in the order of the visits, take longer than
 * as many lines in few pages in the same order: both hit in the same levels. The
 * difference is what a visit waits for its translation.
 * @ticks: (out) lower quartile, per load; NAN: nothing was undisturbed
 * Return: 0, -EINTR or another -errno with @f set.
 */
int footprint_time_alone(const struct footprint *fp, size_t pages,
			 double *ticks, struct failure *f);

/* --- lists.c ------------------------------------------------------------- */

/** footprint_find_lists() - fp->lists, by what is known of the level above
 * Return: as footprint_time_alone().
 */
int footprint_find_lists(struct footprint *fp, const struct cache_result *above,
			 struct failure *f);

/** footprint_time_lists() - latency of their lines
 * @l: (out) NAN: there are none, or all was disturbed
 * Return: as footprint_time_alone().
 */
int footprint_time_lists(struct footprint *fp, struct latency *l,
			 struct failure *f);

/* --- plateau.c ----------------------------------------------------------- */

/**
 * struct plateau - where the curve is flat
 * @found: footprints and lists agree, and @latency holds
 * @bytes: footprint whose latency it is
 * @latency: of lists, without translations
 * @reason: why it was not found
 */
struct plateau {
	bool found;
	uint64_t bytes;
	struct latency latency;
	char reason[256];
};

/** footprint_find_latency() - of @bytes of lines, in other pages each time
 * @l: (out) NAN: all was disturbed, or there is too little memory
 * Return: as footprint_time_alone().
 */
int footprint_find_latency(struct footprint *fp, uint64_t bytes,
			   struct latency *l, struct failure *f);

/** footprint_find_plateau() - Return: as footprint_time_alone() */
int footprint_find_plateau(struct footprint *fp, struct plateau *found,
			   struct failure *f);

/* --- room.c -------------------------------------------------------------- */

/** footprint_find_room() - bytes of lines that the level and those above keep
 * @bytes: (out) measured, or undecided with a reason
 * Return: as footprint_time_alone().
 */
int footprint_find_room(struct footprint *fp, const struct plateau *plateau,
			struct parameter *bytes, struct failure *f);

#endif
