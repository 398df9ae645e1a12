/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netlink.h - the generic netlink family: information, statistics and lists of
 * objects as replies, events as multicast messages. It only reads what the
 * other folders have made. Only main.c calls it: events reach it through
 * base/event.h. Functions return 0 or -errno.
 */
#ifndef PP_NETLINK_H
#define PP_NETLINK_H

int pp_netlink_init(void);
void pp_netlink_uninit(void);

#endif /* PP_NETLINK_H */
