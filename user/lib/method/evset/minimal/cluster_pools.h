/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cluster_pools.h - minimal sets out of lines that missed in the same samples.
 *
 * A list of random candidates has to be so long that some set overflows:
 * hundreds of lines, some of which a neighbour evicts all the time. Lists of
 * lines that missed in the same samples (cluster.h) have a tenth of that
 * length. To cluster all lines takes as long as to sample them: a class grows
 * when it is wanted.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_POOLS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_POOLS_H

#include "method/evset/oracle/session.h"

/**
 * evset_cluster_pools_wanted() - do random candidates give too few sets, or too
 * slowly?
 * @found: sets that passed their controls
 * @tried: tries made for them
 * @spent_ns: time of these tries
 * @left_ns: time for the sets that are still wanted
 * Return: false, too, if clusters are impossible or there are some.
 */
bool evset_cluster_pools_wanted(const struct evset_machine *e, int found,
				int tried, double spent_ns, double left_ns);

/** evset_cluster_pools_try_ns() - time limit of a set out of random candidates;
 * INFINITY: there is no other way
 */
double evset_cluster_pools_try_ns(const struct evset_machine *e);

/**
 * evset_cluster_pools_begin() - sample lines, if host pages are splintered and
 * single loads can be timed
 *
 * e->search.pools stays NULL if not, or if hardly any lines are similar. The
 * budget is granted again, as by evset_allow(). evset_cluster_pools_end()
 * whatever is returned.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_cluster_pools_begin(struct evset_machine *e, struct failure *f);

/** evset_cluster_pools_end() - forget the classes, if there are any */
void evset_cluster_pools_end(struct evset_machine *e);

/**
 * evset_cluster_pools_find() - as many lines of the next class as overflow a
 * set
 * @set: (out) with evictors of no class or of others; to be verified: one of
 *       its lines may be of another set; count 0: the class does not overflow
 *       any
 * Return: 0 or the oracle's -errno.
 */
int evset_cluster_pools_find(struct evset_machine *e, struct evset_set *set,
			     struct failure *f);

/** evset_cluster_pools_judge() - was the last class of
 * evset_cluster_pools_find() a set?
 *
 * After many in a row that were none the classes are forgotten, and
 * e->search.pools is NULL.
 */
void evset_cluster_pools_judge(struct evset_machine *e, bool good);

/** evset_cluster_pools_similar() - a random line that is likely of the same set
 * as @line
 * Return: @line if it has no class, or there are no classes.
 */
uint64_t evset_cluster_pools_similar(struct evset_machine *e, uint64_t line);

#endif
