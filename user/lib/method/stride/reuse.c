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
#include "method/stride/stride.h"
#include "observe/sampler.h"

#define PAGE_BYTES 4096
#define LONGEST_LINE_BYTES 256
/* Lines are used twice so often: what comes in later must not find room at the
 * expense of what is in.
 */
#define PASSES 3
/* Twice the ways of most levels, at each of as many strides at most as a way has
 * bits.
 */
#define LINES_BETWEEN 32
#define MOST_STRIDES 64
/* Sets that hold no more are doubted most: they are emptied, too, and nothing is
 * believed of them where this cannot be asked. Of more ways it takes long enough to
 * be disturbed each time.
 */
#define FEW_WAYS 2
#define SAMPLES 6
#define PLACES 8
/* Of a miss: of A + 1 lines one misses at least. */
#define LESS_THAN_ONE 0.5
/* Reading a counter misses, too, more or less each time, after so many other lines:
 * lines are counted as often as they have words, as each round of them misses again.
 */
#define WORD_BYTES 8
#define MOST_ROUNDS 8
/* What the middle of the counts may be wrong by, of a round. */
#define MOST_ERROR 0.25

/**
 * struct again - A + 1 lines of a set, and others
 * @x: asks the machine
 * @level: which has A ways, as it seems
 * @count: A + 1
 * @lines: they
 * @beside: another line of the page of each
 * @above: lines of other sets that leave none of them in the levels above
 * @above_count: of those
 * @between: two uses of a line: these and more. What seems to be a level may be
 *           one that an inclusive level below takes lines away from, and is
 *           larger then; no line comes back to that level that was not pushed
 *           out of it
 * @between_count: of those
 * @row: all lines of the set, as far as there are; to be flushed
 * @row_count: of those; 0: not worth it
 * @rounds: that are counted; 1: by time, once
 */
struct again {
	struct xray *x;
	const struct xray_level *level;
	size_t count;
	uint64_t *lines;
	uint64_t *beside;
	uint64_t *above;
	size_t above_count;
	uint64_t *between;
	size_t between_count;
	uint64_t *row;
	size_t row_count;
	size_t rounds;
};

/** struct seen - what some lines took in @count samples */
struct seen {
	double values[PLACES * SAMPLES];
	size_t count;
};

/* So far apart lines share a set of all levels above; 0: not known. */
static uint64_t stride_above(const struct xray *x)
{
	uint64_t stride = LONGEST_LINE_BYTES;

	for (size_t i = 0; i < x->upper_count; i++)
		if (x->upper[i].way_bytes > stride)
			stride = x->upper[i].way_bytes;
	for (size_t i = 0; i < x->upper_count; i++)
		if (stride % x->upper[i].way_bytes || x->upper[i].masks)
			return 0;
	return stride;
}

/* How far away lines of other sets are from one, @stride apart. Return: how far
 * the last one is, 0: there are none.
 */
static uint64_t choose_others(const struct again *a, uint64_t stride,
			      uint64_t *to, size_t count)
{
	const uint64_t way = a->level->way_bytes;
	uint64_t apart = stride;
	size_t n = 0;

	if (stride % way == 0)
		return 0;
	for (; n < count; apart += stride)
		if (apart % way >= LONGEST_LINE_BYTES &&
		    way - apart % way >= LONGEST_LINE_BYTES)
			to[n++] = apart;
		else if (apart % way)
			return 0;
	return apart;
}

/* Sets of a level that has fewer of them are cleared at one of these strides. */
static uint64_t choose_between(struct again *a)
{
	const uint64_t most = a->x->prober->arena_bytes / 2;
	uint64_t reach = 0;

	a->between_count = 0;
	for (uint64_t s = a->level->way_bytes / 2;
	     a->row_count && s >= LONGEST_LINE_BYTES; s /= 2) {
		uint64_t *to = a->between + a->between_count;
		uint64_t end = choose_others(a, s, to, LINES_BETWEEN);

		if (!end || end > most)
			continue;
		a->between_count += LINES_BETWEEN;
		if (end > reach)
			reach = end;
	}
	for (size_t i = 0; i < a->above_count; i++)
		a->between[a->between_count++] = a->above[i];
	return reach;
}

static void move(struct prober *p, uint64_t base, uint64_t *offsets,
		 size_t count)
{
	for (size_t i = 0; i < count; i++)
		offsets[i] += base;
	sequence_shuffle(&(struct sequence){ offsets, count }, &p->rng);
}

/* Return: false: not enough memory, or no such lines. */
static bool place(struct again *a, uint64_t stride)
{
	struct prober *p = a->x->prober;
	const uint64_t way = a->level->way_bytes;
	uint64_t span = a->count * way, reach, base;

	reach = choose_others(a, stride, a->above, a->above_count);
	if (!reach && a->above_count)
		return false;
	span = reach > span ? reach : span;
	reach = choose_between(a);
	span = (reach > span ? reach : span) + PAGE_BYTES;
	if (span > p->arena_bytes)
		return false;
	base = p->arena_offset +
	       rng_below(&p->rng, (p->arena_bytes - span) / PAGE_BYTES + 1) *
		       PAGE_BYTES;
	for (size_t i = 0; i < a->count; i++)
		a->lines[i] = i * way;
	move(p, base, a->lines, a->count);
	move(p, base, a->above, a->above_count);
	move(p, base, a->between, a->between_count);
	for (size_t i = 0; i < a->row_count; i++)
		a->row[i] = p->arena_offset + (base - p->arena_offset) % way +
			    i * way;
	for (size_t i = 0; i < a->count; i++)
		a->beside[i] =
			a->lines[i] + (way < PAGE_BYTES ? way : PAGE_BYTES) / 2;
	return true;
}

