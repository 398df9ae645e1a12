/* SPDX-License-Identifier: GPL-2.0 */
/* limits.h - every cap that is not part of the contract, on one page. */
#ifndef PP_LIMITS_H
#define PP_LIMITS_H

#include <linux/sizes.h>

/* Objects of one kind (buffers, views, counter groups, walks). */
#define PP_MAX_OBJECTS		4096

/* Default of max_buffer_mb and max_total_mb: this share of all memory. */
#define PP_DEFAULT_CAP_NUM	3
#define PP_DEFAULT_CAP_DEN	4

/* Memory that an allocation leaves to the rest of the system. */
#define PP_RESERVE_MIN_BYTES	SZ_64M
#define PP_RESERVE_SHARE	16

/* Largest alignment of an extent. */
#define PP_MAX_ALIGN_BYTES	SZ_1G

/* Extents of one buffer. */
#define PP_MAX_EXTENTS		4096

/* Smaller zones are left to the devices that need them. */
#define PP_MIN_ZONE_BYTES	SZ_64M

/* Contiguous ranges tried for one buffer, each a migration of its pages. */
#define PP_MAX_CONTIG_TRIES	1024

/* Searches for a range when none is found, and jiffies between them. */
#define PP_CONTIG_ATTEMPTS	3
#define PP_CONTIG_PAUSE		(HZ / 20)

/*
 * Memory that the buddy rung takes at a time to find adjacent blocks: this many
 * times the wanted memory, and some more for small buffers.
 */
#define PP_BUDDY_HOARD_FACTOR	4
#define PP_BUDDY_HOARD_EXTRA	SZ_64M

/* Pages handled between two checks for signals and for other tasks. */
#define PP_BATCH_PAGES		1024UL

#endif /* PP_LIMITS_H */
