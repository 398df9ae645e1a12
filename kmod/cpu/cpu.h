/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h - what a CPU can do for a measurement: count events, flush its caches
 * and TLBs, switch its prefetchers. Instructions and registers of an
 * architecture are here and nowhere else. It must not know buffers or walks.
 * mem and walk call it, and its own commands. Functions return 0 or -errno.
 */
#ifndef PP_CPU_H
#define PP_CPU_H

#include "base/base.h"
#include "cpu/counter.h"
#include "cpu/flush.h"
#include "cpu/prefetch.h"

/* FLUSH_ALL, PREFETCH, COUNTERS_* */
extern const struct pp_command pp_cpu_commands[];

#endif /* PP_CPU_H */
