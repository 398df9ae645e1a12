/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flush.h - caches and TLBs emptied; the instructions of each architecture are
 * in flush_x86.c and flush_arm64.c.
 */
#ifndef PP_FLUSH_H
#define PP_FLUSH_H

#include <linux/types.h>

/** pp_flush_line_bytes() - granule of the line flush, 0: none here */
u32 pp_flush_line_bytes(void);

/** pp_flush_has_all() - whether pp_flush_all_*() can work here */
bool pp_flush_has_all(void);

/** pp_flush_lines() - flush [addr, addr + bytes) from all caches */
void pp_flush_lines(void *addr, size_t bytes);

/** pp_flush_all_on() - write back and invalidate the caches of one CPU */
int pp_flush_all_on(int cpu);

/** pp_flush_all_cpus() - the same on every CPU */
int pp_flush_all_cpus(void);

/** pp_flush_tlbs() - empty the TLBs of all CPUs; page tables stay */
void pp_flush_tlbs(void);

#endif /* PP_FLUSH_H */
