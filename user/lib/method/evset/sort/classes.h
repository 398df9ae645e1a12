/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classes.h - lines sorted by the set that they share, by the oracle alone.
 * Must not know how sets are counted: only of oracle and minimal sets.
 * Called by count, to sort lines or whole pages.
 * Returns classes of lines, each with a minimal set, and if they are checked.
 * Errors: those of the oracle.
 *
 * Nothing is assumed of the index: it need not be linear, nor the number of
 * sets a power of two, nor any address known.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_CLASSES_H
#define PROBE_PHYS_METHOD_EVSET_SORT_CLASSES_H

#include "method/evset/minimal/random_subsets.h"
#include "method/evset/oracle/page_oracle.h"

/** EVSET_MOST_CLASSES - classes, at most */
#define EVSET_MOST_CLASSES 320

/** EVSET_CHECKED_TIMES - the first lines of a class pass controls: this many
 * times as many as fit its set
 */
#define EVSET_CHECKED_TIMES 2

/**
 * struct evset_classes - lines sorted by set
 * @ways: A of the level; a minimal set has one line more
 * @lines: all of them, those of a class side by side, those of none last
 * @line_count: their number
 * @spare: more lines behind them, not sorted yet
 * @begin: where each class begins in @lines; begin[count]: the end of the last
 * @sets: a minimal set of each
 * @count: of classes
 * @checked: each class has passed its controls
 */
struct evset_classes {
	size_t ways;
	uint64_t *lines;
	size_t line_count;
	size_t spare;
	size_t begin[EVSET_MOST_CLASSES + 1];
	struct evset_set *sets;
	size_t count;
	bool checked;
};

/** evset_class_lines() - number of lines of a class */
size_t evset_class_lines(const struct evset_classes *c, size_t i);

/** evset_classes_free() - everything but the lines, which are the caller's */
void evset_classes_free(struct evset_classes *c);

/**
 * evset_classify() - sort lines by set
 * @c: (out) the classes; evset_classes_free() whatever is returned
 *
 * By quick answers: a minimal set of the remaining lines, then all lines that
 * evict it, group by group, until nothing overflows. While the lines are too
 * few for every set to have some, spare ones follow. A class that fails its
 * controls is dissolved.
 * Return: 0 or the oracle's -errno.
 */
int evset_classify(struct evset_oracle *o, const struct evset_unsorted *u,
		   size_t ways, struct evset_classes *c, struct failure *f);

/** evset_lines_wanted() - number of lines that fall into every set
 *
 * Chance decides; fewer lines fall into some sets of a sliced level.
 * Return: c->line_count if these are enough; no more than there are.
 */
size_t evset_lines_wanted(const struct evset_classes *c);

/**
 * evset_is_sorted() - does every class fill its set, and can no class more be
 * among the remaining lines?
 * @reason: (out) why not
 */
bool evset_is_sorted(const struct evset_classes *c, char *reason, size_t size);

/**
 * evset_check_classes() - is each class one set, and none of the others?
 *
 * The first lines of each class are checked, as many as EVSET_CHECKED_TIMES
 * says, and the last ones. The rest was only tested to evict the set, which a
 * foreign line does not unless a neighbour's line is there in that moment; no
 * list is made of the rest.
 * @bad: (out) the first class whose lines are not all of one set, or whose set
 *       a line of another class evicts; @c->count: none
 * Return: 0 or the oracle's -errno.
 */
int evset_check_classes(struct evset_oracle *o, const struct evset_classes *c,
			size_t *bad, struct failure *f);

/**
 * evset_sort_per_load() - evset_classify() by samples of each line
 * @c: (out) without minimal sets; c->checked: they passed
 *     evset_check_per_load(). evset_classes_free() whatever is returned
 * Return: as evset_sample_each().
 */
int evset_sort_per_load(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c,
			struct failure *f);

/**
 * evset_thin_pages() - walk fewer lines of each page from now on
 * @set: lines of one set, one more than it has ways, each in a page of its own
 * @pages: offsets of @count pages
 * @prefix: number of pages of which some set overflows
 * @outcome: (out) OUTCOME_OPEN: no pages share all sets that their lines of @set share
 *
 * Lines that differ only in bits of the offset that are not folded onto others
 * share their sets with the same pages: one choice of such bits is enough. A
 * class of pages, found by all lines, shows which bits are folded: if its pages
 * share sets at other offsets, they fit when half of the offsets are left out.
 * A bit is kept if that is not clear.
 * Return: 0 or the oracle's -errno.
 */
int evset_thin_pages(struct evset_page_oracle *b, const struct evset_set *set,
		     const uint64_t *pages, size_t count, size_t prefix,
		     enum outcome *outcome, struct failure *f);

#endif
