// SPDX-License-Identifier: GPL-2.0
/*
 * walk.c - a walk from beginning to end: checked, laid out, run in slices on a
 * thread bound to its CPU, ended by completion, budget or a fatal signal.
 */
#include <linux/build_bug.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/ktime.h>
#include <linux/topology.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "walk/chain.h"
#include "walk/clock.h"
#include "walk/slice.h"
#include "walk/walk.h"

#define PP_WALK_DEFAULT_BUDGET_NS	(10ULL * NSEC_PER_SEC)
#define PP_WALK_MAX_BUDGET_NS		(60ULL * NSEC_PER_SEC)

/*
 * The thread has a real-time priority. After this time awake, and the slice
 * that is then running, it sleeps: other tasks of the CPU get time, and the
 * scheduler's limit for real-time tasks, 95 % (sched_rt_runtime_us), never
 * applies. In nanoseconds, because a jiffy lasts 1 to 10 ms.
 */
#define PP_WALK_AWAKE_NS		(50ULL * NSEC_PER_MSEC)
#define PP_WALK_NAP_NS			(4ULL * NSEC_PER_MSEC)

static_assert((PP_WALK_AWAKE_NS + PROBE_PHYS_MAX_SLICE_NS) * 100 <
	      (PP_WALK_AWAKE_NS + PROBE_PHYS_MAX_SLICE_NS + PP_WALK_NAP_NS) *
	      95);

/**
 * struct pp_walker - all of one walk
 * @live: the part that netlink shows
 * @arg: the command's struct
 * @chain: the sequence
 * @slicer: progress through the sequence
 * @res: the samples and their number
 * @done: the thread has ended the walk
 * @end_ns: when the budget is used up
 * @awake_ns: when the thread last slept
 * @overlong: samples with PROBE_PHYS_SAMPLE_LATE
 * @smi: samples with PROBE_PHYS_SAMPLE_SMI
 */
struct pp_walker {
	struct pp_walk live;
	const struct probe_phys_walk *arg;
	struct pp_chain chain;
	struct pp_slicer slicer;
	struct pp_walk_result *res;
	struct completion done;
	u64 end_ns;
	u64 awake_ns;
	u64 overlong;
	u64 smi;
};

int pp_walk_check(const struct probe_phys_walk *arg)
{
	if (arg->flags & ~PROBE_PHYS_WALK_FLUSH_FIRST || !arg->rounds)
		return -EINVAL;
	if (!arg->nr_offsets || arg->nr_offsets > PROBE_PHYS_MAX_WALK_OFFSETS)
		return -EINVAL;
	if (!arg->max_samples || arg->max_samples > PROBE_PHYS_MAX_WALK_SAMPLES)
		return -EINVAL;
	if (arg->budget_ns > PP_WALK_MAX_BUDGET_NS ||
	    arg->slice_ns > PROBE_PHYS_MAX_SLICE_NS)
		return -EINVAL;
	if (arg->cpu != -1 &&
	    ((u32)arg->cpu >= nr_cpu_ids || !cpu_online(arg->cpu)))
		return -ENXIO;
	return 0;
}

/* Loads of some rounds; no budget allows a number that overflows. */
static u64 pp_walk_loads(u64 rounds, u32 nr)
{
	u64 loads;

	return check_mul_overflow(rounds, (u64)nr, &loads) ? U64_MAX : loads;
}

/* Between two slices: let other tasks run, check whether to go on. */
static int pp_walk_between(struct pp_walker *w)
{
	u64 now = ktime_get_ns();

	if (kthread_should_stop())
		return -EINTR;
	if (now >= w->end_ns)
		return -ETIME;
	if (now - w->awake_ns >= PP_WALK_AWAKE_NS) {
		usleep_idle_range(PP_WALK_NAP_NS / NSEC_PER_USEC,
				  PP_WALK_NAP_NS / NSEC_PER_USEC * 5 / 4);
		w->awake_ns = ktime_get_ns();
	}
	cond_resched();
	return 0;
}

static int pp_walk_warm(struct pp_walker *w, u64 left, u64 *done)
{
	int ret = pp_walk_between(w);

	return ret ?: pp_slice_warm(&w->slicer, left, done);
}

/*
 * The warm-up also shows how fast the walk is. Without one, a slice of the
 * loads that precede each sample shows it.
 */
static int pp_walk_warmup(struct pp_walker *w)
{
	u64 left = pp_walk_loads(w->arg->warmup_rounds, w->chain.nr);
	u64 done;
	int ret;

	if (!left && w->slicer.rewarm)
		return pp_walk_warm(w, w->slicer.rewarm, &done);
	while (left) {
		ret = pp_walk_warm(w, left, &done);
		if (ret)
			return ret;
		left -= done;
	}
	return 0;
}

static void pp_walk_count(struct pp_walker *w,
			  const struct probe_phys_sample *sample)
{
	struct pp_walk_result *res = w->res;

	res->nr_samples++;
	res->loads_done += sample->loads;
	WRITE_ONCE(w->live.loads_done, res->loads_done);
	w->overlong += !!(sample->flags & PROBE_PHYS_SAMPLE_LATE);
	w->smi += !!(sample->flags & PROBE_PHYS_SAMPLE_SMI);
}

