/* SPDX-License-Identifier: GPL-2.0 */
/* cluster.h - lines that were late in the same looks are of one class. */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** EVSET_NO_CLASS - of a line that is in none */
#define EVSET_NO_CLASS SIZE_MAX

/**
 * struct evset_looks - how late lines were, each time that they were looked at
 * @lines: lines
 * @room: looks, at most
 * @seen: by line: looks that it took part in
 * @when: by line, @room each: which ones these were
 * @late: by line, @room each: ticks by which it was later than the lines of that
 *        look were on the average
 */
struct evset_looks {
	size_t lines;
	size_t room;
	size_t *seen;
	size_t *when;
	double *late;
};

/** evset_looks_begin() - none yet. Return: 0 or -ENOMEM with @f set;
 * evset_looks_free() either way.
 */
int evset_looks_begin(struct evset_looks *l, size_t lines, size_t room,
		      struct failure *f);
void evset_looks_free(struct evset_looks *l);

/** evset_looks_add() - what one line was in look @look
 * @line: has taken part in fewer than l->room of them
 */
void evset_looks_add(struct evset_looks *l, size_t line, size_t look,
		     double late);

/** struct evset_mean - @late: the sum of some lines, by look; @count: of how many;
 * @mean: theirs
 */
struct evset_mean {
	double *late;
	double *count;
	double *mean;
};

/**
 * struct evset_growth - room for one class after the other
 * @l: what was seen
 * @mean: of the lines that are of the class so far
 * @like: by line, how much it is like these; room for as many
 * @is: by line: it is of the last class
 * @count: classes that have been grown
 * @next: the line that begins the next one, if it has no class
 * @vain: lines that were like no others: after many the looks were of no use
 */
struct evset_growth {
	const struct evset_looks *l;
	struct evset_mean mean;
	double *like;
	bool *is;
	size_t count;
	size_t next;
	size_t vain;
};

/** evset_growth_begin() - @l stays where it is meanwhile
 * Return: 0 or -ENOMEM with @f set; evset_growth_end() either way.
 */
int evset_growth_begin(struct evset_growth *g, const struct evset_looks *l,
		       struct failure *f);
void evset_growth_end(struct evset_growth *g);

/**
 * evset_grow_next() - one class more of lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (in, out) by line: its class, numbered from 0 on, or EVSET_NO_CLASS
 *
 * From a line and the few that are most like it: those that are like their mean
 * are the next ones that make it, until they stay the same.
 * Return: whether there is one.
 */
bool evset_grow_next(struct evset_growth *g, size_t least, size_t *class_of);

/**
 * evset_alike() - lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (out) by line: its class, or EVSET_NO_CLASS
 * @count: (out) classes
 *
 * Those that grow from each line that has none yet, then each line to the one that it
 * is most like.
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_alike(const struct evset_looks *l, size_t least, size_t *class_of,
		size_t *count, struct failure *f);

#endif
