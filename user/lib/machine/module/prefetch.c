// SPDX-License-Identifier: GPL-2.0
#include "machine/module/prefetch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/module/ioctl.h"
#include "machine/module/names.h"

#define BITS 32

static const char *reason(int error)
{
	switch (error) {
	case -EOPNOTSUPP:
		return "no switch is documented for this CPU model";
	case -EPERM:
		return "switching needs CAP_SYS_RAWIO and a kernel that is not locked down";
	case -EBUSY:
		return "another session owns the switch";
	case -EIO:
		return "the CPU refused the switch";
	default:
		return strerror(-error);
	}
}

static void list_off(unsigned int off, struct machine_prefetchers *p)
{
	for (unsigned int bit = 0; bit < BITS; bit++) {
		const char *name = module_prefetcher_name(bit);

		if (off >> bit & 1 && p->off_count < MACHINE_PREFETCHERS)
			p->off[p->off_count++] = name ? name : "unnamed";
	}
}

unsigned int module_prefetch_off(int session, int cpu,
				 struct machine_prefetchers *p)
{
	struct probe_phys_prefetch arg = {
		.op = PROBE_PHYS_PREFETCH_QUERY,
		.cpu = (__u32)cpu,
	};
	int error = module_prefetch(session, &arg);

	if (!error) {
		arg = (struct probe_phys_prefetch){
			.op = PROBE_PHYS_PREFETCH_SET,
			.cpu = (__u32)cpu,
			.mask = arg.available,
		};
		error = module_prefetch(session, &arg);
	}
	if (error) {
		snprintf(p->why, sizeof(p->why), "%s", reason(error));
		return 0;
	}
	if (arg.state & PROBE_PHYS_PREFETCH_INEFFECTIVE) {
		snprintf(
			p->why, sizeof(p->why),
			"the switch reads back unchanged, as under most hypervisors");
		return 0;
	}
	list_off(arg.available & ~arg.enabled, p);
	return arg.available & ~arg.enabled;
}

int module_prefetch_keep_off(int session, int cpu, unsigned int off)
{
	struct probe_phys_prefetch arg = {
		.op = PROBE_PHYS_PREFETCH_QUERY,
		.cpu = (__u32)cpu,
	};
	int error = module_prefetch(session, &arg);

	if (error || !(arg.enabled & off))
		return error;
	arg = (struct probe_phys_prefetch){
		.op = PROBE_PHYS_PREFETCH_SET,
		.cpu = (__u32)cpu,
		.mask = off,
	};
	error = module_prefetch(session, &arg);
	if (error)
		return error;
	return arg.enabled & off ? -EIO : 1;
}
