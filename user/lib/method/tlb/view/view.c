// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/tuning.h"
#include "method/tlb/view/view.h"

#include <math.h>

#include "observe/sampler.h"

static struct walk_plan plan_for(const struct tlb_view *v, size_t length,
				 enum machine_counter counter)
{
	size_t warm = VIEW_WARM_LOADS / length;

	if (warm > VIEW_WARM_ROUNDS)
		warm = VIEW_WARM_ROUNDS;
	if (warm < VIEW_WARM_ROUNDS_LEAST)
		warm = VIEW_WARM_ROUNDS_LEAST;
	return (struct walk_plan){
		.warm_rounds = (unsigned int)warm,
		.loads = v->loads,
		.samples = TLB_VIEW_SAMPLES,
		.cycle_ticks = v->cycle_ticks,
		.counters = counter < MACHINE_COUNTERS ?
				    1U << counter & v->counters :
				    0,
	};
}

int tlb_view_observe(struct tlb_view *v, const struct tlb_layout *layout,
		     enum machine_counter counter, struct tlb_observation *o,
		     struct failure *f)
{
	struct sample samples[TLB_VIEW_SAMPLES];
	struct walk_plan plan = plan_for(v, layout->s.length, counter);
	struct prober *p = v->prober;

	o->count = 0;
	o->counted = plan.counters != 0;
	for (int i = 0; i < VIEW_REPETITIONS && plan.samples; i++) {
		const struct machine_conditions before = p->m->conditions;
		unsigned int taken = plan.samples;
		int error;

		if (prober_stopped(p))
			return -EINTR;
		error = p->m->ops->view_walk(layout->view, &layout->s, &plan,
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

int tlb_view_time_layout(struct tlb_view *v, const struct tlb_layout *layout,
			 double *ticks, struct failure *f)
{
	unsigned int usual = v->loads;
	struct tlb_observation o;
	int error;

	v->loads = prober_loads(v->prober, usual, 0);
	error = tlb_view_observe(v, layout, MACHINE_COUNTERS, &o, f);
	v->loads = usual;
	if (!error)
		*ticks = statistics_quantile(o.ticks, o.count, 0.25);
	return error;
}

int tlb_view_unseen(struct failure *f)
{
	return fail(
		f, STATUS_FAILED, EAGAIN,
		"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
}

int tlb_view_time(struct tlb_view *v, const struct shape *w, size_t words,
		  double *ticks, struct failure *f)
{
	double quiet[TIME_PLACES];
	size_t places = 0;

	for (int i = 0; i < TIME_PLACES; i++) {
		struct tlb_layout layout;
		int error = w ? tlb_layout_place(v, w, false, &layout, f) :
				tlb_layout_words(v, words, &layout, f);

		if (error)
			return error;
		error = tlb_view_time_layout(v, &layout, &quiet[places], f);
		sequence_free(&layout.s);
		if (error)
			return error;
		places += quiet[places] > 0;
	}
	if (!places)
		return tlb_view_unseen(f);
	*ticks = statistics_quantile(quiet, places, 0.5);
	return 0;
}

int tlb_view_least(struct tlb_view *v, const struct shape *w,
		   struct tlb_least *least, struct failure *f)
{
	*least = (struct tlb_least){ INFINITY, NAN };
	for (int i = 0; i < HIERARCHY_TRIALS; i++) {
		double cycle = sampler_cycle_ticks(v->prober->m), t;
		int error = tlb_view_time(v, w, 0, &t, f);

		if (error)
			return error;
		least->ticks = fmin(least->ticks, t);
		if (cycle > 0)
			least->cycles = fmin(least->cycles, t / cycle);
	}
	return 0;
}

int tlb_view_difference(struct tlb_view *v, const struct shape *slow,
			const struct shape *fast, double *cycles,
			struct failure *f)
{
	double differences[HIERARCHY_TRIALS];

	for (int i = 0; i < HIERARCHY_TRIALS; i++) {
		double cycle = sampler_cycle_ticks(v->prober->m), a, b;
		int error = tlb_view_time(v, slow, 0, &a, f);

		if (!error)
			error = tlb_view_time(v, fast, 64, &b, f);
		if (error)
			return error;
		differences[i] = cycle > 0 ? (a - b) / cycle : NAN;
		if (!(cycle > 0)) {
			*cycles = NAN;
			return 0;
		}
	}
	*cycles = statistics_quantile(differences, HIERARCHY_TRIALS, 0.5);
	return 0;
}

int tlb_view_count_returns(struct tlb_view *v, struct failure *f)
{
	const double steps =
		v->prober->m->timer.resolution_ticks * STEPS_PER_SAMPLE;
	double ticks = 0;
	int error;

	v->loads = RETURNS_PER_SAMPLE;
	error = tlb_view_time(v, NULL, CONTROL_WORDS, &ticks, f);
	if (!error && ticks > 0 && steps / ticks > RETURNS_PER_SAMPLE)
		v->loads = (unsigned int)(steps / ticks);
	return error;
}
