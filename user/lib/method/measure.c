// SPDX-License-Identifier: GPL-2.0
#include "method/measure.h"

#include "method/accessed/walk_cache.h"
#include "method/behaviour/behaviour.h"
#include "method/core/registers.h"
#include "method/footprint/footprint.h"
#include "method/instruction/icache.h"
#include "method/levels/levels.h"
#include "method/probe/cost.h"
#include "method/sharing/sharing.h"
#include "method/survivors/survivors.h"
#include "method/tlb/measure.h"

static int measure_frequency(struct prober *p, struct hierarchy *h,
			     struct failure *f)
{
	(void)f;
	return frequency_measure(p, h);
}

int measure_everything(struct prober *p, unsigned int parts,
		       struct hierarchy *h, struct failure *f)
{
	/* The order matters: later parts use the results of earlier ones. */
	static const struct {
		enum everything_part part;
		const char *group;
		int (*measure)(struct prober *p, struct hierarchy *h,
			       struct failure *f);
	} steps[] = {
		{ EVERYTHING_CACHES, "caches", xray_measure },
		{ EVERYTHING_CACHES, "footprints", footprint_measure },
		{ EVERYTHING_BEHAVIOUR, "inclusion", inclusion_measure },
		{ EVERYTHING_BEHAVIOUR, "write-allocate",
		  write_allocate_measure },
		{ EVERYTHING_BEHAVIOUR, "write-back", write_back_measure },
		{ EVERYTHING_BEHAVIOUR, "sharing", sharing_measure },
		{ EVERYTHING_CODE, "instruction cache", icache_measure },
		{ EVERYTHING_BEHAVIOUR, "unified", unified_measure },
		/* Thousands of lines that are loaded once may teach L3 to keep none. */
		{ EVERYTHING_CACHES, "survivors", survivors_measure },
		{ EVERYTHING_CACHES, "memory", memory_side_measure },
		{ EVERYTHING_TLBS, "tlbs", tlb_measure },
		{ EVERYTHING_TLBS, "page walks", walk_caches_measure },
		{ EVERYTHING_REGISTERS, "registers", registers_measure },
		{ EVERYTHING_REGISTERS, "clock", measure_frequency },
	};
	struct group_cost proof = cost_begin(p);
	int error = 0;

	if (parts & EVERYTHING_CACHES)
		error = prober_trust_counters(p, f);
	proof = cost_since(p, &proof, "counters");
	for (size_t i = 0; !error && i < sizeof(steps) / sizeof(steps[0]);
	     i++) {
		const struct group_cost begun = cost_begin(p);

		if (!(parts & steps[i].part))
			continue;
		error = steps[i].measure(p, h, f);
		cost_end(p, &begun, steps[i].group, h);
	}
	/* Last, since xray_measure() begins @h anew. */
	if (parts & EVERYTHING_CACHES)
		hierarchy_add_cost(h, &proof);
	return error;
}
