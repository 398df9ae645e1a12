// SPDX-License-Identifier: GPL-2.0
/* flush.c - the part of flushing that is the same on every architecture. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "cpu/flush.h"
#include "cpu/flush_arch.h"

int pp_flush_all_on(int cpu)
{
	if ((unsigned int)cpu >= nr_cpu_ids)
		return -ENXIO;
	if (!pp_flush_has_all())
		return cpu_online(cpu) ? -EOPNOTSUPP : -ENXIO;
	/* An offline CPU makes the cross-call itself fail with -ENXIO. */
	return smp_call_function_single(cpu, pp_flush_all_here, NULL, 1);
}

int pp_flush_all_cpus(void)
{
	if (!pp_flush_has_all())
		return -EOPNOTSUPP;
	on_each_cpu(pp_flush_all_here, NULL, 1);
	return 0;
}
