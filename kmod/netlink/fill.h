/* SPDX-License-Identifier: GPL-2.0 */
/* fill.h - the attributes of each reply of the family. */
#ifndef PP_NETLINK_FILL_H
#define PP_NETLINK_FILL_H

struct pp_object;
struct sk_buff;

/**
 * pp_fill_object() - the attributes of an object, as its kind has them
 * @skb: message, its header already there
 * @obj: kept from going away by pp_object_lock()
 *
 * Return: 0 or -EMSGSIZE.
 */
int pp_fill_object(struct sk_buff *skb, const struct pp_object *obj);

/** pp_fill_info() - the attributes of INFO_GET. Return: 0 or -EMSGSIZE. */
int pp_fill_info(struct sk_buff *skb);

/** pp_fill_stats() - the attributes of STATS_GET. Return: 0 or -EMSGSIZE. */
int pp_fill_stats(struct sk_buff *skb);

#endif /* PP_NETLINK_FILL_H */
