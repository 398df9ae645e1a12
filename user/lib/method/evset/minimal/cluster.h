/* SPDX-License-Identifier: GPL-2.0 */
/* cluster.h - lines that missed in the same samples are of one class. */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** EVSET_NO_CLASS - class of a line that has none */
#define EVSET_NO_CLASS SIZE_MAX

/**
 * struct evset_samples - excess ticks of lines in each sample
 * @lines: lines
 * @room: samples, at most
 * @seen: by line: samples that it took part in
 * @when: by line, @room each: numbers of these samples
 * @excess: by line, @room each: ticks above the mean of the lines of that
 *          sample
 */
struct evset_samples {
	size_t lines;
	size_t room;
	size_t *seen;
	size_t *when;
	double *excess;
};

/** evset_samples_begin() - no sample yet. Return: 0 or -ENOMEM with @f set;
 * evset_samples_free() either way.
 */
int evset_samples_begin(struct evset_samples *l, size_t lines, size_t room,
			struct failure *f);
void evset_samples_free(struct evset_samples *l);

/** evset_samples_add() - one line of a sample
 * @line: has taken part in fewer than l->room samples
 */
void evset_samples_add(struct evset_samples *l, size_t line, size_t sample,
		       double excess);

/** struct evset_cluster_mean - of some lines, by sample: @excess: their sum;
 * @count: their number; @mean
 */
struct evset_cluster_mean {
	double *excess;
	double *count;
	double *mean;
};

/**
 * struct evset_clusters - room for one class after the other
 * @l: the samples
 * @mean: of the lines that are in the class so far
 * @similarity: by line, to this mean; and as much room
 * @is: by line: it is in the last class
 * @count: classes so far
 * @next: the line that begins the next class, if it has none
 * @fruitless: lines that were similar to no others
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
 * evset_clusters_next() - one class more of lines that missed in the same
 * samples
 * @least: fewer similar lines are no class
 * @class_of: (in, out) by line: its class, numbered from 0 on, or
 *            EVSET_NO_CLASS
 *
 * It begins with a line and the few most similar ones: lines that are similar
 * to their mean make the next mean, until they stay the same.
 * Return: whether there is one.
 */
bool evset_clusters_next(struct evset_clusters *g, size_t least,
			 size_t *class_of);

/**
 * evset_cluster() - all classes of lines that missed in the same samples
 * @least: fewer similar lines are no class
 * @class_of: (out) by line: its class, or EVSET_NO_CLASS
 * @count: (out) classes
 *
 * Classes grow from each line that has none; then each line goes to the most
 * similar class.
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_cluster(const struct evset_samples *l, size_t least, size_t *class_of,
		  size_t *count, struct failure *f);

#endif
