// SPDX-License-Identifier: GPL-2.0
/* slice.c - the only code of the module that runs with interrupts off. */
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/ktime.h>

#include "walk/clock.h"
#include "walk/slice.h"

/*
 * Loads between two readings of the clock: enough to hide the reading behind
 * them, and at a microsecond per load still a small part of a slice.
 */
#define PP_LOOK_LOADS	64U

/* Most loads expected to fit half a slice, as a multiple of timed loads. */
#define PP_MOST_FASTER	8U

/**
 * struct pp_stamp - all that is read at one end of a measurement
 * @ticks: time-stamp counter
 * @ns: kernel clock
 * @counters: values of the group
 * @running: all of the group counted
 */
struct pp_stamp {
	u64 ticks;
	u64 ns;
	u64 counters[PROBE_PHYS_MAX_COUNTERS];
	bool running;
};

static bool pp_slice_over(u64 now, u64 deadline)
{
	return (s64)(now - deadline) >= 0;
}

static noinline u64 pp_slice_chase(struct pp_slicer *s, u64 loads, u64 deadline)
{
	const void *base = s->chain->base;
	u64 mask = s->chain->mask;
	u64 at = s->at;
	u64 done = 0;

	/*
	 * Kept in registers: reading them again from memory would bring lines
	 * into the caches that do not belong to the sequence.
	 */
	OPTIMIZER_HIDE_VAR(base);
	OPTIMIZER_HIDE_VAR(mask);
	while (done < loads) {
		u32 n = min_t(u64, loads - done, PP_LOOK_LOADS);

		at = pp_chain_chase(base, mask, at, n);
		done += n;
		if (pp_slice_over(pp_clock_look(), deadline))
			break;
	}
	s->at = at;
	return done;
}

/* The most that rewarm loads may take: each slice has to measure something. */
static u64 pp_slice_half(const struct pp_slicer *s)
{
	return s->slice_ticks / 2;
}

/*
 * Learn from a timed number of loads how many fit half a slice. An eighth of
 * the time is kept for slower loads. A few loads show little, because the clock
 * may be read before they complete: PP_MOST_FASTER times as many is the most.
 * One slow slice shows little, because a hypervisor may have taken the CPU: the
 * estimate falls by half at most.
 */
static void pp_slice_learn(struct pp_slicer *s, u64 loads, u64 ticks)
{
	u64 fit = div64_u64(pp_slice_half(s) * loads, max_t(u64, ticks, 1));

	fit = min(fit - fit / 8, PP_MOST_FASTER * loads);
	s->fitted = max3(fit, s->fitted / 2, (u64)PP_LOOK_LOADS);
}

/* The position that lies @loads loads before that of the walk. */
static u64 pp_slice_before(const struct pp_slicer *s, u64 loads)
{
	u32 nr = s->chain->nr, back;

	div_u64_rem(loads, nr, &back);
	return pp_chain_at(s->chain, s->pos >= back ? s->pos - back :
						      s->pos + (nr - back));
}

/*
 * Bring back lines that were evicted between the slices, by as many loads as
 * fit half the slice: the loads that end at the walk's position. The loads that
 * start there would leave the next measured lines just loaded, while in the
 * order of the sequence their last load is a round ago. Return: whether the
 * loads ended in time; otherwise nothing can be measured.
 */
static bool pp_slice_rewarm(struct pp_slicer *s, u64 loads, u64 start)
{
	u64 limit = pp_slice_half(s) + pp_slice_half(s) / 2;
	u64 at = s->at;
	u64 done;

	if (!loads)
		return true;
	s->at = pp_slice_before(s, loads);
	done = pp_slice_chase(s, loads, start + limit);
	pp_slice_learn(s, done, pp_clock_look() - start);
	if (done == loads)
		return true;
	s->at = at;
	return false;
}

/* As many whole rounds as are likely to fit before the deadline. */
static u64 pp_slice_fit(struct pp_slicer *s, u64 left, u64 deadline)
{
	u32 round = s->chain->nr;
	u64 begin = pp_clock_look();
	u64 step = (u64)round * DIV_ROUND_UP(PP_LOOK_LOADS, round);
	u64 done = 0;

	for (;;) {
		u64 got, now, fit;

		step = min(step, left - done);
		got = pp_slice_chase(s, step, deadline);
		done += got;
		now = pp_clock_look();
		if (got < step || done == left || pp_slice_over(now, deadline))
			break;
		/* An eighth of the time is kept for slower rounds. */
		fit = div64_u64((deadline - now) * done, now - begin + 1);
		step = div_u64(fit - fit / 8, round) * round;
		if (!step)
			break;
	}
	return done;
}

