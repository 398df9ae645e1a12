/* SPDX-License-Identifier: GPL-2.0 */
/* per_load.h - which lines of a list are late, whatever order they come in. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_PER_LOAD_H

#include "method/evset/oracle/list_oracle.h"

/** EVSET_SURE_LEAST - rounds of a look that tell a line's mean to a tenth of a miss,
 * where the timer steps by half a miss
 */
#define EVSET_SURE_LEAST 40

/** evset_sure_rounds() - so many that the timer's steps do not hide who is late */
unsigned int evset_sure_rounds(const struct evset_machine *e);

/** evset_late_by() - ticks by which a line of a look is later than others if it is
 * late
 */
double evset_late_by(const struct evset_machine *e);

/**
 * evset_look_in_orders() - evset_look_each() of so many rounds, in some random orders
 * @late: (out) of each line
 *
 * Whoever else uses the level for some milliseconds only adds to what a round takes:
 * of orders that do not take the same there are some more, and the fastest count.
 * Return: as evset_look_each().
 */
int evset_look_in_orders(struct evset_machine *e, const uint64_t *lines,
			 size_t count, double *late, struct failure *f);

#endif
