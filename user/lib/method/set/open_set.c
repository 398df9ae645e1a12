// SPDX-License-Identifier: GPL-2.0
#include "method/set/open_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "method/set/tuning.h"
#include "observe/sampler.h"

#define WARM_ROUNDS 250
#define QUIET 0.5
/* A miss must add this share of a hit, or time cannot show it. */
#define LEAST_MISS 0.3
/* By time: relative error of the cost of a miss. */
#define SCALE_ERROR 0.05
/*
 * Longest calibration cycle: all lines of a set of 64 ways; lines that hit come
 * this often.
 */
#define MOST_ACCESSES (SET_LINES_PER_WAY * 64)
#define HIT_VISITS 4

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Append another word of a line. Return: false: all words are used. */
static bool append(struct set_machine *s, struct sequence *q, size_t *used,
		   uint64_t offset)
{
	if (*used == s->lines->words)
		return false;
	q->offsets[q->length++] = offset + (*used)++ * sizeof(uint64_t);
	return true;
}

static bool append_clearing(struct set_machine *s, struct sequence *q,
			    size_t count, size_t *next)
{
	const struct set_lines *l = s->lines;

	for (size_t i = 0; i < count; i++, ++*next) {
		size_t at = *next % l->clearing_count;

		if (!append(s, q, &s->words_used[l->tested_count + at],
			    l->clearing[at]))
			return false;
	}
	return true;
}

/* Loads of a cycle at most. */
static size_t room_for(const struct set_machine *s, const struct cycle *c)
{
	return (c->length + 1) * (1 + s->lines->between);
}

/**
 * struct set_walk - a cycle as a machine walks it
 * @q: loads of a round
 * @flushes: flushes between the loads
 */
struct set_walk {
	struct sequence q;
	struct walk_flush *flushes;
};

static void set_walk_free(struct set_walk *walk)
{
	sequence_free(&walk->q);
	free(walk->flushes);
	walk->flushes = NULL;
}

/* Append the flushes due before access @at. Return: flushes so far. */
static size_t lay_flushes(const struct set_machine *s, const struct cycle *c,
			  struct set_walk *walk, size_t done, size_t at)
{
	for (; done < c->flush_count && c->flushes[done].at <= at; done++)
		walk->flushes[done] = (struct walk_flush){
			.at = walk->q.length,
			.offset = s->lines->tested[c->flushes[done].block],
		};
	return done;
}

/*
 * A line visited recently is still in the levels above. Clearing lines come in
 * between, until @between lines missed there since the last visit. All visits
 * so far have missed there, so all of them count. The next round begins far
 * away from the end of this one.
 */
static bool lay(struct set_machine *s, const struct cycle *c,
		struct set_walk *walk, size_t *last)
{
	const struct set_lines *l = s->lines;
	struct sequence *q = &walk->q;
	size_t next = 0, flushed = 0;

	memset(s->words_used, 0,
	       (l->tested_count + l->clearing_count) * sizeof(*s->words_used));
	for (size_t i = 0; i < c->length; i++) {
		unsigned int block = c->blocks[i];
		size_t since = last[block] ? q->length - last[block] :
					     l->between;

		flushed = lay_flushes(s, c, walk, flushed, i);
		if (since < l->between &&
		    !append_clearing(s, q, l->between - since, &next))
			return false;
		if (!append(s, q, &s->words_used[block], l->tested[block]))
			return false;
		last[block] = q->length;
	}
	lay_flushes(s, c, walk, flushed, c->length);
	return append_clearing(s, q, l->between, &next);
}

static int build(struct set_machine *s, const struct cycle *c,
		 struct set_walk *walk)
{
	size_t *last = calloc(s->lines->tested_count, sizeof(*last));
	int error = 0;

	walk->q.length = 0;
	walk->q.offsets = calloc(room_for(s, c), sizeof(*walk->q.offsets));
	walk->flushes = calloc(c->flush_count + 1, sizeof(*walk->flushes));
	if (!walk->q.offsets || !walk->flushes || !last)
		error = -ENOMEM;
	else if (!lay(s, c, walk, last))
		error = -ENOSPC;
	free(last);
	return error;
}

int set_machine_build(struct set_machine *s, const struct cycle *c,
		      struct sequence *q)
{
	struct set_walk walk;
	int error = build(s, c, &walk);

	*q = walk.q;
	free(walk.flushes);
	return error;
}

static bool fits(void *context, const struct cycle *c)
{
	struct set_walk walk;
	int error = build(context, c, &walk);

	set_walk_free(&walk);
	return !error;
}

static struct walk_plan plan_for(const struct cycle *c, size_t length)
{
	/* Whole rounds only: a part of one cannot be compared. */
	size_t rounds = (OPEN_LOADS + length - 1) / length;

	/* Real machines load in units of 16. */
	rounds = (rounds + 15) / 16 * 16;
	return (struct walk_plan){
		.flags = c->cold ? WALK_COLD : 0,
		.warm_rounds = c->cold ? 0 : WARM_ROUNDS,
		.loads = (unsigned int)(rounds * length),
		.samples = c->cold ? 4 * OPEN_SAMPLES : OPEN_SAMPLES,
	};
}

