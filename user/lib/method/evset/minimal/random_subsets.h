/* SPDX-License-Identifier: GPL-2.0 */
/*
 * random_subsets.h - samples of random subsets of lines, so long that about
 * half of their sets overflow.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_RANDOM_SUBSETS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_RANDOM_SUBSETS_H

#include "method/evset/minimal/cluster.h"
#include "method/evset/oracle/session.h"

/**
 * struct evset_unsorted - lines to be sorted by set
 * @lines: they share the sets of the levels above, in random order; reordered
 * @count: lines to be sorted, many times as many as overflow a set
 * @spare: lines behind them, used only if those are not enough
 * @prefix: number of lines of which some set overflows
 */
struct evset_unsorted {
	uint64_t *lines;
	size_t count;
	size_t spare;
	size_t prefix;
};

/**
 * evset_gather_pool() - lines to be sorted, however large the level is
 * @align_bytes: they lie at a random multiple of this in their pages
 * @u: (out) prefix: too few for half of the sets to overflow; the caller frees
 *     lines
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_gather_pool(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f);

/**
 * struct evset_assignment - lines that are assigned to classes
 * @lines: @count of them
 * @class_of: of each, or EVSET_NO_CLASS
 * @classes: their number
 * @ways: A of the level; 0: not known
 */
struct evset_assignment {
	const uint64_t *lines;
	size_t count;
	size_t *class_of;
	size_t classes;
	size_t ways;
};

/**
 * struct evset_subsets - samples of some of the lines that have no class
 * @d: all lines
 * @all: numbers of those without a class; the first @count are sampled
 * @left: how many have none
 * @count: lines of a sample
 * @lines: room for them
 * @excess: of each, and as much room for sorting
 * @class_of: room for the class of each
 */
struct evset_subsets {
	struct evset_assignment *d;
	size_t *all;
	size_t left;
	size_t count;
	uint64_t *lines;
	double *excess;
	size_t *class_of;
};

/** evset_subsets_begin() - of @d, whose lines have no class then
 * Return: 0 or -ENOMEM with @f set; evset_subsets_end() either way.
 */
int evset_subsets_begin(struct evset_subsets *c, struct evset_assignment *d,
			struct failure *f);
void evset_subsets_end(struct evset_subsets *c);

/** evset_subsets_list() - list the lines that have no class */
void evset_subsets_list(struct evset_subsets *c);

/**
 * evset_subsets_size() - the size at which about half of the sets overflow
 * @first: the least size. c->count (out): the size, 0: there are too few lines
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_subsets_size(struct evset_machine *e, struct evset_subsets *c,
		       size_t first, struct failure *f);

/**
 * evset_subsets_sample() - sample subsets, until each line was in many of them
 * @of_each: in this many, as a mean
 * @place: by number of a line: its number among those of @l
 * @l: (out) the samples; evset_samples_free() either way
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_subsets_sample(struct evset_machine *e, struct evset_subsets *c,
			 size_t of_each, const size_t *place,
			 struct evset_samples *l, struct failure *f);

#endif
