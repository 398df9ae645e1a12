// SPDX-License-Identifier: GPL-2.0
/* flush.c - the part of flushing that is the same on every architecture. */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/smp.h>

#include "buffer.h"
#include "flush.h"
#include "flush_arch.h"

/* Bytes between two chances to reschedule or to be killed. */
#define PP_FLUSH_CHUNK	SZ_1M

int pp_flush_buffer(struct pp_buffer *b, u64 offset, u64 bytes)
{
	if (!pp_flush_line_bytes())
		return -EOPNOTSUPP;

	while (bytes) {
		const struct probe_phys_extent *e;
		u64 start, len;
		void *addr;

		e = pp_buffer_extent_at(b, offset, &start);
		if (WARN_ON_ONCE(!e))
			return -ERANGE;
		len = min3(bytes, start + e->bytes - offset,
			   (u64)PP_FLUSH_CHUNK);
		addr = pp_buffer_kaddr(b, offset, len);
		if (WARN_ON_ONCE(!addr))
			return -ERANGE;
		pp_flush_lines(addr, len);
		offset += len;
		bytes -= len;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

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
