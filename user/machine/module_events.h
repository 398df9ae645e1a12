/* SPDX-License-Identifier: GPL-2.0 */
/* module_events.h - which perf event may play which role of a counter. */
#ifndef PROBE_PHYS_MODULE_EVENTS_H
#define PROBE_PHYS_MODULE_EVENTS_H

#include <linux/probe_phys.h>

#include "machine.h"

/** MODULE_EVENTS_PMUS - where the kernel lists PMUs and their named events */
#define MODULE_EVENTS_PMUS "/sys/bus/event_source/devices"
/** MODULE_EVENTS_MAX - most candidates for all roles together */
#define MODULE_EVENTS_MAX 32

/**
 * struct module_event - a candidate
 * @role: what it is meant to count
 * @event: how to ask for it
 * @pmu: name of its PMU; "kernel" for the kernel's generic events
 */
struct module_event {
	enum machine_counter role;
	struct probe_phys_event event;
	char pmu[32];
};

/**
 * module_events_find() - candidates, the better ones of each role first
 * @pmus: MODULE_EVENTS_PMUS
 * @events: room for MODULE_EVENTS_MAX
 *
 * Events of PMUs in sysfs that are named like a role (machine_counter_name()),
 * then the kernel's generic ones. PMUs that count no CPU's work (those with a
 * "cpumask") are left out. Whether an event exists on this CPU is known when
 * it is created, not before. Return: their number.
 */
size_t module_events_find(const char *pmus, struct module_event *events);

#endif
