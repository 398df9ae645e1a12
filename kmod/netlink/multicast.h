/* SPDX-License-Identifier: GPL-2.0 */
/* multicast.h - the module's events as multicast messages. */
#ifndef PP_NETLINK_EVENT_H
#define PP_NETLINK_EVENT_H

struct genl_family;

/** pp_netlink_event_start() - multicast events through a registered family */
void pp_netlink_event_start(struct genl_family *family);

/** pp_netlink_event_stop() - drop events from now on */
void pp_netlink_event_stop(void);

#endif /* PP_NETLINK_EVENT_H */
