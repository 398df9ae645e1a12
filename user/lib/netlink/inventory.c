// SPDX-License-Identifier: GPL-2.0
#include "netlink/inventory.h"

#include <linux/probe_phys.h>
#include <stdlib.h>
#include <string.h>

/* How often a dump is repeated that changed while it was taken. */
#define TRIES 8

/**
 * struct list - a growing list of structs of one kind
 * @items: @count of them, each @item_bytes long
 * @take: fills one in from attributes
 */
struct list {
	char *items;
	size_t count;
	size_t item_bytes;
	int (*take)(struct nlattr **attributes, void *item);
};

static int take_item(uint8_t command, struct nlattr **attributes, void *arg)
{
	struct list *list = arg;
	char *items;

	(void)command;
	items = realloc(list->items, (list->count + 1) * list->item_bytes);
	if (!items)
		return -ENOMEM;
	list->items = items;
	return list->take(attributes, items + list->count++ * list->item_bytes);
}

static int dump(struct genl *g, uint8_t command, struct list *list,
		struct failure *f)
{
	for (int i = 0; i < TRIES; i++) {
		int error;

		list->count = 0;
		error = genl_dump(g, command, take_item, list, f);
		if (error != -EAGAIN)
			return error;
	}
	return fail(
		f, STATUS_FAILED, EAGAIN,
		"netlink: the list changes faster than it can be read (try again)");
}

static int take_buffer(struct nlattr **attributes, void *item)
{
	return inventory_take_buffer(attributes, item);
}

static int take_view(struct nlattr **attributes, void *item)
{
	return inventory_take_view(attributes, item);
}

static int take_counters(struct nlattr **attributes, void *item)
{
	return inventory_take_counters(attributes, item);
}

static int take_walk(struct nlattr **attributes, void *item)
{
	return inventory_take_walk(attributes, item);
}

static int take_stats(uint8_t command, struct nlattr **attributes, void *arg)
{
	(void)command;
	return inventory_take_stats(attributes, arg);
}

static int take_info(uint8_t command, struct nlattr **attributes, void *arg)
{
	(void)command;
	return inventory_take_info(attributes, arg);
}

int inventory_info(struct genl *g, struct inventory_info *info,
		   struct failure *f)
{
	memset(info, 0, sizeof(*info));
	return genl_do(g, PROBE_PHYS_CMD_INFO_GET, take_info, info, f);
}

int inventory_read(struct genl *g, struct inventory *inventory,
		   struct failure *f)
{
	struct list buffers = { NULL, 0, sizeof(struct inventory_buffer),
				take_buffer };
	struct list views = { NULL, 0, sizeof(struct inventory_view),
			      take_view };
	struct list counters = { NULL, 0, sizeof(struct inventory_counters),
				 take_counters };
	struct list walks = { NULL, 0, sizeof(struct inventory_walk),
			      take_walk };
	int error;

	memset(inventory, 0, sizeof(*inventory));
	error = dump(g, PROBE_PHYS_CMD_BUFFER_GET, &buffers, f);
	if (!error)
		error = dump(g, PROBE_PHYS_CMD_VIEW_GET, &views, f);
	if (!error)
		error = dump(g, PROBE_PHYS_CMD_COUNTERS_GET, &counters, f);
	if (!error)
		error = dump(g, PROBE_PHYS_CMD_WALK_GET, &walks, f);
	if (!error)
		error = genl_do(g, PROBE_PHYS_CMD_STATS_GET, take_stats,
				&inventory->stats, f);
	inventory->buffers = (void *)buffers.items;
	inventory->buffer_count = buffers.count;
	inventory->views = (void *)views.items;
	inventory->view_count = views.count;
	inventory->counters = (void *)counters.items;
	inventory->counters_count = counters.count;
	inventory->walks = (void *)walks.items;
	inventory->walk_count = walks.count;
	if (error)
		inventory_free(inventory);
	return error;
}

void inventory_free(struct inventory *inventory)
{
	free(inventory->buffers);
	free(inventory->views);
	free(inventory->counters);
	free(inventory->walks);
	memset(inventory, 0, sizeof(*inventory));
}
