// SPDX-License-Identifier: GPL-2.0
/* permit.c - the permission that each kind of command needs. */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/security.h>

#include "base/permit.h"

int pp_permit_info(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

int pp_permit_memory(void)
{
	return pp_permit_info() ?: security_locked_down(LOCKDOWN_DEV_MEM);
}

int pp_permit_counters(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_DEV_MEM) ?:
	       security_locked_down(LOCKDOWN_PERF);
}

int pp_permit_prefetch(void)
{
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	return security_locked_down(LOCKDOWN_DEV_MEM) ?:
	       security_locked_down(LOCKDOWN_MSR);
}
