// SPDX-License-Identifier: GPL-2.0
/*
 * netlink.c - the family: its requests and permissions. Replies are in fill.c,
 * events in multicast.c.
 */
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "compat.h"
#include "netlink/fill.h"
#include "netlink/multicast.h"
#include "netlink/netlink.h"

static struct genl_family pp_netlink_family;
static int pp_netlink_hotplug;

/*
 * One attribute, and it is refused: without a policy the core would accept any
 * attribute.
 */
static const struct nla_policy pp_policy_none[PROBE_PHYS_A_PAD + 1] = {
	[PROBE_PHYS_A_PAD] = {
		.type = NLA_REJECT,
		.reject_message = "this command takes no attribute",
	},
};

static const struct nla_policy pp_policy_id[PROBE_PHYS_A_ID + 1] = {
	[PROBE_PHYS_A_ID] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* GENL_ADMIN_PERM checks CAP_NET_ADMIN, which is another permission. */
static int pp_netlink_allowed(struct sk_buff *skb,
			      struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "this needs CAP_SYS_ADMIN");
	return -EPERM;
}

static struct sk_buff *pp_reply_new(struct genl_info *info, void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb) {
		NL_SET_ERR_MSG(info->extack, "no memory for the reply");
		return NULL;
	}
	*header = genlmsg_put_reply(skb, info, &pp_netlink_family, 0,
				    info->genlhdr->cmd);
	return skb;
}

/* Sends a reply; @ret is the result of its fill function. */
static int pp_reply_send(struct genl_info *info, struct sk_buff *skb,
			 void *header, int ret)
{
	if (!header || ret) {
		nlmsg_free(skb);
		if (ret != -ENOENT)
			NL_SET_ERR_MSG(info->extack, "the reply is too long");
		return ret ?: -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int pp_netlink_reply(struct sk_buff *request, struct genl_info *info,
			    int (*fill)(struct sk_buff *skb))
{
	struct sk_buff *skb;
	void *header;
	int ret;

	ret = pp_netlink_allowed(request, info->extack);
	if (ret)
		return ret;
	skb = pp_reply_new(info, &header);
	if (!skb)
		return -ENOMEM;
	return pp_reply_send(info, skb, header, header ? fill(skb) : 0);
}

static int pp_info_doit(struct sk_buff *request, struct genl_info *info)
{
	return pp_netlink_reply(request, info, pp_fill_info);
}

static int pp_stats_doit(struct sk_buff *request, struct genl_info *info)
{
	return pp_netlink_reply(request, info, pp_fill_stats);
}

static int pp_buffer_reply(struct sk_buff *skb, struct genl_info *info, u64 id)
{
	struct pp_object *obj;
	int ret = -ENOENT;

	pp_object_lock();
	obj = pp_object_next(PP_OBJECT_BUFFER, id);
	if (obj && obj->id == id)
		ret = pp_fill_object(skb, obj);
	pp_object_unlock();
	if (ret == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[PROBE_PHYS_A_ID],
				    "there is no buffer of this number");
	return ret;
}

static int pp_buffer_doit(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *id = info->attrs[PROBE_PHYS_A_ID];
	struct sk_buff *skb;
	void *header;
	int ret;

	ret = pp_netlink_allowed(request, info->extack);
	if (ret)
		return ret;
	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the number of a buffer is missing");
		return -EINVAL;
	}
	skb = pp_reply_new(info, &header);
	if (!skb)
		return -ENOMEM;
	ret = header ? pp_buffer_reply(skb, info, nla_get_u64(id)) : 0;
	return pp_reply_send(info, skb, header, ret);
}

static int pp_dump_allowed(struct netlink_callback *cb,
			   enum pp_object_kind kind)
{
	struct nlattr **attrs;
	int ret;

	ret = pp_netlink_allowed(cb->skb, cb->extack);
	if (ret || kind != PP_OBJECT_BUFFER)
		return ret;
	/* The policy allows a number, for requests of one buffer. */
	attrs = pp_dump_attrs(cb);
	if (attrs && attrs[PROBE_PHYS_A_ID]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[PROBE_PHYS_A_ID],
				    "a dump takes no attribute");
		return -EINVAL;
	}
	return 0;
}

/*
 * An error here comes as a message of its own, which every program sees; one
 * in pp_dump() comes with the end of the dump. Old kernels have no room for a
 * text here: then the latter is the lesser evil.
 */
static int pp_dump_start_buffer(struct netlink_callback *cb)
{
	return cb->extack ? pp_dump_allowed(cb, PP_OBJECT_BUFFER) : 0;
}

static int pp_dump_start(struct netlink_callback *cb)
{
	return cb->extack ? pp_netlink_allowed(cb->skb, cb->extack) : 0;
}

static int pp_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct pp_object *obj, u8 cmd)
{
	void *header;
	int ret;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
			     cb->nlh->nlmsg_seq, &pp_netlink_family,
			     NLM_F_MULTI, cmd);
	if (!header)
		return -EMSGSIZE;
	ret = pp_fill_object(skb, obj);
	if (ret)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return ret;
}

