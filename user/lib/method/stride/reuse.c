// SPDX-License-Identifier: GPL-2.0
/*
 * reuse.c - lines that stay once they were used again.
 *
 * A policy that puts new lines first in the queue for eviction (LIP, and for a
 * while BIP and BRRIP) keeps all ways but one for lines that were used there:
 * walked in circles, its sets seem to hold one line. But what holds A ways never
 * holds A + 1 lines, whatever was done to them before: they are used again
 * there, and where nearly nothing is held, the set is emptied first.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/set/open_set.h"
#include "method/stride/reuse_lines.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"
#include "observe/sampler.h"

/* Sets that hold no more are doubted most: they are emptied, too, and nothing is
 * believed of them where this cannot be tested. Of more ways it takes long enough to
 * be disturbed each time.
 */
#define FEW_WAYS 2
/* Of a miss: of A + 1 lines one misses at least. */
#define LESS_THAN_ONE 0.5
/* Reading a counter misses, too, more or less each time, after many other lines:
 * lines are counted as often as they have words, as each round of them misses again.
 */
#define WORD_BYTES 8
#define MOST_ROUNDS 8
/* What the middle of the counts may be wrong by, of a round. */
#define MOST_ERROR 0.25

/** struct seen - what some lines took in @count samples */
struct seen {
	double values[REUSE_PLACES * REUSE_SAMPLES];
	size_t count;
};

static void append(struct sequence *s, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->offsets[s->length++] = from[i];
}

/* The first @n lines are used twice, so that each level sees it, then come into
 * the level once more, and their translations after them.
 */
static int build(const struct reuse *a, size_t n, struct sequence *s,
		 struct failure *f)
{
	size_t all = REUSE_PASSES * n * 2 * (1 + a->between_count) + 2 * n +
		     a->above_count;

	s->length = 0;
	s->offsets = calloc(all, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < REUSE_PASSES * n; i++)
		for (int twice = 0; twice < 2; twice++) {
			append(s, &a->lines[i % n], 1);
			append(s, a->between, a->between_count);
		}
	append(s, a->lines, n);
	append(s, a->above, a->above_count);
	append(s, a->neighbours, n);
	return 0;
}

/* What is counted or timed: each round uses words of its own, as a list of
 * pointers passes each of them once.
 */
static int build_timed(const struct reuse *a, size_t n, struct sequence *s,
		       struct failure *f)
{
	const size_t between = a->rounds > 1 ? a->above_count : 0;

	s->length = 0;
	s->offsets = calloc(a->rounds * (n + between), sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < a->rounds; i++) {
		size_t before = s->length;

		append(s, a->lines, n);
		append(s, a->above, between);
		for (size_t j = before; j < s->length; j++)
			s->offsets[j] += i * WORD_BYTES;
	}
	return 0;
}

static int sample(const struct reuse *a, const struct sequence *timed,
		  const struct sequence *used, struct readings *r,
		  struct failure *f)
{
	const struct sequence row = { a->row, a->row_count };
	const struct walk_step steps[] = { { STEP_LOAD, used, 0 },
					   { STEP_FLUSH, &row, 0 },
					   { STEP_LOAD, used, 0 } };
	const struct walk_plan plan = { .samples = REUSE_SAMPLES,
					.steps = steps,
					.step_count = a->row_count ? 3 : 1 };

	return prober_observe(a->x->prober, timed, &plan, xray_counter(a->x), r,
			      f);
}

/* What they take then, or miss, all together: @seen grows. */
static int observe(const struct reuse *a, size_t n, struct seen *seen,
		   struct failure *f)
{
	struct sequence used = { .offsets = NULL }, timed = used;
	struct readings r = { .count = 0 };
	int error = build(a, n, &used, f);

	if (!error)
		error = build_timed(a, n, &timed, f);
	if (!error)
		error = sample(a, &timed, &used, &r, f);
	for (size_t i = 0; i < r.count; i++)
		seen->values[seen->count++] =
			r.values[i] *
			((double)timed.length / (double)a->rounds);
	sequence_free(&used);
	sequence_free(&timed);
	return error;
}

/* Misses of all of them, in a round; NAN: counts differ by too much. */
static double count_misses(struct seen *one, struct seen *all)
{
	double middle = statistics_quantile(one->values, one->count, 0.5);
	double spread = statistics_quantile(one->values, one->count, 0.75) -
			statistics_quantile(one->values, one->count, 0.25);

	if (spread > MOST_ERROR * sqrt((double)one->count))
		return NAN;
	return statistics_quantile(all->values, all->count, 0.5) - middle;
}

