/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pauses.h - how often this CPU is taken away, for less time than a context switch.
 *
 * A hypervisor, firmware or an interrupt stops a thread unnoticed by it. Each stop takes
 * lines and translations, or all of them. Reading the clock without end shows a stop as a
 * reading that took long.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_PAUSES_H
#define PROBE_PHYS_MACHINE_HOST_PAUSES_H

#include <stddef.h>

/**
 * struct pauses - what readings of the clock have shown
 * @per_second: pauses in a second; 0: none
 * @mean_ns: how long one is, without those of a context switch
 */
struct pauses {
	double per_second;
	double mean_ns;
};

/** pauses_of() - pauses between readings of a clock
 * @readings_ns: @count of them, in their order
 */
struct pauses pauses_of(const double *readings_ns, size_t count);

/** pauses_measure() - pauses of this CPU, in a few milliseconds */
struct pauses pauses_measure(void);

#endif
