// SPDX-License-Identifier: GPL-2.0
/* begin.c - what every measurement begins with and reports on its way. */
#include <stdarg.h>
#include <stdio.h>

#include "method/probe/prober.h"

/* With none of each half wrong the rate is below 4 % (95 %, Wilson). */
#define MASK_PAIRS 200

void prober_begin(struct prober *p, struct machine *m, uint64_t seed)
{
	*p = (struct prober){
		.m = m,
		.rng = { seed },
		.rules = decision_default_rules(),
		.budget = budget_begin(),
		.arena_bytes = m->region.bytes,
		.word_bytes = sizeof(uint64_t),
		.most_levels = SIZE_MAX,
		.mask_pairs = MASK_PAIRS,
	};
	if (m->region.extent_count && m->region.phys_known) {
		p->arena_offset = m->region.extents[0].offset;
		p->arena_bytes = m->region.extents[0].bytes;
	}
}

void prober_progress(struct prober *p, const char *format, ...)
{
	char text[120];
	va_list args;

	if (!p->progress)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	p->progress(p->progress_context, text, p->done);
}

int prober_out_of_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "measure: out of memory (free some)");
}
