// SPDX-License-Identifier: GPL-2.0
#include "machine/module/walk.h"

#include <stdlib.h>
#include <string.h>

#include "machine/module/ioctl.h"

/* Tuning: slices of one ioctl; enough to make its cost negligible. */
#define SLICES 1024

/* Tuning: sequences up to this length are warmed twice per slice. */
#define SHORT_SEQUENCE 4096

static double slice_ticks(const struct module_clock *clock,
			  const struct probe_phys_sample *slice)
{
	double ticks = clock->ticks_per_ns > 0 ?
			       (double)slice->ns * clock->ticks_per_ns :
			       (double)slice->ticks;

	ticks -= clock->overhead_ticks;
	return ticks > 0 ? ticks : 0;
}

static void fold_counts(struct module_fold *fold,
			const struct probe_phys_sample *slice)
{
	if (fold->counters &&
	    !module_counters_add(fold->counters, slice, fold->open.counts))
		fold->uncounted = true;
}

static struct sample fold_complete(struct module_fold *fold)
{
	struct sample complete = fold->open;

	if (fold->counters && !fold->uncounted)
		complete.counted = fold->counters->counted;
	fold->open = (struct sample){ 0 };
	fold->uncounted = false;
	return complete;
}

size_t module_fold(struct module_fold *fold,
		   const struct probe_phys_sample *slices, size_t slice_count,
		   struct sample *samples, size_t room)
{
	size_t done = 0;

	for (size_t i = 0; i < slice_count && done < room; i++) {
		fold->open.ticks += slice_ticks(fold->clock, &slices[i]);
		fold->open.loads += slices[i].loads;
		fold_counts(fold, &slices[i]);
		if (slices[i].flags &
		    (PROBE_PHYS_SAMPLE_LATE | PROBE_PHYS_SAMPLE_SMI))
			fold->open.disturbed = true;
		if (fold->open.loads < fold->loads)
			continue;
		samples[done++] = fold_complete(fold);
	}
	return done;
}

uint32_t module_rounds(uint64_t length, unsigned int loads)
{
	uint64_t rounds = (loads + length - 1) / length;

	return rounds ? (uint32_t)rounds : 1;
}

static int explain(int error, struct failure *f)
{
	switch (error) {
	case -ETIME:
		return fail(
			f, STATUS_FAILED, ETIME,
			"walk: no progress in the time allowed (is the CPU overloaded?)");
	case -EINVAL:
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: the module refuses the sequence (report this as a bug)");
	case -EBUSY:
		return fail(
			f, STATUS_FAILED, EBUSY,
			"walk: another one runs on this buffer (report this as a bug)");
	case -ENXIO:
		return fail(
			f, STATUS_FAILED, ENXIO,
			"walk: the CPU went offline (choose another with --cpu)");
	default:
		return fail(f, STATUS_FAILED, -error, "walk: %s (see dmesg)",
			    strerror(-error));
	}
}

static bool ended_early(int error)
{
	return error == -ETIME;
}

/**
 * struct request - one plan, by one ioctl or more
 * @walk: arguments that are the same for all of them
 * @slices: room for SLICES slices
 * @fold: sample under construction
 */
struct request {
	struct probe_phys_walk walk;
	struct probe_phys_sample *slices;
	struct module_fold fold;
};

static int request_init(struct request *r, const struct module_walker *w,
			const struct sequence *s, const struct walk_plan *plan,
			struct failure *f)
{
	bool cold = plan->flags & WALK_COLD;

	if (!s->length || s->length > PROBE_PHYS_MAX_WALK_OFFSETS)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: %zu addresses: 1 to %u can be walked (report this as a bug)",
			s->length, PROBE_PHYS_MAX_WALK_OFFSETS);
	*r = (struct request){
		.walk = {
			.flags = cold ? PROBE_PHYS_WALK_FLUSH_FIRST : 0,
			.offsets = (uintptr_t)s->offsets,
			.nr_offsets = (uint32_t)s->length,
			.max_samples = SLICES,
			.rounds_per_sample =
				cold ? 1 :
				       module_rounds(s->length, plan->loads),
			.slice_ns = PROBE_PHYS_MAX_SLICE_NS,
			.cpu = w->cpu,
			.counters_fd = -1,
		},
		.slices = calloc(SLICES, sizeof(*r->slices)),
		.fold = { .clock = &w->clock },
	};
	if (!r->slices)
		return fail_memory(f, "walk");
	r->walk.samples = (uintptr_t)r->slices;
	if (plan->counters && w->counters.group >= 0) {
		r->walk.counters_fd = w->counters.group;
		r->fold.counters = &w->counters;
	}
	r->fold.loads = (uint64_t)r->walk.rounds_per_sample * s->length;
	if (cold)
		return 0;
	r->walk.warmup_rounds = plan->warm_rounds;
	r->walk.rewarm_rounds = s->length <= SHORT_SEQUENCE ? 2 : 1;
	return 0;
}

