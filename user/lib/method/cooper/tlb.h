/* SPDX-License-Identifier: GPL-2.0 */
/* tlb.h - what the files about translation share (IV-C, IV-E). */
#ifndef PROBE_PHYS_METHOD_COOPER_TLB_H
#define PROBE_PHYS_METHOD_COOPER_TLB_H

#include "method/cooper/time.h"

/**
 * struct cooper_pages - virtual pages that strings are walked in
 * @view: of @count pages, each with a frame of its own: what else a program
 *        misses, it misses here, too
 * @page_bytes: of each
 * @count: of them
 */
struct cooper_pages {
	struct view *view;
	uint64_t page_bytes;
	size_t count;
};

/** COOPER_STRINGS_PER_OCTAVE - between powers of two (note 2) */
#define COOPER_STRINGS_PER_OCTAVE 4
/** COOPER_MOST_STRINGS - of a sweep over numbers of pages */
#define COOPER_MOST_STRINGS 64
/** COOPER_KINDS - values of n of T(n,k): 1, 2, 4 and 8. The paper would add 3, 4
 * and 5, which move the rise of a cache by less than an octave: they cannot be
 * told from rises at the same number of pages.
 */
#define COOPER_KINDS 4
/** COOPER_LINES() - n of T(n,k), by kind */
#define COOPER_LINES(kind) ((size_t)1 << (kind))

/** cooper_kind_name() - "T(1,k)" ... */
const char *cooper_kind_name(size_t kind);

/** enum cooper_rise - what T(n,k) rises behind a string for */
enum cooper_rise {
	RISE_OF_NOTHING, /* it does not */
	RISE_OF_CACHE,
	RISE_OF_TLB,
	RISE_OPEN,
};

/**
 * struct cooper_survey - translation of one page size
 * @grid: pages of the strings, @grid_count of them
 * @timed: pages of the strings that are being timed
 * @kind: n of what is being timed is 1 << kind
 * @curves: T(n,k) by kind, analysed; NULL: not timed yet
 * @rises: what it rises for behind each string of the grid
 * @unclear: it rises there whatever n is, but not by the same cycles
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
 * @sweep: (out) what was timed
 * Return: as cooper_sweep().
 */
int cooper_sweep_pages(struct cooper_survey *s, size_t kind,
		       const size_t *timed, size_t count,
		       struct cooper_string *strings,
		       struct cooper_sweep *sweep, struct failure *f);

/**
 * cooper_time_pages() - T(n,k) up to @most pages, analysed
 * Return: 0; -EINTR when stopped, with nothing in s->curves; other -errno with @f
 * set.
 */
int cooper_time_pages(struct cooper_survey *s, size_t kind, size_t most,
		      struct failure *f);

/**
 * cooper_judge_rises() - tell TLBs from caches (IV-C), into s->rises
 *
 * T(1,k) and T(2,k) have been timed and their levels found; more are timed on
 * demand. A TLB rises at the same pages whatever n is, and by the same cycles; a
 * cache does so only where there is another one for each n.
 * Return: as cooper_time_pages().
 */
int cooper_judge_rises(struct cooper_survey *s, struct failure *f);

/** cooper_cycles_at() - T(n,k) at string @at of the grid, or at its last one */
double cooper_cycles_at(const struct cooper_survey *s, size_t kind, size_t at);

/** cooper_rises_at() - whether it begins to rise behind this string */
bool cooper_rises_at(const struct cooper_survey *s, size_t kind, size_t at);

/** cooper_rise_at() - by how many cycles */
double cooper_rise_at(const struct cooper_survey *s, size_t kind, size_t at);

/**
 * struct cooper_tlb - a level that T(n,k) has shown
 * @row: of the result
 * @pages: its effective entries
 * @above: those of the level above; 0: there is none
 * @hit_cycles: a load of T(1,k) that finds its translation here
 * @load_cycles: the same, less what caches cost it since the first level
 * @miss_cycles: a load that does not
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
 * The gap test with pages for lines: w + 1 pages a multiple of the number of sets
 * apart do not fit, w do. The number of sets is what @t->pages and w give, so each
 * divisor is tried, with pages drawn at random from all that ought to share a set:
 * an index that is not linear spreads them, and then nothing is decided. Behind
 * another level so many sets are filled alike that it keeps none of their pages,
 * which shows ways that the paper's test could not ("we have not been able to
 * devise a reference string", of the ARM926EJ-S).
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int cooper_measure_tlb_ways(struct cooper *c, const struct cooper_pages *pages,
			    const struct cooper_tlb *t, struct failure *f);

#endif
