/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classify_per_load.h - lines sorted by the set that they share, by the time of
 * each load.
 *
 * If each load of a round is timed by itself, one walk shows of every line
 * whether its set overflows. In random subsets of which about half of the sets
 * overflow, lines of one set miss in the same subsets: a sample of a thousand
 * lines says as much as a thousand questions about whole lists. This is the
 * idea of Prime+Probe (Liu et al., S&P 2015), turned from one known set to all
 * sets of which none is known.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H

#include "method/evset/sort/classes.h"

/**
 * evset_check_per_load() - is each class one set, and none of the others?
 * @d: (in, out) lines of another class, or of none, are moved there; a class
 *     that does not overflow alone is removed
 * @good: (out) no line was moved any more
 *
 * All lines of one class are walked with some of each other class that fit:
 * then its own lines miss, and no others.
 * Return: as evset_sample_each().
 */
int evset_check_per_load(struct evset_machine *e, struct evset_assignment *d,
			 bool *good, struct failure *f);

/**
 * evset_sort_per_load() - evset_classify() by samples of each line
 * @c: (out) without minimal sets; c->checked: they passed
 *     evset_check_per_load(). evset_classes_free() whatever is returned
 * Return: as evset_sample_each().
 */
int evset_sort_per_load(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c,
			struct failure *f);

#endif
