// SPDX-License-Identifier: GPL-2.0
/* flush_x86.c - CLFLUSH, WBINVD and INVPCID. */
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/smp.h>

#include <asm/cacheflush.h>
#include <asm/cpufeature.h>
#include <asm/invpcid.h>
#include <asm/processor.h>
#include <asm/special_insns.h>

#include "cpu/flush.h"
#include "cpu/flush_arch.h"

u32 pp_flush_line_bytes(void)
{
	if (!boot_cpu_has(X86_FEATURE_CLFLUSH))
		return 0;
	return boot_cpu_data.x86_clflush_size;
}

/*
 * In a TDX guest WBINVD raises #VE, which makes the kernel oops. In an SEV
 * guest the hypervisor carries it out.
 */
bool pp_flush_has_all(void)
{
	return !cpu_feature_enabled(X86_FEATURE_TDX_GUEST);
}

void pp_flush_lines(void *addr, size_t bytes)
{
	/* The size of clflush_cache_range() has 32 bits only. */
	while (bytes) {
		size_t len = min_t(size_t, bytes, SZ_1G);

		clflush_cache_range(addr, len);
		addr += len;
		bytes -= len;
	}
}

void pp_flush_all_here(void *unused)
{
	wbinvd();
}

static void pp_flush_tlb_here(void *unused)
{
	unsigned long cr4;

	if (boot_cpu_has(X86_FEATURE_INVPCID)) {
		invpcid_flush_all();
		return;
	}
	/*
	 * Any change of CR4.PGE empties the whole TLB, global entries and all
	 * PCIDs included (Intel SDM volume 3, "Operations that Invalidate TLBs
	 * and Paging-Structure Caches"). It is set back at once and interrupts
	 * are off, so the kernel's shadow of CR4 stays true.
	 */
	cr4 = __read_cr4();
	asm volatile("mov %0, %%cr4" : : "r" (cr4 ^ X86_CR4_PGE) : "memory");
	asm volatile("mov %0, %%cr4" : : "r" (cr4) : "memory");
}

void pp_flush_tlbs(void)
{
	on_each_cpu(pp_flush_tlb_here, NULL, 1);
}
