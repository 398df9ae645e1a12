/* SPDX-License-Identifier: GPL-2.0 */
/* counters.h - counters around walks in the kernel. */
#ifndef PROBE_PHYS_MACHINE_MODULE_COUNTERS_H
#define PROBE_PHYS_MACHINE_MODULE_COUNTERS_H

#include <linux/probe_phys.h>

#include "machine/machine.h"

/**
 * struct module_counters - the counters of one CPU
 * @session: descriptor that makes groups
 * @cpu: CPU on which they count
 * @available: roles that can be counted, bits 1 << enum machine_counter
 * @events: the event of each role
 * @group: descriptor, -1: none; it counts @counted, the lowest bit first
 * @counted: roles
 * @overhead: counts of an empty slice, by role
 *
 * One group at a time, of only the events wanted: processors have few counters,
 * and reading each brings lines into the caches.
 */
struct module_counters {
	int session;
	int cpu;
	unsigned int available;
	struct probe_phys_event events[MACHINE_COUNTERS];
	int group;
	unsigned int counted;
	double overhead[MACHINE_COUNTERS];
};

/**
 * module_counters_find() - try candidates for each role
 * @c: @session and @cpu are set; the rest is filled in
 * @m: gets m->counters and their names, and a note that says whose events they
 *     are
 * @request: names events that are to be taken, and no others for their roles
 * Return: 0, or -errno with @f set when one of these cannot be counted.
 */
int module_counters_find(struct module_counters *c, struct machine *m,
			 const struct machine_request *request,
			 struct failure *f);

/**
 * module_counters_select() - have a group that counts @wanted
 * @made: (out) it is a new one, so its overhead is not known
 * Return: 0; -errno: there is none now, or they are more than a group can have.
 */
int module_counters_select(struct module_counters *c, unsigned int wanted,
			   bool *made);

/**
 * module_counters_now() - struct chase_meter.read; the context is a struct
 * module_counters that has a group
 */
bool module_counters_now(void *context, double *counts);

/** module_counters_close() - give the counters back */
void module_counters_close(struct module_counters *c);

/**
 * module_counters_add() - one slice's counts onto a sample's
 * @counts: (in, out) by role; the overhead is subtracted once
 * Return: false when the slice has no valid ones.
 */
bool module_counters_add(const struct module_counters *c,
			 const struct probe_phys_sample *slice, double *counts);

#endif