static void append(struct sequence *s, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->offsets[s->length++] = from[i];
}

/* The first @n lines are used twice, so that each level sees it, then come into
 * the level once more, and their translations after them.
 */
static int build(const struct again *a, size_t n, struct sequence *s,
		 struct failure *f)
{
	size_t all = PASSES * n * 2 * (1 + a->between_count) + 2 * n +
		     a->above_count;

	s->length = 0;
	s->offsets = calloc(all, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < PASSES * n; i++)
		for (int twice = 0; twice < 2; twice++) {
			append(s, &a->lines[i % n], 1);
			append(s, a->between, a->between_count);
		}
	append(s, a->lines, n);
	append(s, a->above, a->above_count);
	append(s, a->beside, n);
	return 0;
}

/* What is counted or timed: each round uses words of its own, as a list of
 * pointers passes each of them once.
 */
static int build_asked(const struct again *a, size_t n, struct sequence *s,
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

static int sample(const struct again *a, const struct sequence *asked,
		  const struct sequence *used, struct readings *r,
		  struct failure *f)
{
	const struct sequence row = { a->row, a->row_count };
	const struct walk_step steps[] = { { STEP_LOAD, used, 0 },
					   { STEP_FLUSH, &row, 0 },
					   { STEP_LOAD, used, 0 } };
	const struct walk_plan plan = { .samples = SAMPLES,
					.steps = steps,
					.step_count = a->row_count ? 3 : 1 };

	return prober_observe(a->x->prober, asked, &plan, xray_counter(a->x), r,
			      f);
}

/* What they take then, or miss, all together: @seen grows. */
static int observe(const struct again *a, size_t n, struct seen *seen,
		   struct failure *f)
{
	struct sequence used = { .offsets = NULL }, asked = used;
	struct readings r = { .count = 0 };
	int error = build(a, n, &used, f);

	if (!error)
		error = build_asked(a, n, &asked, f);
	if (!error)
		error = sample(a, &asked, &used, &r, f);
	for (size_t i = 0; i < r.count; i++)
		seen->values[seen->count++] =
			r.values[i] *
			((double)asked.length / (double)a->rounds);
	sequence_free(&used);
	sequence_free(&asked);
	return error;
}

/* Misses of all of them, in a round; NAN: counts differ by too much. */
static double count_misses(struct seen *alone, struct seen *all)
{
	double middle = sampler_quantile(alone->values, alone->count, 0.5);
	double spread = sampler_quantile(alone->values, alone->count, 0.75) -
			sampler_quantile(alone->values, alone->count, 0.25);

	if (spread > MOST_ERROR * sqrt((double)alone->count))
		return NAN;
	return sampler_quantile(all->values, all->count, 0.5) - middle;
}

/* Misses of all of them, as far as a quarter of the samples shows fewer. What
 * disturbs them disturbs one alone, which has room in any case.
 */
static double least_misses(const struct again *a, struct seen *alone,
			   struct seen *all)
{
	double one, most;

	if (xray_counter(a->x))
		return count_misses(alone, all);
	most = sampler_quantile(all->values, all->count, 0.25);
	one = sampler_quantile(alone->values, alone->count, 0.25);
	/* Either may take translations that the others do not. */
	return (most - one -
		(double)(a->count - 1) * fmin(one, a->x->hit_ticks)) /
	       a->x->reference.penalty_ticks;
}

/* Steps of the clock may not hide what misses at least: of two lines in one way
 * both do.
 */
static bool is_clock_fine(const struct again *a)
{
	const struct timer_info *t = &a->x->prober->m->timer;
	double least = a->level->ways == 1 ? 2 : 1;

	return xray_counter(a->x) ||
	       t->resolution_ticks + t->spread_ticks <
		       (least - LESS_THAN_ONE) * a->x->reference.penalty_ticks;
}

static int ask(struct again *a, uint64_t stride, bool *stay, struct failure *f)
{
	struct seen alone = { .count = 0 }, all = alone;
	double misses;
	int error = 0;

	if (!is_clock_fine(a))
		return 0;
	for (int i = 0; !error && i < PLACES; i++) {
		if (!place(a, stride))
			return 0;
		error = observe(a, 1, &alone, f);
		if (!error)
			error = observe(a, a->count, &all, f);
	}
	if (error)
		return error;
	if (alone.count < SAMPLES || all.count < SAMPLES)
		return a->row_count ? -EAGAIN : 0;
	misses = least_misses(a, &alone, &all);
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
	struct again a = {
		.x = x,
		.level = level,
		.count = level->ways + 1,
		.rounds = rounds_of(x, line_bytes),
		.above_count = level_lines_between(x->upper, x->upper_count),
	};
	uint64_t stride = stride_above(x), *offsets;
	int error;

	*stay = false;
	if (!stride || (!x->upper_count && level->ways > FEW_WAYS))
		return 0;
	if (level->ways <= FEW_WAYS)
		a.row_count = x->prober->arena_bytes / level->way_bytes;
	prober_progress(x->prober, "L%zu: whether lines stay when used again",
			x->upper_count + 1);
	/* Places of all lines, one list after the other. */
	offsets = calloc(2 * a.count + 2 * a.above_count + 1 +
				 MOST_STRIDES * LINES_BETWEEN + a.row_count,
			 sizeof(*offsets));
	if (!offsets)
		return prober_out_of_memory(f);
	a.lines = offsets;
	a.beside = a.lines + a.count;
	a.above = a.beside + a.count;
	a.row = a.above + a.above_count;
	a.between = a.row + a.row_count;
	error = ask(&a, stride, stay, f);
	x->prober->tests++;
	free(offsets);
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
