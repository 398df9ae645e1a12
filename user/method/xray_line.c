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
static struct shape shifted_halves(const struct xray *x,
				   const struct xray_level *level, uint64_t d)
{
	struct shape upper = xray_shape(x, level->way_bytes, 2 * level->ways);

	return (struct shape){ .inner_stride =
				       level->ways * level->way_bytes + d,
			       .inner = 2,
			       .stride = level->way_bytes,
			       .outer = level->ways,
			       .copy_stride = upper.inner_stride,
			       .copies = upper.inner };
}

int xray_find_line(struct xray *x, const struct xray_level *level,
		   struct parameter *line_bytes, struct failure *f)
{
	for (uint64_t d = LEAST_LINE; d <= level->way_bytes; d *= 2) {
		const struct shape w = shifted_halves(x, level, d);
		enum verdict verdict;
		struct evidence e;
		int error;

		prober_progress(x->prober, "L%zu: line of more than %llu bytes",
				x->upper_count + 1, (unsigned long long)d / 2);
		error = prober_compact(x->prober, &w, &x->reference, &verdict,
				       &e, f);
		if (error == -ERANGE) {
			parameter_undecided(line_bytes, METHOD,
					    "not enough contiguous memory");
			return 0;
		}
		if (error)
			return error;
		if (verdict == VERDICT_COMPACT && d == LEAST_LINE) {
			/* No line is that short: a level above holds both
			 * halves.
			 */
			parameter_undecided(
				line_bytes, METHOD,
				"%zu lines do not get past the level above",
				2 * level->ways);
			return 0;
		}
		if (verdict == VERDICT_COMPACT) {
			parameter_measured(line_bytes, (double)d,
					   x->prober->rules.alpha, METHOD);
			return 0;
		}
		if (verdict == VERDICT_UNDECIDED) {
			parameter_undecided(
				line_bytes, METHOD,
				"no clear verdict at a shift of %llu bytes (%zu fast, %zu slow of %zu)",
				(unsigned long long)d, e.decision.fast,
				e.decision.slow, e.decision.observations);
			return 0;
		}
	}
	parameter_undecided(line_bytes, METHOD,
			    "no shift up to a way parts the two halves");
	return 0;
}
