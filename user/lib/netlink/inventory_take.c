// SPDX-License-Identifier: GPL-2.0
/* inventory_take.c - attributes into structs. */
#include <linux/probe_phys.h>
#include <string.h>

#include "base/text.h"
#include "netlink/inventory.h"

enum width {
	WIDTH_32,
	WIDTH_64,
};

/**
 * struct field - where an attribute goes
 * @attribute: enum probe_phys_attr
 * @width: of the attribute and of the member
 * @offset: of the member
 */
struct field {
	int attribute;
	enum width width;
	size_t offset;
};

#define FIELD32(type, member, name)                                          \
	{                                                                    \
		PROBE_PHYS_A_##name, WIDTH_32, offsetof(struct type, member) \
	}
#define FIELD64(type, member, name)                                          \
	{                                                                    \
		PROBE_PHYS_A_##name, WIDTH_64, offsetof(struct type, member) \
	}
#define TAKE(attributes, fields, to) \
	take(attributes, fields, sizeof(fields) / sizeof((fields)[0]), to)

static int take(struct nlattr **attributes, const struct field *fields,
		size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		const struct nlattr *a = attributes[fields[i].attribute];
		char *member = (char *)to + fields[i].offset;
		uint64_t wide;
		uint32_t narrow;

		if (!a)
			return -ENODATA;
		if (fields[i].width == WIDTH_32) {
			narrow = nla_get_u32(a);
			memcpy(member, &narrow, sizeof(narrow));
		} else {
			wide = nla_get_u64(a);
			memcpy(member, &wide, sizeof(wide));
		}
	}
	return 0;
}

static int take_owner(struct nlattr **attributes, struct inventory_owner *owner)
{
	if (!attributes[PROBE_PHYS_A_OWNER_PID] ||
	    !attributes[PROBE_PHYS_A_OWNER_COMM])
		return -ENODATA;
	owner->pid = nla_get_u32(attributes[PROBE_PHYS_A_OWNER_PID]);
	text_printable(owner->comm, sizeof(owner->comm),
		       nla_get_string(attributes[PROBE_PHYS_A_OWNER_COMM]));
	return 0;
}

int inventory_take_info(struct nlattr **attributes, struct inventory_info *info)
{
	static const struct field fields[] = {
		FIELD32(inventory_info, abi, ABI),
		FIELD64(inventory_info, features, FEATURES),
		FIELD64(inventory_info, page_bytes, PAGE_BYTES),
		FIELD64(inventory_info, pmd_bytes, PMD_BYTES),
		FIELD64(inventory_info, pud_bytes, PUD_BYTES),
		FIELD64(inventory_info, max_buffer_bytes, MAX_BUFFER_BYTES),
		FIELD64(inventory_info, max_total_bytes, MAX_TOTAL_BYTES),
		FIELD64(inventory_info, used_total_bytes, USED_TOTAL_BYTES),
		FIELD64(inventory_info, tick_hz, TICK_HZ),
	};

	memset(info, 0, sizeof(*info));
	if (!attributes[PROBE_PHYS_A_VERSION])
		return -ENODATA;
	text_printable(info->version, sizeof(info->version),
		       nla_get_string(attributes[PROBE_PHYS_A_VERSION]));
	return TAKE(attributes, fields, info);
}

int inventory_take_stats(struct nlattr **attributes,
			 struct inventory_stats *stats)
{
#define STAT(member, name) FIELD64(inventory_stats, member, STAT_##name)
	static const struct field fields[] = {
		STAT(buffers_created, BUFFERS_CREATED),
		STAT(buffers_destroyed, BUFFERS_DESTROYED),
		STAT(views_created, VIEWS_CREATED),
		STAT(views_destroyed, VIEWS_DESTROYED),
		STAT(counters_created, COUNTERS_CREATED),
		STAT(counters_destroyed, COUNTERS_DESTROYED),
		STAT(walks_started, WALKS_STARTED),
		STAT(walks_ended, WALKS_ENDED),
		STAT(sessions_opened, SESSIONS_OPENED),
		STAT(sessions_closed, SESSIONS_CLOSED),
		STAT(loads, LOADS),
		STAT(late_samples, LATE_SAMPLES),
	};
#undef STAT

