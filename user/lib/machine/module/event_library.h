/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_library.h - perf events by the names that processors' manuals have,
 * from a library that is kept (libpfm4). The tool is built without it where it
 * is not installed.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_EVENT_LIBRARY_H
#define PROBE_PHYS_MACHINE_MODULE_EVENT_LIBRARY_H

#include <linux/probe_phys.h>

#include "machine/machine.h"

/** event_library_there() - whether the tool was built with it */
bool event_library_there(void);

/**
 * event_library_find() - an event of the CPU at hand
 * @name: "MEM_LOAD_RETIRED:L1_MISS"; umasks and modifiers follow colons
 * @why: (out) room for 80 characters: why not
 * Return: 0; -EOPNOTSUPP: built without the library; -ENOENT: no such event of
 * this CPU.
 */
int event_library_find(const char *name, struct probe_phys_event *event,
		       char *why);

/**
 * event_library_role() - names that may play a role, the best ones first
 * @index: from 0
 * Return: NULL after the last one. Each is of one family of processors.
 */
const char *event_library_role(enum machine_counter role, size_t index);

#endif
