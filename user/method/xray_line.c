// SPDX-License-Identifier: GPL-2.0
#include "xray.h"

#define LEAST_LINE 8
#define METHOD "x-ray"

/*
 * <<m0, T, A>, C + d, 2>: as long as d stays inside the line both halves share
 * a set, which is overfull; at d = B they part. Both halves are whole ways
 * apart, so neither next-line nor adjacent-line prefetch can bring what the
 * other one needs.
 */
int xray_find_line(struct xray *x, const struct xray_level *level,
		   struct parameter *line_bytes, struct failure *f)
{
	uint64_t capacity = level->ways * level->way_bytes;

	for (uint64_t d = LEAST_LINE; d <= level->way_bytes; d *= 2) {
		const struct shape w = { capacity + d, 2, level->way_bytes,
					 level->ways };
		enum verdict verdict;
		struct evidence e;
		int error;

		prober_progress(x->prober, "L%zu: line of more than %llu bytes",
				x->upper_count + 1, (unsigned long long)d / 2);
		error = prober_compact(x->prober, &w, &x->reference, &verdict,
				       &e, f);
		if (error)
			return error;
		if (verdict == VERDICT_COMPACT) {
			parameter_measured(line_bytes, (double)d,
					   x->prober->rules.alpha, METHOD);
			return 0;
		}
		if (verdict == VERDICT_UNDECIDED) {
			parameter_undecided(line_bytes, METHOD,
					    "no clear verdict at a shift of %llu bytes (%zu fast, %zu slow of %zu)",
					    (unsigned long long)d,
					    e.decision.fast, e.decision.slow,
					    e.decision.observations);
			return 0;
		}
	}
	parameter_undecided(line_bytes, METHOD,
			    "no shift up to a way parts the two halves");
	return 0;
}
