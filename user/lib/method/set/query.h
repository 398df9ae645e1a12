/* SPDX-License-Identifier: GPL-2.0 */
/* query.h - which accesses of a query miss. */
#ifndef PROBE_PHYS_METHOD_SET_QUERY_H
#define PROBE_PHYS_METHOD_SET_QUERY_H

#include "method/set/oracle.h"
#include "sequence/access_query.h"

/**
 * struct set_query_answer - the cost of a measured access
 * @misses: 0 for a hit, 1 for a miss; by time, a line from beyond the next
 *          level costs more
 * @least: lower limit of @misses
 * @agreed: repeated answers agreed; otherwise @misses is a mean
 */
struct set_query_answer {
	double misses;
	double least;
	bool agreed;
};

/**
 * set_query_run() - answer a query
 * @answers: (out) of each measured access, in order
 *
 * Lines outside the query make the set forget first. The cost of an access is
 * the difference of two cycles: up to and including it, and without it. A cost
 * that is neither about 0 nor about 1 means that the set had not forgotten.
 * Flushes are part of the cycle; a control first proves that flushing works.
 * Return: 0; -EOPNOTSUPP: it flushes, and the machine cannot; -ENOSPC: too long
 * for the oracle; or another -errno, with @f set.
 */
int set_query_run(const struct set_oracle *oracle, const struct query *q,
		  struct set_query_answer *answers, struct failure *f);

#endif