static double mean_of(const struct readings *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->count; i++)
		sum += r->values[i];
	return sum / (double)r->count;
}

/* Value of one round, by the counter or in ticks: a median, or the mean. */
static int observe(struct set_machine *s, const struct cycle *c, bool mean,
		   double *value, size_t *loads, struct failure *f)
{
	struct readings r = { .count = 0 };
	struct walk_plan plan;
	struct set_walk walk;
	int error = build(s, c, &walk);

	plan = plan_for(c, walk.q.length ? walk.q.length : 1);
	plan.flushes = walk.flushes;
	plan.flush_count = c->flush_count;
	if (!error)
		error = prober_observe(s->prober, &walk.q, &plan, s->counter,
				       &r, f);
	*loads = walk.q.length;
	set_walk_free(&walk);
	if (error == -ENOSPC)
		return fail(
			f, STATUS_FAILED, ENOSPC,
			"set: lines have too few words for that many visits (use fewer)");
	if (error == -ENOMEM)
		return prober_out_of_memory(f);
	if (error)
		return error;
	if (!r.count)
		return -EAGAIN;
	*value = (double)*loads *
		 (mean ? mean_of(&r) :
			 statistics_quantile(r.values, r.count, 0.5));
	return 0;
}

static int misses(void *context, const struct cycle *c, double *per_round,
		  struct failure *f)
{
	struct set_machine *s = context;
	double value = 0;
	size_t loads = 0;
	int error = observe(s, c, false, &value, &loads, f);

	if (error)
		return error;
	*per_round = s->counter ? value :
				  (value - (double)loads * s->hit_ticks) /
					  s->miss_ticks;
	return 0;
}

/* Counted values have no outliers, so a mean is better than a median. */
static int average(void *context, const struct cycle *c, double *per_round,
		   struct failure *f)
{
	size_t loads = 0;

	return observe(context, c, true, per_round, &loads, f);
}

/* The first @lines lines in turn, @times times. */
static size_t in_turn(unsigned int *blocks, unsigned int lines,
		      unsigned int times)
{
	size_t length = 0;

	for (unsigned int i = 0; i < times; i++)
		for (unsigned int j = 0; j < lines; j++)
			blocks[length++] = j;
	return length;
}

/*
 * Cost of a hit, from as many lines as certainly fit, and of a miss, from many
 * more than fit. Nearly every policy misses all of these; otherwise the
 * controls of the identification fail.
 */
static int calibrate(struct set_machine *s, struct failure *f)
{
	const size_t half =
		least(s->lines->ways / 2, MOST_ACCESSES / HIT_VISITS);
	unsigned int blocks[MOST_ACCESSES];
	struct cycle c = { .blocks = blocks };
	double hits = 0, all = 0;
	size_t loads = 0, length;
	int error;

	c.length = in_turn(blocks, (unsigned int)half, HIT_VISITS);
	error = observe(s, &c, false, &hits, &loads, f);
	if (error)
		return error;
	s->hit_ticks = hits / (double)loads;
	length = c.length = in_turn(blocks, s->oracle.blocks, 1);
	error = observe(s, &c, false, &all, &loads, f);
	if (error)
		return error;
	s->miss_ticks = (all - (double)loads * s->hit_ticks) / (double)length;
	if (s->miss_ticks < LEAST_MISS * s->hit_ticks)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"set: %zu lines of it take hardly longer than %u (do they share a set?)",
			length, (unsigned int)half);
	return 0;
}

int set_machine_open(struct set_machine *s, struct prober *p,
		     const struct set_lines *lines, int level,
		     struct failure *f)
{
	static const enum machine_counter of_level[] = { COUNTER_L1D_MISS,
							 COUNTER_L2_MISS,
							 COUNTER_L3_MISS };
	size_t most = least(lines->tested_count, MOST_ACCESSES);

	*s = (struct set_machine){ .prober = p, .lines = lines };
	s->words_used = calloc(lines->tested_count + lines->clearing_count,
			       sizeof(*s->words_used));
	if (!s->words_used)
		return prober_out_of_memory(f);
	if (level <= 3)
		s->counter = (1U << of_level[level - 1]) & p->counters;
	s->oracle = (struct set_oracle){
		.ways = lines->ways,
		.blocks = (unsigned int)most,
		.most_visits = (unsigned int)lines->words,
		.most_accesses = most * lines->words,
		.fits = lines->clearing_count ? fits : NULL,
		.flushes = s->counter && !lines->clearing_count,
		.flushes_lines = p->m->flushes_lines &&
				 !(s->counter & ~p->m->flush_counters),
		.misses = misses,
		.average = s->counter ? average : NULL,
		.scale_error = s->counter ? 0 : SCALE_ERROR,
		.context = s,
	};
	return s->counter ? 0 : calibrate(s, f);
}

void set_machine_close(struct set_machine *s)
{
	free(s->words_used);
	s->words_used = NULL;
}
