/* SPDX-License-Identifier: GPL-2.0 */
/* counter.h - groups of perf counters. */
#ifndef PP_COUNTER_H
#define PP_COUNTER_H

#include <linux/fs.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"

struct perf_event;

/**
 * struct pp_counters - one group, file->private_data of its descriptor
 * @obj: registry entry
 * @cpu: CPU counted on, -1: the creating thread
 * @nr_events: length of @events
 * @events: perf events, pinned, in the order of creation
 */
struct pp_counters {
	struct pp_object obj;
	int cpu;
	u32 nr_events;
	struct perf_event *events[PROBE_PHYS_MAX_COUNTERS];
};

/**
 * pp_counter_create() - reserve a group
 * @arg: checked for size, flags and reserved fields only; outputs filled in,
 *       @arg->failed_event also on error
 * Return: a new file (not yet installed) or ERR_PTR as in the uapi header.
 */
struct file *pp_counter_create(struct probe_phys_counters_create *arg);

/** pp_counter_from_file() - the group of @file, or NULL for another kind */
struct pp_counters *pp_counter_from_file(struct file *file);

/** pp_counter_control() - COUNTERS_CONTROL; errors as in the uapi header */
int pp_counter_control(struct pp_counters *c,
		       const struct probe_phys_counters_control *arg);
/** pp_counter_read() - COUNTERS_READ; always 0 */
int pp_counter_read(struct pp_counters *c,
		    struct probe_phys_counters_read *arg);

/**
 * pp_counter_read_local() - values now, on the CPU of the group
 * @c: group
 * @values: (out) room for c->nr_events
 *
 * Context: interrupts off, on c->cpu. Return: true when every counter is
 * running here, false when one is not (multiplexed or in error).
 */
bool pp_counter_read_local(struct pp_counters *c, u64 *values);

#endif /* PP_COUNTER_H */
