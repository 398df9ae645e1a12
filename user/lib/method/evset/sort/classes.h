/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classes.h - lines sorted by the set that they share, by trying.
 *
 * Nothing is assumed of the index: it need not be linear, the number of its
 * sets no power of two, and no address be known.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_CLASSES_H
#define PROBE_PHYS_METHOD_EVSET_SORT_CLASSES_H

#include "method/evset/minimal/random_subsets.h"

/** EVSET_MOST_CLASSES - more are not told apart */
#define EVSET_MOST_CLASSES 320

/** EVSET_CHECKED_TIMES - times as many lines of a class as fit its set have passed
 * controls, its first ones
 */
#define EVSET_CHECKED_TIMES 2

/**
 * struct evset_classes - lines sorted by set
 * @ways: A of the level; a minimal set has one line more
 * @lines: all of them, those of a class side by side, those of none last
 * @line_count: their number
 * @spare: more lines behind them that have not been looked at
 * @begin: where each class begins in @lines; begin[count]: the end of the last
 * @sets: a minimal set of each
 * @count: of classes
 * @checked: evset_check_classes() has found none that is bad
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
 * @c: (out) what could be sorted; evset_classes_free() it, whatever is returned
 *
 * By quick answers: a minimal set of some class from what is left, then all
 * lines that evict it, group by group, until nothing left overflows. While lines
 * are too few to have met every set, some of those that are spare follow. A class
 * that does not pass its controls is taken apart again.
 * Return: 0 or the oracle's -errno.
 */
int evset_classify(struct evset_oracle *o, const struct evset_unsorted *u,
		   size_t ways, struct evset_classes *c, struct failure *f);

/** evset_lines_wanted() - lines that are enough to have met every set
 *
 * Sets are met by chance; some of a sliced level are met less often.
 * Return: c->line_count if these are; no more than there are.
 */
size_t evset_lines_wanted(const struct evset_classes *c);

/**
 * evset_is_sorted() - does every class fill its set, and can no class more be
 * among the lines left?
 * @reason: (out) why not
 */
bool evset_is_sorted(const struct evset_classes *c, char *reason, size_t size);

/**
 * evset_check_classes() - is each class one set, and none of the others?
 *
 * Of each class the first lines are checked, as many as EVSET_CHECKED_TIMES says,
 * and the last ones. The rest has only been asked to evict the set, which a line
 * of none does where somebody else's is there in that moment; no list is made of
 * it.
 * @bad: (out) the first class whose lines do not all show to be of one set, or
 *       whose set a line of another class evicts; @c->count: none
 * Return: 0 or the oracle's -errno.
 */
int evset_check_classes(struct evset_oracle *o, const struct evset_classes *c,
			size_t *bad, struct failure *f);

#endif
