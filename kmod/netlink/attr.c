// SPDX-License-Identifier: GPL-2.0
/* attr.c - numbers of 64 bits, and the owner of an object. */
#include <net/netlink.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "netlink/attr.h"

int pp_attr_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, PROBE_PHYS_A_PAD);
}

int pp_attr_owner(struct sk_buff *skb, const struct pp_object *obj)
{
	if (pp_attr_u64(skb, PROBE_PHYS_A_ID, obj->id) ||
	    nla_put_u32(skb, PROBE_PHYS_A_OWNER_PID, obj->owner_pid) ||
	    nla_put_string(skb, PROBE_PHYS_A_OWNER_COMM, obj->owner_comm))
		return -EMSGSIZE;
	return 0;
}
