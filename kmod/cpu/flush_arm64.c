// SPDX-License-Identifier: GPL-2.0
/* flush_arm64.c - DC CIVAC and TLBI; no instruction flushes all caches. */
#include <linux/align.h>

#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#include <asm/tlbflush.h>

#include "cpu/flush.h"
#include "cpu/flush_arch.h"

/* CTR_EL0.DminLine: log2 of the words of the smallest data cache line. */
#define PP_CTR_DMINLINE(ctr)	(((ctr) >> 16) & 0xf)

/*
 * The smallest line of all CPUs: their lines can differ, the flushed memory can
 * be in any of their caches, and the thread that flushes can migrate.
 */
u32 pp_flush_line_bytes(void)
{
	return 4U << PP_CTR_DMINLINE(read_sanitised_ftr_reg(SYS_CTR_EL0));
}

bool pp_flush_has_all(void)
{
	return false;
}

void pp_flush_lines(void *addr, size_t bytes)
{
	unsigned long line = pp_flush_line_bytes();
	unsigned long end = (unsigned long)addr + bytes;
	unsigned long p = ALIGN_DOWN((unsigned long)addr, line);

	for (; p < end; p += line)
		asm volatile("dc civac, %0" : : "r" (p) : "memory");
	dsb(sy);
}

void pp_flush_all_here(void *unused)
{
}

void pp_flush_tlbs(void)
{
	flush_tlb_all();
}
