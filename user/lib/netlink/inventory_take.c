// SPDX-License-Identifier: GPL-2.0
/* inventory_take.c - attributes into structs, by tables. */
#include <linux/probe_phys.h>
#include <string.h>

#include "base/text.h"
#include "netlink/inventory.h"

/* Values of field.has that are no offset of a flag. */
#define REQUIRED 0
#define OPTIONAL SIZE_MAX

/**
 * struct field - where an attribute goes
 * @attribute: enum probe_phys_attr
 * @bytes: size of the member: 4 or 8 of a number, more of a text
 * @offset: of the member
 * @has: offset of the flag that says whether the message has the attribute;
 *       REQUIRED: an error if it has not; OPTIONAL: no flag
 */
struct field {
	int attribute;
	size_t bytes;
	size_t offset;
	size_t has;
};

#define MAYBE(type, member, name, has)                                   \
	{                                                                \
		PROBE_PHYS_A_##name, sizeof(((struct type *)0)->member), \
			offsetof(struct type, member), has               \
	}
#define FIELD(type, member, name) MAYBE(type, member, name, REQUIRED)
#define EVENT(member, name, has)             \
	MAYBE(inventory_event, member, name, \
	      offsetof(struct inventory_event, has))

static const struct field info_fields[] = {
	FIELD(inventory_info, abi, ABI),
	FIELD(inventory_info, version, VERSION),
	FIELD(inventory_info, features, FEATURES),
	FIELD(inventory_info, page_bytes, PAGE_BYTES),
	FIELD(inventory_info, pmd_bytes, PMD_BYTES),
	FIELD(inventory_info, pud_bytes, PUD_BYTES),
	FIELD(inventory_info, max_buffer_bytes, MAX_BUFFER_BYTES),
	FIELD(inventory_info, max_total_bytes, MAX_TOTAL_BYTES),
	FIELD(inventory_info, used_total_bytes, USED_TOTAL_BYTES),
	FIELD(inventory_info, tick_hz, TICK_HZ),
};

static const struct field stats_fields[] = {
	FIELD(inventory_stats, buffers_created, STAT_BUFFERS_CREATED),
	FIELD(inventory_stats, buffers_destroyed, STAT_BUFFERS_DESTROYED),
	FIELD(inventory_stats, views_created, STAT_VIEWS_CREATED),
	FIELD(inventory_stats, views_destroyed, STAT_VIEWS_DESTROYED),
	FIELD(inventory_stats, counters_created, STAT_COUNTERS_CREATED),
	FIELD(inventory_stats, counters_destroyed, STAT_COUNTERS_DESTROYED),
	FIELD(inventory_stats, walks_started, STAT_WALKS_STARTED),
	FIELD(inventory_stats, walks_ended, STAT_WALKS_ENDED),
	FIELD(inventory_stats, sessions_opened, STAT_SESSIONS_OPENED),
	FIELD(inventory_stats, sessions_closed, STAT_SESSIONS_CLOSED),
	FIELD(inventory_stats, loads, STAT_LOADS),
	FIELD(inventory_stats, late_samples, STAT_LATE_SAMPLES),
};

static const struct field buffer_fields[] = {
	FIELD(inventory_buffer, id, ID),
	FIELD(inventory_buffer, owner.pid, OWNER_PID),
	FIELD(inventory_buffer, owner.comm, OWNER_COMM),
	FIELD(inventory_buffer, bytes, BYTES),
	FIELD(inventory_buffer, node, NODE),
	FIELD(inventory_buffer, rung, RUNG),
	FIELD(inventory_buffer, extent_count, NR_EXTENTS),
	FIELD(inventory_buffer, phys, PHYS),
	FIELD(inventory_buffer, largest_bytes, LARGEST_BYTES),
	FIELD(inventory_buffer, view_count, NR_VIEWS),
	/* The first modules did not say it. */
	MAYBE(inventory_buffer, walk_page_bytes, WALK_PAGE_BYTES, OPTIONAL),
};

