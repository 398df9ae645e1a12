/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - events on their way from any file of the module to the one listener
 * that multicasts them.
 */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include <linux/types.h>

#include <uapi/linux/probe_phys.h>

struct pp_object;

/**
 * pp_event() - report an event
 * @kind: what has happened
 * @obj: object whose number and owner are sent along, or NULL
 * @cpu: CPU concerned, or -1
 * @count: COUNT (or BYTES for buffer events), 0: left out
 *
 * The event is lost when there is no listener or no memory. Context: process.
 */
void pp_event(enum probe_phys_event_kind kind, const struct pp_object *obj,
	      int cpu, u64 count);

typedef void (*pp_event_fn)(enum probe_phys_event_kind kind,
			    const struct pp_object *obj, int cpu, u64 count);

/** pp_event_listen() - set the listener, NULL: none */
void pp_event_listen(pp_event_fn listener);

#endif /* PP_EVENT_H */
