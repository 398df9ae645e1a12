// SPDX-License-Identifier: GPL-2.0
#include "method/measure.h"

#include "method/behaviour/behaviour.h"
#include "method/core/registers.h"
#include "method/instruction/icache.h"
#include "method/levels/levels.h"
#include "method/sharing/sharing.h"
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
		int (*measure)(struct prober *p, struct hierarchy *h,
			       struct failure *f);
	} steps[] = {
		{ EVERYTHING_CACHES, xray_measure },
		{ EVERYTHING_BEHAVIOUR, inclusion_measure },
		{ EVERYTHING_BEHAVIOUR, write_allocate_measure },
		{ EVERYTHING_BEHAVIOUR, write_back_measure },
		{ EVERYTHING_BEHAVIOUR, sharing_measure },
		{ EVERYTHING_CODE, icache_measure },
		{ EVERYTHING_BEHAVIOUR, unified_measure },
		{ EVERYTHING_TLBS, tlb_measure },
		{ EVERYTHING_REGISTERS, registers_measure },
		{ EVERYTHING_REGISTERS, measure_frequency },
	};
	int error = 0;

	if (parts & EVERYTHING_CACHES)
		error = prober_trust_counters(p, f);
	for (size_t i = 0; !error && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (parts & steps[i].part)
			error = steps[i].measure(p, h, f);
	return error;
}
