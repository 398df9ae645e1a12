// SPDX-License-Identifier: GPL-2.0
/* commands.c - the ioctl commands about CPUs and their counters. */
#include <linux/fs.h>
#include <linux/limits.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "cpu/cpu.h"

static int run_flush_all(struct pp_call *call)
{
	const struct probe_phys_flush_all *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	if (!(arg->flags & PROBE_PHYS_FLUSH_ALL_CPUS))
		return arg->cpu > INT_MAX ? -ENXIO : pp_flush_all_on(arg->cpu);
	return arg->cpu ? -EINVAL : pp_flush_all_cpus();
}

static int run_prefetch(struct pp_call *call)
{
	struct probe_phys_prefetch *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	return pp_prefetch_do(call->file->private_data, arg);
}

static int run_counters_create(struct pp_call *call)
{
	struct probe_phys_counters_create *arg = call->arg;

	return pp_command_offer(call, pp_counter_create(arg), &arg->fd);
}

static int run_counters_control(struct pp_call *call)
{
	const struct probe_phys_counters_control *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	return pp_counter_control(call->file->private_data, arg);
}

static int run_counters_read(struct pp_call *call)
{
	return pp_counter_read(call->file->private_data, call->arg);
}

const struct pp_command pp_cpu_commands[] = {
	{
		.on = PP_ON_SESSION,
		.cmd = PROBE_PHYS_IOC_FLUSH_ALL,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_flush_all),
		.known_flags = PROBE_PHYS_FLUSH_ALL_CPUS,
		.permit = pp_permit_memory,
		.run = run_flush_all,
	}, {
		.on = PP_ON_SESSION,
		.cmd = PROBE_PHYS_IOC_PREFETCH,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_prefetch),
		.permit = pp_permit_prefetch,
		.run = run_prefetch,
	}, {
		.on = PP_ON_SESSION,
		.cmd = PROBE_PHYS_IOC_COUNTERS_CREATE,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_counters_create),
		.known_flags = PROBE_PHYS_COUNTERS_DISABLED,
		.out_on_error = true,
		.permit = pp_permit_counters,
		.run = run_counters_create,
	}, {
		.on = PP_ON_COUNTERS,
		.cmd = PROBE_PHYS_IOC_COUNTERS_CONTROL,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_counters_control),
		.permit = pp_permit_counters,
		.run = run_counters_control,
	}, {
		.on = PP_ON_COUNTERS,
		.cmd = PROBE_PHYS_IOC_COUNTERS_READ,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_counters_read),
		.permit = pp_permit_counters,
		.run = run_counters_read,
	},
	{}
};
