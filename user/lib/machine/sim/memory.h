/* SPDX-License-Identifier: GPL-2.0 */
/* memory.h - where a simulated machine's memory lies. */
#ifndef PROBE_PHYS_MACHINE_SIM_MEMORY_H
#define PROBE_PHYS_MACHINE_SIM_MEMORY_H

#include "base/rng.h"
#include "machine/machine.h"
#include "model/profile/profile.h"

/**
 * struct sim_memory - the region's pages; nothing is behind them
 * @base: virtual address of offset 0
 * @page_bytes: size of the page-table entries
 * @unit_bytes: size of the runs that are placed together
 * @frames: true physical address of each unit (the host's in a VM)
 */
struct sim_memory {
	uint64_t base;
	uint64_t page_bytes;
	uint64_t unit_bytes;
	uint64_t *frames;
};

/**
 * sim_memory_place() - place @bytes as the profile says
 * @region: (out) filled, extents longest first
 * Return: 0 or -ENOMEM; sim_memory_free() in either case.
 */
int sim_memory_place(struct sim_memory *s, const struct profile *p,
		     uint64_t bytes, struct rng *rng, struct region *region);

/**
 * sim_memory_frames() - @count pages of @page_bytes beside the region
 *
 * Placed as the profile places user memory of that page size; @s->base is left
 * alone.
 * @contiguous: (out) the pages are known to lie in a row
 * Return: 0, -ENOMEM, or -ENOSPC where the machine has not so much memory;
 * sim_memory_free() in either case.
 */
int sim_memory_frames(struct sim_memory *s, const struct profile *p,
		      uint64_t page_bytes, uint64_t count, struct rng *rng,
		      bool *contiguous);

void sim_memory_free(struct sim_memory *s);

/** sim_memory_phys() - true physical address of an offset */
static inline uint64_t sim_memory_phys(const struct sim_memory *s,
				       uint64_t offset)
{
	return s->frames[offset / s->unit_bytes] + offset % s->unit_bytes;
}

#endif
