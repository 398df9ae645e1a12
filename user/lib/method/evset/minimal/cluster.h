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
 * struct evset_samples - how late lines were, each time that they were looked at
 * @lines: lines
 * @room: looks, at most
 * @seen: by line: looks that it took part in
 * @when: by line, @room each: which ones these were
 * @excess: by line, @room each: ticks by which it was later than the lines of that
 *        look were on the average
 */
struct evset_samples {
	size_t lines;
	size_t room;
	size_t *seen;
	size_t *when;
	double *excess;
};

/** evset_samples_begin() - none yet. Return: 0 or -ENOMEM with @f set;
 * evset_samples_free() either way.
 */
int evset_samples_begin(struct evset_samples *l, size_t lines, size_t room,
			struct failure *f);
void evset_samples_free(struct evset_samples *l);

/** evset_samples_add() - what one line was in look @sample
 * @line: has taken part in fewer than l->room of them
 */
void evset_samples_add(struct evset_samples *l, size_t line, size_t sample,
		       double excess);

/** struct evset_cluster_mean - @excess: the sum of some lines, by look; @count: of how many;
 * @mean: theirs
 */
struct evset_cluster_mean {
	double *excess;
	double *count;
	double *mean;
};

/**
 * struct evset_clusters - room for one class after the other
 * @l: what was seen
 * @mean: of the lines that are of the class so far
 * @similarity: by line, how much it is like these; room for as many
 * @is: by line: it is of the last class
 * @count: classes that have been grown
 * @next: the line that begins the next one, if it has no class
 * @fruitless: lines that were like no others: after many the looks were of no use
 */
struct evset_clusters {
	const struct evset_samples *l;
	struct evset_cluster_mean mean;
	double *similarity;
	bool *is;
	size_t count;
	size_t next;
	size_t fruitless;
};

/** evset_clusters_begin() - @l stays where it is meanwhile
 * Return: 0 or -ENOMEM with @f set; evset_clusters_end() either way.
 */
int evset_clusters_begin(struct evset_clusters *g,
			 const struct evset_samples *l, struct failure *f);
void evset_clusters_end(struct evset_clusters *g);

/**
 * evset_clusters_next() - one class more of lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (in, out) by line: its class, numbered from 0 on, or EVSET_NO_CLASS
 *
 * From a line and the few that are most like it: those that are like their mean
 * are the next ones that make it, until they stay the same.
 * Return: whether there is one.
 */
bool evset_clusters_next(struct evset_clusters *g, size_t least,
			 size_t *class_of);

/**
 * evset_cluster() - lines that were late in the same looks
 * @least: fewer alike are no class
 * @class_of: (out) by line: its class, or EVSET_NO_CLASS
 * @count: (out) classes
 *
 * Those that grow from each line that has none yet, then each line to the one that it
 * is most like.
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_cluster(const struct evset_samples *l, size_t least, size_t *class_of,
		  size_t *count, struct failure *f);

#endif
