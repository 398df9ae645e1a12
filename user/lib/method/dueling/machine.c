// SPDX-License-Identifier: GPL-2.0
#include "method/dueling/machine.h"

#include <errno.h>
#include <stdlib.h>

#include "method/dueling/tuning.h"
#include "observe/sampler.h"
#include "result/policy_finding.h"

#define LEAST_SAMPLES 2

static uint64_t sets_of_group(const struct dueling_machine *d)
{
	return d->oracle.sets / d->oracle.groups;
}

static uint64_t offset_of(const struct dueling_machine *d, uint64_t set,
			  unsigned int block)
{
	const struct set_level_geometry *own = &d->levels[d->count - 1];
	uint64_t way = own->way_bytes;
	uint64_t base = (d->prober->arena_offset + way - 1) / way * way;

	return base + set * own->line_bytes + block * way;
}

/*
 * All sets of a group in turn: a single set would find its lines in the levels
 * above.
 */
static void lay_group(const struct dueling_machine *d, const struct cycle *c,
		      uint64_t group, struct sequence *q)
{
	unsigned int visits[DUELING_LINES_PER_WAY * SET_MOST_WAYS] = { 0 };

	for (size_t i = 0; i < c->length; i++) {
		uint64_t word = visits[c->blocks[i]]++ * sizeof(uint64_t);

		for (uint64_t set = group; set < d->oracle.sets;
		     set += d->oracle.groups)
			q->offsets[q->length++] =
				offset_of(d, set, c->blocks[i]) + word;
	}
}

static int walk_chunk(struct dueling_machine *d, struct sequence *q, bool cold,
		      struct failure *f)
{
	struct walk_plan plan = { .flags = cold ? WALK_COLD : 0,
				  .loads = (unsigned int)q->length,
				  .samples = 1 };
	struct sample sample;
	int error = 0;

	if (prober_stopped(d->prober))
		return -EINTR;
	if (q->length)
		error = d->prober->m->ops->walk(d->prober->m, q, &plan, &sample,
						f);
	q->length = 0;
	return error;
}

static int walk_groups(void *context, const bool *groups, const struct cycle *c,
		       struct failure *f)
{
	struct dueling_machine *d = context;
	size_t length = c->length * sets_of_group(d);
	struct sequence q = { .length = 0 };
	int error = 0;

	q.offsets = calloc(length + CHUNK, sizeof(*q.offsets));
	if (!q.offsets)
		return prober_out_of_memory(f);
	rng_order(&d->prober->rng, d->order, d->oracle.groups);
	for (uint64_t i = 0; !error && i < d->oracle.groups; i++) {
		if (groups[d->order[i]])
			lay_group(d, c, d->order[i], &q);
		if (q.length >= CHUNK)
			error = walk_chunk(d, &q, c->cold, f);
	}
	if (!error)
		error = walk_chunk(d, &q, c->cold, f);
	sequence_free(&q);
	return error;
}

/* Each sample begins after all lines were flushed. */
static int sample_set(struct dueling_machine *d, struct set_machine *s,
		      double *misses, struct failure *f)
{
	struct walk_plan plan = { .flags = WALK_COLD,
				  .samples = DUELING_SAMPLES };
	struct cycle c = { .blocks = d->blocks,
			   .length = d->length,
			   .cold = true };
	struct readings r = { .count = 0 };
	struct sequence q = { .length = 0 };
	size_t loads;
	int error = set_machine_build(s, &c, &q);

	plan.loads = (unsigned int)q.length;
	if (!error)
		error = sampler_observe(s->prober->m, &q, &plan, d->counter, &r,
					f);
	loads = q.length;
	sequence_free(&q);
	if (error)
		return error == -ENOMEM ? prober_out_of_memory(f) : error;
	if (r.count < LEAST_SAMPLES)
		return -EAGAIN;
	*misses = statistics_quantile(r.values, r.count, 0.5) * (double)loads /
		  (d->counter ? 1 : d->miss_ticks);
	return 0;
}

