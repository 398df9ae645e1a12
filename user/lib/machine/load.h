/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - a known load on other CPUs during a measurement, as on a busy
 * computer whose caches are shared (Cooper, Sandoval, section VII: the first
 * extension).
 *
 *	if (load_start(m, &request, &load, f))
 *		return error;
 *	... measure ...
 *	load_stop(load);
 */
#ifndef PROBE_PHYS_MACHINE_LOAD_H
#define PROBE_PHYS_MACHINE_LOAD_H

#include "machine/machine.h"

/** LOAD_LINE_BYTES - distance of the lines that a load visits */
#define LOAD_LINE_BYTES 64

/**
 * struct load_request - the load that other CPUs make
 * @cpus: @cpu_count CPUs, 1 to MACHINE_OTHERS, each once, without machine.cpu
 * @bytes: memory of each CPU, at least 4 KiB; it is walked line by line in
 *         random order, each load dependent on the one before
 * @stores: after each load, a store to the same line
 */
struct load_request {
	const int *cpus;
	size_t cpu_count;
	uint64_t bytes;
	bool stores;
};

/**
 * struct load - a load that runs
 * @m: the machine
 * @cpu_count: how many CPUs
 */
struct load {
	struct machine *m;
	size_t cpu_count;
};

/**
 * load_start() - let other CPUs walk memory of their own until load_stop()
 * @load: (out) the load, once all its CPUs have begun; NULL on error, and no
 *        CPU is left running
 *
 * The load lasts through any number of walks of the machine, and ends at the
 * latest with machine_close(). More than one at a time: -EBUSY.
 * Return: 0; -EOPNOTSUPP where the machine has no other CPU or cannot do it
 * (STATUS_UNAVAILABLE); -EINVAL for a CPU that is the measured one, comes
 * twice, is offline or not allowed for this process, or for less than 4 KiB;
 * -ENOMEM; with @f set.
 */
int load_start(struct machine *m, const struct load_request *request,
	       struct load **load, struct failure *f);

/** load_loads() - loads that the @i-th CPU of the request has done so far */
uint64_t load_loads(const struct load *load, size_t i);

/** load_stop() - end it, and wait for that; NULL is allowed */
void load_stop(struct load *load);

#endif
