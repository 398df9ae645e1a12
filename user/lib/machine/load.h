/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - a known load on other CPUs while one measures, which is what a program
 * on a busy computer has to share its caches with (Cooper, Sandoval, section VII:
 * the first extension).
 *
 *	if (load_start(m, &request, &load, f))
 *		return error;
 *	... measure ...
 *	load_stop(load);
 */
#ifndef PROBE_PHYS_MACHINE_LOAD_H
#define PROBE_PHYS_MACHINE_LOAD_H

#include "machine/machine.h"

/** LOAD_LINE_BYTES - the lines that a load visits are so far apart */
#define LOAD_LINE_BYTES 64

/**
 * struct load_request - what other CPUs are to do while one measures
 * @cpus: who, each once, none of them machine.cpu; @cpu_count of them, at least 1
 *        and at most MACHINE_OTHERS
 * @bytes: each walks so much memory of its own, 4 KiB at least, line by line in
 *         random order, one load waiting for the other
 * @stores: it stores to each line that it has loaded
 */
struct load_request {
	const int *cpus;
	size_t cpu_count;
	uint64_t bytes;
	bool stores;
};

/**
 * struct load - other CPUs at work
 * @m: the machine
 * @cpu_count: how many CPUs
 */
struct load {
	struct machine *m;
	size_t cpu_count;
};

/**
 * load_start() - let other CPUs walk memory of their own until load_stop()
 * @load: (out) all of whose CPUs have begun; NULL on error, when none is left
 *        running
 *
 * The load lasts through any number of walks of the machine, and ends at the latest
 * with machine_close(). More than one at a time: -EBUSY.
 * Return: 0; -EOPNOTSUPP where the machine has no other CPU or cannot do it
 * (STATUS_UNAVAILABLE); -EINVAL for a CPU that is the measured one, comes twice,
 * is offline or not allowed for this process, or for less than 4 KiB; -ENOMEM;
 * with @f set.
 */
int load_start(struct machine *m, const struct load_request *request,
	       struct load **load, struct failure *f);

/** load_loads() - loads that the @i-th CPU of the request has done so far */
uint64_t load_loads(const struct load *load, size_t i);

/** load_stop() - end it, and wait for that; NULL is allowed */
void load_stop(struct load *load);

#endif
