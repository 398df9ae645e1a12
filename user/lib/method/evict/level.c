// SPDX-License-Identifier: GPL-2.0
/* level.c - what else lines that were pushed out tell of the level below. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/evict/evict.h"
#include "method/levels/memory_end.h"

#define METHOD "x-ray, lines pushed out"
#define PAGE_BYTES 4096
#define LATENCY_TRIALS 9
#define ROUNDS 2
/* Twice as many lines that push out must not change more than that. */
#define STEADY 0.05
/* Or more of a level's latency than of the one above. */
#define CLEARLY_SLOWER 1.25
/* Lines that come back: some of the ways. */
#define KEPT_SHARE 4
#define MOST_KEPT 4
/* Of placements by chance: where one in a hundred will do, none is found with a
 * probability of 1e-8. A trial places anew for each block, and ends without an
 * answer where one block finds none.
 */
#define TRIES 2000

/**
 * struct latency - of a line that was pushed out
 * @ticks: of the machine's timer
 * @cycles: of the core; NAN where one could not be timed
 */
struct latency {
	double ticks;
	double cycles;
};

/* Lines of one page, no neighbours, in sets of their own. */
static int time_page(struct pushed *pu, double *ticks, struct failure *f)
{
	struct prober *p = pu->p;
	uint64_t lines[PUSHED_LINES], page;
	struct pushed_walk w = { .lines = lines,
				 .touch = true,
				 .rounds = ROUNDS };
	struct readings r;
	int error;

	r.count = 0;
	page = p->arena_offset +
	       rng_below(&p->rng, p->arena_bytes / PAGE_BYTES) * PAGE_BYTES;
	while (2 * w.count * pu->line_bytes < PAGE_BYTES / 2 &&
	       w.count < PUSHED_LINES) {
		lines[w.count] = page + 2 * w.count * pu->line_bytes;
		w.count++;
	}
	error = pushed_clean(pu, lines, w.count, f);
	if (!error)
		error = pushed_observe(pu, &w, &r, f);
	*ticks = r.count ? sampler_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}

static int find_latency(struct pushed *pu, struct latency *l, struct failure *f)
{
	double ticks[LATENCY_TRIALS], cycles[LATENCY_TRIALS];
	size_t n = 0;

	for (int i = 0; i < LATENCY_TRIALS; i++) {
		double cycle = sampler_cycle_ticks(pu->p->m), t;
		int error = time_page(pu, &t, f);

		if (error)
			return error;
		if (!isfinite(t))
			continue;
		ticks[n] = t;
		cycles[n++] = cycle > 0 ? t / cycle : NAN;
	}
	*l = (struct latency){ NAN, NAN };
	if (!n)
		return 0;
	l->ticks = sampler_quantile(ticks, n, 0.25);
	if (isfinite(cycles[0]))
		l->cycles = sampler_quantile(cycles, n, 0.25);
	return 0;
}

int pushed_measure_latency(struct pushed *pu, struct cache_result *c,
			   bool *steady, struct failure *f)
{
	double per_ns = pu->p->m->timer.ticks_per_ns;
	struct latency l, more = { NAN, NAN };
	int error = find_latency(pu, &l, f);

	pu->push_count *= 2;
	if (!error)
		error = find_latency(pu, &more, f);
	pu->push_count /= 2;
	if (error)
		return error;
	*steady = fabs(more.ticks - l.ticks) <= STEADY * l.ticks &&
		  l.ticks > CLEARLY_SLOWER * pu->above_ticks;
	pu->hit_ticks = l.ticks;
	if (!*steady) {
		parameter_undecided(
			&c->latency_cycles, METHOD,
			"%.2f ns after %zu lines have pushed out, %.2f ns after %zu: the level above keeps some whatever comes",
			l.ticks / per_ns, pu->push_count, more.ticks / per_ns,
			2 * pu->push_count);
		c->latency_ns = c->latency_cycles;
		return 0;
	}
	if (isfinite(l.cycles))
		parameter_measured(&c->latency_cycles, l.cycles, 0, METHOD);
	else
		parameter_undecided(&c->latency_cycles, METHOD,
				    "one core cycle could not be timed");
	parameter_measured(&c->latency_ns, l.ticks / per_ns, 0, METHOD);
	return 0;
}

/**
 * struct exchange - lines of one set, some of which come back and are replaced
 * @lines: that many as the level has ways; the first of them come back
 * @late: those that come instead
 */
struct exchange {
	uint64_t lines[PUSHED_LINES];
	uint64_t late[PUSHED_LINES];
};

/* Do those that come instead leave those that came back where they are? */
static bool apart(const struct pushed *pu, const struct exchange *e,
		  size_t kept)
{
	for (size_t i = 0; i < kept; i++)
		for (size_t j = 0; j < kept; j++)
			if (!pushed_spares(pu, e->late[j], e->lines[i]))
				return false;
	return true;
}

