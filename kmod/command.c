// SPDX-License-Identifier: GPL-2.0
/* command.c - one function per command, one table per kind of descriptor. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/slab.h>

#include <uapi/linux/probe_phys.h>

#include "buffer.h"
#include "command.h"
#include "counter.h"
#include "dev.h"
#include "flush.h"
#include "info.h"
#include "prefetch.h"
#include "view.h"
#include "walk.h"

/* --- permission ---------------------------------------------------------- */

static int permit_info(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static int permit_memory(void)
{
	return permit_info() ?: security_locked_down(LOCKDOWN_DEV_MEM);
}

static int permit_counters(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_DEV_MEM) ?:
	       security_locked_down(LOCKDOWN_PERF);
}

static int permit_prefetch(void)
{
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	return security_locked_down(LOCKDOWN_DEV_MEM) ?:
	       security_locked_down(LOCKDOWN_MSR);
}

/* --- commands of a session ----------------------------------------------- */

/* Hands a new object to the caller, who gets it when the outputs are out. */
static int offer_file(struct pp_call *call, struct file *file, s32 *fd)
{
	int number;

	if (IS_ERR(file))
		return PTR_ERR(file);
	number = get_unused_fd_flags(O_CLOEXEC);
	if (number < 0) {
		fput(file);
		return number;
	}
	call->made = file;
	call->made_fd = number;
	*fd = number;
	return 0;
}

static int run_info(struct pp_call *call)
{
	struct probe_phys_info *arg = &call->args.info;

	if (arg->reserved)
		return -EINVAL;
	pp_info_fill(arg);
	return 0;
}

static int run_flush_all(struct pp_call *call)
{
	const struct probe_phys_flush_all *arg = &call->args.flush_all;

	if (arg->reserved)
		return -EINVAL;
	if (!(arg->flags & PROBE_PHYS_FLUSH_ALL_CPUS))
		return arg->cpu > INT_MAX ? -ENXIO : pp_flush_all_on(arg->cpu);
	return arg->cpu ? -EINVAL : pp_flush_all_cpus();
}

static int run_prefetch(struct pp_call *call)
{
	struct probe_phys_prefetch *arg = &call->args.prefetch;

	if (arg->reserved)
		return -EINVAL;
	return pp_prefetch_do(call->file->private_data, arg);
}

static int run_buffer_create(struct pp_call *call)
{
	struct probe_phys_buffer_create *arg = &call->args.buffer_create;

	if (arg->walk_page_bytes)
		return -EINVAL;
	return offer_file(call, pp_buffer_create(call->file->private_data, arg),
			  &arg->fd);
}

static int run_counters_create(struct pp_call *call)
{
	struct probe_phys_counters_create *arg = &call->args.counters_create;

	return offer_file(call, pp_counter_create(arg), &arg->fd);
}

static const struct pp_command session_commands[] = {
	{
		.cmd = PROBE_PHYS_IOC_INFO,
		.known_size = sizeof(struct probe_phys_info),
		.permit = permit_info,
		.run = run_info,
	}, {
		.cmd = PROBE_PHYS_IOC_FLUSH_ALL,
		.known_size = sizeof(struct probe_phys_flush_all),
		.known_flags = PROBE_PHYS_FLUSH_ALL_CPUS,
		.permit = permit_memory,
		.run = run_flush_all,
	}, {
		.cmd = PROBE_PHYS_IOC_PREFETCH,
		.known_size = sizeof(struct probe_phys_prefetch),
		.permit = permit_prefetch,
		.run = run_prefetch,
	}, {
		.cmd = PROBE_PHYS_IOC_BUFFER_CREATE,
		.known_size = sizeof(struct probe_phys_buffer_create),
		.out_on_error = true,
		.permit = permit_memory,
		.run = run_buffer_create,
	}, {
		.cmd = PROBE_PHYS_IOC_COUNTERS_CREATE,
		.known_size = sizeof(struct probe_phys_counters_create),
		.known_flags = PROBE_PHYS_COUNTERS_DISABLED,
		.out_on_error = true,
		.permit = permit_counters,
		.run = run_counters_create,
	},
	{}
};

