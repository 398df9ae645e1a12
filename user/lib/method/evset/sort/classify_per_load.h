/* SPDX-License-Identifier: GPL-2.0 */
/*
 * classify_per_load.h - lines sorted by the set that they share, by what each
 * load takes.
 *
 * Where each load of a round is timed by itself, one walk tells of every line
 * whether its set overflows. Of random choices of lines in which about half of the
 * sets do, lines of one set are late in the same ones: each look at a thousand
 * lines says as much as a thousand questions about whole lists. It is the idea of
 * Prime+Probe, whose probes tell sets apart (Liu et al., S&P 2015), turned from
 * one set that is known to all sets of none.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_SORT_CLASSIFY_PER_LOAD_H

#include "method/evset/sort/classes.h"

/**
 * evset_check_per_load() - is each class one set, and none of the others?
 * @d: (in, out) lines that turn out to be of another class, or of none, are put
 *     there; a class that does not overflow alone is none
 * @good: (out) after that nothing was left to be put elsewhere
 *
 * All lines of one class together, with some of each other that fit: its own are
 * all late then, and no others.
 * Return: as evset_sample_each().
 */
int evset_check_per_load(struct evset_machine *e, struct evset_assignment *d,
			 bool *good, struct failure *f);

/**
 * evset_sort_per_load() - evset_classify() by looks at each line
 * @c: (out) without minimal sets; c->apart: evset_check_per_load() has found it good.
 *     evset_classes_free() it, whatever is returned
 * Return: as evset_sample_each().
 */
int evset_sort_per_load(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c,
			struct failure *f);

#endif
