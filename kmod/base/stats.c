// SPDX-License-Identifier: GPL-2.0
/* stats.c - event counts since the module was loaded. */
#include <linux/atomic.h>

#include "base/stats.h"

static atomic64_t pp_stat_sums[PP_STATS];

void pp_stats_add(enum pp_stat stat, u64 n)
{
	atomic64_add(n, &pp_stat_sums[stat]);
}

u64 pp_stats_get(enum pp_stat stat)
{
	return atomic64_read(&pp_stat_sums[stat]);
}
