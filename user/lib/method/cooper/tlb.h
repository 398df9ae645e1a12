/* SPDX-License-Identifier: GPL-2.0 */
/* tlb.h - types and functions of the files about translation (IV-C, IV-E). */
#ifndef PROBE_PHYS_METHOD_COOPER_TLB_H
#define PROBE_PHYS_METHOD_COOPER_TLB_H

#include "method/cooper/time.h"

/**
 * struct cooper_pages - virtual pages that strings are walked in
 * @view: of @count pages, each with a frame of its own: all other misses of a
 *        program occur here, too
 * @page_bytes: of each
 * @count: number of pages
 */
struct cooper_pages {
	struct view *view;
	uint64_t page_bytes;
	size_t count;
};

/** COOPER_STRINGS_PER_OCTAVE - strings between powers of two (note 2) */
#define COOPER_STRINGS_PER_OCTAVE 4
/** COOPER_MOST_STRINGS - most strings of a sweep over numbers of pages */
#define COOPER_MOST_STRINGS 64
/**
 * COOPER_KINDS - values of n of T(n,k): 1, 2, 4 and 8. The paper would add 3, 4
 * and 5, which move the rise of a cache by less than an octave: too little to
 * distinguish it from a rise at the same number of pages.
 */
#define COOPER_KINDS 4
/** COOPER_LINES() - n of T(n,k), by kind */
#define COOPER_LINES(kind) ((size_t)1 << (kind))

/** cooper_kind_name() - "T(1,k)" ... */
const char *cooper_kind_name(size_t kind);

/** enum cooper_rise - cause of a rise of T(n,k) after a string */
enum cooper_rise {
	RISE_OF_NOTHING, /* no rise */
	RISE_OF_CACHE,
	RISE_OF_TLB,
	RISE_OPEN,
};

/**
 * struct cooper_survey - translation of one page size
 * @c: the measurement
 * @pages: pages that strings are walked in
 * @grid: number of pages of each string, @grid_count of them
 * @timed: pages of the strings that are being timed
 * @kind: n of the strings that are being timed is 1 << kind
 * @curves: T(n,k) by kind, analysed; NULL: not timed yet
 * @rises: cause of the rise after each string of the grid
 * @unclear: it rises there for all n, but not by the same cycles
 */
struct cooper_survey {
	struct cooper *c;
	struct cooper_pages pages;
	size_t grid[COOPER_MOST_STRINGS];
	size_t grid_count;
	const size_t *timed;
	size_t kind;
	struct side_curve *curves[COOPER_KINDS];
	enum cooper_rise rises[COOPER_MOST_STRINGS];
	bool unclear[COOPER_MOST_STRINGS];
};

/**
 * cooper_sweep_pages() - time strings of T(n,k)
 * @timed: pages of each string, @count of them
 * @strings: (out) room for @count
 * @sweep: (out) the sweep that was timed
 * Return: as cooper_sweep().
 */
int cooper_sweep_pages(struct cooper_survey *s, size_t kind,
		       const size_t *timed, size_t count,
		       struct cooper_string *strings,
		       struct cooper_sweep *sweep, struct failure *f);

/**
 * cooper_time_pages() - time and analyse T(n,k) up to @most pages
 * Return: 0; -EINTR when stopped, with nothing in s->curves; other -errno with
 * @f set.
 */
int cooper_time_pages(struct cooper_survey *s, size_t kind, size_t most,
		      struct failure *f);

/**
 * cooper_judge_rises() - distinguish TLBs from caches (IV-C), into s->rises
 *
 * T(1,k) and T(2,k) were timed and their levels found; more are timed on
 * demand. For a TLB all T(n,k) rise at the same pages, and by the same cycles;
 * for caches only if there is another cache for each n.
 * Return: as cooper_time_pages().
 */
int cooper_judge_rises(struct cooper_survey *s, struct failure *f);

/** cooper_cycles_at() - T(n,k) of string @at of the grid, or of its last one */
double cooper_cycles_at(const struct cooper_survey *s, size_t kind, size_t at);

/** cooper_rises_at() - whether T(n,k) begins to rise after this string */
bool cooper_rises_at(const struct cooper_survey *s, size_t kind, size_t at);

/** cooper_rise_at() - number of cycles that it rises by */
double cooper_rise_at(const struct cooper_survey *s, size_t kind, size_t at);

/**
 * struct cooper_tlb - a level that T(n,k) has shown
 * @row: of the result
 * @pages: its effective entries
 * @above: effective entries of the level above; 0: there is none
 * @hit_cycles: time of a load of T(1,k) whose translation is here
 * @load_cycles: the same, without the misses of caches below the first level
 * @miss_cycles: time of a load whose translation is not here
 */
struct cooper_tlb {
	struct side_tlb *row;
	size_t pages;
	size_t above;
	double hit_cycles;
	double load_cycles;
	double miss_cycles;
};

/**
 * cooper_measure_tlb_ways() - entries of a set (IV-E), into t->row
 *
 * The gap test with pages for lines: w + 1 pages, multiples of the number of
 * sets apart, do not fit; w pages do. @t->pages and w give the number of sets,
 * so each divisor is tried, with random pages of all that should share a set.
 * An index that is not linear spreads them, and then nothing is decided. Below
 * another level, equally many pages fill enough sets that the level above
 * keeps none of them. This shows ways that the paper's test could not ("we have
 * not been able to devise a reference string", of the ARM926EJ-S).
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int cooper_measure_tlb_ways(struct cooper *c, const struct cooper_pages *pages,
			    const struct cooper_tlb *t, struct failure *f);

#endif
