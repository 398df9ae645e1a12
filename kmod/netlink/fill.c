// SPDX-License-Identifier: GPL-2.0
/* fill.c - the attributes of each reply; no policy, no locking. */
#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <net/netlink.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "dev/dev.h"
#include "mem/mem.h"
#include "netlink/attr.h"
#include "netlink/fill.h"
#include "walk/walk.h"

/* The statistics are in the same order on both sides. */
static_assert(PROBE_PHYS_A_STAT_LATE_SAMPLES -
	      PROBE_PHYS_A_STAT_BUFFERS_CREATED == PP_STAT_LATE_SAMPLES);
static_assert(PROBE_PHYS_A_STAT_LATE_SAMPLES + 1 ==
	      PROBE_PHYS_A_WALK_PAGE_BYTES);

static int pp_fill_buffer(struct sk_buff *skb, const struct pp_buffer *b)
{
	if (pp_attr_u64(skb, PROBE_PHYS_A_BYTES, b->bytes) ||
	    nla_put_s32(skb, PROBE_PHYS_A_NODE, b->node) ||
	    nla_put_u32(skb, PROBE_PHYS_A_RUNG, b->rung) ||
	    nla_put_u32(skb, PROBE_PHYS_A_NR_EXTENTS, b->nr_extents) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_PHYS, b->extents[0].phys) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_LARGEST_BYTES,
			b->extents[0].bytes) ||
	    nla_put_u32(skb, PROBE_PHYS_A_NR_VIEWS, READ_ONCE(b->nr_mappings)) ||
	    nla_put_u32(skb, PROBE_PHYS_A_WALK_PAGE_BYTES, b->walk_page_bytes))
		return -EMSGSIZE;
	return 0;
}

static int pp_fill_view(struct sk_buff *skb, const struct pp_view *v)
{
	if (pp_attr_u64(skb, PROBE_PHYS_A_BUFFER_ID, v->buffer->obj.id) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_BYTES, v->bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_PAGE_BYTES, v->page_bytes) ||
	    nla_put_u32(skb, PROBE_PHYS_A_ALIAS_PAGES, v->alias_pages) ||
	    nla_put_u32(skb, PROBE_PHYS_A_NR_MAPPINGS,
			atomic_read(&v->nr_mappings)))
		return -EMSGSIZE;
	return 0;
}

static int pp_fill_counters(struct sk_buff *skb, const struct pp_counters *c)
{
	if (nla_put_s32(skb, PROBE_PHYS_A_CPU, c->cpu) ||
	    nla_put_u32(skb, PROBE_PHYS_A_NR_EVENTS, c->nr_events))
		return -EMSGSIZE;
	return 0;
}

static int pp_fill_walk(struct sk_buff *skb, const struct pp_walk *w)
{
	if (pp_attr_u64(skb, PROBE_PHYS_A_BUFFER_ID, w->buffer_id) ||
	    nla_put_s32(skb, PROBE_PHYS_A_CPU, w->cpu) ||
	    nla_put_u32(skb, PROBE_PHYS_A_NR_OFFSETS, w->nr_offsets) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_LOADS_DONE,
			READ_ONCE(w->loads_done)))
		return -EMSGSIZE;
	return 0;
}

int pp_fill_object(struct sk_buff *skb, const struct pp_object *obj)
{
	int ret = pp_attr_owner(skb, obj);

	if (ret)
		return ret;
	switch (obj->kind) {
	case PP_OBJECT_BUFFER:
		return pp_fill_buffer(skb, container_of(obj, struct pp_buffer,
							obj));
	case PP_OBJECT_VIEW:
		return pp_fill_view(skb, container_of(obj, struct pp_view,
						      obj));
	case PP_OBJECT_COUNTERS:
		return pp_fill_counters(skb, container_of(obj,
							  struct pp_counters,
							  obj));
	case PP_OBJECT_WALK:
		return pp_fill_walk(skb, container_of(obj, struct pp_walk,
						      obj));
	default:
		return 0;
	}
}

int pp_fill_info(struct sk_buff *skb)
{
	struct probe_phys_info i = {};

	pp_info_fill(&i);
	if (nla_put_u32(skb, PROBE_PHYS_A_ABI, i.abi) ||
	    nla_put_string(skb, PROBE_PHYS_A_VERSION, i.version) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_FEATURES, i.features) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_PAGE_BYTES, i.page_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_PMD_BYTES, i.pmd_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_PUD_BYTES, i.pud_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_MAX_BUFFER_BYTES,
			i.max_buffer_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_MAX_TOTAL_BYTES,
			i.max_total_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_USED_TOTAL_BYTES,
			i.used_total_bytes) ||
	    pp_attr_u64(skb, PROBE_PHYS_A_TICK_HZ, i.tick_hz))
		return -EMSGSIZE;
	return 0;
}

int pp_fill_stats(struct sk_buff *skb)
{
	enum pp_stat stat;

	for (stat = 0; stat < PP_STATS; stat++)
		if (pp_attr_u64(skb, PROBE_PHYS_A_STAT_BUFFERS_CREATED + stat,
				pp_stats_get(stat)))
			return -EMSGSIZE;
	return 0;
}
