// SPDX-License-Identifier: GPL-2.0
/* own_ways.c - what a level does to those around it. */
#include <errno.h>
#include <math.h>

#include "method/level/latency.h"
#include "method/level/page_share.h"
#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"

/* What does not fit misses at least that share, whatever the policy:
 * (N - A) / (N - 1) with N = 2 A. Interruptions leave less in.
 */
#define MISSES_WHEN_FOLDED 0.5
#define WHEN_FITTING (0.7 * MISSES_WHEN_FOLDED)
/* Lines that hit in the level below cost less than those that the sets were found
 * by may have, which an inclusive level further down has lost: half of all lines
 * cost this share of a hit at least. Not known where translations cost as much.
 */
#define FAR_FROM_HITS 0.4
#define HUGE_PAGE_BYTES (UINT64_C(2) << 20)
#define FEW_PAGES 16
/* Of PAIRS_EXPECTED pairs, less than this share is there once in a thousand
 * times; of five placements in most of them, once in thirty millions. Of many
 * times as many it never is.
 */
#define PAIRS_EXPECTED 16
#define PAIRS_FEW 0.34
/* Half of the loads would be hits of a level above. */
#define SURELY_LESS 0.9
/* Lines that hit above for their order alone do so less in the other one half of the
 * time: in each of these, once in a hundred levels.
 */
#define HIDING_TRIES 7

/* As many loads as show translations by a page of words, chosen at random. */
static void leave_some(struct xray *x, uint64_t line_room, struct sequence *s)
{
	const struct prober *p = x->prober;
	const uint64_t room = line_room < p->m->region.page_bytes ?
				      line_room :
				      p->m->region.page_bytes;

	sequence_shuffle(s, &x->prober->rng);
	if (s->length > room / p->word_bytes)
		s->length = room / p->word_bytes;
}

/*
 * By time, lines of more pages than TLBs hold are slower where all of them hit: what
 * the same pages take of loads that stay in the first level is no miss of a line. Walks
 * that lose table entries to lines take longer than these, which leaves more.
 */
int stride_take_off_translations(struct xray *x, const struct shape *w,
				 double *misses, struct failure *f)
{
	const struct reference *r = &x->reference;
	const uint64_t line_room = r->twin_lines * r->line_bytes;
	const struct list list = { .w = *w };
	struct sequence s;
	double ticks;
	int error;

	if (xray_counter(x) || !line_room)
		return 0;
	error = list_build(x->prober, &list, &s, f);
	if (error)
		return error;
	error = prober_translation(x->prober, &s, r, &ticks, f);
	if (!error && !isfinite(ticks)) {
		leave_some(x, line_room, &s);
		error = page_share_added(x->prober, &s, line_room, &ticks, f);
	}
	sequence_free(&s);
	if (!error && ticks > 0)
		*misses -= ticks / r->penalty_ticks;
	return error == -ERANGE ? 0 : error;
}

/* The best of some attempts, of which @enough is good enough. Others that load into a
 * level take places of some sets, now and then: there each place is an attempt.
 * -EAGAIN: none was undisturbed.
 */
static int least_excess(struct xray *x, const struct shape *w, double enough,
			double *least, struct failure *f)
{
	const bool shared = x->reference.shared && !xray_counter(x);
	const int attempts = CAPACITY_ATTEMPTS + (shared ? CAPACITY_PLACES : 0);
	unsigned int flags = 0;
	int undisturbed = 0;

	if (shape_length(w) > LINES_AT_ONCE)
		flags |= PROBER_ONE_PLACE;
	*least = INFINITY;
	for (int i = 0; i < attempts; i++) {
		double misses = 0;
		int error;

		if (i >= CAPACITY_ATTEMPTS)
			flags = PROBER_ONE_PLACE;
		error = xray_excess(x, w, flags, &misses, f);
		if (!error && misses >= enough)
			error = stride_take_off_translations(x, w, &misses, f);
		flags |= PROBER_LONG_WARMUP;
		/* Too long for a busy CPU: maybe the next one is not. */
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		undisturbed++;
		*least = fmin(*least, misses);
		if (*least < enough)
			break;
	}
	return undisturbed ? 0 : -EAGAIN;
}

static int fits_within(struct xray *x, const struct shape *w, double fitting,
		       double *misses, enum outcome *outcome, struct failure *f)
{
	int error = least_excess(x, w, fitting, misses, f);

	*outcome = outcome_if(!error && *misses < fitting, OUTCOME_OPEN);
	return error;
}

/*
 * Sets to choose at random, of which PAIRS_EXPECTED pairs are expected among those
 * that are one, and which put that many lines into nearly every set of the
 * levels above that none stays there: where the sets that fall to one of them
 * are twice those needed and one, too few do in one case of twenty.
 */
