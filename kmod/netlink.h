/* SPDX-License-Identifier: GPL-2.0 */
/* netlink.h - the generic netlink family: dumps, statistics, events. */
#ifndef PP_NETLINK_H
#define PP_NETLINK_H

#include <uapi/linux/probe_phys.h>

struct pp_object;

int pp_netlink_init(void);
void pp_netlink_uninit(void);

/**
 * pp_netlink_event() - multicast an event
 * @kind: which
 * @obj: whose number and owner go along, or NULL
 * @cpu: CPU concerned, or -1
 * @count: COUNT (or BYTES for buffer events), 0: left out
 *
 * Lost silently when nobody listens or memory is short. Context: process.
 */
void pp_netlink_event(enum probe_phys_event_kind kind,
		      const struct pp_object *obj, int cpu, u64 count);

#endif /* PP_NETLINK_H */
