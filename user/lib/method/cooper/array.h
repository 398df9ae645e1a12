/* SPDX-License-Identifier: GPL-2.0 */
/* array.h - C(k) on a machine: arrays of k bytes in its region. */
#ifndef PROBE_PHYS_METHOD_COOPER_ARRAY_H
#define PROBE_PHYS_METHOD_COOPER_ARRAY_H

#include "method/cooper/time.h"

/**
 * struct cooper_arrays - arrays of several lengths that are timed together
 * @c: the measurement
 * @line_bytes: from one word to the next
 * @strings: @count of them, @room for more; x is the length
 * @visits: of each page in a round, by string
 * @bases: where arrays begin, by mapping; longer ones that do not fit there end
 *         where the region ends, so that each holds the shorter ones
 * @mappings: how many bases are used: one where the region is contiguous, as
 *            then all places are alike
 */
struct cooper_arrays {
	struct cooper *c;
	uint64_t line_bytes;
	struct cooper_string *strings;
	unsigned int *visits;
	size_t count;
	size_t room;
	uint64_t bases[COOPER_MAPPINGS];
	unsigned int mappings;
};

/** cooper_arrays_begin() - none yet. Return: 0 or -ENOMEM with @f set. */
int cooper_arrays_begin(struct cooper_arrays *a, struct cooper *c, size_t room,
			struct failure *f);

/** cooper_arrays_add() - one of @bytes, made a multiple of a line; one that the
 * last one equals is not added
 */
void cooper_arrays_add(struct cooper_arrays *a, uint64_t bytes,
		       unsigned int visits);

/** cooper_arrays_time() - cooper_sweep() of them; Return: as there */
int cooper_arrays_time(struct cooper_arrays *a, const char *what,
		       struct failure *f);

/** cooper_arrays_sweep() - the sweep that was timed, for cooper_keep() */
struct cooper_sweep cooper_arrays_sweep(struct cooper_arrays *a,
					const char *what);

void cooper_arrays_free(struct cooper_arrays *a);

#endif
