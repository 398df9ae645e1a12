// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/view.h"

#include <math.h>

#include "observe/sampler.h"

/* Random replacement of a fully associative array needs hundreds of rounds. */
#define WARM_ROUNDS 256
#define WARM_LOADS 16000
#define WARM_ROUNDS_LEAST 3

#define TIME_PLACES 5
#define REPETITIONS 4

static struct walk_plan plan_for(const struct lens *lens, size_t length,
				 enum machine_counter counter)
{
	size_t warm = WARM_LOADS / length;

	if (warm > WARM_ROUNDS)
		warm = WARM_ROUNDS;
	if (warm < WARM_ROUNDS_LEAST)
		warm = WARM_ROUNDS_LEAST;
	return (struct walk_plan){
		.warm_rounds = (unsigned int)warm,
		.loads = lens->loads,
		.samples = SAMPLES_OF_OBSERVATION,
		.counters = counter < MACHINE_COUNTERS ?
				    1U << counter & lens->counters :
				    0,
	};
}

int lens_observe(struct lens *lens, const struct laid *laid,
		 enum machine_counter counter, struct observation *o,
		 struct failure *f)
{
	struct sample samples[SAMPLES_OF_OBSERVATION];
	struct walk_plan plan = plan_for(lens, laid->s.length, counter);
	struct prober *p = lens->prober;

	o->count = 0;
	o->counted = plan.counters != 0;
	for (int i = 0; i < REPETITIONS && plan.samples; i++) {
		const struct machine_conditions before = p->m->conditions;
		unsigned int taken = plan.samples;
		int error;

		if (prober_stopped(p))
			return -EINTR;
		error = p->m->ops->view_walk(laid->view, &laid->s, &plan,
					     samples, f);
		if (error)
			return error;
		prober_count_samples(p, &before, samples[0].loads);
		for (unsigned int j = 0; j < taken; j++) {
			double loads = (double)samples[j].loads;

			if (samples[j].disturbed || !samples[j].loads)
				continue;
			if (o->counted && samples[j].counted & plan.counters)
				o->misses[o->count] =
					samples[j].counts[counter] / loads;
			else
				o->counted = false;
			o->ticks[o->count++] = samples[j].ticks / loads;
			plan.samples--;
		}
	}
	return 0;
}

int lens_time_laid(struct lens *lens, const struct laid *laid, double *ticks,
		   struct failure *f)
{
	unsigned int usual = lens->loads;
	struct observation o;
	int error;

	lens->loads = prober_loads(lens->prober, usual, 0);
	error = lens_observe(lens, laid, MACHINE_COUNTERS, &o, f);
	lens->loads = usual;
	if (!error)
		*ticks = sampler_quantile(o.ticks, o.count, 0.25);
	return error;
}

int lens_unseen(struct failure *f)
{
	return fail(
		f, STATUS_FAILED, EAGAIN,
		"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
}

int lens_time(struct lens *lens, const struct shape *w, size_t words,
	      double *ticks, struct failure *f)
{
	double quiet[TIME_PLACES];
	size_t places = 0;

	for (int i = 0; i < TIME_PLACES; i++) {
		struct laid laid;
		int error = w ? lens_place(lens, w, false, &laid, f) :
				lens_words(lens, words, &laid, f);

		if (error)
			return error;
		error = lens_time_laid(lens, &laid, &quiet[places], f);
		sequence_free(&laid.s);
		if (error)
			return error;
		places += quiet[places] > 0;
	}
	if (!places)
		return lens_unseen(f);
	*ticks = sampler_quantile(quiet, places, 0.5);
	return 0;
}
