/* SPDX-License-Identifier: GPL-2.0 */
/* modelkit.h - small profiles and arrays for tests of the model. */
#ifndef PROBE_PHYS_UNIT_MODEL_MODELKIT_H
#define PROBE_PHYS_UNIT_MODEL_MODELKIT_H

#include "model/model.h"

/** kit_cache() - a write-back, write-allocate cache of CPU 0 with 64-byte
 * lines, indexed by low physical bits
 */
static inline struct profile_cache kit_cache(int level, unsigned int ways,
					     uint64_t sets, double latency)
{
	return (struct profile_cache){
		.level = level,
		.type = level == 1 ? PROFILE_DATA : PROFILE_UNIFIED,
		.capacity_bytes = ways * sets * 64,
		.ways = ways,
		.line_bytes = 64,
		.sets = sets,
		.physical = true,
		.write_allocate = true,
		.write_back = true,
		.latency_cycles = latency,
		.instances = 1,
	};
}

/** kit_tlb() - an array for 4 KiB pages */
static inline struct profile_tlb kit_tlb(int level, unsigned int entries,
					 unsigned int ways, double latency)
{
	return (struct profile_tlb){
		.level = level,
		.type = level == 1 ? PROFILE_DATA : PROFILE_UNIFIED,
		.page_bytes = { 4096 },
		.page_size_count = 1,
		.entries = entries,
		.ways = ways,
		.latency_cycles = latency,
		.coalesce_pages = 1,
	};
}

/** kit_load() - a load of CPU 0, in whole cycles */
static inline unsigned int kit_access(struct model *m, enum model_kind kind,
				      unsigned int cpu, uint64_t address)
{
	const struct model_access a = { .virt = address,
					.phys = address,
					.page_bytes = 4096,
					.cpu = cpu,
					.kind = kind };

	return model_access(m, &a) / MODEL_TICKS;
}

static inline unsigned int kit_load(struct model *m, uint64_t address)
{
	return kit_access(m, MODEL_LOAD, 0, address);
}

#endif