static const struct field view_fields[] = {
	FIELD(inventory_view, id, ID),
	FIELD(inventory_view, owner.pid, OWNER_PID),
	FIELD(inventory_view, owner.comm, OWNER_COMM),
	FIELD(inventory_view, buffer_id, BUFFER_ID),
	FIELD(inventory_view, bytes, BYTES),
	FIELD(inventory_view, page_bytes, PAGE_BYTES),
	FIELD(inventory_view, alias_pages, ALIAS_PAGES),
	FIELD(inventory_view, mapping_count, NR_MAPPINGS),
};

static const struct field counters_fields[] = {
	FIELD(inventory_counters, id, ID),
	FIELD(inventory_counters, owner.pid, OWNER_PID),
	FIELD(inventory_counters, owner.comm, OWNER_COMM),
	FIELD(inventory_counters, cpu, CPU),
	FIELD(inventory_counters, event_count, NR_EVENTS),
};

static const struct field walk_fields[] = {
	FIELD(inventory_walk, id, ID),
	FIELD(inventory_walk, owner.pid, OWNER_PID),
	FIELD(inventory_walk, owner.comm, OWNER_COMM),
	FIELD(inventory_walk, buffer_id, BUFFER_ID),
	FIELD(inventory_walk, cpu, CPU),
	FIELD(inventory_walk, offset_count, NR_OFFSETS),
	FIELD(inventory_walk, loads_done, LOADS_DONE),
};

static const struct field event_fields[] = {
	FIELD(inventory_event, kind, EVENT_KIND),
	EVENT(id, ID, has_id),
	EVENT(owner.pid, OWNER_PID, has_owner),
	EVENT(owner.comm, OWNER_COMM, has_owner),
	EVENT(bytes, BYTES, has_bytes),
	EVENT(cpu, CPU, has_cpu),
	EVENT(count, COUNT, has_count),
};

#define KIND(type, list)                                                    \
	{                                                                   \
		sizeof(struct type), list, sizeof(list) / sizeof((list)[0]) \
	}

static const struct {
	size_t bytes;
	const struct field *fields;
	size_t count;
} kinds[] = {
	[INVENTORY_INFO] = KIND(inventory_info, info_fields),
	[INVENTORY_STATS] = KIND(inventory_stats, stats_fields),
	[INVENTORY_BUFFER] = KIND(inventory_buffer, buffer_fields),
	[INVENTORY_VIEW] = KIND(inventory_view, view_fields),
	[INVENTORY_COUNTERS] = KIND(inventory_counters, counters_fields),
	[INVENTORY_WALK] = KIND(inventory_walk, walk_fields),
	[INVENTORY_EVENT] = KIND(inventory_event, event_fields),
};

size_t inventory_bytes(enum inventory_kind kind)
{
	return kinds[kind].bytes;
}

static void copy(const struct field *field, const struct nlattr *a, char *to)
{
	if (field->bytes > sizeof(uint64_t))
		text_printable(to, field->bytes, nla_get_string(a));
	else
		memcpy(to, nla_data(a), field->bytes);
}

int inventory_take(enum inventory_kind kind, struct nlattr **attributes,
		   void *item)
{
	const struct field *fields = kinds[kind].fields;
	const size_t count = kinds[kind].count;
	char *to = item;

	memset(to, 0, kinds[kind].bytes);
	for (size_t i = 0; i < count; i++)
		if (fields[i].has != REQUIRED && fields[i].has != OPTIONAL)
			*(bool *)(to + fields[i].has) = true;
	for (size_t i = 0; i < count; i++) {
		const struct field *field = &fields[i];
		const struct nlattr *a = attributes[field->attribute];

		if (a)
			copy(field, a, to + field->offset);
		else if (field->has == REQUIRED)
			return -ENODATA;
		else if (field->has != OPTIONAL)
			*(bool *)(to + field->has) = false;
	}
	return 0;
}
