// SPDX-License-Identifier: GPL-2.0
/* policy.c - types of the module's netlink attributes. */
#include <linux/probe_phys.h>

#include "netlink/genl.h"

static const struct nla_policy policy[PROBE_PHYS_A_MAX + 1] = {
	[PROBE_PHYS_A_ABI] = { .type = NLA_U32 },
	[PROBE_PHYS_A_VERSION] = { .type = NLA_STRING },
	[PROBE_PHYS_A_FEATURES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_PAGE_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_PMD_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_PUD_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_MAX_BUFFER_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_MAX_TOTAL_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_USED_TOTAL_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_TICK_HZ] = { .type = NLA_U64 },
	[PROBE_PHYS_A_ID] = { .type = NLA_U64 },
	[PROBE_PHYS_A_BUFFER_ID] = { .type = NLA_U64 },
	[PROBE_PHYS_A_OWNER_PID] = { .type = NLA_U32 },
	[PROBE_PHYS_A_OWNER_COMM] = { .type = NLA_STRING },
	[PROBE_PHYS_A_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_NODE] = { .type = NLA_U32 },
	[PROBE_PHYS_A_RUNG] = { .type = NLA_U32 },
	[PROBE_PHYS_A_NR_EXTENTS] = { .type = NLA_U32 },
	[PROBE_PHYS_A_PHYS] = { .type = NLA_U64 },
	[PROBE_PHYS_A_LARGEST_BYTES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_NR_VIEWS] = { .type = NLA_U32 },
	[PROBE_PHYS_A_ALIAS_PAGES] = { .type = NLA_U32 },
	[PROBE_PHYS_A_NR_MAPPINGS] = { .type = NLA_U32 },
	[PROBE_PHYS_A_CPU] = { .type = NLA_U32 },
	[PROBE_PHYS_A_NR_EVENTS] = { .type = NLA_U32 },
	[PROBE_PHYS_A_NR_OFFSETS] = { .type = NLA_U32 },
	[PROBE_PHYS_A_LOADS_DONE] = { .type = NLA_U64 },
	[PROBE_PHYS_A_EVENT_KIND] = { .type = NLA_U32 },
	[PROBE_PHYS_A_COUNT] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_BUFFERS_CREATED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_BUFFERS_DESTROYED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_VIEWS_CREATED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_VIEWS_DESTROYED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_COUNTERS_CREATED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_COUNTERS_DESTROYED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_WALKS_STARTED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_WALKS_ENDED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_SESSIONS_OPENED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_SESSIONS_CLOSED] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_LOADS] = { .type = NLA_U64 },
	[PROBE_PHYS_A_STAT_LATE_SAMPLES] = { .type = NLA_U64 },
	[PROBE_PHYS_A_WALK_PAGE_BYTES] = { .type = NLA_U32 },
};

const struct nla_policy *genl_policy(void)
{
	return policy;
}
