// SPDX-License-Identifier: GPL-2.0
/*
 * abi_check.c - the layout of the contract, proven by the compiler. A field
 * that has been published never moves; a struct only grows, and its first
 * size stays in the command's number.
 */
#include <linux/build_bug.h>
#include <linux/ioctl.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include <uapi/linux/probe_phys.h>

#define STRUCT(name, bytes) \
	static_assert(sizeof(struct name) == (bytes))
#define FIELD(name, field, at) \
	static_assert(offsetof(struct name, field) == (at))
#define COMMAND(name, nr, bytes) \
	static_assert(PROBE_PHYS_IOC_##name == \
		      _IOC(_IOC_READ | _IOC_WRITE, 0xB9, nr, bytes))

/* Registry numbers and page counts are unsigned long in places. */
static_assert(sizeof(long) == 8);

STRUCT(probe_phys_info, 112);
FIELD(probe_phys_info, size, 0);
FIELD(probe_phys_info, flags, 4);
FIELD(probe_phys_info, abi, 8);
FIELD(probe_phys_info, page_bytes, 12);
FIELD(probe_phys_info, features, 16);
FIELD(probe_phys_info, pmd_bytes, 24);
FIELD(probe_phys_info, pud_bytes, 32);
FIELD(probe_phys_info, max_buffer_bytes, 40);
FIELD(probe_phys_info, max_total_bytes, 48);
FIELD(probe_phys_info, used_total_bytes, 56);
FIELD(probe_phys_info, tick_hz, 64);
FIELD(probe_phys_info, line_bytes, 72);
FIELD(probe_phys_info, reserved, 76);
FIELD(probe_phys_info, version, 80);

STRUCT(probe_phys_flush_all, 16);
FIELD(probe_phys_flush_all, size, 0);
FIELD(probe_phys_flush_all, flags, 4);
FIELD(probe_phys_flush_all, cpu, 8);
FIELD(probe_phys_flush_all, reserved, 12);

STRUCT(probe_phys_prefetch, 40);
FIELD(probe_phys_prefetch, size, 0);
FIELD(probe_phys_prefetch, flags, 4);
FIELD(probe_phys_prefetch, op, 8);
FIELD(probe_phys_prefetch, cpu, 12);
FIELD(probe_phys_prefetch, mask, 16);
FIELD(probe_phys_prefetch, enable, 20);
FIELD(probe_phys_prefetch, available, 24);
FIELD(probe_phys_prefetch, enabled, 28);
FIELD(probe_phys_prefetch, state, 32);
FIELD(probe_phys_prefetch, reserved, 36);

STRUCT(probe_phys_buffer_create, 88);
FIELD(probe_phys_buffer_create, size, 0);
FIELD(probe_phys_buffer_create, flags, 4);
FIELD(probe_phys_buffer_create, bytes, 8);
FIELD(probe_phys_buffer_create, min_bytes, 16);
FIELD(probe_phys_buffer_create, align_bytes, 24);
FIELD(probe_phys_buffer_create, min_extent_bytes, 32);
FIELD(probe_phys_buffer_create, import_addr, 40);
FIELD(probe_phys_buffer_create, node, 48);
FIELD(probe_phys_buffer_create, rungs, 52);
FIELD(probe_phys_buffer_create, fd, 56);
FIELD(probe_phys_buffer_create, rung, 60);
FIELD(probe_phys_buffer_create, nr_extents, 64);
FIELD(probe_phys_buffer_create, walk_page_bytes, 68);
FIELD(probe_phys_buffer_create, largest_bytes, 72);
FIELD(probe_phys_buffer_create, id, 80);

STRUCT(probe_phys_extent, 16);
FIELD(probe_phys_extent, phys, 0);
FIELD(probe_phys_extent, bytes, 8);

STRUCT(probe_phys_buffer_info, 40);
FIELD(probe_phys_buffer_info, size, 0);
FIELD(probe_phys_buffer_info, flags, 4);
FIELD(probe_phys_buffer_info, id, 8);
FIELD(probe_phys_buffer_info, bytes, 16);
FIELD(probe_phys_buffer_info, nr_extents, 24);
FIELD(probe_phys_buffer_info, rung, 28);
FIELD(probe_phys_buffer_info, node, 32);
FIELD(probe_phys_buffer_info, nr_views, 36);

STRUCT(probe_phys_buffer_extents, 24);
FIELD(probe_phys_buffer_extents, size, 0);
FIELD(probe_phys_buffer_extents, flags, 4);
FIELD(probe_phys_buffer_extents, extents, 8);
FIELD(probe_phys_buffer_extents, first, 16);
FIELD(probe_phys_buffer_extents, count, 20);

STRUCT(probe_phys_buffer_flush, 24);
FIELD(probe_phys_buffer_flush, size, 0);
FIELD(probe_phys_buffer_flush, flags, 4);
FIELD(probe_phys_buffer_flush, offset, 8);
FIELD(probe_phys_buffer_flush, bytes, 16);

STRUCT(probe_phys_view_create, 56);
FIELD(probe_phys_view_create, size, 0);
FIELD(probe_phys_view_create, flags, 4);
FIELD(probe_phys_view_create, offset, 8);
FIELD(probe_phys_view_create, bytes, 16);
FIELD(probe_phys_view_create, page_bytes, 24);
FIELD(probe_phys_view_create, alias_pages, 32);
FIELD(probe_phys_view_create, fd, 36);
FIELD(probe_phys_view_create, map_bytes, 40);
FIELD(probe_phys_view_create, id, 48);

