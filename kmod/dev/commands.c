// SPDX-License-Identifier: GPL-2.0
/* commands.c - the ioctl command INFO. */
#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "dev/dev.h"

static int run_info(struct pp_call *call)
{
	struct probe_phys_info *arg = call->arg;

	if (arg->reserved)
		return -EINVAL;
	pp_info_fill(arg);
	return 0;
}

const struct pp_command pp_dev_commands[] = {
	{
		.on = PP_ON_SESSION,
		.cmd = PROBE_PHYS_IOC_INFO,
		.known_bytes = PP_ARG_BYTES(struct probe_phys_info),
		.permit = pp_permit_info,
		.run = run_info,
	},
	{}
};
