// SPDX-License-Identifier: GPL-2.0
#include "kit/exact.h"

#include <stdio.h>

static void other_cpus(const char *online)
{
	char path[64];
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 1; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%ld/online", cpu);
		t_same_errno(t_put(path, online), 0);
	}
}

void x_alone(void)
{
	other_cpus("0");
}

void x_together(void)
{
	other_cpus("1");
}

int x_group(struct probe_phys_counters_create *c)
{
	t_want(0, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, c);
	return c->fd;
}

struct probe_phys_counters_read x_take(int fd)
{
	T_ARG(counters_read, r, .flags = 0);

	t_want(0, fd, PROBE_PHYS_IOC_COUNTERS_READ, &r);
	return r;
}

int x_user_group(void)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 2,
	      .events = { X_RAW_USER(X_INST_RETIRED),
			  X_RAW_USER(X_CPU_CYCLES) });

	return x_group(&c);
}
