/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - one sequence of loads, run and timed inside the kernel in slices
 * with interrupts off. It must not know views, /dev or netlink. Only its own
 * command starts a walk; netlink reads struct pp_walk. The chain in memory, the
 * slices and the clock stay inside. Functions return 0 or -errno.
 */
#ifndef PP_WALK_H
#define PP_WALK_H

#include "base/base.h"
#include "cpu/cpu.h"
#include "mem/mem.h"

/* WALK */
extern const struct pp_command pp_walk_commands[];

/**
 * struct pp_walk - one running walk, as netlink shows it
 * @obj: registry entry
 * @buffer_id: number of the buffer
 * @cpu: CPU that it runs on
 * @nr_offsets: length of the sequence
 * @loads_done: measured loads so far; the walk writes it after each slice
 */
struct pp_walk {
	struct pp_object obj;
	u64 buffer_id;
	int cpu;
	u32 nr_offsets;
	u64 loads_done;
};

/**
 * struct pp_walk_result - the samples of a walk
 * @samples: room for arg->max_samples, kernel memory
 * @nr_samples: (out) samples written
 * @loads_done: (out) measured loads
 */
struct pp_walk_result {
	struct probe_phys_sample *samples;
	u32 nr_samples;
	u64 loads_done;
};

/**
 * pp_walk_check() - refuse what can be refused before memory is allocated
 * @arg: the command's struct
 *
 * Return: 0 or -EINVAL, -ENXIO as in the uapi header.
 */
int pp_walk_check(const struct probe_phys_walk *arg);

/**
 * pp_walk_run() - check, lay out, freeze, walk, thaw
 * @b: buffer; the caller holds its file
 * @c: counter group or NULL; the caller holds its file
 * @arg: checked by pp_walk_check()
 * @offsets: arg->nr_offsets offsets, in memory that user space cannot write
 * @res: filled in also when the walk ends early
 *
 * Context: process, sleeps, ends within one slice of a fatal signal.
 * Return: 0 or -errno as in the uapi header.
 */
int pp_walk_run(struct pp_buffer *b, struct pp_counters *c,
		const struct probe_phys_walk *arg, const u64 *offsets,
		struct pp_walk_result *res);

#endif /* PP_WALK_H */
