// SPDX-License-Identifier: GPL-2.0
/*
 * counter.c - groups of perf counters, reserved through perf's kernel interface
 * and pinned, so that they count all the time or report that they do not.
 */
#include <linux/anon_inodes.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/base.h"
#include "cpu/counter.h"

#define PP_EVENT_FLAGS	(PROBE_PHYS_EVENT_EXCLUDE_USER | \
			 PROBE_PHYS_EVENT_EXCLUDE_KERNEL | \
			 PROBE_PHYS_EVENT_EXCLUDE_HV)

static void pp_counter_free(struct pp_counters *c)
{
	u32 i;

	for (i = 0; i < c->nr_events; i++)
		perf_event_release_kernel(c->events[i]);
	kfree(c);
}

static int pp_counter_release(struct inode *inode, struct file *file)
{
	struct pp_counters *c = file->private_data;

	pp_object_del(&c->obj);
	pp_counter_free(c);
	pp_stats_add(PP_STAT_COUNTERS_DESTROYED, 1);
	return 0;
}

static long ioctl_counters(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	return pp_command_ioctl(PP_ON_COUNTERS, file, cmd, arg);
}

static const struct file_operations pp_counter_fops = {
	.owner = THIS_MODULE,
	.release = pp_counter_release,
	.unlocked_ioctl = ioctl_counters,
	.compat_ioctl = compat_ptr_ioctl,
};

struct pp_counters *pp_counter_from_file(struct file *file)
{
	return file->f_op == &pp_counter_fops ? file->private_data : NULL;
}

static int pp_counter_check(struct probe_phys_counters_create *arg)
{
	u32 i;

	if (!arg->nr_events || arg->nr_events > PROBE_PHYS_MAX_COUNTERS)
		return -EINVAL;
	for (i = 0; i < PROBE_PHYS_MAX_COUNTERS; i++) {
		const struct probe_phys_event *e = &arg->events[i];

		if (i < arg->nr_events ? !(e->flags & ~PP_EVENT_FLAGS) :
		    !memchr_inv(e, 0, sizeof(*e)))
			continue;
		arg->failed_event = i;
		return -EINVAL;
	}
	if (arg->cpu != -1 &&
	    ((u32)arg->cpu >= nr_cpu_ids || !cpu_online(arg->cpu)))
		return -ENXIO;
	return 0;
}

static struct perf_event *pp_counter_event(const struct probe_phys_event *e,
					   int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = e->type,
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.disabled = 1,
		.pinned = 1,
		.exclude_user = !!(e->flags & PROBE_PHYS_EVENT_EXCLUDE_USER),
		.exclude_kernel = !!(e->flags & PROBE_PHYS_EVENT_EXCLUDE_KERNEL),
		.exclude_hv = !!(e->flags & PROBE_PHYS_EVENT_EXCLUDE_HV),
	};

	return perf_event_create_kernel_counter(&attr, cpu,
						cpu < 0 ? current : NULL,
						NULL, NULL);
}

static int pp_counter_open(struct pp_counters *c,
			   struct probe_phys_counters_create *arg)
{
	u32 i;

	for (i = 0; i < arg->nr_events; i++) {
		struct perf_event *e = pp_counter_event(&arg->events[i],
							c->cpu);

		if (IS_ERR(e)) {
			arg->failed_event = i;
			return PTR_ERR(e);
		}
		c->events[c->nr_events++] = e;
	}
	return 0;
}

static void pp_counter_switch(struct pp_counters *c, bool on)
{
	u32 i;

	for (i = 0; i < c->nr_events; i++) {
		if (on)
			perf_event_enable(c->events[i]);
		else
			perf_event_disable(c->events[i]);
	}
}

struct file *pp_counter_create(struct probe_phys_counters_create *arg)
{
	struct pp_counters *c;
	struct file *file;
	int ret;

	arg->failed_event = -1;
	ret = pp_counter_check(arg);
	if (ret)
		return ERR_PTR(ret);
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->cpu = arg->cpu;
	ret = pp_counter_open(c, arg);
	if (ret)
		goto out_free;
	ret = pp_object_add(&c->obj, PP_OBJECT_COUNTERS);
	if (ret)
		goto out_free;
	/* Started only when all exist, so that they cover the same time. */
	if (!(arg->flags & PROBE_PHYS_COUNTERS_DISABLED))
		pp_counter_switch(c, true);
	file = anon_inode_getfile("[probe_phys_counters]", &pp_counter_fops, c,
				  O_RDWR | O_CLOEXEC);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto out_del;
	}
	arg->id = c->obj.id;
	pp_stats_add(PP_STAT_COUNTERS_CREATED, 1);
	return file;

out_del:
	pp_object_del(&c->obj);
out_free:
	pp_counter_free(c);
	return ERR_PTR(ret);
}

int pp_counter_control(struct pp_counters *c,
		       const struct probe_phys_counters_control *arg)
{
	if (arg->op != PROBE_PHYS_COUNTERS_STOP &&
	    arg->op != PROBE_PHYS_COUNTERS_START)
		return -EINVAL;
	pp_counter_switch(c, arg->op == PROBE_PHYS_COUNTERS_START);
	return 0;
}

int pp_counter_read(struct pp_counters *c, struct probe_phys_counters_read *arg)
{
	u32 i;

	memset(arg->values, 0, sizeof(arg->values));
	arg->nr_events = c->nr_events;
	arg->state = 0;
	for (i = 0; i < c->nr_events; i++) {
		struct perf_event *e = c->events[i];
		u64 enabled, running;

		arg->values[i].value = perf_event_read_value(e, &enabled,
							     &running);
		arg->values[i].enabled_ns = enabled;
		arg->values[i].running_ns = running;
		if (running < enabled)
			arg->state |= PROBE_PHYS_COUNTERS_MULTIPLEXED;
		if (READ_ONCE(e->state) == PERF_EVENT_STATE_ERROR)
			arg->state |= PROBE_PHYS_COUNTERS_ERROR;
	}
	return 0;
}

bool pp_counter_read_local(struct pp_counters *c, u64 *values)
{
	int cpu = smp_processor_id();
	bool running = true;
	u32 i;

	/*
	 * Interrupts are off, so perf cannot move an event that counts here:
	 * scheduling events in and out needs this CPU.
	 */
	for (i = 0; i < c->nr_events; i++) {
		struct perf_event *e = c->events[i];

		if (READ_ONCE(e->oncpu) == cpu)
			e->pmu->read(e);
		else
			running = false;
		values[i] = local64_read(&e->count);
	}
	return running;
}
