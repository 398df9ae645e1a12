/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cluster_pools.h - minimal sets out of lines that were late in the same looks.
 *
 * A list of random candidates has to be so long that some set overflows: hundreds of
 * lines, of which whoever shares the level always takes some away. Lines that were
 * late in the same looks (method/evset/sort/classify_per_load.h) make lists of
 * a tenth of that length. To sort all of them takes as long as the looks: a
 * class grows when it is wanted.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_POOLS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_CLUSTER_POOLS_H

#include "method/evset/oracle/session.h"

/**
 * evset_cluster_pools_wanted() - are sets out of random candidates too seldom found, or too
 * dear?
 * @found: sets that passed their controls
 * @tried: tries that were made for them
 * @spent_ns: what these took
 * @left_ns: what those that are still wanted may take
 * Return: false, too, where they cannot be had, or there are some.
 */
bool evset_cluster_pools_wanted(const struct evset_machine *e, int found,
				int tried, double spent_ns, double left_ns);

/** evset_cluster_pools_try_ns() - time for a set out of random candidates, INFINITY: what it
 * takes, since there is no other way
 */
double evset_cluster_pools_try_ns(const struct evset_machine *e);

/**
 * evset_cluster_pools_begin() - look at lines, where they are pieces of pages that lie
 * anywhere in the host, and single loads can be timed
 *
 * e->search.pools stays NULL where they are not, or hardly any are alike. More may be
 * asked of @e then, as by evset_allow(). evset_cluster_pools_end() it, whatever is returned.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_cluster_pools_begin(struct evset_machine *e, struct failure *f);

/** evset_cluster_pools_end() - forget the classes, if there are any */
void evset_cluster_pools_end(struct evset_machine *e);

/**
 * evset_cluster_pools_find() - as many lines of the next class as overflow a set
 * @set: (out) with padding that is of no or other classes, to be verified: one of its
 *       lines may be of another set; count 0: the class does not overflow any
 * Return: 0 or the oracle's -errno.
 */
int evset_cluster_pools_find(struct evset_machine *e, struct evset_set *set,
			     struct failure *f);

/** evset_cluster_pools_judge() - was the last class that evset_cluster_pools_find() took a set?
 *
 * Where many in a row are none the classes are forgotten, and e->search.pools is NULL.
 */
void evset_cluster_pools_judge(struct evset_machine *e, bool good);

/** evset_cluster_pools_similar() - a line that is likely of the same set as @line, at random
 * Return: @line where it has no class, or none is known.
 */
uint64_t evset_cluster_pools_similar(struct evset_machine *e, uint64_t line);

#endif
