// SPDX-License-Identifier: GPL-2.0
#include "method/probe/lost_line.h"

#include "observe/sampler.h"

int lost_line_time(const struct prober *p, const struct lost_line *l,
		   size_t after, bool loaded, unsigned int samples,
		   struct readings *r, struct failure *f)
{
	const struct sequence line = { (uint64_t *)&l->line, 1 },
			      neighbour = { (uint64_t *)&l->neighbour, 1 },
			      all = { l->others, l->count },
			      first = { l->others, after };
	const struct walk_step steps[] = {
		{ STEP_FLUSH, &line, 0 },
		{ STEP_FLUSH, &all, 0 },
		{ STEP_LOAD, loaded ? &line : &neighbour, 0 },
		{ STEP_LOAD, &first, 0 },
		{ STEP_LOAD, &neighbour, 0 },
	};
	const struct walk_plan plan = { .samples = samples,
					.steps = steps,
					.step_count = 5 };

	return prober_observe(p, &line, &plan, 0, r, f);
}