static double sets_to_choose(const struct xray *x,
			     const struct xray_level *level, size_t ways,
			     uint64_t line_bytes)
{
	double sets = (double)(level->way_bytes / line_bytes);
	double chosen = ceil(sqrt(2 * PAIRS_EXPECTED * sets));

	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		double upper_sets = (double)(u->way_bytes / line_bytes);
		size_t there =
			level->way_bytes % u->way_bytes || u->masks ? 1 : ways;
		size_t needed = (xray_clearing(u) + there - 1) / there;

		if (needed > 1)
			chosen = fmax(chosen,
				      (double)(2 * needed + 1) * upper_sets *
					      (double)there / (double)ways);
	}
	return chosen;
}

/*
 * All ways of some sets, where all sets take too long to stay undisturbed. If
 * each set really is two or more of them folded into one, then that number of pairs of
 * those chosen are expected to be one set, which misses as often as it has ways
 * at least.
 */
static int sets_fit(struct xray *x, const struct xray_level *level, size_t ways,
		    uint64_t line_bytes, enum outcome *outcome,
		    struct failure *f)
{
	double sets = (double)(level->way_bytes / line_bytes);
	double chosen = sets_to_choose(x, level, ways, line_bytes);
	double pairs = chosen * chosen / (2 * sets);
	double fitting = PAIRS_FEW * pairs * 2 * WHEN_FITTING / chosen;
	const struct shape w = { .inner = (size_t)chosen,
				 .inner_stride = line_bytes,
				 .scatter = level->way_bytes,
				 .stride = level->way_bytes,
				 .outer = ways };
	double misses = 0;

	if (chosen > sets / 2)
		return -EAGAIN;
	return fits_within(x, &w, fitting, &misses, outcome, f);
}

/* Misses per load of which less is a fit. */
static double fitting_of(const struct xray *x, uint64_t bytes)
{
	uint64_t page_bytes = x->prober->m->region.page_bytes;
	double near = FAR_FROM_HITS * x->hit_ticks / x->reference.penalty_ticks;

	if (xray_counter(x) ||
	    (page_bytes < HUGE_PAGE_BYTES && bytes > FEW_PAGES * page_bytes))
		return WHEN_FITTING;
	return fmin(near, WHEN_FITTING);
}

int xray_fits(struct xray *x, const struct shape *w, enum outcome *outcome,
	      struct failure *f)
{
	double misses = 0;

	return fits_within(x, w, fitting_of(x, shape_span(w)), &misses, outcome,
			   f);
}

int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, enum outcome *outcome,
			struct failure *f)
{
	size_t ways = level->own ? level->own : level->ways;
	struct shape all = {
		.inner = 1,
		.stride = line_bytes,
		.outer = ways * level->way_bytes / line_bytes,
	};
	double fitting = fitting_of(x, all.outer * line_bytes);
	bool many = all.outer > LINES_AT_ONCE;
	double misses = 0;
	int error, some = -EAGAIN;

	*outcome = OUTCOME_OPEN;
	prober_progress(x->prober, "L%zu: whether %llu KiB fit",
			x->upper_count + 1,
			(unsigned long long)(ways * level->way_bytes >> 10));
	if (many)
		some = sets_fit(x, level, ways, line_bytes, outcome, f);
	if (some != -EAGAIN)
		return some;
	error = fits_within(x, &all, fitting, &misses, outcome, f);
	if (many || *outcome == OUTCOME_DECIDED || (error && error != -EAGAIN))
		return error;
	/* Lines of other load leave room for three quarters. */
	all.outer = (3 * ways + 3) / 4 * (all.outer / ways);
	error = fits_within(x, &all, fitting, &misses, outcome, f);
	if (*outcome == OUTCOME_DECIDED || (error && error != -EAGAIN))
		return error;
	/* The longer, the more of it is taken away meanwhile; hardly all of it. */
	if (!error && misses >= fitting / WHEN_FITTING * MISSES_WHEN_FOLDED)
		return 0;
	some = sets_fit(x, level, ways, line_bytes, outcome, f);
	return some == -EAGAIN ? error : some;
}

/*
 * Lines that miss above and would be at home here if only they were used twice:
 * what looks like this level is the one below a level that few lines get into.
 */
int xray_is_hiding(struct xray *x, bool *hiding, struct failure *f)
{
	*hiding = true;
	/* Interruptions make the one slower or the other, not each time; nor do orders
	 * in which few lines more than fit above, as luck would have it, hit there.
	 */
	for (int i = 0; *hiding && i < HIDING_TRIES; i++) {
		double once = 0, twice = 0, shaken = INFINITY;
		int error = prober_time(x->prober, &x->reference.control, 0,
					&once, f);

		if (!error)
			error = prober_time(x->prober, &x->reference.control,
					    PROBER_TWICE, &twice, f);
		*hiding = twice < SURELY_LESS * fmin(once, x->hit_ticks);
		if (!error && *hiding)
			error = prober_time(x->prober, &x->reference.control,
					    PROBER_ONCE, &shaken, f);
		if (error)
			return error;
		*hiding = *hiding && twice < SURELY_LESS * shaken;
	}
	return 0;
}