STRUCT(probe_phys_view_resolve, 40);
FIELD(probe_phys_view_resolve, size, 0);
FIELD(probe_phys_view_resolve, flags, 4);
FIELD(probe_phys_view_resolve, address, 8);
FIELD(probe_phys_view_resolve, phys, 16);
FIELD(probe_phys_view_resolve, page_bytes, 24);
FIELD(probe_phys_view_resolve, prot, 32);
FIELD(probe_phys_view_resolve, reserved, 36);

STRUCT(probe_phys_view_flush, 8);
FIELD(probe_phys_view_flush, size, 0);
FIELD(probe_phys_view_flush, flags, 4);

STRUCT(probe_phys_view_accessed, 40);
FIELD(probe_phys_view_accessed, size, 0);
FIELD(probe_phys_view_accessed, flags, 4);
FIELD(probe_phys_view_accessed, address, 8);
FIELD(probe_phys_view_accessed, bytes, 16);
FIELD(probe_phys_view_accessed, accessed, 24);
FIELD(probe_phys_view_accessed, level, 32);
FIELD(probe_phys_view_accessed, reserved, 36);

STRUCT(probe_phys_event, 32);
FIELD(probe_phys_event, type, 0);
FIELD(probe_phys_event, flags, 4);
FIELD(probe_phys_event, config, 8);
FIELD(probe_phys_event, config1, 16);
FIELD(probe_phys_event, config2, 24);

STRUCT(probe_phys_counters_create, 288);
FIELD(probe_phys_counters_create, size, 0);
FIELD(probe_phys_counters_create, flags, 4);
FIELD(probe_phys_counters_create, cpu, 8);
FIELD(probe_phys_counters_create, nr_events, 12);
FIELD(probe_phys_counters_create, fd, 16);
FIELD(probe_phys_counters_create, failed_event, 20);
FIELD(probe_phys_counters_create, id, 24);
FIELD(probe_phys_counters_create, events, 32);

STRUCT(probe_phys_counters_control, 16);
FIELD(probe_phys_counters_control, size, 0);
FIELD(probe_phys_counters_control, flags, 4);
FIELD(probe_phys_counters_control, op, 8);
FIELD(probe_phys_counters_control, reserved, 12);

STRUCT(probe_phys_counter_value, 24);
FIELD(probe_phys_counter_value, value, 0);
FIELD(probe_phys_counter_value, enabled_ns, 8);
FIELD(probe_phys_counter_value, running_ns, 16);

STRUCT(probe_phys_counters_read, 208);
FIELD(probe_phys_counters_read, size, 0);
FIELD(probe_phys_counters_read, flags, 4);
FIELD(probe_phys_counters_read, nr_events, 8);
FIELD(probe_phys_counters_read, state, 12);
FIELD(probe_phys_counters_read, values, 16);

STRUCT(probe_phys_sample, 96);
FIELD(probe_phys_sample, ticks, 0);
FIELD(probe_phys_sample, ns, 8);
FIELD(probe_phys_sample, loads, 16);
FIELD(probe_phys_sample, flags, 24);
FIELD(probe_phys_sample, nr_counters, 28);
FIELD(probe_phys_sample, counters, 32);

STRUCT(probe_phys_walk, 88);
FIELD(probe_phys_walk, size, 0);
FIELD(probe_phys_walk, flags, 4);
FIELD(probe_phys_walk, offsets, 8);
FIELD(probe_phys_walk, samples, 16);
FIELD(probe_phys_walk, rounds, 24);
FIELD(probe_phys_walk, budget_ns, 32);
FIELD(probe_phys_walk, nr_offsets, 40);
FIELD(probe_phys_walk, max_samples, 44);
FIELD(probe_phys_walk, warmup_rounds, 48);
FIELD(probe_phys_walk, rewarm_rounds, 52);
FIELD(probe_phys_walk, rounds_per_sample, 56);
FIELD(probe_phys_walk, slice_ns, 60);
FIELD(probe_phys_walk, cpu, 64);
FIELD(probe_phys_walk, counters_fd, 68);
FIELD(probe_phys_walk, nr_samples, 72);
FIELD(probe_phys_walk, reserved, 76);
FIELD(probe_phys_walk, loads_done, 80);

COMMAND(INFO, 0x00, 112);
COMMAND(FLUSH_ALL, 0x01, 16);
COMMAND(PREFETCH, 0x02, 40);
COMMAND(BUFFER_CREATE, 0x10, 88);
COMMAND(BUFFER_INFO, 0x11, 40);
COMMAND(BUFFER_EXTENTS, 0x12, 24);
COMMAND(BUFFER_FLUSH, 0x13, 24);
COMMAND(VIEW_CREATE, 0x20, 56);
COMMAND(VIEW_RESOLVE, 0x21, 40);
COMMAND(VIEW_FLUSH, 0x22, 8);
COMMAND(VIEW_ACCESSED, 0x23, 32);
COMMAND(COUNTERS_CREATE, 0x30, 288);
COMMAND(COUNTERS_CONTROL, 0x31, 16);
COMMAND(COUNTERS_READ, 0x32, 208);
COMMAND(WALK, 0x40, 88);
