// SPDX-License-Identifier: GPL-2.0
/* commands.c - the ioctl command WALK. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "walk/walk.h"

static bool has_samples(int ret)
{
	return !ret || ret == -ETIME || ret == -EINTR;
}

static int walk_and_copy(struct pp_call *call, struct pp_counters *c,
			 const u64 *offsets, struct probe_phys_sample *samples)
{
	struct probe_phys_walk *arg = call->arg;
	struct pp_walk_result res = { .samples = samples };
	int ret;

	ret = pp_walk_run(call->file->private_data, c, arg, offsets, &res);
	if (!has_samples(ret))
		return ret;
	if (pp_uaccess_put_array(arg->samples, samples,
				 res.nr_samples * sizeof(*samples)))
		return -EFAULT;
	arg->nr_samples = res.nr_samples;
	arg->loads_done = res.loads_done;
	return ret;
}

static int walk_with_counters(struct pp_call *call, struct pp_counters *c)
{
	const struct probe_phys_walk *arg = call->arg;
	struct probe_phys_sample *samples;
	u64 *offsets;
	int ret;

	offsets = kvmalloc_array(arg->nr_offsets, sizeof(*offsets),
				 GFP_KERNEL_ACCOUNT);
	samples = kvcalloc(arg->max_samples, sizeof(*samples),
			   GFP_KERNEL_ACCOUNT);
	ret = offsets && samples ? 0 : -ENOMEM;
	if (!ret)
		ret = pp_uaccess_get_array(offsets, arg->offsets,
					   arg->nr_offsets * sizeof(*offsets));
	if (!ret)
		ret = walk_and_copy(call, c, offsets, samples);
	kvfree(samples);
	kvfree(offsets);
	return ret;
}

static int run_walk(struct pp_call *call)
{
	struct probe_phys_walk *arg = call->arg;
	struct pp_counters *c;
	struct file *file;
	int ret;

	/* The outputs are written back also when the walk is refused. */
	arg->nr_samples = 0;
	arg->loads_done = 0;
	if (arg->reserved)
		return -EINVAL;
	ret = pp_walk_check(arg);
	if (ret)
		return ret;
	if (arg->counters_fd == -1)
		return walk_with_counters(call, NULL);

	ret = pp_permit_counters();
	if (ret)
		return ret;
	file = fget(arg->counters_fd);
	if (!file)
		return -EBADF;
	c = pp_counter_from_file(file);
	ret = c ? walk_with_counters(call, c) : -EINVAL;
	fput(file);
	return ret;
}

const struct pp_command pp_walk_commands[] = {
	{
		.on = PP_ON_BUFFER,
		.cmd = PROBE_PHYS_IOC_WALK,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_walk),
		.known_flags = PROBE_PHYS_WALK_FLUSH_FIRST,
		.out_on_error = true,
		.permit = pp_permit_memory,
		.run = run_walk,
	},
	{}
};
