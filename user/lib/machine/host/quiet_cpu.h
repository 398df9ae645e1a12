/* SPDX-License-Identifier: GPL-2.0 */
/* quiet_cpu.h - the CPU that others use least, where the user has named none. */
#ifndef PROBE_PHYS_MACHINE_HOST_QUIET_CPU_H
#define PROBE_PHYS_MACHINE_HOST_QUIET_CPU_H

#include <stddef.h>

/**
 * quiet_cpu_share() - how much others take of a CPU's time or caches
 * @rounds_ns: what @count equal rounds of work took
 *
 * Who uses the caches makes many rounds a little longer, who shares the CPU's time
 * makes few of them very long: the larger one of the share of rounds that took longer
 * than the best one, and of the time that those took above it.
 * Return: 0 to 1; 1: no rounds.
 */
double quiet_cpu_share(const double *rounds_ns, size_t count);

/**
 * quiet_cpu_choose() - a CPU to measure on
 *
 * A small chase is timed on a few of the CPUs that this process may run on, over
 * and over for some milliseconds: quiet_cpu_share() tells how much others take of its
 * time and of its caches, a thread of the same core included. Only CPUs with the caches of the highest one
 * are tried, which stays the choice unless another one is clearly quieter.
 * Return: its number, or -1 when none can be told; then the highest is as good.
 */
int quiet_cpu_choose(void);

#endif
