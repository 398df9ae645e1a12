// SPDX-License-Identifier: GPL-2.0
#include "method/stride/stride.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/stride/tuning.h"
#include "observe/sampler.h"

/* A set loses lines where this share of its loads misses; an interrupt counts as
 * MOST_MISSES misses of each load at most.
 */
#define LOST 0.12
#define MOST_MISSES 1
/* Share of sets that lose lines: on an idle Zen 5 1 to 10 of 96, which the tool and
 * the kernel use; with another guest on the core 10 to 13 of 64.
 */
#define CONTENDED 0.1
/* Of a set's lines, until one loses none. */
#define ORDERS 3

/* Ticks per load of the lines of the set at @base in a new order, on the average. */
static int look(struct xray *x, const struct xray_level *level, uint64_t base,
		double *ticks, struct failure *f)
{
	struct prober *p = x->prober;
	const struct shape set = { .inner = 1,
				   .stride = level->way_bytes,
				   .outer = level->ways };
	const struct walk_plan plan = { .warm_rounds = CONTENTION_WARM_ROUNDS,
					.loads = CONTENTION_ROUNDS *
						 (unsigned int)level->ways,
					.samples = CONTENTION_SAMPLES,
					.seldom = true };
	const double most =
		x->hit_ticks + MOST_MISSES * x->reference.penalty_ticks;
	struct sample samples[CONTENTION_SAMPLES];
	struct sequence s;
	int error;

	*ticks = 0;
	if (prober_stopped(p))
		return -EINTR;
	if (sequence_place(&s, &set, base))
		return prober_out_of_memory(f);
	sequence_shuffle(&s, &p->rng);
	error = p->m->ops->walk(p->m, &s, &plan, samples, f);
	sequence_free(&s);
	for (int i = 0; !error && i < CONTENTION_SAMPLES; i++)
		*ticks += fmin(samples[i].ticks / (double)samples[i].loads,
			       most) /
			  CONTENTION_SAMPLES;
	return error;
}

/* *lost: in each order. Where the victim is never the one foreign line of a set, a fixed
 * order of its own lines goes on missing long after that line came: on a Sapphire Rapids
 * with nothing beside it in one look of ten, 200 rounds later, in another order no more.
 */
static int look_again(struct xray *x, const struct xray_level *level,
		      uint64_t base, double most, bool *lost, struct failure *f)
{
	int error = 0;

	*lost = true;
	for (int i = 1; !error && *lost && i < ORDERS; i++) {
		double ticks;

		error = look(x, level, base, &ticks, f);
		*lost = ticks > most;
	}
	return error;
}

/* *lost grows by the sets of a look that lose lines to other load. */
static int count_lost(struct xray *x, const struct xray_level *level,
		      size_t *lost, struct failure *f)
{
	const uint64_t places = level->way_bytes / level->line_bytes;
	struct prober *p = x->prober;
	double ticks[CONTENTION_SETS], sorted[CONTENTION_SETS], most;
	uint64_t bases[CONTENTION_SETS];
	int error = 0;

	for (int i = 0; !error && i < CONTENTION_SETS; i++) {
		bases[i] = p->arena_offset +
			   rng_below(&p->rng, places) * level->line_bytes;
		error = look(x, level, bases[i], &ticks[i], f);
		sorted[i] = ticks[i];
	}
	if (error)
		return error;
	most = statistics_quantile(sorted, CONTENTION_SETS, 0.25) +
	       LOST * x->reference.penalty_ticks;
	for (int i = 0; !error && i < CONTENTION_SETS; i++) {
		bool again = false;

		if (ticks[i] > most)
			error = look_again(x, level, bases[i], most, &again, f);
		*lost += again;
	}
	return error;
}

int xray_find_contention(struct xray *x, const struct xray_level *level,
			 bool doubted, char *reason, size_t size,
			 struct failure *f)
{
	const size_t most =
		CONTENTION_SETS *
		(doubted ? CONTENTION_LOOKS_IN_DOUBT : CONTENTION_LOOKS);
	size_t lost = 0, sets = 0;
	int error = 0;

	reason[0] = '\0';
	if (xray_counter(x) || x->reference.penalty_ticks <= 0 ||
	    !level->ways || !level->line_bytes ||
	    (level->ways + 1) * level->way_bytes > x->prober->arena_bytes)
		return 0;
	do {
		error = count_lost(x, level, &lost, f);
		sets += CONTENTION_SETS;
	} while (!error && sets < most &&
		 (doubted || (double)lost > CONTENDED * (double)sets));
	if (!error && (double)lost > CONTENDED * (double)sets)
		snprintf(
			reason, size,
			"%zu lines of one set are lost now and then in %zu of %zu sets: other load uses this level all the time (choose an idle --cpu, or a guest whose cores are its own)",
			level->ways, lost, sets);
	return error;
}
