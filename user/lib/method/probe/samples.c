// SPDX-License-Identifier: GPL-2.0
/* samples.c - how long a sample may be, as disturbed as the machine is. */
#include <math.h>

#include "method/probe/internal.h"
#include "method/probe/prober.h"
#include "method/probe/tuning.h"

/* Loads for each tick by which readings of the clock differ. */
#define LOADS_PER_TICK 12
/* What readings differ by is to be so small a part of the misses of a round. */
#define PART_OF_A_MISS 8
/* The same of a sample as short as can be: a miss a round stays more than none. */
#define PART_OF_A_MISS_AT_LEAST 2
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

unsigned int probe_short_loads(const struct prober *p, double length,
			       double penalty_ticks, unsigned int usual)
{
	double loads = PART_OF_A_MISS_AT_LEAST * length * reading_ticks(p) /
		       penalty_ticks;

	loads = fmax(loads, LEAST_LOADS);
	return loads < usual ? (unsigned int)loads : usual;
}

unsigned int probe_loads(const struct prober *p, double least)
{
	unsigned int usual = p->sample_loads ? p->sample_loads :
					       PROBE_LOADS_PER_SAMPLE;

	return prober_loads(p, usual, least);
}
