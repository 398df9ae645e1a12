/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inventory.h - offers, objects and statistics of the module, as structs.
 *
 * For the commands that show the module; knows nothing of machines. Functions
 * return 0 or -errno with @f set.
 */
#ifndef PROBE_PHYS_NETLINK_INVENTORY_H
#define PROBE_PHYS_NETLINK_INVENTORY_H

#include <netlink/attr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "netlink/genl.h"

/** struct inventory_owner - the process that made an object */
struct inventory_owner {
	uint32_t pid;
	char comm[32];
};

/** struct inventory_info - see struct probe_phys_info */
struct inventory_info {
	uint32_t abi;
	char version[32];
	uint64_t features;
	uint64_t page_bytes;
	uint64_t pmd_bytes;
	uint64_t pud_bytes;
	uint64_t max_buffer_bytes;
	uint64_t max_total_bytes;
	uint64_t used_total_bytes;
	uint64_t tick_hz;
};

/** struct inventory_stats - since the module was loaded */
struct inventory_stats {
	uint64_t buffers_created;
	uint64_t buffers_destroyed;
	uint64_t views_created;
	uint64_t views_destroyed;
	uint64_t counters_created;
	uint64_t counters_destroyed;
	uint64_t walks_started;
	uint64_t walks_ended;
	uint64_t sessions_opened;
	uint64_t sessions_closed;
	uint64_t loads;
	uint64_t late_samples;
};

/**
 * struct inventory_buffer - a buffer; @phys, @largest_bytes: of extent 0;
 * @walk_page_bytes: by which pages walks go, 0: not known
 */
struct inventory_buffer {
	uint64_t id;
	struct inventory_owner owner;
	uint64_t bytes;
	int32_t node;
	uint32_t rung;
	uint32_t extent_count;
	uint64_t phys;
	uint64_t largest_bytes;
	uint32_t view_count;
	uint32_t walk_page_bytes;
};

/** struct inventory_view - a view; @alias_pages is 0 for a plain one */
struct inventory_view {
	uint64_t id;
	uint64_t buffer_id;
	struct inventory_owner owner;
	uint64_t bytes;
	uint64_t page_bytes;
	uint32_t alias_pages;
	uint32_t mapping_count;
};

/** struct inventory_counters - a counter group; @cpu -1: a thread's */
struct inventory_counters {
	uint64_t id;
	struct inventory_owner owner;
	int32_t cpu;
	uint32_t event_count;
};

/** struct inventory_walk - a walk that runs now */
struct inventory_walk {
	uint64_t id;
	uint64_t buffer_id;
	struct inventory_owner owner;
	int32_t cpu;
	uint32_t offset_count;
	uint64_t loads_done;
};

/** struct inventory_event - something happened; has_*: the event says it */
struct inventory_event {
	uint32_t kind;
	bool has_id, has_owner, has_bytes, has_cpu, has_count;
	uint64_t id;
	struct inventory_owner owner;
	uint64_t bytes;
	int32_t cpu;
	uint64_t count;
};

/**
 * struct inventory - all that the module holds
 *
 * Each list is one dump; the lists are taken one after the other, so a view
 * may be listed whose buffer came later.
 */
struct inventory {
	struct inventory_stats stats;
	struct inventory_buffer *buffers;
	size_t buffer_count;
	struct inventory_view *views;
	size_t view_count;
	struct inventory_counters *counters;
	size_t counters_count;
	struct inventory_walk *walks;
	size_t walk_count;
};

/** enum inventory_kind - what one message of the module describes */
enum inventory_kind {
	INVENTORY_INFO,	    /* struct inventory_info */
	INVENTORY_STATS,    /* struct inventory_stats */
	INVENTORY_BUFFER,   /* struct inventory_buffer */
	INVENTORY_VIEW,	    /* struct inventory_view */
	INVENTORY_COUNTERS, /* struct inventory_counters */
	INVENTORY_WALK,	    /* struct inventory_walk */
	INVENTORY_EVENT,    /* struct inventory_event */
};

/** inventory_bytes() - size of the struct of a kind */
size_t inventory_bytes(enum inventory_kind kind);

/**
 * inventory_take() - the attributes of a message as a struct
 * @attributes: parsed with genl_policy()
 * @item: (out) the struct of @kind
 * Return: 0; -ENODATA: an attribute that the contract promises is missing.
 */
int inventory_take(enum inventory_kind kind, struct nlattr **attributes,
		   void *item);

/** inventory_read_info() - request what the module offers */
int inventory_read_info(struct genl *g, struct inventory_info *info,
			struct failure *f);

/**
 * inventory_read() - request all lists and the statistics
 * Return: 0, or -errno with @f set and @inventory empty.
 */
int inventory_read(struct genl *g, struct inventory *inventory,
		   struct failure *f);

/** inventory_free() - release the lists */
void inventory_free(struct inventory *inventory);

#endif
