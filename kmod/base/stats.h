/* SPDX-License-Identifier: GPL-2.0 */
/* stats.h - counts of what has happened since the module was loaded. */
#ifndef PP_STATS_H
#define PP_STATS_H

#include <linux/types.h>

enum pp_stat {
	PP_STAT_BUFFERS_CREATED,
	PP_STAT_BUFFERS_DESTROYED,
	PP_STAT_VIEWS_CREATED,
	PP_STAT_VIEWS_DESTROYED,
	PP_STAT_COUNTERS_CREATED,
	PP_STAT_COUNTERS_DESTROYED,
	PP_STAT_WALKS_STARTED,
	PP_STAT_WALKS_ENDED,
	PP_STAT_SESSIONS_OPENED,
	PP_STAT_SESSIONS_CLOSED,
	PP_STAT_LOADS,
	PP_STAT_LATE_SAMPLES,
	PP_STATS,
};

/** pp_stats_add() - count @n more of @stat; any context */
void pp_stats_add(enum pp_stat stat, u64 n);

/** pp_stats_get() - the sum since load; any context */
u64 pp_stats_get(enum pp_stat stat);

#endif /* PP_STATS_H */
