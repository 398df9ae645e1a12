// SPDX-License-Identifier: GPL-2.0
/* samples.c - how long a sample may be, as disturbed as the machine is. */
#include <math.h>
#include <stdlib.h>

#include "method/probe/prober.h"

/* So many have to come out disturbed before one can say how often they do. */
#define DISTURBED_ENOUGH 16
/* With fewer loads than this between two disturbances, times the usual length
 * of a sample, samples become shorter.
 */
#define OFTEN 4
/* ... until one in so many is disturbed. */
#define ONE_IN 8
/* Fewer loads than this are over before the clock has been read. */
#define LEAST_LOADS 256
/* Loads for each tick by which readings of the clock differ. */
#define LOADS_PER_TICK 12
/* What readings differ by is to be so small a part of the misses of a round. */
#define PART_OF_A_MISS 8
/* Of a few lines, which any cache holds. */
#define WORDS 64

struct shape prober_words(const struct prober *p)
{
	return (struct shape){ .inner = 1,
			       .stride = p->word_bytes,
			       .outer = WORDS };
}

static double reading_ticks(const struct prober *p)
{
	return p->m->timer.resolution_ticks + p->m->timer.spread_ticks;
}

void prober_count_samples(struct prober *p,
			  const struct machine_conditions *before,
			  uint64_t loads)
{
	const struct machine_conditions *now = &p->m->conditions;

	p->sampled_loads +=
		(double)(now->samples - before->samples) * (double)loads;
	p->disturbed_samples += now->disturbed - before->disturbed;
}

int prober_observe(const struct prober *p, const struct sequence *s,
		   const struct walk_plan *plan, unsigned int counter,
		   struct readings *r, struct failure *f)
{
	r->count = 0;
	if (prober_stopped(p))
		return -EINTR;
	return sampler_observe(p->m, s, plan, counter, r, f);
}

struct trial prober_trial(struct prober *p, const struct trial_ops *ops,
			  void *context)
{
	return (struct trial){ .ops = ops,
			       .context = context,
			       .rules = p->rules,
			       .loads = 1,
			       .miss = 1,
			       .tests = &p->tests,
			       .budget = &p->budget };
}

unsigned int prober_loads(const struct prober *p, unsigned int usual,
			  double least)
{
	double between, loads;

	if (p->disturbed_samples < DISTURBED_ENOUGH)
		return usual;
	between = p->sampled_loads / (double)p->disturbed_samples;
	if (between > (double)OFTEN * usual)
		return usual;
	loads = fmax(between / ONE_IN, LEAST_LOADS);
	loads = fmax(loads, LOADS_PER_TICK * reading_ticks(p));
	loads = fmax(loads, least);
	return loads < usual ? (unsigned int)loads : usual;
}

double prober_least_loads(const struct prober *p, double length,
			  double penalty_ticks)
{
	return PART_OF_A_MISS * length * reading_ticks(p) / penalty_ticks;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static void make_distinct(struct sequence *s)
{
	size_t count = 0;

	qsort(s->offsets, s->length, sizeof(*s->offsets), by_number);
	for (size_t i = 0; i < s->length; i++)
		if (!count || s->offsets[i] != s->offsets[count - 1])
			s->offsets[count++] = s->offsets[i];
	s->length = count;
}

/* Of distinct lines: pages that lie whole ways apart have the same sets. */
static bool sets_suffice(struct sequence *lines, const struct reference *r)
{
	size_t sets = r->twin_way_bytes / r->line_bytes, run = 0;

	if (!r->twin_ways || !sets)
		return true;
	for (size_t i = 0; i < lines->length; i++)
		lines->offsets[i] %= sets;
	qsort(lines->offsets, lines->length, sizeof(*lines->offsets),
	      by_number);
	for (size_t i = 0; i < lines->length; i++) {
		run = i && lines->offsets[i] == lines->offsets[i - 1] ?
			      run + 1 :
			      1;
		if (run > r->twin_ways)
			return false;
	}
	return true;
}

/* Distinct lines of a twin, by their numbers. */
static int list_twin(struct prober *p, const struct sequence *s,
		     const struct reference *r, struct sequence *lines,
		     struct failure *f)
{
	if (sequence_translation_twin(lines, s, r->page_bytes, r->line_bytes,
				      p->word_bytes))
		return prober_out_of_memory(f);
	for (size_t i = 0; i < lines->length; i++)
		lines->offsets[i] /= r->line_bytes;
	make_distinct(lines);
	return 0;
}

int prober_sequence_twin_fits(struct prober *p, const struct sequence *s,
			      const struct reference *r, bool *fits,
			      struct failure *f)
{
	struct sequence lines;
	int error;

	*fits = false;
	if (!r->twin_lines)
		return 0;
	error = list_twin(p, s, r, &lines, f);
	if (error)
		return error;
	*fits = lines.length <= r->twin_lines && sets_suffice(&lines, r);
	sequence_free(&lines);
	return 0;
}

int prober_twin_fits(struct prober *p, const struct shape *w,
		     const struct reference *r, bool *fits, struct failure *f)
{
	struct sequence s, lines;
	int error;

	*fits = shape_length(w) <= r->twin_lines;
	if (*fits || !w->folds.count || !r->twin_lines)
		return 0;
	if (sequence_place(&s, w, p->arena_offset))
		return prober_out_of_memory(f);
	error = list_twin(p, &s, r, &lines, f);
	sequence_free(&s);
	if (error)
		return error;
	*fits = lines.length <= r->twin_lines;
	sequence_free(&lines);
	return 0;
}