/* --- commands of a buffer ------------------------------------------------ */

static int run_buffer_info(struct pp_call *call)
{
	pp_buffer_info(pp_buffer_from_file(call->file),
		       &call->args.buffer_info);
	return 0;
}

static int run_buffer_extents(struct pp_call *call)
{
	struct pp_buffer *b = pp_buffer_from_file(call->file);
	struct probe_phys_buffer_extents *arg = &call->args.buffer_extents;

	if (!arg->count)
		return -EINVAL;
	if (arg->first >= b->nr_extents) {
		arg->count = 0;
		return 0;
	}
	arg->count = min(arg->count, b->nr_extents - arg->first);
	return pp_dev_put_array(arg->extents, b->extents + arg->first,
				arg->count * sizeof(*b->extents));
}

static int run_buffer_flush(struct pp_call *call)
{
	struct pp_buffer *b = pp_buffer_from_file(call->file);
	const struct probe_phys_buffer_flush *arg = &call->args.buffer_flush;
	int ret;

	ret = pp_buffer_check_range(b, arg->offset, arg->bytes, 1);
	return ret ?: pp_flush_buffer(b, arg->offset, arg->bytes);
}

static int run_view_create(struct pp_call *call)
{
	struct pp_buffer *b = pp_buffer_from_file(call->file);
	struct probe_phys_view_create *arg = &call->args.view_create;

	return offer_file(call, pp_view_create(call->file, b, arg), &arg->fd);
}

static bool has_samples(int ret)
{
	return !ret || ret == -ETIME || ret == -EINTR;
}

static int walk_and_copy(struct pp_call *call, struct pp_counters *c,
			 const u64 *offsets, struct probe_phys_sample *samples)
{
	struct probe_phys_walk *arg = &call->args.walk;
	struct pp_walk_result res = { .samples = samples };
	int ret;

	ret = pp_walk_run(pp_buffer_from_file(call->file), c, arg, offsets,
			  &res);
	if (!has_samples(ret))
		return ret;
	if (pp_dev_put_array(arg->samples, samples,
			     res.nr_samples * sizeof(*samples)))
		return -EFAULT;
	arg->nr_samples = res.nr_samples;
	arg->loads_done = res.loads_done;
	return ret;
}

static int walk_with_counters(struct pp_call *call, struct pp_counters *c)
{
	const struct probe_phys_walk *arg = &call->args.walk;
	struct probe_phys_sample *samples;
	u64 *offsets;
	int ret;

	offsets = kvmalloc_array(arg->nr_offsets, sizeof(*offsets),
				 GFP_KERNEL_ACCOUNT);
	samples = kvcalloc(arg->max_samples, sizeof(*samples),
			   GFP_KERNEL_ACCOUNT);
	ret = offsets && samples ? 0 : -ENOMEM;
	if (!ret)
		ret = pp_dev_get_array(offsets, arg->offsets,
				       arg->nr_offsets * sizeof(*offsets));
	if (!ret)
		ret = walk_and_copy(call, c, offsets, samples);
	kvfree(samples);
	kvfree(offsets);
	return ret;
}

