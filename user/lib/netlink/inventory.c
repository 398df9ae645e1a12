// SPDX-License-Identifier: GPL-2.0
#include "netlink/inventory.h"

#include <linux/probe_phys.h>
#include <stdlib.h>
#include <string.h>

/* How often a dump is repeated that changed while it was taken. */
#define TRIES 8

/**
 * struct list - a growing list of structs of one kind
 * @kind: of the structs
 * @items: @count of them
 */
struct list {
	enum inventory_kind kind;
	char *items;
	size_t count;
};

static int take_item(uint8_t command, struct nlattr **attributes, void *arg)
{
	struct list *list = arg;
	size_t bytes = inventory_bytes(list->kind);
	char *items = realloc(list->items, (list->count + 1) * bytes);

	(void)command;
	if (!items)
		return -ENOMEM;
	list->items = items;
	return inventory_take(list->kind, attributes,
			      items + list->count++ * bytes);
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

static int take_stats(uint8_t command, struct nlattr **attributes, void *arg)
{
	(void)command;
	return inventory_take(INVENTORY_STATS, attributes, arg);
}

static int take_info(uint8_t command, struct nlattr **attributes, void *arg)
{
	(void)command;
	return inventory_take(INVENTORY_INFO, attributes, arg);
}

int inventory_read_info(struct genl *g, struct inventory_info *info,
			struct failure *f)
{
	memset(info, 0, sizeof(*info));
	return genl_do(g, PROBE_PHYS_CMD_INFO_GET, take_info, info, f);
}

int inventory_read(struct genl *g, struct inventory *inventory,
		   struct failure *f)
{
	static const uint8_t commands[] = {
		PROBE_PHYS_CMD_BUFFER_GET,
		PROBE_PHYS_CMD_VIEW_GET,
		PROBE_PHYS_CMD_COUNTERS_GET,
		PROBE_PHYS_CMD_WALK_GET,
	};
	struct list lists[] = {
		{ .kind = INVENTORY_BUFFER },
		{ .kind = INVENTORY_VIEW },
		{ .kind = INVENTORY_COUNTERS },
		{ .kind = INVENTORY_WALK },
	};
	int error = 0;

	memset(inventory, 0, sizeof(*inventory));
	for (size_t i = 0; !error && i < sizeof(commands); i++)
		error = dump(g, commands[i], &lists[i], f);
	if (!error)
		error = genl_do(g, PROBE_PHYS_CMD_STATS_GET, take_stats,
				&inventory->stats, f);
	inventory->buffers = (void *)lists[0].items;
	inventory->buffer_count = lists[0].count;
	inventory->views = (void *)lists[1].items;
	inventory->view_count = lists[1].count;
	inventory->counters = (void *)lists[2].items;
	inventory->counters_count = lists[2].count;
	inventory->walks = (void *)lists[3].items;
	inventory->walk_count = lists[3].count;
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
