/* SPDX-License-Identifier: GPL-2.0 */
/* permit.h - the capabilities and lockdown reasons of commands. */
#ifndef PP_PERMIT_H
#define PP_PERMIT_H

/*
 * Each checks the current process. Return: 0 or -EPERM. All but
 * pp_permit_info() also refuse under a lockdown of physical memory.
 */

/** pp_permit_info() - CAP_SYS_ADMIN */
int pp_permit_info(void);

/** pp_permit_memory() - CAP_SYS_ADMIN */
int pp_permit_memory(void);

/** pp_permit_counters() - CAP_PERFMON, and no lockdown of perf */
int pp_permit_counters(void);

/** pp_permit_prefetch() - CAP_SYS_RAWIO, and no lockdown of MSRs */
int pp_permit_prefetch(void);

#endif /* PP_PERMIT_H */
