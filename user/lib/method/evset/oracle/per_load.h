/* SPDX-License-Identifier: GPL-2.0 */
/* per_load.h - which lines of a list are late, whatever order they come in. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H

#include "method/evset/oracle/session.h"

/** evset_per_load_possible() - can the machine time single loads finely enough, and is
 * time what tells?
 */
bool evset_per_load_possible(const struct evset_machine *e);

/**
 * evset_sample_each() - what each of some lines takes in a round of them
 * @lines: @count of them, visited in random order
 * @rounds: that are timed
 * @excess: (out) of each, ticks above the mean of all
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_sample_each(struct evset_machine *e, const uint64_t *lines,
		      size_t count, unsigned int rounds, double *excess,
		      struct failure *f);

/**
 * evset_sample_first() - what each of the first @timed lines of a list takes
 * @timed: 1 to @count; the others are only loaded
 * @ticks: (out) of each that is timed, with what reading the timer takes
 * Return: as evset_sample_each().
 */
int evset_sample_first(struct evset_machine *e, const uint64_t *lines,
		       size_t timed, size_t count, unsigned int rounds,
		       double *ticks, struct failure *f);

/** EVSET_OVERFULL - lines that make their set overflow clearly: of many more, some
 * policies keep some for long
 */
#define EVSET_OVERFULL(ways) (3 * (ways) / 2 + 1)

/** EVSET_OVERFULL_ROUNDS - for evset_sample_each(), when they do */
#define EVSET_OVERFULL_ROUNDS 40

/**
 * evset_threshold() - ticks between lines of a set that overflows and others
 * @excess: of @own lines of the set, then of others, @count in all
 * @sorted: room for as many
 * Return: INFINITY where the medians hardly differ: it does not overflow.
 */
double evset_threshold(const struct evset_machine *e, const double *excess,
		       size_t own, size_t count, double *sorted);

/** EVSET_SURE_LEAST - rounds of a look that tell a line's mean to a tenth of a miss,
 * where the timer steps by half a miss
 */
#define EVSET_SURE_LEAST 40

/** evset_sure_rounds() - so many that the timer's steps do not hide who is late */
unsigned int evset_sure_rounds(const struct evset_machine *e);

/** evset_missing_by() - ticks by which a line of a look is later than others if it is
 * late
 */
double evset_missing_by(const struct evset_machine *e);

/**
 * evset_sample_orders() - evset_sample_each() of so many rounds, in some random orders
 * @excess: (out) of each line
 *
 * Whoever else uses the level for some milliseconds only adds to what a round takes:
 * of orders that do not take the same there are some more, and the fastest count.
 * Return: as evset_sample_each().
 */
int evset_sample_orders(struct evset_machine *e, const uint64_t *lines,
			size_t count, double *excess, struct failure *f);

#endif