static int pp_walk_measure(struct pp_walker *w)
{
	u64 left = pp_walk_loads(w->arg->rounds, w->chain.nr);

	while (left && w->res->nr_samples < w->arg->max_samples) {
		struct probe_phys_sample *sample;
		int ret;

		sample = &w->res->samples[w->res->nr_samples];
		ret = pp_walk_between(w);
		if (!ret)
			ret = pp_slice_measure(&w->slicer, left, sample);
		if (ret == -EAGAIN)
			continue;
		if (ret)
			return ret;
		left -= sample->loads;
		pp_walk_count(w, sample);
	}
	return 0;
}

static int pp_walk_thread(void *data)
{
	struct pp_walker *w = data;
	int ret;

	sched_set_fifo_low(current);
	w->awake_ns = ktime_get_ns();
	w->end_ns = w->awake_ns + (w->arg->budget_ns ?:
				   PP_WALK_DEFAULT_BUDGET_NS);
	pp_disturb_init(&w->slicer.disturb);
	ret = pp_walk_warmup(w);
	if (!ret)
		ret = pp_walk_measure(w);
	complete(&w->done);
	return ret;
}

/*
 * CPU hotplug is not blocked while the walk runs: when the CPU goes offline,
 * the scheduler moves the thread, and the next slice runs on another CPU and
 * fails.
 */
static int pp_walk_go(struct pp_walker *w)
{
	struct task_struct *t;
	int ret;

	init_completion(&w->done);
	t = kthread_create_on_node(pp_walk_thread, w, cpu_to_node(w->live.cpu),
				   "probe_phys/%d", w->live.cpu);
	if (IS_ERR(t))
		return PTR_ERR(t);
	kthread_bind(t, w->live.cpu);
	get_task_struct(t);
	wake_up_process(t);
	/* A fatal signal ends the wait; kthread_stop() then ends the walk. */
	if (wait_for_completion_killable(&w->done))
		pr_debug("walk %llu: killed\n", w->live.obj.id);
	ret = kthread_stop(t);
	put_task_struct(t);
	return ret;
}

static void pp_walk_report(struct pp_walker *w)
{
	const struct pp_object *obj = &w->live.obj;
	u32 clock = pp_disturb_clock(&w->slicer.disturb);
	int cpu = w->live.cpu;

	pp_stats_add(PP_STAT_LOADS, w->res->loads_done);
	pp_stats_add(PP_STAT_LATE_SAMPLES, w->overlong);
	if (w->overlong)
		pp_event(PROBE_PHYS_EVENT_WALK_DISTURBED, obj, cpu, w->overlong);
	if (w->smi)
		pp_event(PROBE_PHYS_EVENT_SMI, obj, cpu, w->smi);
	if (clock)
		pp_event(PROBE_PHYS_EVENT_FREQUENCY, NULL, cpu, clock);
}

/* The buffer is frozen: lay the chain out and walk it. */
static int pp_walk_frozen(struct pp_walker *w)
{
	int ret;

	ret = pp_chain_lay(&w->chain);
	if (!ret && w->arg->flags & PROBE_PHYS_WALK_FLUSH_FIRST)
		ret = pp_chain_flush(&w->chain);
	if (ret)
		return ret;
	ret = pp_object_add(&w->live.obj, PP_OBJECT_WALK);
	if (ret)
		return ret;
	pp_stats_add(PP_STAT_WALKS_STARTED, 1);
	ret = pp_walk_go(w);
	pp_walk_report(w);
	pp_stats_add(PP_STAT_WALKS_ENDED, 1);
	pp_object_del(&w->live.obj);
	return ret;
}

static void pp_walk_init(struct pp_walker *w, const struct pp_buffer *b,
			 struct pp_counters *c, int cpu)
{
	const struct probe_phys_walk *arg = w->arg;
	struct pp_slicer *s = &w->slicer;

	w->live.buffer_id = b->obj.id;
	w->live.cpu = cpu;
	w->live.nr_offsets = arg->nr_offsets;
	s->chain = &w->chain;
	s->counters = c;
	s->cpu = cpu;
	s->slice_ticks = pp_clock_from_ns(arg->slice_ns ?:
					  PROBE_PHYS_DEFAULT_SLICE_NS);
	s->rewarm = pp_walk_loads(arg->rewarm_rounds, arg->nr_offsets);
	s->group = pp_walk_loads(arg->rounds_per_sample, arg->nr_offsets);
	s->at = pp_chain_at(&w->chain, 0);
}

int pp_walk_run(struct pp_buffer *b, struct pp_counters *c,
		const struct probe_phys_walk *arg, const u64 *offsets,
		struct pp_walk_result *res)
{
	int cpu = arg->cpu < 0 ? (int)raw_smp_processor_id() : arg->cpu;
	struct pp_walker *w;
	int ret;

	res->nr_samples = 0;
	res->loads_done = 0;
	if (c && c->cpu != cpu)
		return -EINVAL;
	if (arg->flags & PROBE_PHYS_WALK_FLUSH_FIRST && !pp_flush_line_bytes())
		return -EOPNOTSUPP;
	w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return -ENOMEM;
	w->arg = arg;
	w->res = res;
	ret = pp_chain_check(&w->chain, b, offsets, arg->nr_offsets);
	if (ret)
		goto out_free;
	pp_walk_init(w, b, c, cpu);
	ret = pp_buffer_freeze(b);
	if (ret)
		goto out_free;
	ret = pp_walk_frozen(w);
	pp_buffer_thaw(b);
out_free:
	kfree(w);
	return ret;
}
