/* SPDX-License-Identifier: GPL-2.0 */
/* exact.h - counters of an arm64 guest, which count what was run, exactly. */
#ifndef T_EXACT_H
#define T_EXACT_H

#include <linux/perf_event.h>

#include "kit/t.h"

/* Arm Architecture Reference Manual, "Common event numbers". */
#define X_INST_RETIRED 0x08
#define X_CPU_CYCLES 0x11

#define X_RAW(event)                                     \
	{                                                \
		.type = PERF_TYPE_RAW, .config = (event) \
	}
#define X_RAW_USER(event)                                  \
	{                                                  \
		.type = PERF_TYPE_RAW, .config = (event),  \
		.flags = PROBE_PHYS_EVENT_EXCLUDE_KERNEL | \
			 PROBE_PHYS_EVENT_EXCLUDE_HV       \
	}

/* Take the other CPUs offline, and back: all are counted. */
void x_alone(void);
void x_together(void);

int x_group(struct probe_phys_counters_create *c);
struct probe_phys_counters_read x_take(int fd);

/* What this program runs: instructions and cycles. */
int x_user_group(void);

#endif /* T_EXACT_H */
