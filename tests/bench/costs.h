/* SPDX-License-Identifier: GPL-2.0 */
/* costs.h - the cost of each parameter of a method: accesses and time. */
#ifndef PROBE_PHYS_COSTS_H
#define PROBE_PHYS_COSTS_H

#include "machine/machine.h"

/** COSTS_MOST - parameters */
#define COSTS_MOST 64

/** struct cost - of one parameter
 * @name: "L1 data: line"
 * @accesses: loads, stores and jumps, warming, controls and votes included
 * @seconds: of this computer, simulation included
 */
struct cost {
	char name[48];
	uint64_t accesses;
	double seconds;
};

/**
 * struct costs - the cost of all parameters
 * @all: @count costs, in the order of measurement; the first is of the tests of
 *       counters, which come before any parameter
 * @now: index of the one that is being measured
 * @since: when its measurement began
 * @name: makes a name of a progress message; NULL: the same parameter goes on
 * @code: X-Ray is measuring the cache of code
 */
struct costs {
	struct cost all[COSTS_MOST];
	size_t count;
	struct cost *now;
	double since;
	const char *(*name)(struct costs *c, const char *what);
	bool code;
	char text[48];
};

/** costs_begin() - count what @m does from now on, one machine at a time */
void costs_begin(struct costs *c, struct machine *m,
		 const char *(*name)(struct costs *c, const char *what));

/** costs_progress() - struct prober.progress, of a struct costs */
void costs_progress(void *context, const char *what, double done);

/** costs_end() - the last one has ended */
void costs_end(struct costs *c);

/** costs_of() - sum over all names with this beginning, named as the first one;
 * zero if there is none
 */
struct cost costs_of(const struct costs *c, const char *begins);

/**
 * costs_of_amp(), costs_of_xray() - names for progress messages of these
 * methods, the same for the same parameter
 */
const char *costs_of_amp(struct costs *c, const char *what);
const char *costs_of_xray(struct costs *c, const char *what);

#endif
