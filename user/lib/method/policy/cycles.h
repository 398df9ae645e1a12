/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cycles.h - circles to ask sets that throw dice.
 *
 * Those of a book are long, so that a single answer tells many policies apart.
 * Where dice are thrown, one early throw changes all that comes later in such a
 * round. Short ones, of which some happen to show what is let in seldom, tell
 * more in the same time; which these are, candidates say.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_CYCLES_H
#define PROBE_PHYS_METHOD_POLICY_CYCLES_H

#include <stdint.h>

#include "method/set/oracle.h"

/** CIRCLES - of a pool, at most */
#define CIRCLES 256

/**
 * struct circles - a pool
 * @cycles: warm ones, @count of them: fewer where few fit
 * @numbers: blocks of all of them
 */
struct circles {
	struct cycle cycles[CIRCLES];
	size_t count;
	unsigned int *numbers;
};

/**
 * circles_make() - a pool for an oracle
 * @seed: of what is drawn
 * Return: 0 or -ENOMEM. circles_free() in either case.
 */
int circles_make(struct circles *c, const struct set_oracle *oracle,
		 uint64_t seed);
void circles_free(struct circles *c);

#endif
