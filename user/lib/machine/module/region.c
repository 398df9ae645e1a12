// SPDX-License-Identifier: GPL-2.0
#include "machine/module/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/module/ioctl.h"
#include "machine/module/memory.h"

static int describe(struct region *region, int buffer, struct failure *f)
{
	struct probe_phys_extent extent = { 0 };
	struct probe_phys_buffer_extents list = {
		.extents = (uintptr_t)&extent,
		.count = 1,
	};
	int error = module_buffer_extents(buffer, &list);

	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "memory: asking for its addresses: %s (see dmesg)",
			    strerror(-error));
	if (!list.count || extent.bytes < region->bytes)
		return fail(f, STATUS_FAILED, EPROTO,
			    "memory: it is not one run (report this as a bug)");
	region->extents = calloc(1, sizeof(*region->extents));
	if (!region->extents)
		return fail_memory(f, "memory");
	region->extents[0].phys = extent.phys;
	region->extents[0].bytes = region->bytes;
	region->extent_count = 1;
	region->phys_known = true;
	return 0;
}

static int map_by(struct module_region *r, struct region *region,
		  uint64_t page_bytes)
{
	const struct view_request shape = {
		.page_bytes = page_bytes,
		.pages = region->bytes / page_bytes,
		.frames = region->bytes / page_bytes,
	};
	int error;

	r->mapping = (struct module_mapping){
		.view = -1,
		.phys = region->extents[0].phys,
		.shape = shape,
	};
	error = module_mapping_make(&r->mapping, r->buffer, 0);
	if (!error)
		error = module_mapping_prove(&r->mapping);
	if (error)
		module_mapping_end(&r->mapping);
	else
		region->page_bytes = page_bytes;
	return error;
}

static int map(struct module_region *r, const struct probe_phys_info *info,
	       struct machine *m, struct failure *f)
{
	uint64_t base_page = info->page_bytes;
	int error = -EOPNOTSUPP;

	if (info->features & PROBE_PHYS_FEATURE_VIEW_PMD)
		error = map_by(r, &m->region, info->pmd_bytes);
	if (!error)
		return 0;
	machine_note(m, "no large pages: %s; %llu KiB pages instead",
		     strerror(-error), (unsigned long long)(base_page / 1024));
	error = map_by(r, &m->region, base_page);
	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "memory: mapping it: %s (see dmesg)",
			    strerror(-error));
	return 0;
}

int module_region_open(struct module_region *r, int session,
		       const struct probe_phys_info *info, uint64_t bytes,
		       struct machine *m, struct failure *f)
{
	struct probe_phys_buffer_create made = { .fd = -1 };
	int error = module_memory(session, info, bytes, m, &made, f);

	if (error)
		return error;
	r->buffer = made.fd;
	r->walk_page_bytes = made.walk_page_bytes;
	error = describe(&m->region, r->buffer, f);
	return error ? error : map(r, info, m, f);
}

void module_region_close(struct module_region *r)
{
	module_mapping_end(&r->mapping);
	if (r->buffer >= 0)
		close(r->buffer);
	r->buffer = -1;
}
