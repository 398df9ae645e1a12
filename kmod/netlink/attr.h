/* SPDX-License-Identifier: GPL-2.0 */
/* attr.h - attributes that several kinds of messages have. */
#ifndef PP_NETLINK_ATTR_H
#define PP_NETLINK_ATTR_H

#include <linux/types.h>

struct pp_object;
struct sk_buff;

/** pp_attr_u64() - one number. Return: 0 or -EMSGSIZE. */
int pp_attr_u64(struct sk_buff *skb, int attr, u64 value);

/** pp_attr_owner() - number and owner. Return: 0 or -EMSGSIZE. */
int pp_attr_owner(struct sk_buff *skb, const struct pp_object *obj);

#endif /* PP_NETLINK_ATTR_H */
