// SPDX-License-Identifier: GPL-2.0
/* clearing.c - how many lines leave nothing of a set. */
#include <errno.h>
#include <math.h>

#include "method/level/xor_copies.h"
#include "method/probe/lost_line.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"

/* Line and neighbour are in one page of that size. */
#define PAGE_BYTES 4096

/* Three times the ways against twice: of random replacement 1.17, of an optimal one 1.27
 * for many ways; levels differ by more.
 */
#define CROWDED 1.4
/* The ways and one against twice: one line that is kept for good makes that 0.95. */
#define ALL_ALIKE 0.97
/* Numbers that are tried between the ways and twice as many, and one. */
#define CLEARING_PARTS 4

/* Misses per load of @count lines in one set; @alone: without what translations take */
static int excess_of(struct xray *x, const struct xray_level *level,
		     size_t count, bool alone, double *excess,
		     struct failure *f)
{
	struct shape w = xray_shape(x, level->way_bytes, count);
	int error = xray_excess(x, &w, 0, excess, f);

	return error || !alone ? error :
				 stride_take_off_translations(x, &w, excess, f);
}

/*
 * By time, lines that are too many for the level below, too, take longer for that. Where
 * it holds twice the ways, but not three times, all numbers up to twice take as long as
 * each other only if all of them miss: whatever keeps k lines for good, m of n miss,
 * (n - k) / n at most, which rises.
 */
static bool is_crowded(const struct xray *x, const double *excess)
{
	return !xray_counter(x) && excess[2] >= CROWDED * excess[1] &&
	       excess[0] >= ALL_ALIKE * excess[1];
}

/* Pages that are more than a TLB has entries for look the same: they are taken off. */
static int look_crowded(struct xray *x, const struct xray_level *level,
			const size_t *counts, const double *excess,
			bool *crowded, struct failure *f)
{
	double own[3] = { 0 };
	int error = 0;

	*crowded = is_crowded(x, excess);
	for (int i = 0; *crowded && !error && i < 3; i++)
		error = excess_of(x, level, counts[i], true, &own[i], f);
	*crowded = *crowded && !error && is_crowded(x, own);
	return error;
}

/* What the first of @count lines takes when all others have come after it, with copies that
 * push it out of the levels above; NAN: not known. Its translation is there.
 */
static int time_lost(struct xray *x, const struct xray_level *level,
		     size_t count, double *ticks, struct failure *f)
{
	struct prober *p = x->prober;
	const struct shape w = xray_shape(x, level->way_bytes, count);
	struct readings r = { .count = 0 };
	struct lost_line l;
	struct sequence s;
	uint64_t base;
	int error;

	*ticks = NAN;
	if (!prober_choose_base(p, &w, &base))
		return 0;
	error = prober_build(p, &w, base, &s, f);
	if (error)
		return error;
	l = (struct lost_line){ .line = s.offsets[0],
				.neighbour = s.offsets[0] ^ (PAGE_BYTES / 2),
				.others = s.offsets + 1,
				.count = s.length - 1 };
	error = lost_line_time(p, &l, l.count, true, LOST_SAMPLES, &r, f);
	if (r.count)
		*ticks = statistics_quantile(r.values, r.count, 0.5);
	sequence_free(&s);
	return error;
}

/*
 * Lines all miss if each takes as long as one that was surely lost: it came before as many
 * others, once each. More of them say nothing where the level below is small.
 */
static int all_lost(struct xray *x, const struct xray_level *level,
		    size_t count, double excess, enum outcome *outcome,
		    struct failure *f)
{
	double lost[LOST_PLACES], miss, off;
	int error = 0;

	*outcome = OUTCOME_OPEN;
	for (int i = 0; !error && i < LOST_PLACES; i++) {
		error = time_lost(x, level, count, &lost[i], f);
		if (error || isnan(lost[i]))
			return error;
	}
	if (error)
		return error;
	miss = statistics_quantile(lost, LOST_PLACES, 0.5) - x->hit_ticks;
	off = excess * x->reference.penalty_ticks - miss;
	*outcome = outcome_if(miss > 0 &&
				      fabs(off) <= (1 - XRAY_NEARLY_ALL) * miss,
			      OUTCOME_OPEN);
	return 0;
}

static bool takes_victims(const struct xray_level *level)
{
	return level->own && level->own != level->ways;
}

