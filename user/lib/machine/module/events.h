/* SPDX-License-Identifier: GPL-2.0 */
/* events.h - perf events that may play the role of a counter. */
#ifndef PROBE_PHYS_MACHINE_MODULE_EVENTS_H
#define PROBE_PHYS_MACHINE_MODULE_EVENTS_H

#include <linux/probe_phys.h>

#include "machine/machine.h"

/** MODULE_EVENTS_PMUS - where the kernel lists PMUs and their named events */
#define MODULE_EVENTS_PMUS "/sys/bus/event_source/devices"
/** MODULE_EVENTS_MAX - most candidates for all roles together */
#define MODULE_EVENTS_MAX 128

/**
 * struct module_event - a candidate
 * @role: role that it may play
 * @event: its encoding
 * @pmu: name of its PMU; "kernel" for the kernel's generic events, "libpfm4"
 * @name: of the event there
 */
struct module_event {
	enum machine_counter role;
	struct probe_phys_event event;
	char pmu[32];
	char name[64];
};

/**
 * module_events_find() - candidates, the better ones of each role first
 * @pmus: MODULE_EVENTS_PMUS
 * @events: room for MODULE_EVENTS_MAX
 *
 * Events of PMUs in sysfs that are named like a role (machine_counter_name())
 * or as Arm's architecture names what plays it, those that libpfm4 knows of the
 * CPU at hand, then the kernel's generic ones. PMUs that count no CPU's work
 * (those with a "cpumask") are left out. Whether an event exists on this CPU is
 * known when it is created, not before. Return: their number.
 */
size_t module_events_find(const char *pmus, struct module_event *events);

/**
 * module_event_named() - an event that the user names
 * @pmus: MODULE_EVENTS_PMUS
 * @name: "PMU/EVENT/" or "PMU/term=value,.../" as perf has it, or a name of
 *        libpfm4's
 * @event: (out) the role is not set
 * Return: 0, or -errno with @f set.
 */
int module_event_named(const char *pmus, const char *name,
		       struct module_event *event, struct failure *f);

#endif
