// SPDX-License-Identifier: GPL-2.0
/* memory.c - the longest contiguous buffer that the module grants, and its
 * node.
 */
#include "machine/module/memory.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "machine/module/ioctl.h"
#include "machine/module/names.h"

#define MIB (UINT64_C(1) << 20)

/* Less does not fill a last-level cache. */
#define LEAST_BYTES (4 * MIB)

/**
 * struct grant - a buffer that the module may grant
 * @session: descriptor of the module
 * @info: what the module offers
 * @node: NUMA node, or PROBE_PHYS_NODE_ANY
 * @m: (out) its region
 * @made: (out) the buffer
 * @largest_bytes: (out) the longest run that there would have been
 */
struct grant {
	int session;
	const struct probe_phys_info *info;
	int node;
	struct machine *m;
	struct probe_phys_buffer_create *made;
	uint64_t largest_bytes;
};

static uint64_t power_of_two_below(uint64_t bytes)
{
	uint64_t power = 1;

	while (power <= bytes / 2)
		power *= 2;
	return power;
}

/* A whole extent of @bytes or nothing. */
static int request_aligned(struct grant *w, uint64_t bytes,
			   uint64_t align_bytes)
{
	struct probe_phys_buffer_create create = {
		.bytes = bytes,
		.min_bytes = bytes,
		.min_extent_bytes = bytes,
		.align_bytes = align_bytes,
		.node = w->node,
	};
	int error = module_buffer_create(w->session, &create);

	w->largest_bytes = create.largest_bytes;
	if (error)
		return error;
	*w->made = create;
	w->m->region.bytes = bytes;
	strcpy(w->m->region.backing, module_rung_name(create.rung));
	return 0;
}

/* The largest pages need frames that are aligned to them. */
static int request_bytes(struct grant *w, uint64_t bytes)
{
	int error = -ENOMEM;

	if (w->info->features & PROBE_PHYS_FEATURE_VIEW_PUD &&
	    bytes >= w->info->pud_bytes)
		error = request_aligned(w, bytes, w->info->pud_bytes);
	if (error == -ENOMEM)
		error = request_aligned(w, bytes, w->info->pmd_bytes);
	return error;
}

static uint64_t granted_by_caps(const struct probe_phys_info *info)
{
	uint64_t left = info->max_total_bytes - info->used_total_bytes;

	if (info->used_total_bytes > info->max_total_bytes)
		return 0;
	return left < info->max_buffer_bytes ? left : info->max_buffer_bytes;
}

/* The next length to try after @bytes was refused. */
static uint64_t next_length(uint64_t bytes, uint64_t largest)
{
	uint64_t possible = largest ? power_of_two_below(largest) : bytes;

	return possible < bytes ? possible : bytes / 2;
}

/* Fewer bytes until the module grants them. */
static int request_less(struct grant *w, uint64_t bytes)
{
	int error = -ENOSPC;

	for (; bytes >= LEAST_BYTES;
	     bytes = next_length(bytes, w->largest_bytes)) {
		error = request_bytes(w, bytes);
		if (error != -ENOMEM && error != -ENOSPC)
			break;
	}
	return error;
}

/* Another node's is as good for caches, but takes longer itself. */
static int request_near(struct grant *w, uint64_t bytes)
{
	unsigned int cpu, node;
	int error = -ENOMEM;

	if (!getcpu(&cpu, &node)) {
		w->node = (int)node;
		error = request_less(w, bytes);
		if (error != -ENOMEM && error != -ENOSPC && error != -EINVAL)
			return error;
	}
	w->node = PROBE_PHYS_NODE_ANY;
	error = request_less(w, bytes);
	w->m->region.remote = !error;
	return error;
}

int module_memory(int session, const struct probe_phys_info *info,
		  uint64_t wanted_bytes, struct machine *m,
		  struct probe_phys_buffer_create *made, struct failure *f)
{
	struct grant w = {
		.session = session, .info = info, .m = m, .made = made
	};
	uint64_t cap = granted_by_caps(info), bytes;
	int error;

	if (wanted_bytes < LEAST_BYTES)
		wanted_bytes = LEAST_BYTES;
	bytes = power_of_two_below(wanted_bytes > cap ? cap : wanted_bytes);
	if (bytes < wanted_bytes && bytes <= cap / 2)
		bytes *= 2;
	error = request_near(&w, bytes);
	if (error)
		return fail(
			f, STATUS_FAILED, -error,
			"memory: no contiguous run of %llu MiB: %s (free memory, or raise the module's caps; longest run: %llu KiB)",
			(unsigned long long)(LEAST_BYTES / MIB),
			strerror(-error),
			(unsigned long long)(w.largest_bytes / 1024));
	bytes = m->region.bytes;
	if (bytes < wanted_bytes)
		machine_note(
			m,
			"%llu of %llu MiB wanted are physically contiguous%s",
			(unsigned long long)(bytes / MIB),
			(unsigned long long)(wanted_bytes / MIB),
			bytes * 2 > cap ? " (cap of the module)" : "");
	if (m->region.remote)
		machine_note(
			m,
			"memory is of another NUMA node than CPU %d: its own has no contiguous run",
			m->cpu);
	return 0;
}

void module_walked_by(struct machine *m, uint64_t walk_page_bytes,
		      uint64_t base_page_bytes)
{
	uint64_t page = walk_page_bytes ? walk_page_bytes : base_page_bytes;

	if (page >= m->region.page_bytes)
		return;
	machine_note(
		m,
		walk_page_bytes ?
			"walks in the kernel go by pages of %llu KiB, as its own map of this memory has them (at least in part)" :
			"walks in the kernel are taken to go by pages of %llu KiB: the module does not know",
		(unsigned long long)(page / 1024));
	m->region.page_bytes = page;
}
