// SPDX-License-Identifier: GPL-2.0
/* multicast.c - the events of the module as multicast messages. */
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "base/base.h"
#include "netlink/attr.h"
#include "netlink/multicast.h"

static struct genl_family *event_family;

static int pp_event_fill(struct sk_buff *skb, enum probe_phys_event_kind kind,
			 const struct pp_object *obj, int cpu, u64 count)
{
	bool is_buffer = kind == PROBE_PHYS_EVENT_BUFFER_CREATED ||
			 kind == PROBE_PHYS_EVENT_BUFFER_GONE;

	if (nla_put_u32(skb, PROBE_PHYS_A_EVENT_KIND, kind))
		return -EMSGSIZE;
	if (obj && pp_attr_owner(skb, obj))
		return -EMSGSIZE;
	if (cpu >= 0 && nla_put_s32(skb, PROBE_PHYS_A_CPU, cpu))
		return -EMSGSIZE;
	if (!count)
		return 0;
	return pp_attr_u64(skb, is_buffer ? PROBE_PHYS_A_BYTES :
					    PROBE_PHYS_A_COUNT, count);
}

static void multicast(enum probe_phys_event_kind kind,
		      const struct pp_object *obj, int cpu, u64 count)
{
	struct sk_buff *skb;
	void *header;

	if (!genl_has_listeners(event_family, &init_net, 0))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	header = genlmsg_put(skb, 0, 0, event_family, 0, PROBE_PHYS_CMD_EVENT);
	if (!header || pp_event_fill(skb, kind, obj, cpu, count)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast(event_family, skb, 0, 0, GFP_KERNEL);
}

void pp_netlink_event_start(struct genl_family *family)
{
	event_family = family;
	pp_event_listen(multicast);
}

void pp_netlink_event_stop(void)
{
	pp_event_listen(NULL);
}
