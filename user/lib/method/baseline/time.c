// SPDX-License-Identifier: GPL-2.0
#include "method/baseline/time.h"

#include "observe/sampler.h"

/* Loads before the first sample, and rounds of longer arrays. */
#define WARM_LOADS 131072
#define WARM_ROUNDS 3
/*
 * Loads of a sample: long against reading the clock. For large arrays it is a
 * round.
 */
#define LOADS 8192
#define SAMPLES 7
/* ... and of more elements than this, which average by themselves, one. */
#define MANY (1 << 16)
#define SAMPLES_OF_MANY 2
/* Of some lines, which any first level holds. */
#define WORD_BYTES 8
#define FEW_WORDS 64

static unsigned int warm_rounds(size_t count)
{
	size_t rounds = WARM_LOADS / count;

	if (count > MANY)
		return 1;
	return rounds < WARM_ROUNDS ? WARM_ROUNDS : (unsigned int)rounds;
}

/*
 * The programs do not notice disturbances: disturbed samples are left out only
 * if there are others.
 */
static double middle_of(const struct sample *samples, unsigned int taken)
{
	double ticks[SAMPLES];
	size_t count = 0;

	for (int quiet = 1; quiet >= 0 && !count; quiet--)
		for (unsigned int i = 0; i < taken; i++)
			if (!quiet || !samples[i].disturbed)
				ticks[count++] = samples[i].ticks /
						 (double)samples[i].loads;
	return statistics_quantile(ticks, count, 0.5);
}

static int walk(struct prober *p, const struct sequence *s,
		struct side_result *r, double *ticks, struct failure *f)
{
	const struct walk_plan plan = {
		.warm_rounds = warm_rounds(s->length),
		.loads = LOADS,
		.samples = s->length > MANY ? SAMPLES_OF_MANY : SAMPLES,
	};
	const struct machine_conditions before = p->m->conditions;
	struct sample samples[SAMPLES];
	int error = p->m->ops->walk(p->m, s, &plan, samples, f);

	if (error)
		return error;
	prober_count_samples(p, &before, samples[0].loads);
	r->loads += (double)plan.warm_rounds * (double)s->length;
	for (unsigned int i = 0; i < plan.samples; i++)
		r->loads += (double)samples[i].loads;
	*ticks = middle_of(samples, plan.samples);
	return 0;
}

int baseline_time(struct prober *p, uint64_t stride_bytes, uint64_t count,
		  struct side_result *r, double *cycles, struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = stride_bytes,
				 .outer = count };
	double cycle = sampler_cycle_ticks(p->m), ticks;
	struct sequence s;
	int error;

	if (prober_stopped(p))
		return -EINTR;
	if (shape_span(&w) > p->m->region.bytes)
		return -ERANGE;
	if (sequence_place(&s, &w, 0))
		return prober_out_of_memory(f);
	error = walk(p, &s, r, &ticks, f);
	sequence_free(&s);
	if (error)
		return error;
	if (!(ticks > 0))
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"baseline: loads took no time (the clock of this machine is too coarse)");
	/* Ratios are all that the rules look at. */
	*cycles = cycle > 0 ? ticks / cycle : ticks;
	return 0;
}

int baseline_first_stride(struct prober *p, double words, struct side_result *r,
			  double *cycles, struct failure *f)
{
	double hit;
	int error = baseline_time(p, WORD_BYTES, FEW_WORDS, r, &hit, f);

	*cycles = (words + hit) / 2;
	return error;
}
