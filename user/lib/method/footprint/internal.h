/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of this folder share, from the bottom up. */
#ifndef PROBE_PHYS_METHOD_FOOTPRINT_INTERNAL_H
#define PROBE_PHYS_METHOD_FOOTPRINT_INTERNAL_H

#include "method/footprint/footprint.h"
#include "method/level/latency.h"

/** FOOTPRINT_PAGE_BYTES - pieces that may lie anywhere: no page is smaller */
#define FOOTPRINT_PAGE_BYTES 4096

/**
 * struct manner - how lines of a page are loaded
 * @together: lines that are loaded each time a page is visited, so that one
 *            translation serves them all; few, in no order that a prefetcher follows
 */
struct manner {
	size_t together;
};

/**
 * struct footprint - the question about a level
 * @p: measurement
 * @line_bytes: longest line of the levels above
 * @first_bytes: a footprint that the level above has no room for
 * @most_pages: of the machine's memory
 * @pages: these, the first ones of it are used
 * @above: latency of the level above, ns
 * @memory: of memory
 */
struct footprint {
	struct prober *p;
	uint64_t line_bytes;
	uint64_t first_bytes;
	size_t most_pages;
	size_t *pages;
	double above_ns;
	double memory_ns;
};

/* --- lines.c ------------------------------------------------------------- */

/** footprint_shuffle() - other pages from now on */
void footprint_shuffle(struct footprint *fp);

/** footprint_pages() - pages of @bytes of lines; 0: there are too few */
size_t footprint_pages(const struct footprint *fp, uint64_t bytes);

/**
 * footprint_build() - lines of @pages pages, visited in a random order
 * Return: 0 or -ENOMEM with @f set.
 */
int footprint_build(const struct footprint *fp, const struct manner *manner,
		    size_t pages, struct sequence *s, struct failure *f);

/**
 * footprint_translation() - what the first load of a visit waits for its translation
 *
 * Words of a line or two of each page, visited in a random order as often as its
 * lines would be, beside as many lines in few pages, in the same order: both hit in the
 * same levels.
 * @ticks: (out) not below 0; NAN: nothing was undisturbed
 * Return: 0, -EINTR or another -errno with @f set.
 */
int footprint_translation(const struct footprint *fp,
			  const struct manner *manner, size_t pages,
			  double *ticks, struct failure *f);

/** footprint_plan() - @samples of loads of a footprint that was walked before */
struct walk_plan footprint_plan(const struct footprint *fp,
				unsigned int samples);

/** footprint_time() - lower quartile of @samples, ticks per load; NAN: nothing was
 * undisturbed
 */
int footprint_time(const struct footprint *fp, const struct sequence *s,
		   unsigned int samples, double *ticks, struct failure *f);

/* --- plateau.c ----------------------------------------------------------- */

/**
 * struct plateau - where the curve is flat
 * @found: it is, and @latency holds
 * @bytes: footprint whose latency it is; longer ones take as long
 * @latency: without translations
 * @reason: why it was not found
 */
struct plateau {
	bool found;
	uint64_t bytes;
	struct latency latency;
	char reason[256];
};

/** footprint_find_plateau() - Return: as footprint_translation() */
int footprint_find_plateau(struct footprint *fp, struct plateau *found,
			   struct failure *f);

/* --- room.c -------------------------------------------------------------- */

/** footprint_find_room() - bytes of lines that the level and those above keep
 * @bytes: (out) measured, or undecided with a reason
 * Return: as footprint_translation().
 */
int footprint_find_room(struct footprint *fp, const struct plateau *plateau,
			struct parameter *bytes, struct failure *f);

#endif