/* Rows of @level in a random order; @control: in as many sets. */
static bool place_exchange(struct pushed *pu, const struct xray_level *level,
			   size_t kept, struct exchange *test,
			   struct exchange *control)
{
	const struct pushed_rows rows = { .stride = level->way_bytes,
					  .count = level->ways + kept,
					  .anywhere = true };
	uint64_t lines[2][PUSHED_LINES];
	size_t order[PUSHED_LINES] = { 0 };

	for (int tries = 0; tries < TRIES; tries++) {
		if (rows.count > PUSHED_LINES ||
		    !pushed_place(pu, &rows, lines[0], lines[1]))
			return false;
		for (size_t i = 0; i < rows.count; i++) {
			size_t j = rng_below(&pu->p->rng, i + 1);

			order[i] = order[j];
			order[j] = i;
		}
		for (size_t i = 0; i < level->ways; i++) {
			test->lines[i] = lines[0][order[i]];
			control->lines[i] = lines[1][order[i]];
		}
		for (size_t i = 0; i < kept; i++) {
			test->late[i] = lines[0][order[level->ways + i]];
			control->late[i] = lines[1][order[level->ways + i]];
		}
		if (apart(pu, test, kept))
			return true;
	}
	return false;
}

/* Are those that came back still in the hashed level then? One that is not makes
 * the others too many, as if the level below had kept those that came back.
 */
static int stay(struct pushed *pu, struct pushed_walk w, bool *all,
		struct failure *f)
{
	struct readings r;
	int error;

	w.time_kept = true;
	error = pushed_observe(pu, &w, &r, f);
	*all = r.count == PUSHED_SAMPLES &&
	       sampler_quantile(r.values, r.count, 1) <
		       pu->above_ticks + (pu->hit_ticks - pu->above_ticks) / 2 /
						 (double)w.kept_count;
	return error;
}

/**
 * struct swap - the question of pushed_takes_victims()
 * @pu: as it is
 * @level: whose ways they fill
 * @kept: lines that come back
 * @e: lines now, and as many in as many sets
 */
struct swap {
	struct pushed *pu;
	const struct xray_level *level;
	size_t kept;
	struct exchange e[TRIAL_SIDES];
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct swap *s = context;

	(void)b;
	(void)f;
	return place_exchange(s->pu, s->level, s->kept, &s->e[TRIAL_TEST],
			      &s->e[TRIAL_CONTROL]) ?
		       0 :
		       -ERANGE;
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	const struct swap *s = context;
	const struct pushed_walk w = { .lines = s->e[side].lines,
				       .count = s->level->ways,
				       .kept_count = s->kept,
				       .late = s->e[side].late,
				       .late_count = s->kept,
				       .rounds = ROUNDS };
	bool test = side == TRIAL_TEST, all = true;
	int error = pushed_clean(s->pu, w.lines, w.count, f);

	if (!error && test)
		error = stay(s->pu, w, &all, f);
	if (!error && all)
		error = pushed_observe(s->pu, &w, &b->of[side], f);
	if (!error && all && test)
		error = stay(s->pu, w, &all, f);
	if (!all)
		b->of[side].count = 0;
	return error;
}

int pushed_takes_victims(struct pushed *pu, const struct xray_level *level,
			 enum verdict *takes, struct failure *f)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe };
	size_t kept = (level->ways + KEPT_SHARE - 1) / KEPT_SHARE;
	struct swap s = { .pu = pu,
			  .level = level,
			  .kept = kept < MOST_KEPT ? kept : MOST_KEPT };
	struct trial t = pushed_trial(pu, &ops, &s, level->ways);
	int error;

	*takes = VERDICT_UNDECIDED;
	t.failed_counts = true;
	error = trial_run(&t, takes, f);
	if (error == -ERANGE)
		*takes = VERDICT_UNDECIDED;
	return error == -ERANGE ? 0 : error;
}

int pushed_ends(struct pushed *pu, const struct xray_level *level, bool *ends,
		struct failure *f)
{
	struct pushed_rows rows = { .stride = level->way_bytes,
				    .count = 2 * level->ways };
	uint64_t test[PUSHED_LINES], control[PUSHED_LINES];
	const struct pushed_walk w = { .lines = test,
				       .count = rows.count,
				       .rounds = ROUNDS };
	struct readings r;
	int error;

	*ends = false;
	if (rows.count > PUSHED_LINES ||
	    !pushed_place(pu, &rows, test, control))
		return 0;
	error = pushed_observe(pu, &w, &r, f);
	*ends = !error && r.count &&
		sampler_quantile(r.values, r.count, 0.25) >
			LEVEL_END_SHARE * pu->memory_ticks;
	return error;
}
