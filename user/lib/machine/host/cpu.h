/* SPDX-License-Identifier: GPL-2.0 */
/* cpu.h - threads that run on one CPU. */
#ifndef PROBE_PHYS_MACHINE_HOST_CPU_H
#define PROBE_PHYS_MACHINE_HOST_CPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/** cpu_clock_ns() - a clock that nothing adjusts */
double cpu_clock_ns(void);

/** cpu_move_to() - bind the calling thread to a CPU
 * Return: false: there is no such CPU, or the process may not run on it.
 */
bool cpu_move_to(int cpu);

/**
 * cpu_of_another_core() - the first of some CPUs that is no thread of the same core
 * Return: -1: there is none, or the kernel does not say
 */
int cpu_of_another_core(int cpu, const int *others, size_t count);

/**
 * cpu_start_thread() - start a thread that is bound to a CPU
 * @thread: (out) to be joined
 *
 * All signals are blocked in it: they are for the thread that measures.
 * Return: 0, or errno; EINVAL: as cpu_move_to().
 */
int cpu_start_thread(pthread_t *thread, int cpu, void *(*run)(void *),
		     void *context);

#endif