/*
 * One datagram: from the number where the last one stopped, so that objects
 * that come and go between datagrams neither repeat nor hide others.
 */
static int pp_dump(struct sk_buff *skb, struct netlink_callback *cb,
		   enum pp_object_kind kind, u8 cmd)
{
	struct pp_object *obj;
	u64 id = cb->args[0];
	int ret;

	ret = pp_dump_allowed(cb, kind);
	if (ret)
		return ret;
	pp_object_lock();
	while ((obj = pp_object_next(kind, id))) {
		ret = pp_dump_one(skb, cb, obj, cmd);
		if (ret)
			break;
		id = obj->id + 1;
	}
	pp_object_unlock();
	cb->args[0] = id;
	return skb->len ?: ret;
}

static int pp_buffer_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return pp_dump(skb, cb, PP_OBJECT_BUFFER, PROBE_PHYS_CMD_BUFFER_GET);
}

static int pp_view_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return pp_dump(skb, cb, PP_OBJECT_VIEW, PROBE_PHYS_CMD_VIEW_GET);
}

static int pp_counters_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return pp_dump(skb, cb, PP_OBJECT_COUNTERS,
		       PROBE_PHYS_CMD_COUNTERS_GET);
}

static int pp_walk_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return pp_dump(skb, cb, PP_OBJECT_WALK, PROBE_PHYS_CMD_WALK_GET);
}

static const struct genl_ops pp_netlink_ops[] = {
	{
		.cmd = PROBE_PHYS_CMD_INFO_GET,
		.policy = pp_policy_none,
		.maxattr = PROBE_PHYS_A_PAD,
		.doit = pp_info_doit,
	}, {
		.cmd = PROBE_PHYS_CMD_STATS_GET,
		.policy = pp_policy_none,
		.maxattr = PROBE_PHYS_A_PAD,
		.doit = pp_stats_doit,
	}, {
		.cmd = PROBE_PHYS_CMD_BUFFER_GET,
		.policy = pp_policy_id,
		.maxattr = PROBE_PHYS_A_ID,
		.doit = pp_buffer_doit,
		.start = pp_dump_start_buffer,
		.dumpit = pp_buffer_dump,
	}, {
		.cmd = PROBE_PHYS_CMD_VIEW_GET,
		.policy = pp_policy_none,
		.maxattr = PROBE_PHYS_A_PAD,
		.start = pp_dump_start,
		.dumpit = pp_view_dump,
	}, {
		.cmd = PROBE_PHYS_CMD_COUNTERS_GET,
		.policy = pp_policy_none,
		.maxattr = PROBE_PHYS_A_PAD,
		.start = pp_dump_start,
		.dumpit = pp_counters_dump,
	}, {
		.cmd = PROBE_PHYS_CMD_WALK_GET,
		.policy = pp_policy_none,
		.maxattr = PROBE_PHYS_A_PAD,
		.start = pp_dump_start,
		.dumpit = pp_walk_dump,
	},
};

/*
 * Kernels without this flag would let any process join the group and read of
 * other users' processes: there the family has no group and sends no events.
 */
#ifdef GENL_MCAST_CAP_SYS_ADMIN
static const struct genl_multicast_group pp_netlink_groups[] = {
	{
		.name = PROBE_PHYS_GENL_GROUP_EVENTS,
		.flags = GENL_MCAST_CAP_SYS_ADMIN,
	},
};
#else
static const struct genl_multicast_group pp_netlink_groups[0];
#endif

static struct genl_family pp_netlink_family __ro_after_init = {
	.name = PROBE_PHYS_GENL_NAME,
	.version = PROBE_PHYS_GENL_VERSION,
	.maxattr = PROBE_PHYS_A_PAD,
	.policy = pp_policy_none,
	.module = THIS_MODULE,
	.ops = pp_netlink_ops,
	.n_ops = ARRAY_SIZE(pp_netlink_ops),
	.mcgrps = pp_netlink_groups,
	.n_mcgrps = ARRAY_SIZE(pp_netlink_groups),
};

static int pp_netlink_cpu_down(unsigned int cpu)
{
	pp_event(PROBE_PHYS_EVENT_CPU_OFFLINE, NULL, cpu, 0);
	return 0;
}

int pp_netlink_init(void)
{
	int ret;

	ret = genl_register_family(&pp_netlink_family);
	if (ret)
		return ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					"probe_phys/netlink:online", NULL,
					pp_netlink_cpu_down);
	if (ret < 0) {
		genl_unregister_family(&pp_netlink_family);
		return ret;
	}
	pp_netlink_hotplug = ret;
	if (ARRAY_SIZE(pp_netlink_groups))
		pp_netlink_event_start(&pp_netlink_family);
	else
		pr_info("no events: this kernel cannot restrict who reads them\n");
	return 0;
}

void pp_netlink_uninit(void)
{
	pp_netlink_event_stop();
	cpuhp_remove_state_nocalls(pp_netlink_hotplug);
	genl_unregister_family(&pp_netlink_family);
}
