/* SPDX-License-Identifier: GPL-2.0 */
/* quiet_cpu.h - the CPU that others use least, if the user has named none. */
#ifndef PROBE_PHYS_MACHINE_HOST_QUIET_CPU_H
#define PROBE_PHYS_MACHINE_HOST_QUIET_CPU_H

#include <stddef.h>

/**
 * quiet_cpu_share() - share of a CPU's time or caches that others use
 * @rounds_ns: times of @count equal rounds of work
 *
 * Another user of the caches makes many rounds a little longer; another user of
 * the CPU's time makes few rounds much longer. So the result is the larger of
 * two shares: rounds that took longer than the best one, and time above it.
 * Return: 0 to 1; 1: no rounds.
 */
double quiet_cpu_share(const double *rounds_ns, size_t count);

/**
 * quiet_cpu_choose() - a CPU to measure on
 *
 * Times a small chase on a few of the CPUs that this process may run on, for
 * some milliseconds each: quiet_cpu_share() then includes a thread on the same
 * core. Only CPUs with the same caches as the highest one are tried; the
 * highest stays the choice unless another one is clearly quieter.
 * Return: its number, or -1 when nothing was measured: the highest is as good.
 */
int quiet_cpu_choose(void);

#endif
