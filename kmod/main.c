// SPDX-License-Identifier: GPL-2.0
/* main.c - starts all parts in order and stops them in reverse. */
#include <linux/init.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "dev/dev.h"
#include "mem/mem.h"
#include "netlink/netlink.h"
#include "walk/walk.h"

static const struct pp_command *const commands[] = {
	pp_dev_commands,
	pp_cpu_commands,
	pp_mem_commands,
	pp_walk_commands,
	NULL
};

static int __init probe_phys_init(void)
{
	int ret;

	pp_command_init(commands);
	ret = pp_prefetch_init();
	if (ret)
		return ret;

	ret = pp_netlink_init();
	if (ret)
		goto uninit_prefetch;

	/* Last: now user space can open the device. */
	ret = pp_dev_init();
	if (ret)
		goto uninit_netlink;

	pr_info("version " PP_VERSION " loaded\n");
	return 0;

uninit_netlink:
	pp_netlink_uninit();
uninit_prefetch:
	pp_prefetch_uninit();
	return ret;
}

static void __exit probe_phys_exit(void)
{
	pp_dev_uninit();
	pp_netlink_uninit();
	pp_prefetch_uninit();
}

module_init(probe_phys_init);
module_exit(probe_phys_exit);

MODULE_DESCRIPTION("Memory, counters and timed walks to measure caches with");
MODULE_AUTHOR("The probe-phys developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PP_VERSION);
MODULE_ALIAS_GENL_FAMILY(PROBE_PHYS_GENL_NAME);
MODULE_ALIAS("devname:probe_phys");
