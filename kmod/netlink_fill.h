/* SPDX-License-Identifier: GPL-2.0 */
/* netlink_fill.h - messages of the family, and the family for netlink_*.c. */
#ifndef PP_NETLINK_FILL_H
#define PP_NETLINK_FILL_H

#include <net/genetlink.h>

#include "object.h"

extern struct genl_family pp_netlink_family;

/* Whether events can be sent: the family is registered. */
extern bool pp_netlink_is_up;

/**
 * pp_fill_object() - the attributes of an object, as its kind has them
 * @skb: message, its header already there
 * @obj: kept from going away by pp_object_lock()
 *
 * Return: 0 or -EMSGSIZE.
 */
int pp_fill_object(struct sk_buff *skb, const struct pp_object *obj);

/** pp_fill_owner() - ID and owner. Return: 0 or -EMSGSIZE. */
int pp_fill_owner(struct sk_buff *skb, const struct pp_object *obj);

/** pp_fill_info() - the attributes of INFO_GET. Return: 0 or -EMSGSIZE. */
int pp_fill_info(struct sk_buff *skb);

/** pp_fill_stats() - the attributes of STATS_GET. Return: 0 or -EMSGSIZE. */
int pp_fill_stats(struct sk_buff *skb);

/** pp_fill_u64() - one number. Return: 0 or -EMSGSIZE. */
static inline int pp_fill_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, PROBE_PHYS_A_PAD);
}

#endif /* PP_NETLINK_FILL_H */
