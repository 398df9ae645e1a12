/* SPDX-License-Identifier: GPL-2.0 */
/* quiet_cpu.h - the CPU that others use least, where the user has named none. */
#ifndef PROBE_PHYS_QUIET_CPU_H
#define PROBE_PHYS_QUIET_CPU_H

/**
 * quiet_cpu_choose() - a CPU to measure on
 *
 * A small chase is timed on a few of the CPUs that this process may run on, over
 * and over for some milliseconds: on each the share of rounds that take longer
 * than its best tells how much others take of its time and of its caches, a
 * thread of the same core included. Only CPUs with the caches of the highest one
 * are tried, which stays the choice unless another one is clearly quieter.
 * Return: its number, or -1 when none can be told; then the highest is as good.
 */
int quiet_cpu_choose(void);

#endif