	memset(stats, 0, sizeof(*stats));
	return TAKE(attributes, fields, stats);
}

int inventory_take_buffer(struct nlattr **attributes,
			  struct inventory_buffer *buffer)
{
	static const struct field fields[] = {
		FIELD64(inventory_buffer, id, ID),
		FIELD64(inventory_buffer, bytes, BYTES),
		FIELD32(inventory_buffer, node, NODE),
		FIELD32(inventory_buffer, rung, RUNG),
		FIELD32(inventory_buffer, extent_count, NR_EXTENTS),
		FIELD64(inventory_buffer, phys, PHYS),
		FIELD64(inventory_buffer, largest_bytes, LARGEST_BYTES),
		FIELD32(inventory_buffer, view_count, NR_VIEWS),
	};
	int error;

	memset(buffer, 0, sizeof(*buffer));
	error = TAKE(attributes, fields, buffer);
	/* The first modules did not say it. */
	if (attributes[PROBE_PHYS_A_WALK_PAGE_BYTES])
		buffer->walk_page_bytes =
			nla_get_u32(attributes[PROBE_PHYS_A_WALK_PAGE_BYTES]);
	return error ? error : take_owner(attributes, &buffer->owner);
}

int inventory_take_view(struct nlattr **attributes, struct inventory_view *view)
{
	static const struct field fields[] = {
		FIELD64(inventory_view, id, ID),
		FIELD64(inventory_view, buffer_id, BUFFER_ID),
		FIELD64(inventory_view, bytes, BYTES),
		FIELD64(inventory_view, page_bytes, PAGE_BYTES),
		FIELD32(inventory_view, alias_pages, ALIAS_PAGES),
		FIELD32(inventory_view, mapping_count, NR_MAPPINGS),
	};
	int error;

	memset(view, 0, sizeof(*view));
	error = TAKE(attributes, fields, view);
	return error ? error : take_owner(attributes, &view->owner);
}

int inventory_take_counters(struct nlattr **attributes,
			    struct inventory_counters *counters)
{
	static const struct field fields[] = {
		FIELD64(inventory_counters, id, ID),
		FIELD32(inventory_counters, cpu, CPU),
		FIELD32(inventory_counters, event_count, NR_EVENTS),
	};
	int error;

	memset(counters, 0, sizeof(*counters));
	error = TAKE(attributes, fields, counters);
	return error ? error : take_owner(attributes, &counters->owner);
}

int inventory_take_walk(struct nlattr **attributes, struct inventory_walk *walk)
{
	static const struct field fields[] = {
		FIELD64(inventory_walk, id, ID),
		FIELD64(inventory_walk, buffer_id, BUFFER_ID),
		FIELD32(inventory_walk, cpu, CPU),
		FIELD32(inventory_walk, offset_count, NR_OFFSETS),
		FIELD64(inventory_walk, loads_done, LOADS_DONE),
	};
	int error;

	memset(walk, 0, sizeof(*walk));
	error = TAKE(attributes, fields, walk);
	return error ? error : take_owner(attributes, &walk->owner);
}

int inventory_take_event(struct nlattr **attributes,
			 struct inventory_event *event)
{
	memset(event, 0, sizeof(*event));
	if (!attributes[PROBE_PHYS_A_EVENT_KIND])
		return -ENODATA;
	event->kind = nla_get_u32(attributes[PROBE_PHYS_A_EVENT_KIND]);
	event->has_id = attributes[PROBE_PHYS_A_ID];
	if (event->has_id)
		event->id = nla_get_u64(attributes[PROBE_PHYS_A_ID]);
	event->has_owner = !take_owner(attributes, &event->owner);
	event->has_bytes = attributes[PROBE_PHYS_A_BYTES];
	if (event->has_bytes)
		event->bytes = nla_get_u64(attributes[PROBE_PHYS_A_BYTES]);
	event->has_cpu = attributes[PROBE_PHYS_A_CPU];
	if (event->has_cpu)
		event->cpu = nla_get_s32(attributes[PROBE_PHYS_A_CPU]);
	event->has_count = attributes[PROBE_PHYS_A_COUNT];
	if (event->has_count)
		event->count = nla_get_u64(attributes[PROBE_PHYS_A_COUNT]);
	return 0;
}
