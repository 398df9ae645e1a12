/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kept.h - how many of some pages the TLBs keep, by accessed bits.
 *
 * Pages are touched in rounds, their accessed bits are cleared, and a few of them,
 * drawn at random, are touched once more. Those that had to be walked for were not
 * kept. Few, since each walk brings in a page that may push out one that is still to
 * be tested. With more pages than entries the TLBs are full of them under any
 * replacement policy that fills empty ways first, so what they keep is their
 * capacity.
 */
#ifndef PROBE_PHYS_METHOD_ACCESSED_KEPT_H
#define PROBE_PHYS_METHOD_ACCESSED_KEPT_H

#include "method/probe/prober.h"

/**
 * struct kept_view - pages of one size that are touched in one way
 * @prober: machine, random numbers and budget
 * @view: the pages
 * @pages: their number
 * @kind: loads or fetches
 * @most: pages that may be touched
 * @above: entries of the array above the last one, which may hold pages that this one
 *         has lost; 0: not known
 */
struct kept_view {
	struct prober *prober;
	struct view *view;
	uint64_t pages;
	enum touch_kind kind;
	uint64_t most;
	double above;
};

/**
 * kept_view_open() - as many pages as the machine maps
 * @executable: for fetches and loads; else for loads alone
 * Return: 0; -EOPNOTSUPP: there are none, or in a guest bits of the smallest ones do not
 * follow page walks, and machine.accessed_bits is false from then
 * on; or another -errno with @f set.
 */
int kept_view_open(struct kept_view *v, struct prober *p, uint64_t page_bytes,
		   bool executable, struct failure *f);
void kept_view_close(struct kept_view *v);

/** KEPT_APART - pages this far apart share no entry, which may hold several neighbours */
#define KEPT_APART 5

/**
 * struct kept_shape - rows of pages
 * @rows: their number
 * @columns: pages of each
 * @spacing: distance of these; 0 counts as 1: adjacent ones
 * @stride: distance of rows, pages, at least @columns times @spacing
 * @random: rows lie at random multiples of @stride
 */
struct kept_shape {
	uint64_t rows;
	uint64_t columns;
	uint64_t spacing;
	uint64_t stride;
	bool random;
};

/** kept_row() - @pages in one row */
struct kept_shape kept_row(uint64_t pages);

/**
 * struct kept - pages that are kept
 * @pages: that were touched
 * @low, @middle, @high: the middle of several trials, and bounds on it
 * @still: the same after a pause, in which others may have taken entries
 */
struct kept {
	double pages;
	double low;
	double middle;
	double high;
	double still;
};

/** KEPT_TRIALS - of kept_measure(), where nothing disturbs */
#define KEPT_TRIALS 61

/**
 * kept_estimate() - the middle of a few trials, without bounds
 * Return: 0; -ERANGE: more pages than there are; -EAGAIN: too many trials were
 * disturbed; -EINTR; or another -errno with @f set; the next one alike.
 */
int kept_estimate(const struct kept_view *v, const struct kept_shape *w,
		  struct kept *k, struct failure *f);

/**
 * kept_estimate_up_to() - the same, where only a middle of @most or less counts
 *
 * Nothing that disturbs makes more to be kept: a few trials are enough that keep more.
 */
int kept_estimate_up_to(const struct kept_view *v, const struct kept_shape *w,
			double most, struct kept *k, struct failure *f);

/**
 * kept_measure() - KEPT_TRIALS trials, and an interval that the middle is in but for
 * an error of prober.rules.alpha, drawn from the budget
 *
 * The middle is the mean (Student's interval). Where the clearing of accessed bits
 * disturbs, others do so, too, and all lose entries: it is the mean of those trials in
 * which the most was kept in a pause, a third of them or less. Where the budget is used
 * up, the interval says nothing.
 */
int kept_measure(const struct kept_view *v, const struct kept_shape *w,
		 struct kept *k, struct failure *f);

/**
 * kept_across() - the share of pages that are kept from one kind of touch to the
 * other, by one trial
 * @first: of them; pages that no earlier trial has touched, as these may be kept from
 *         there
 * @before, @after: kinds of touch
 */
int kept_across(const struct kept_view *v, uint64_t first, uint64_t pages,
		enum touch_kind before, enum touch_kind after, double *share,
		struct failure *f);

#endif