/* The @part-th number between the ways and twice as many. */
static size_t between(const struct xray_level *level, size_t part)
{
	return level->ways + level->ways * part / CLEARING_PARTS;
}

/* By time, twice the ways, or fewer in an exclusive level.
 * @excess: of one more than the ways, of twice, and of three times as many
 * @all: (out) of the lines that clear it
 */
static int twice_clears(struct xray *x, struct xray_level *level,
			const double *excess, enum outcome *outcome,
			double *all, struct failure *f)
{
	int error;

	*all = excess[1];

	*outcome = OUTCOME_OPEN;
	if (xray_counter(x) || excess[2] < CROWDED * excess[1] ||
	    level->way_bytes % PAGE_BYTES || xray_is_below_hashed(x))
		return 0;
	error = all_lost(x, level, level->clearing, *all, outcome, f);
	for (size_t i = CLEARING_PARTS - 1;
	     !error && *outcome != OUTCOME_DECIDED && takes_victims(level) &&
	     i > 0 && between(level, i) > level->ways;
	     i--) {
		level->clearing = between(level, i);
		error = excess_of(x, level, level->clearing, false, all, f);
		if (!error)
			error = all_lost(x, level, level->clearing, *all,
					 outcome, f);
	}
	return error;
}

/*
 * Twice the ways are more than an exclusive level needs: it and those above have each a
 * queue of their own. What lies below may hold little more than these lines.
 * @all: misses per load where all lines miss
 */
static int find_fewer(struct xray *x, struct xray_level *level, double all,
		      struct failure *f)
{
	const size_t most = level->clearing;
	int error = 0;

	if (!takes_victims(level) || most > 2 * level->ways)
		return 0;
	for (size_t i = CLEARING_PARTS - 1; !error && i > 0; i--) {
		const size_t n = between(level, i);
		double excess = 0;

		if (n >= most)
			continue;
		error = excess_of(x, level, n, false, &excess, f);
		if (error || n <= level->ways || excess < XRAY_NEARLY_ALL * all)
			break;
		level->clearing = n;
	}
	return error == -ERANGE ? 0 : error;
}

/* Once; the outcome is what is seen. */
static int look_for_clearing(struct xray *x, struct xray_level *level,
			     bool alone, enum outcome *outcome, double *all,
			     struct failure *f)
{
	const size_t counts[] = { level->ways + 1, 2 * level->ways,
				  3 * level->ways, 6 * level->ways };
	double excess[4] = { 0 };
	bool crowded = false;
	int error = 0;

	for (int i = 0; !error && i < 4; i++)
		error = excess_of(x, level, counts[i], alone, &excess[i], f);
	if (!error)
		error = look_crowded(x, level, counts, excess, &crowded, f);
	/* Too little memory for these lines says nothing against it. */
	*outcome = outcome_if(!error || error == -ERANGE, OUTCOME_OPEN);
	*all = fmin(excess[1], excess[2]);
	if (error)
		return error == -ERANGE ? 0 : error;
	level->clearing = counts[0];
	if (level->ways == 1 || excess[0] >= XRAY_NEARLY_ALL * excess[2] ||
	    crowded)
		return 0;
	level->clearing = counts[1];
	if (excess[1] >= XRAY_NEARLY_ALL * excess[2])
		return 0;
	error = twice_clears(x, level, excess, outcome, all, f);
	if (error || *outcome == OUTCOME_DECIDED)
		return error;
	/* At random: the share that stays falls as a power of the count. What
	 * hardly lets new lines in keeps A - 1 whatever comes.
	 */
	level->clearing = 4 * level->ways;
	*outcome = outcome_if(excess[2] >= XRAY_NEARLY_ALL * excess[3],
			      OUTCOME_OPEN);
	return 0;
}

int xray_find_clearing(struct xray *x, struct xray_level *level,
		       enum outcome *outcome, struct failure *f)
{
	double all = 0;
	int error = look_for_clearing(x, level, false, outcome, &all, f);

	/* By time, other load makes the most lines slower than fewer, and so do pages
	 * that are more than a TLB has entries for.
	 */
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED &&
			!xray_counter(x) && i < CLEARING_AGAIN;
	     i++) {
		x->prober->m->ops->pause(x->prober->m, CLEARING_APART_MS);
		error = look_for_clearing(x, level, true, outcome, &all, f);
	}
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	return find_fewer(x, level, all, f);
}
