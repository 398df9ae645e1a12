/* SPDX-License-Identifier: GPL-2.0 */
/* per_load.h - which lines of a list miss, by the time of each load. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H

#include "method/evset/oracle/session.h"

/** evset_per_load_possible() - can the machine time single loads finely enough,
 * and does time decide?
 */
bool evset_per_load_possible(const struct evset_machine *e);

/**
 * evset_sample_each() - excess ticks of each of some lines in a round of them
 * @lines: @count of them, visited in random order
 * @rounds: that are timed
 * @excess: (out) of each, ticks above the mean of all
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_sample_each(struct evset_machine *e, const uint64_t *lines,
		      size_t count, unsigned int rounds, double *excess,
		      struct failure *f);

/**
 * evset_sample_first() - ticks of each of the first @timed lines of a list
 * @timed: 1 to @count; the others are only loaded
 * @ticks: (out) of each timed line, with the time to read the timer
 * Return: as evset_sample_each().
 */
int evset_sample_first(struct evset_machine *e, const uint64_t *lines,
		       size_t timed, size_t count, unsigned int rounds,
		       double *ticks, struct failure *f);

/** EVSET_OVERFULL - lines that make their set overflow clearly: of many more,
 * some policies keep some for long
 */
#define EVSET_OVERFULL(ways) (3 * (ways) / 2 + 1)

/**
 * evset_sample_overfull() - evset_sample_each() of lines of a set that should
 * overflow, and of others
 * @own: lines of the set, in front; then @others that fit; @count in all
 * @excess: (out) of each; and as much room for sorting
 * @threshold: (out) lines above it miss; INFINITY: the medians hardly differ, so
 *             that the set does not overflow
 * Return: as evset_sample_each().
 */
int evset_sample_overfull(struct evset_machine *e, const uint64_t *lines,
			  size_t own, size_t others, size_t count,
			  double *excess, double *threshold, struct failure *f);

/** EVSET_SURE_LEAST - rounds that resolve a line's mean to a tenth of a miss,
 * if the timer steps by half a miss
 */
#define EVSET_SURE_LEAST 40

/** evset_sure_rounds() - rounds of a sample in which the timer's steps do not
 * hide a missing line
 */
unsigned int evset_sure_rounds(const struct evset_machine *e);

/** evset_missing_by() - excess ticks of a missing line, at least */
double evset_missing_by(const struct evset_machine *e);

/**
 * evset_sample_orders() - evset_sample_each() over some random orders
 * @excess: (out) of each line
 *
 * A neighbour that uses the level for some milliseconds only adds to a round:
 * if the orders differ, there are more of them, and the fastest count.
 * Return: as evset_sample_each().
 */
int evset_sample_orders(struct evset_machine *e, const uint64_t *lines,
			size_t count, double *excess, struct failure *f);

#endif
