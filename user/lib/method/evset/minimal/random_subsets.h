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
 * evset_each_gather() - lines to be dealt out, however large the level is
 * @align_bytes: they are at a random multiple of that in their blocks
 * @u: (out) prefix: too few for half of the sets to overflow; the caller frees lines
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_each_gather(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f);

/**
 * struct evset_dealt - lines that are dealt out to classes
 * @lines: @count of them
 * @class_of: of each, or EVSET_NO_CLASS
 * @classes: their number
 * @ways: A of the level; 0: not known
 */
struct evset_dealt {
	const uint64_t *lines;
	size_t count;
	size_t *class_of;
	size_t classes;
	size_t ways;
};

/**
 * struct evset_choice - looks at some of the lines that have no class
 * @d: all lines
 * @all: numbers of those without a class; the first @count are looked at
 * @left: how many have none
 * @count: of a look
 * @lines: room for them
 * @late: what comes of it, and as much room for sorting it
 * @class_of: room for the class of each
 */
struct evset_choice {
	struct evset_dealt *d;
	size_t *all;
	size_t left;
	size_t count;
	uint64_t *lines;
	double *late;
	size_t *class_of;
};

/** evset_choice_begin() - of @d, whose lines have no class then
 * Return: 0 or -ENOMEM with @f set; evset_choice_end() either way.
 */
int evset_choice_begin(struct evset_choice *c, struct evset_dealt *d,
		       struct failure *f);
void evset_choice_end(struct evset_choice *c);

/** evset_choice_list() - those of all lines that have no class */
void evset_choice_list(struct evset_choice *c);

/**
 * evset_choice_count() - so many that about half of their sets overflow
 * @first: the least number, c->count (out) the one that does, 0: there are too few
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_choice_count(struct evset_machine *e, struct evset_choice *c,
		       size_t first, struct failure *f);

/**
 * evset_choice_looks() - at choices, until each line was in many of them
 * @at_each: in so many, as a mean
 * @place: by number of a line: its number among those of @l
 * @l: (out) what was seen; evset_looks_free() it either way
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_choice_looks(struct evset_machine *e, struct evset_choice *c,
		       size_t at_each, const size_t *place,
		       struct evset_looks *l, struct failure *f);

#endif
