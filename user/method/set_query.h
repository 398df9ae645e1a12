/* SPDX-License-Identifier: GPL-2.0 */
/* set_query.h - which accesses of a query miss. */
#ifndef PROBE_PHYS_SET_QUERY_H
#define PROBE_PHYS_SET_QUERY_H

#include "../sequence/query.h"
#include "set_oracle.h"

/**
 * set_query_run() - ask an oracle
 * @misses: (out) of each measured access, in order: 0 for a hit, 1 for a miss
 *
 * Other lines make the set forget first. An access costs what the circle up to
 * and with it costs more than the one without it; what is neither about 0 nor
 * about 1 says that the set had not forgotten.
 * Return: 0; -EOPNOTSUPP: it flushes, which a circle cannot; -ENOSPC: too long
 * for the oracle; or another -errno, with @f set.
 */
int set_query_run(const struct set_oracle *oracle, const struct query *q,
		  double *misses, struct failure *f);

#endif
