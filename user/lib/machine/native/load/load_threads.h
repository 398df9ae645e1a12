/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load_threads.h - a load on real CPUs: threads that follow pointers through
 * plain user memory. The operations of struct machine_ops.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_LOAD_THREADS_H
#define PROBE_PHYS_MACHINE_NATIVE_LOAD_THREADS_H

#include "machine/load.h"

/**
 * load_threads_start() - one thread on each CPU
 *
 * Its memory is its own: of huge pages where the kernel gives some, on its NUMA
 * node. It has begun when it has gone through it once.
 */
int load_threads_start(struct machine *m, const struct load_request *request,
		       struct load **load, struct failure *f);
uint64_t load_threads_loads(const struct load *load, size_t i);
void load_threads_stop(struct load *load);

#endif
