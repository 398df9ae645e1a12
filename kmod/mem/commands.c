// SPDX-License-Identifier: GPL-2.0
/* commands.c - the ioctl commands about buffers and views. */
#include <linux/fs.h>
#include <linux/minmax.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "mem/mem.h"

static int run_buffer_create(struct pp_call *call)
{
	struct probe_phys_buffer_create *arg = call->arg;
	struct file *file;

	if (arg->walk_page_bytes)
		return -EINVAL;
	file = pp_buffer_create(call->file->private_data, arg);
	return pp_command_offer(call, file, &arg->fd);
}

static int run_buffer_info(struct pp_call *call)
{
	pp_buffer_info(call->file->private_data, call->arg);
	return 0;
}

static int run_buffer_extents(struct pp_call *call)
{
	struct pp_buffer *b = call->file->private_data;
	struct probe_phys_buffer_extents *arg = call->arg;

	if (!arg->count)
		return -EINVAL;
	if (arg->first >= b->nr_extents) {
		arg->count = 0;
		return 0;
	}
	arg->count = min(arg->count, b->nr_extents - arg->first);
	return pp_uaccess_put_array(arg->extents, b->extents + arg->first,
				    arg->count * sizeof(*b->extents));
}

static int run_buffer_flush(struct pp_call *call)
{
	struct pp_buffer *b = call->file->private_data;
	const struct probe_phys_buffer_flush *arg = call->arg;
	int ret;

	ret = pp_buffer_check_range(b, arg->offset, arg->bytes, 1);
	return ret ?: pp_buffer_flush(b, arg->offset, arg->bytes);
}

static int run_view_create(struct pp_call *call)
{
	struct probe_phys_view_create *arg = call->arg;
	struct file *file;

	file = pp_view_create(call->file, call->file->private_data, arg);
	return pp_command_offer(call, file, &arg->fd);
}

static int run_view_resolve(struct pp_call *call)
{
	struct probe_phys_view_resolve *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	return pp_view_resolve(call->file->private_data, arg);
}

static int run_view_flush(struct pp_call *call)
{
	return pp_view_flush(call->file->private_data, call->arg);
}

static int run_view_accessed(struct pp_call *call)
{
	struct probe_phys_view_accessed *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	return pp_view_accessed(call->file->private_data, arg);
}

const struct pp_command pp_mem_commands[] = {
	{
		.on = PP_ON_SESSION,
		.cmd = PROBE_PHYS_IOC_BUFFER_CREATE,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_buffer_create),
		.out_on_error = true,
		.permit = pp_permit_memory,
		.run = run_buffer_create,
	}, {
		.on = PP_ON_BUFFER,
		.cmd = PROBE_PHYS_IOC_BUFFER_INFO,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_buffer_info),
		.permit = pp_permit_memory,
		.run = run_buffer_info,
	}, {
		.on = PP_ON_BUFFER,
		.cmd = PROBE_PHYS_IOC_BUFFER_EXTENTS,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_buffer_extents),
		.permit = pp_permit_memory,
		.run = run_buffer_extents,
	}, {
		.on = PP_ON_BUFFER,
		.cmd = PROBE_PHYS_IOC_BUFFER_FLUSH,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_buffer_flush),
		.permit = pp_permit_memory,
		.run = run_buffer_flush,
	}, {
		.on = PP_ON_BUFFER,
		.cmd = PROBE_PHYS_IOC_VIEW_CREATE,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_view_create),
		.known_flags = PROBE_PHYS_VIEW_EXEC |
			       PROBE_PHYS_VIEW_DESCENDING,
		.permit = pp_permit_memory,
		.run = run_view_create,
	}, {
		.on = PP_ON_VIEW,
		.cmd = PROBE_PHYS_IOC_VIEW_RESOLVE,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_view_resolve),
		.permit = pp_permit_memory,
		.run = run_view_resolve,
	}, {
		.on = PP_ON_VIEW,
		.cmd = PROBE_PHYS_IOC_VIEW_FLUSH,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_view_flush),
		.known_flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES,
		.permit = pp_permit_memory,
		.run = run_view_flush,
	}, {
		.on = PP_ON_VIEW,
		.cmd = PROBE_PHYS_IOC_VIEW_ACCESSED,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_view_accessed),
		.known_flags = PROBE_PHYS_VIEW_ACCESSED_CLEAR,
		.permit = pp_permit_memory,
		.run = run_view_accessed,
	},
	{}
};
