/* SPDX-License-Identifier: GPL-2.0 */
/*
 * random_subsets.h - looks at random choices of lines, as long as about half of
 * their sets overflow.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_RANDOM_SUBSETS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_RANDOM_SUBSETS_H

#include "method/evset/minimal/cluster.h"
#include "method/evset/oracle/session.h"

/**
 * struct evset_unsorted - lines to be sorted by set
 * @lines: the same as each other to the levels above, in random order; reordered
 * @count: so many are sorted, many times as many as overflow a set
 * @spare: so many behind them only if those are not enough
 * @prefix: number of lines of which some set overflows
 */
struct evset_unsorted {
	uint64_t *lines;
	size_t count;
	size_t spare;
	size_t prefix;
};

/**
 * evset_gather_pool() - lines to be dealt out, however large the level is
 * @align_bytes: they are at a random multiple of that in their blocks
 * @u: (out) prefix: too few for half of the sets to overflow; the caller frees lines
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_gather_pool(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f);

/**
 * struct evset_assignment - lines that are dealt out to classes
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
 * struct evset_subsets - looks at some of the lines that have no class
 * @d: all lines
 * @all: numbers of those without a class; the first @count are looked at
 * @left: how many have none
 * @count: of a look
 * @lines: room for them
 * @excess: what comes of it, and as much room for sorting it
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

/** evset_subsets_list() - those of all lines that have no class */
void evset_subsets_list(struct evset_subsets *c);

/**
 * evset_subsets_size() - so many that about half of their sets overflow
 * @first: the least number, c->count (out) the one that does, 0: there are too few
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_subsets_size(struct evset_machine *e, struct evset_subsets *c,
		       size_t first, struct failure *f);

/**
 * evset_subsets_sample() - at choices, until each line was in many of them
 * @of_each: in so many, as a mean
 * @place: by number of a line: its number among those of @l
 * @l: (out) what was seen; evset_samples_free() it either way
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_subsets_sample(struct evset_machine *e, struct evset_subsets *c,
			 size_t of_each, const size_t *place,
			 struct evset_samples *l, struct failure *f);

#endif
