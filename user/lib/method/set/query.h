/* SPDX-License-Identifier: GPL-2.0 */
/* query.h - which accesses of a query miss. */
#ifndef PROBE_PHYS_METHOD_SET_QUERY_H
#define PROBE_PHYS_METHOD_SET_QUERY_H

#include "method/set/oracle.h"
#include "sequence/access_query.h"

/**
 * struct set_query_answer - what a measured access costs
 * @misses: 0 for a hit, 1 for a miss; by time a line that has to come from
 *          further away than from the next level costs more
 * @least: least that it may be, where time leaves room
 * @agreed: the same again and again; otherwise a mean
 */
struct set_query_answer {
	double misses;
	double least;
	bool agreed;
};

/**
 * set_query_run() - ask an oracle
 * @answers: (out) of each measured access, in order
 *
 * Other lines make the set forget first. An access costs what the circle up to
 * and with it costs more than the one without it; what is neither about 0 nor
 * about 1 says that the set had not forgotten.
 * A flush is a part of the circle; that flushing works at all is proved first.
 * Return: 0; -EOPNOTSUPP: it flushes, and the machine cannot; -ENOSPC: too long
 * for the oracle; or another -errno, with @f set.
 */
int set_query_run(const struct set_oracle *oracle, const struct query *q,
		  struct set_query_answer *answers, struct failure *f);

#endif