static int run_walk(struct pp_call *call)
{
	struct probe_phys_walk *arg = &call->args.walk;
	struct pp_counters *c;
	struct file *file;
	int ret;

	/* What comes back on error is true from here on. */
	arg->nr_samples = 0;
	arg->loads_done = 0;
	if (arg->reserved)
		return -EINVAL;
	ret = pp_walk_check(arg);
	if (ret)
		return ret;
	if (arg->counters_fd == -1)
		return walk_with_counters(call, NULL);

	ret = permit_counters();
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

static const struct pp_command buffer_commands[] = {
	{
		.cmd = PROBE_PHYS_IOC_BUFFER_INFO,
		.known_size = sizeof(struct probe_phys_buffer_info),
		.permit = permit_memory,
		.run = run_buffer_info,
	}, {
		.cmd = PROBE_PHYS_IOC_BUFFER_EXTENTS,
		.known_size = sizeof(struct probe_phys_buffer_extents),
		.permit = permit_memory,
		.run = run_buffer_extents,
	}, {
		.cmd = PROBE_PHYS_IOC_BUFFER_FLUSH,
		.known_size = sizeof(struct probe_phys_buffer_flush),
		.permit = permit_memory,
		.run = run_buffer_flush,
	}, {
		.cmd = PROBE_PHYS_IOC_VIEW_CREATE,
		.known_size = sizeof(struct probe_phys_view_create),
		.known_flags = PROBE_PHYS_VIEW_EXEC |
			       PROBE_PHYS_VIEW_DESCENDING,
		.permit = permit_memory,
		.run = run_view_create,
	}, {
		.cmd = PROBE_PHYS_IOC_WALK,
		.known_size = sizeof(struct probe_phys_walk),
		.known_flags = PROBE_PHYS_WALK_FLUSH_FIRST,
		.out_on_error = true,
		.permit = permit_memory,
		.run = run_walk,
	},
	{}
};

/* --- commands of a view -------------------------------------------------- */

static int run_view_resolve(struct pp_call *call)
{
	struct probe_phys_view_resolve *arg = &call->args.view_resolve;

	if (arg->reserved)
		return -EINVAL;
	return pp_view_resolve(pp_view_from_file(call->file), arg);
}

static int run_view_flush(struct pp_call *call)
{
	return pp_view_flush(pp_view_from_file(call->file),
			     &call->args.view_flush);
}

static const struct pp_command view_commands[] = {
	{
		.cmd = PROBE_PHYS_IOC_VIEW_RESOLVE,
		.known_size = sizeof(struct probe_phys_view_resolve),
		.permit = permit_memory,
		.run = run_view_resolve,
	}, {
		.cmd = PROBE_PHYS_IOC_VIEW_FLUSH,
		.known_size = sizeof(struct probe_phys_view_flush),
		.known_flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES,
		.permit = permit_memory,
		.run = run_view_flush,
	},
	{}
};

/* --- commands of a counter group ----------------------------------------- */

static int run_counters_control(struct pp_call *call)
{
	const struct probe_phys_counters_control *arg =
		&call->args.counters_control;

	if (arg->reserved)
		return -EINVAL;
	return pp_counter_control(pp_counter_from_file(call->file), arg);
}

static int run_counters_read(struct pp_call *call)
{
	return pp_counter_read(pp_counter_from_file(call->file),
			       &call->args.counters_read);
}

static const struct pp_command counters_commands[] = {
	{
		.cmd = PROBE_PHYS_IOC_COUNTERS_CONTROL,
		.known_size = sizeof(struct probe_phys_counters_control),
		.permit = permit_counters,
		.run = run_counters_control,
	}, {
		.cmd = PROBE_PHYS_IOC_COUNTERS_READ,
		.known_size = sizeof(struct probe_phys_counters_read),
		.permit = permit_counters,
		.run = run_counters_read,
	},
	{}
};

/* --- look-up ------------------------------------------------------------- */

const struct pp_command *pp_command_find(struct file *file, unsigned int cmd)
{
	const struct pp_command *c = session_commands;

	if (_IOC_TYPE(cmd) != PROBE_PHYS_IOC_MAGIC)
		return NULL;
	if (pp_buffer_from_file(file))
		c = buffer_commands;
	else if (pp_view_from_file(file))
		c = view_commands;
	else if (pp_counter_from_file(file))
		c = counters_commands;
	for (; c->run; c++)
		if (_IOC_NR(c->cmd) == _IOC_NR(cmd))
			return c;
	return NULL;
}
