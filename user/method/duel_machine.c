// SPDX-License-Identifier: GPL-2.0
#include "duel_machine.h"

#include <errno.h>
#include <stdlib.h>

#include "../observe/sampler.h"
#include "policy_set.h"

/* Rounds of a circle, each with other words of its lines. */
#define MOST_ROUNDS 8
#define LEAST_ROUNDS 2
#define SAMPLES 5
#define LEAST_SAMPLES 3
/* Of what resisting thrashing saves at best, that makes a difference. */
#define CONTRAST 0.25
/* Lines of a set that a machine has. */
#define LINES_PER_WAY 4
/* Lines that clear the levels above, in those walked between two visits. */
#define CLEARING 2
/* Rounds of a push: as long as a selector needs that has 10 bits. */
static const unsigned int push_rounds[DUEL_PUSHES] = {
	[DUEL_THRASH] = 16,
	[DUEL_REUSE] = 4,
};

static uint64_t sets_of_group(const struct duel_machine *d)
{
	return d->oracle.sets / d->oracle.groups;
}

static uint64_t offset_of(const struct duel_machine *d, uint64_t set,
			  unsigned int block)
{
	const struct level_geometry *own = &d->levels[d->count - 1];
	uint64_t way = own->way_bytes;
	uint64_t base = (d->prober->arena_offset + way - 1) / way * way;

	return base + set * own->line_bytes + block * way;
}

/* Others of a group between two visits leave no line in the levels above. */
static int push_group(struct duel_machine *d, enum duel_push kind,
		      uint64_t group, struct failure *f)
{
	unsigned int pattern[DUEL_PUSH_LENGTH_PER_WAY * POLICY_SET_WAYS];
	unsigned int visits[LINES_PER_WAY * POLICY_SET_WAYS] = { 0 };
	size_t length = duel_pattern(kind, d->oracle.ways, pattern);
	uint64_t sets = sets_of_group(d);
	struct sequence q = { .length = 0 };
	struct walk_plan plan = { .warm_rounds = push_rounds[kind],
				  .samples = 1 };
	struct sample sample;
	int error;

	q.offsets = calloc(length * sets, sizeof(*q.offsets));
	if (!q.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < length; i++) {
		uint64_t word = visits[pattern[i]]++ * sizeof(uint64_t);

		for (uint64_t j = 0; j < sets; j++)
			q.offsets[q.length++] =
				offset_of(d, group + j * d->oracle.groups,
					  pattern[i]) +
				word;
	}
	plan.loads = (unsigned int)q.length;
	error = d->prober->m->ops->walk(d->prober->m, &q, &plan, &sample, f);
	sequence_free(&q);
	return error;
}

static int push(void *context, enum duel_push kind, const bool *groups,
		struct failure *f)
{
	struct duel_machine *d = context;

	for (uint64_t i = 0; i < d->oracle.groups; i++) {
		int error = 0;

		if (prober_stopped(d->prober))
			return -EINTR;
		if (groups[i])
			error = push_group(d, kind, i, f);
		if (error)
			return error;
	}
	return 0;
}

/* Each sample begins when all lines have been flushed. */
static int sample_set(struct duel_machine *d, struct level_set *s,
		      double *misses, struct failure *f)
{
	struct walk_plan plan = { .flags = WALK_COLD, .samples = SAMPLES };
	struct cycle c = { .blocks = d->blocks,
			   .length = d->length,
			   .cold = true };
	double values[SAMPLER_MAX], per_load;
	struct sequence q = { .length = 0 };
	size_t count = 0, loads;
	int error = level_set_build(s, &c, &q);

	plan.loads = (unsigned int)q.length;
	if (!error && d->counter)
		error = sampler_count(
			s->prober->m, &q, &plan,
			(enum machine_counter)__builtin_ctz(d->counter), values,
			&count, f);
	else if (!error)
		error = sampler_take(s->prober->m, &q, &plan, values, &count,
				     f);
	loads = q.length;
	sequence_free(&q);
	if (error)
		return error == -ENOMEM ? prober_out_of_memory(f) : error;
	if (count < LEAST_SAMPLES)
		return -EAGAIN;
	per_load = sampler_quantile(values, count, 0.5);
	*misses = per_load * (double)loads / (d->counter ? 1 : d->miss_ticks);
	return 0;
}

static int read_set(void *context, uint64_t set, double *misses,
		    struct failure *f)
{
	struct duel_machine *d = context;
	struct level_lines lines;
	struct level_set s = { .prober = d->prober, .lines = &lines };
	int error;

	if (prober_stopped(d->prober))
		return -EINTR;
	error = level_lines_linear(&lines, d->prober, d->levels, d->count, set);
	if (!error) {
		if (lines.clearing_count > CLEARING * lines.between)
			lines.clearing_count = CLEARING * lines.between;
		s.words_used =
			calloc(lines.tested_count + lines.clearing_count,
			       sizeof(*s.words_used));
		error = s.words_used ? sample_set(d, &s, misses, f) : -ENOMEM;
	}
	free(s.words_used);
	level_lines_free(&lines);
	return error == -ENOMEM ? prober_out_of_memory(f) : error;
}

static int prepare_circle(struct duel_machine *d, size_t words)
{
	unsigned int ways = d->oracle.ways, all = LINES_PER_WAY * ways;
	size_t rounds = words < MOST_ROUNDS ? words : MOST_ROUNDS;

	if (rounds < LEAST_ROUNDS || words < DUEL_PUSH_VISITS)
		return -ERANGE;
	d->blocks = calloc(rounds * (ways + 1) + all, sizeof(*d->blocks));
	if (!d->blocks)
		return -ENOMEM;
	for (size_t i = 0; i < rounds; i++)
		for (unsigned int j = 0; j <= ways; j++)
			d->blocks[d->length++] = j;
	/* So that these, too, are flushed before the next sample. */
	for (unsigned int j = ways + 1; j < all; j++)
		d->blocks[d->length++] = j;
	d->oracle.contrast = CONTRAST * (double)(rounds - 1) * (ways - 1);
	if (d->oracle.contrast < 1)
		d->oracle.contrast = 1;
	return 0;
}

int duel_machine_open(struct duel_machine *d, struct prober *p,
		      const struct level_geometry *levels, size_t count,
		      const struct level_set *set)
{
	const struct level_geometry *own = &levels[count - 1];
	unsigned int above = 0;

	*d = (struct duel_machine){ .prober = p,
				    .levels = levels,
				    .count = count,
				    .counter = set->counter,
				    .miss_ticks = set->miss_ticks };
	d->oracle = (struct duel_oracle){
		.ways = own->ways,
		.sets = own->way_bytes / own->line_bytes,
		.push = push,
		.read = read_set,
		.context = d,
	};
	d->oracle.groups = d->oracle.sets;
	if (count > 1)
		d->oracle.groups = levels[count - 2].way_bytes / own->line_bytes;
	for (size_t i = 0; i + 1 < count; i++)
		above += levels[i].ways;
	if (!d->oracle.groups || d->oracle.sets % d->oracle.groups ||
	    (count > 1 &&
	     duel_lines_reused(own->ways) * sets_of_group(d) <= above))
		return -EDOM;
	return prepare_circle(d, set->lines->words);
}

void duel_machine_close(struct duel_machine *d)
{
	free(d->blocks);
	d->blocks = NULL;
}
