/* SPDX-License-Identifier: GPL-2.0 */
/*
 * native.h - what machines that run on this computer have in common.
 *
 * A CPU, a timer, chains of additions, pauses, loads of other CPUs. Such a
 * machine begins with a struct native and adds its memory and how it is walked.
 * Knows nothing of where the memory comes from. Called by machine/hugepage and
 * machine/module only. Functions return 0 or -errno with @f set.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_NATIVE_H
#define PROBE_PHYS_MACHINE_NATIVE_NATIVE_H

#include "machine/machine.h"
#include "machine/native/load/load_threads.h"
#include "machine/native/mapped_view.h"
#include "machine/native/timer.h"

/**
 * struct native - a machine that runs on this computer
 * @machine: what methods see
 * @timer: clock of walks in user space
 * @base: address of offset 0 of the region; NULL: not mapped
 */
struct native {
	struct machine machine;
	struct timer timer;
	char *base;
};

static inline struct native *native_of(struct machine *m)
{
	return (struct native *)m;
}

/**
 * native_open() - take a CPU and a timer
 * @n: (in, out) zeroed but for machine.ops; native_close() on error, too
 * @cpu: CPU that is to measure, -1: the last one that the process may run on
 *
 * The calling thread is bound to the CPU. Return: 0; -EINVAL: no such CPU;
 * -ENODEV: no usable timer.
 */
int native_open(struct native *n, int cpu, struct failure *f);

/** native_close() - release what native_open() took, the list of extents, and
 * @n, which is the beginning of a block from malloc()
 */
void native_close(struct native *n);

/**
 * native_pin() - bind the calling thread to one CPU
 * @cpu: CPU, or -1 for the last one that the process may run on
 * Return: the CPU, or -errno with @f set.
 */
int native_pin(int cpu, struct failure *f);

/* Operations of struct machine_ops. */
double native_add_chain(struct machine *m, unsigned int adds);
double native_register_chain(struct machine *m, enum register_type type,
			     unsigned int variables);
void native_pause(struct machine *m, unsigned int ms);
double native_clock_ns(const struct machine *m);

/** NATIVE_OPS - the operations that all native machines share */
#define NATIVE_OPS                                                          \
	.add_chain = native_add_chain,                                      \
	.register_chain = native_register_chain, .pause = native_pause,     \
	.clock_ns = native_clock_ns, .view_close = mapped_view_close,       \
	.load_start = load_threads_start, .load_loads = load_threads_loads, \
	.load_stop = load_threads_stop

#endif
