/* SPDX-License-Identifier: GPL-2.0 */
/* netlink.h - the generic netlink family: dumps, statistics, events. */
#ifndef PP_NETLINK_H
#define PP_NETLINK_H

int pp_netlink_init(void);
void pp_netlink_uninit(void);

#endif /* PP_NETLINK_H */