/* One ioctl; up to @room samples come of it, which may be none. */
static int request_run(struct request *r, const struct module_walker *w,
		       struct sample *samples, size_t room, size_t *done,
		       struct failure *f)
{
	struct probe_phys_walk walk = r->walk;
	int error;

	walk.rounds = (uint64_t)room * walk.rounds_per_sample;
	error = module_walk(w->buffer, &walk);
	if (error && !ended_early(error))
		return explain(error, f);
	if (walk.nr_samples > SLICES)
		return explain(-EPROTO, f);
	if (!walk.nr_samples)
		return explain(error ? error : -EPROTO, f);
	*done = module_fold(&r->fold, r->slices, walk.nr_samples, samples,
			    room);
	return 0;
}

static int walk_as_is(const struct module_walker *w, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	bool cold = plan->flags & WALK_COLD;
	struct request r = { 0 };
	size_t taken = 0, done = 0;
	int error = request_init(&r, w, s, plan, f);

	while (!error && taken < plan->samples) {
		/* Lines are cold only once: each sample has its own flush. */
		size_t room = cold ? 1 : plan->samples - taken;

		error = request_run(&r, w, samples + taken, room, &done, f);
		if (!error)
			taken += done;
		/* A sample does not go on after another flush. */
		if (cold && !error && !done)
			error = explain(-ETIME, f);
	}
	free(r.slices);
	return error;
}

/* The least of the time, and of counts where they were counted. */
static void lower(const struct sample *sample, unsigned int counters,
		  struct sample *lowest)
{
	bool counted = (sample->counted & counters) == counters;
	bool first = (lowest->counted & counters) != counters;

	if (sample->ticks < lowest->ticks)
		lowest->ticks = sample->ticks;
	for (size_t j = 0; counted && j < MACHINE_COUNTERS; j++)
		if (first || sample->counts[j] < lowest->counts[j])
			lowest->counts[j] = sample->counts[j];
	lowest->counted |= sample->counted;
}

/* The least of each count, and of the ticks: disturbance only adds. */
static int least(const struct module_walker *w, unsigned int loads,
		 struct sample *lowest, struct failure *f)
{
	const struct walk_plan plan = {
		.warm_rounds = 64,
		.loads = loads,
		.samples = 64,
		.counters = w->counters.counted,
	};
	uint64_t offset = 0;
	const struct sequence s = { .offsets = &offset, .length = 1 };
	struct sample samples[64];
	int error = walk_as_is(w, &s, &plan, samples, f);

	if (error)
		return error;
	*lowest = samples[0];
	for (size_t i = 1; i < plan.samples; i++)
		lower(&samples[i], plan.counters, lowest);
	return 0;
}

#define FEW_LOADS 16
#define MANY_LOADS (16 + 256)

/* A line through two points, extrapolated to no loads at all. */
static double at_no_loads(double few, double many)
{
	double per_load = (many - few) / (MANY_LOADS - FEW_LOADS);
	double none = few - FEW_LOADS * per_load;

	return none > 0 ? none : 0;
}

static int measure_empty(const struct module_walker *w, struct sample *empty,
			 struct failure *f)
{
	struct sample few, many;
	int error = least(w, FEW_LOADS, &few, f);

	if (!error)
		error = least(w, MANY_LOADS, &many, f);
	if (error)
		return error;
	*empty = (struct sample){
		.ticks = at_no_loads(few.ticks, many.ticks),
		.counted = few.counted & many.counted,
	};
	for (size_t i = 0; i < MACHINE_COUNTERS; i++)
		empty->counts[i] = at_no_loads(few.counts[i], many.counts[i]);
	return 0;
}

int module_walker_calibrate(struct module_walker *w, struct failure *f)
{
	struct sample empty;
	int error;

	w->clock.overhead_ticks = 0;
	error = measure_empty(w, &empty, f);
	if (!error)
		w->clock.overhead_ticks = empty.ticks;
	return error;
}

int module_walker_walk(struct module_walker *w, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	unsigned int wanted = plan->counters & w->counters.available;
	struct walk_plan granted = *plan;
	struct sample empty;
	bool made = false;
	int error = 0;

	/* Without free counters the walk is still done: its samples say that
	 * nothing was counted.
	 */
	granted.counters = wanted;
	if (wanted && module_counters_select(&w->counters, wanted, &made))
		granted.counters = 0;
	if (made)
		error = measure_empty(w, &empty, f);
	if (made && !error)
		for (size_t i = 0; i < MACHINE_COUNTERS; i++)
			w->counters.overhead[i] = empty.counts[i];
	/* A group of unknown overhead is of no use, now or later. */
	if (made && (error || (empty.counted & wanted) != wanted)) {
		module_counters_close(&w->counters);
		granted.counters = 0;
	}
	return error ? error : walk_as_is(w, s, &granted, samples, f);
}