/* The measured loads of one slice. @split: (out) they make up no group. */
static u64 pp_slice_loads(struct pp_slicer *s, u64 left, u64 deadline,
			  bool *split)
{
	u64 done, want = s->rest;
	u32 part;

	*split = want;
	if (!want && !s->group) {
		done = pp_slice_fit(s, left, deadline);
		div_u64_rem(done, s->chain->nr, &part);
		s->rest = part ? s->chain->nr - part : 0;
	} else {
		if (!want)
			want = min(s->group, left);
		done = pp_slice_chase(s, want, deadline);
		s->rest = want - done;
	}
	if (s->rest)
		*split = true;
	return done;
}

/* The clock is read last: it is the innermost of the three. */
static __always_inline void pp_slice_begin(struct pp_slicer *s,
					   struct pp_stamp *stamp)
{
	stamp->running = !s->counters ||
			 pp_counter_read_local(s->counters, stamp->counters);
	stamp->ns = ktime_get_mono_fast_ns();
	stamp->ticks = pp_clock_begin();
}

static __always_inline void pp_slice_end(struct pp_slicer *s,
					 struct pp_stamp *stamp)
{
	stamp->ticks = pp_clock_end();
	stamp->ns = ktime_get_mono_fast_ns();
	stamp->running = !s->counters ||
			 pp_counter_read_local(s->counters, stamp->counters);
}

static void pp_slice_fill(struct pp_slicer *s, struct probe_phys_sample *sample,
			  const struct pp_stamp *begin,
			  const struct pp_stamp *end)
{
	u32 i;

	sample->ticks = end->ticks - begin->ticks;
	sample->ns = end->ns - begin->ns;
	if (!begin->running || !end->running)
		sample->flags |= PROBE_PHYS_SAMPLE_MULTIPLEXED;
	if (!s->counters)
		return;
	sample->nr_counters = s->counters->nr_events;
	for (i = 0; i < sample->nr_counters; i++)
		sample->counters[i] = end->counters[i] - begin->counters[i];
}

/* After a slice: move the position on and check it against memory. */
static int pp_slice_arrive(struct pp_slicer *s, u64 done)
{
	div_u64_rem(s->pos + done, s->chain->nr, &s->pos);
	return s->at == pp_chain_at(s->chain, s->pos) ? 0 : -EIO;
}

int pp_slice_warm(struct pp_slicer *s, u64 loads, u64 *done)
{
	unsigned long flags;
	u64 start;

	*done = 0;
	local_irq_save(flags);
	if (smp_processor_id() != s->cpu) {
		local_irq_restore(flags);
		return -ENXIO;
	}
	start = pp_clock_look();
	*done = pp_slice_chase(s, loads, start + s->slice_ticks);
	pp_slice_learn(s, *done, pp_clock_look() - start);
	local_irq_restore(flags);
	return pp_slice_arrive(s, *done);
}

int pp_slice_measure(struct pp_slicer *s, u64 left,
		     struct probe_phys_sample *sample)
{
	u64 loads = min(s->rewarm, s->fitted);
	struct pp_stamp begin, end;
	unsigned long flags;
	bool split, smi;
	u64 start, took;

	memset(sample, 0, sizeof(*sample));
	local_irq_save(flags);
	if (smp_processor_id() != s->cpu) {
		local_irq_restore(flags);
		return -ENXIO;
	}
	start = pp_clock_look();
	pp_disturb_begin(&s->disturb);
	if (!pp_slice_rewarm(s, loads, start)) {
		local_irq_restore(flags);
		return -EAGAIN;
	}
	pp_slice_begin(s, &begin);
	sample->loads = pp_slice_loads(s, left, start + s->slice_ticks, &split);
	pp_slice_end(s, &end);
	smi = pp_disturb_end(&s->disturb);
	took = pp_clock_look() - start;
	local_irq_restore(flags);

	pp_slice_fill(s, sample, &begin, &end);
	if (took > 2 * s->slice_ticks)
		sample->flags |= PROBE_PHYS_SAMPLE_LATE;
	if (loads < s->rewarm || split)
		sample->flags |= PROBE_PHYS_SAMPLE_SPLIT;
	if (smi)
		sample->flags |= PROBE_PHYS_SAMPLE_SMI;
	return pp_slice_arrive(s, sample->loads);
}