/* Misses of all of them, as far as a quarter of the samples shows fewer. What
 * disturbs them also disturbs a single line, which has room in any case.
 */
static double least_misses(const struct reuse *a, struct seen *one,
			   struct seen *all)
{
	double single, most;

	if (xray_counter(a->x))
		return count_misses(one, all);
	most = statistics_quantile(all->values, all->count, 0.25);
	single = statistics_quantile(one->values, one->count, 0.25);
	/* Either may take translations that the other does not. */
	return (most - single -
		(double)(a->count - 1) * fmin(single, a->x->hit_ticks)) /
	       a->x->reference.penalty_ticks;
}

/* Steps of the clock may not hide what misses at least: of two lines in one way
 * both do.
 */
static bool is_clock_fine(const struct reuse *a)
{
	const struct timer_info *t = &a->x->prober->m->timer;
	double least = a->level->ways == 1 ? 2 : 1;

	return xray_counter(a->x) ||
	       t->resolution_ticks + t->spread_ticks <
		       (least - LESS_THAN_ONE) * a->x->reference.penalty_ticks;
}

static int ask(struct reuse *a, uint64_t stride, bool *stay, struct failure *f)
{
	struct seen one = { .count = 0 }, all = one;
	double misses;
	int error = 0;

	if (!is_clock_fine(a))
		return 0;
	for (int i = 0; !error && i < REUSE_PLACES; i++) {
		if (!reuse_place(a, stride))
			return 0;
		error = observe(a, 1, &one, f);
		if (!error)
			error = observe(a, a->count, &all, f);
	}
	if (error)
		return error;
	if (one.count < REUSE_SAMPLES || all.count < REUSE_SAMPLES)
		return a->row_count ? -EAGAIN : 0;
	misses = least_misses(a, &one, &all);
	if (isnan(misses))
		return a->row_count ? -EAGAIN : 0;
	*stay = misses < LESS_THAN_ONE;
	return 0;
}

static size_t rounds_of(const struct xray *x, uint64_t line_bytes)
{
	if (!xray_counter(x))
		return 1;
	if (line_bytes > MOST_ROUNDS * WORD_BYTES)
		return MOST_ROUNDS;
	return line_bytes ? line_bytes / WORD_BYTES :
			    XRAY_LEAST_STRIDE / WORD_BYTES;
}

static int stay_when_used(struct xray *x, const struct xray_level *level,
			  uint64_t line_bytes, bool *stay, struct failure *f)
{
	struct reuse a = {
		.x = x,
		.level = level,
		.count = level->ways + 1,
		.rounds = rounds_of(x, line_bytes),
		.above_count = set_lines_between(x->upper, x->upper_count),
	};
	uint64_t stride = reuse_stride_above(x);
	int error;

	*stay = false;
	if (!stride || (!x->upper_count && level->ways > FEW_WAYS))
		return 0;
	if (level->ways <= FEW_WAYS)
		a.row_count = x->prober->arena_bytes / level->way_bytes;
	prober_progress(x->prober, "L%zu: whether lines stay when used again",
			x->upper_count + 1);
	error = reuse_begin(&a, f);
	if (!error)
		error = ask(&a, stride, stay, f);
	x->prober->tests++;
	free(a.lines);
	return error;
}

int xray_check_reuse(struct xray *x, struct xray_geometry *g,
		     const struct parameter *line, struct failure *f)
{
	uint64_t line_bytes =
		line->status == PARAMETER_MEASURED ? (uint64_t)line->value : 0;
	bool stay = false;
	int error = stay_when_used(x, &g->level, line_bytes, &stay, f);

	if (error != -EAGAIN && !stay)
		return error;
	g->found = false;
	g->hashed = false;
	g->unclear = false;
	g->reused = true;
	if (stay)
		snprintf(g->reason, sizeof(g->reason),
			 XRAY_USED_AGAIN
			 "more than the %zu that fit otherwise stay then",
			 g->level.ways);
	else
		snprintf(
			g->reason, sizeof(g->reason),
			"the CPU is too busy to see whether lines stay that are used again");
	f->text[0] = '\0';
	return 0;
}
