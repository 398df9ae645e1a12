// SPDX-License-Identifier: GPL-2.0
#include "xray.h"

#define METHOD "x-ray"
#define FEW_COLUMNS 4
/* Twice the lines in each set: (N - A) / (N - 1) > 1 / 2. */
#define MISSES_WHEN_FOLDED 0.5

/*
 * <<m0, T_up, c>, T, N>: c columns, each in its own set of this level, all in
 * one set of the level above. That one holds A_up lines, so about A_up / c of
 * each column, and none of a column that was left A_up visits ago.
 */
static struct shape columns_of(const struct xray *x,
			       const struct xray_level *effective,
			       size_t columns, size_t rows)
{
	const struct xray_level *up = &x->upper[x->upper_count - 1];

	return (struct shape){ .inner_stride = up->way_bytes,
			       .inner = columns,
			       .stride = effective->way_bytes,
			       .outer = rows };
}

static void cannot_tell(struct parameter *own, const char *why)
{
	parameter_undecided(
		own, METHOD,
		"its own ways cannot be told from what an exclusive hierarchy adds: %s",
		why);
}

/* Largest number of rows that is compact when every column is swept. */
static int count_down(struct xray *x, const struct xray_level *effective,
		      size_t columns, struct parameter *own, struct failure *f)
{
	for (size_t rows = effective->ways - 1; rows; rows--) {
		struct shape w = columns_of(x, effective, columns, rows);
		enum verdict verdict;
		int error = prober_compact(x->prober, &w, &x->reference,
					   &verdict, NULL, f);

		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED) {
			cannot_tell(own, "no clear verdict");
			return 0;
		}
		if (verdict == VERDICT_COMPACT) {
			parameter_measured(own, (double)rows,
					   2 * x->prober->rules.alpha, METHOD);
			return 0;
		}
	}
	cannot_tell(own, "even one line of each set misses");
	return 0;
}

int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, bool *fits, struct failure *f)
{
	const struct shape all = {
		.inner = 1,
		.stride = line_bytes,
		.outer = level->ways * level->way_bytes / line_bytes,
	};
	double ticks, share;
	int error;

	prober_progress(
		x->prober, "L%zu: whether %llu KiB fit", x->upper_count + 1,
		(unsigned long long)(level->ways * level->way_bytes >> 10));
	if (xray_counter(x)) {
		error = xray_share_missing(x, &all, &share, f);
		*fits = !error && share < MISSES_WHEN_FOLDED / 2;
		return error;
	}
	error = prober_time(x->prober, &all, 0, &ticks, f);
	if (error)
		return error;
	*fits = ticks < x->hit_ticks + MISSES_WHEN_FOLDED / 2 *
					       x->reference.penalty_ticks;
	return 0;
}

int xray_find_own_ways(struct xray *x, const struct xray_level *effective,
		       struct parameter *own, struct failure *f)
{
	const struct xray_level *up = &x->upper[x->upper_count - 1];
	size_t most = effective->way_bytes / up->way_bytes;
	size_t columns = 2 * up->ways / effective->ways + FEW_COLUMNS;
	enum verdict verdict;
	struct evidence e;
	struct shape w;
	int error;

	if (columns > most)
		columns = most;
	if (columns < 2 || (up->ways + columns - 1) / columns >= up->ways) {
		cannot_tell(own, "the sets of the two levels nest too closely");
		return 0;
	}
	prober_progress(x->prober, "L%zu: its own ways", x->upper_count + 1);
	w = columns_of(x, effective, columns, effective->ways);
	error = prober_compact(x->prober, &w, &x->reference, &verdict, &e, f);
	if (error == -ERANGE) {
		cannot_tell(own, "not enough contiguous memory");
		return 0;
	}
	if (error)
		return error;
	if (verdict == VERDICT_COMPACT) {
		parameter_measured(own, (double)effective->ways,
				   x->prober->rules.alpha, METHOD);
	} else if (verdict == VERDICT_UNDECIDED) {
		cannot_tell(own, e.translation ? "translations miss" :
						 "no clear verdict");
	} else if (most <= up->ways) {
		cannot_tell(
			own,
			"the hierarchy is exclusive, and a way has too few sets to sweep the level above");
	} else {
		return count_down(x, effective, up->ways + 1, own, f);
	}
	return 0;
}
