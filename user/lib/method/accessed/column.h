/* SPDX-License-Identifier: GPL-2.0 */
/* column.h - how many pages of one set are kept, set by set. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_COLUMN_H
#define PROBE_PHYS_METHOD_ACCESSED_COLUMN_H

#include "method/accessed/kept.h"

/** COLUMN_PAGES - most pages of one set that are touched */
#define COLUMN_PAGES 512

/** COLUMN_TESTS - tests of a number of ways, each of which may err */
#define COLUMN_TESTS 6

/**
 * struct column_looks - looks at single sets
 * @kept: how many of the latest first looks at sets showed each number of kept pages
 * @first: the same of all first looks
 * @all: the same of all looks
 * @pages: that were touched of a set, COLUMN_PAGES at most
 */
struct column_looks {
	unsigned int kept[COLUMN_PAGES + 1];
	unsigned int first[COLUMN_PAGES + 1];
	unsigned int all[COLUMN_PAGES + 1];
	unsigned int pages;
};

/**
 * column_look() - look at sets at random, each for itself
 * @w: rows whose columns lie in sets of their own
 * @looks: (in and out) those at as many pages are added to, but for @kept; others are
 *         forgotten
 *
 * Means of many sets hide whether something takes the same number of entries of each.
 * It hardly does: an array's set always has the same number of ways, but pages of
 * others are spread unevenly, and come and go. So sets keep different numbers of pages
 * then, and the largest of these is the number of ways.
 *
 * Others hold the same entries for a while. So sets that keep the most are looked at
 * again and again, until they keep less.
 *
 * Return: 0; -ERANGE: more pages than a view has; -EAGAIN: too many looks were
 * disturbed; -EINTR; or another -errno with @f set.
 */
int column_look(const struct kept_view *v, const struct kept_shape *w,
		struct column_looks *looks, struct failure *f);

/**
 * column_fit() - how often all of some pages of one set are kept
 * @w: as of column_look(); its rows are the pages
 * @fit: (in and out) looks in which all were kept are added
 *
 * They are touched while their bits are cleared, so that others have less time to take
 * one. More pages than ways never fit: each round of touches loses one.
 * Return: as column_look()
 */
int column_fit(const struct kept_view *v, const struct kept_shape *w,
	       unsigned int *fit, struct failure *f);

/**
 * column_describe() - the most common number of kept pages, and how many looks show
 * more
 * @text: (out) to be added to a sentence about sets; empty: there were no looks
 */
void column_describe(const struct column_looks *looks, char *text, size_t size);

/**
 * column_allows() - whether that number of ways is what most sets show
 * @kind: of the touches
 * @alpha: error of each of two tests, which the caller has drawn
 *
 * A set may show more pages than it has ways, now and then: as many looks have to show
 * @ways that those that show more may be such ones. And looks that show one page less
 * have to be fewer, or @ways may be such a number itself.
 *
 * Return: false also where too few looks keep as many as there are ways.
 */
bool column_allows(const struct column_looks *looks, enum touch_kind kind,
		   unsigned int ways, double alpha);

/**
 * column_exceeds() - whether more looks show more pages than a set with @ways may show
 * @kind, @alpha: as of column_allows()
 */
bool column_exceeds(const struct column_looks *looks, enum touch_kind kind,
		    unsigned int ways, double alpha);

/**
 * column_ends() - whether single sets keep @ways pages, and next to none more
 * @kind, @alpha: as of column_allows()
 */
bool column_ends(const struct column_looks *looks, enum touch_kind kind,
		 unsigned int ways, double alpha);

/**
 * column_is_more() - whether @more looks, of those and @fewer, are too many to show what a
 * set has no ways for
 */
bool column_is_more(unsigned int more, unsigned int fewer, enum touch_kind kind,
		    double alpha);

/** column_is_most() - whether @more looks are as few as these may be */
bool column_is_most(unsigned int fewer, unsigned int more, enum touch_kind kind,
		    double alpha);

/**
 * column_lacks() - whether fewer than @share of the first looks that show as many or
 * more show more
 */
bool column_lacks(const struct column_looks *looks, unsigned int ways,
		  double share, double alpha);

/**
 * struct column_spread - pages that sets keep at first looks
 * @mean, @variance: of these
 */
struct column_spread {
	double mean;
	double variance;
};

/** column_spread() - of looks, of which there were some */
struct column_spread column_spread(const struct column_looks *looks);

#endif