static int read_set(void *context, uint64_t set, double *misses,
		    struct failure *f)
{
	struct dueling_machine *d = context;
	struct set_lines lines = { .tested = NULL };
	struct set_machine s = { .prober = d->prober, .lines = &lines };
	int error = 0;

	if (prober_stopped(d->prober))
		return -EINTR;
	if (d->lines)
		lines = *d->lines;
	else
		error = set_lines_linear(&lines, d->prober, d->levels, d->count,
					 set);
	if (!error) {
		if (lines.clearing_count > CLEARING * lines.between)
			lines.clearing_count = CLEARING * lines.between;
		s.words_used = calloc(lines.tested_count + lines.clearing_count,
				      sizeof(*s.words_used));
		error = s.words_used ? sample_set(d, &s, misses, f) : -ENOMEM;
	}
	free(s.words_used);
	if (!d->lines)
		set_lines_free(&lines);
	return error == -ENOMEM ? prober_out_of_memory(f) : error;
}

static int prepare(struct dueling_machine *d, size_t words)
{
	unsigned int ways = d->oracle.ways;
	unsigned int rounds = words < DUELING_MOST_ROUNDS ?
				      (unsigned int)words :
				      DUELING_MOST_ROUNDS;

	if (rounds < DUELING_LEAST_ROUNDS)
		return -ERANGE;
	d->order = calloc(d->oracle.groups, sizeof(*d->order));
	d->blocks =
		calloc((size_t)(rounds + DUELING_LINES_PER_WAY) * (ways + 1),
		       sizeof(*d->blocks));
	if (!d->blocks || !d->order)
		return -ENOMEM;
	d->length = dueling_circle(ways, rounds, d->blocks);
	d->oracle.rounds = rounds;
	d->oracle.contrast = dueling_contrast(ways, rounds);
	return 0;
}

int dueling_machine_open(struct dueling_machine *d, struct prober *p,
			 const struct set_level_geometry *levels, size_t count,
			 const struct set_machine *set)
{
	const struct set_level_geometry *own = &levels[count - 1];
	unsigned int above = 0;

	*d = (struct dueling_machine){ .prober = p,
				       .levels = levels,
				       .count = count,
				       .counter = set->counter,
				       .miss_ticks = set->miss_ticks };
	d->oracle = (struct dueling_oracle){
		.ways = own->ways,
		.sets = own->way_bytes / own->line_bytes,
		.walk = walk_groups,
		.read = read_set,
		.context = d,
	};
	d->oracle.groups = d->oracle.sets;
	if (count > 1)
		d->oracle.groups =
			levels[count - 2].way_bytes / own->line_bytes;
	for (size_t i = 0; i + 1 < count; i++)
		above += levels[i].ways;
	if (own->ways > SET_MOST_WAYS || !d->oracle.groups ||
	    d->oracle.sets % d->oracle.groups ||
	    (count > 1 &&
	     dueling_burst_lines(own->ways) * sets_of_group(d) <= above))
		return -EDOM;
	return prepare(d, set->lines->words);
}

int dueling_machine_only(struct dueling_machine *d,
			 const struct set_lines *lines, uint64_t *set)
{
	const struct set_level_geometry *own = &d->levels[d->count - 1];
	uint64_t bytes = (DUELING_LINES_PER_WAY * (uint64_t)own->ways + 1) *
			 own->way_bytes;

	if (d->count < 2 || bytes > d->prober->arena_bytes ||
	    lines->tested_count < DUELING_LINES_PER_WAY * (size_t)own->ways)
		return -ERANGE;
	d->lines = lines;
	*set = lines->tested[0] % d->levels[d->count - 2].way_bytes /
	       own->line_bytes;
	return 0;
}

void dueling_machine_close(struct dueling_machine *d)
{
	free(d->blocks);
	free(d->order);
	d->blocks = NULL;
	d->order = NULL;
}
