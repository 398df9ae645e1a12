/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h - every difference between kernel versions, oldest supported: 6.1.
 * A helper has the shape of the newest kernel's interface where it can.
 */
#ifndef PP_COMPAT_H
#define PP_COMPAT_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/version.h>
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#endif
#ifdef CONFIG_ARM64
#include <linux/arm-smccc.h>

#include <asm/arch_timer.h>
#include <asm/sysreg.h>
#include <asm/virt.h>
#endif

#define PP_KERNEL_BEFORE(major, minor) \
	(KERNEL_VERSION(major, minor, 0) > LINUX_VERSION_CODE)

#if PP_KERNEL_BEFORE(6, 17)
#include <linux/pfn_t.h>
#endif

/* 6.3: vm_flags became read-only. */
#if PP_KERNEL_BEFORE(6, 3)
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long set)
{
	vma->vm_flags |= set;
}

static inline void vm_flags_clear(struct vm_area_struct *vma,
				  unsigned long clear)
{
	vma->vm_flags &= ~clear;
}
#endif

/* 6.4: MAX_ORDER became inclusive; 6.8: it got another name. */
#if PP_KERNEL_BEFORE(6, 4)
#define PP_MAX_PAGE_ORDER	(MAX_ORDER - 1)
#elif PP_KERNEL_BEFORE(6, 8)
#define PP_MAX_PAGE_ORDER	MAX_ORDER
#else
#define PP_MAX_PAGE_ORDER	MAX_PAGE_ORDER
#endif

/* 6.6: huge_fault() gets an order instead of an enum. */
#if PP_KERNEL_BEFORE(6, 6)
#define PP_FAULT_ORDER	enum page_entry_size

static inline u64 pp_fault_bytes(PP_FAULT_ORDER order)
{
	switch (order) {
	case PE_SIZE_PUD:
		return PUD_SIZE;
	case PE_SIZE_PMD:
		return PMD_SIZE;
	default:
		return PAGE_SIZE;
	}
}
#else
#define PP_FAULT_ORDER	unsigned int

static inline u64 pp_fault_bytes(PP_FAULT_ORDER order)
{
	return (u64)PAGE_SIZE << order;
}
#endif

/* 6.10: a function instead of mm->get_unmapped_area; 6.19: without mm. */
static inline unsigned long
pp_get_unmapped_area(struct file *file, unsigned long addr, unsigned long len,
		     unsigned long pgoff, unsigned long flags)
{
#if PP_KERNEL_BEFORE(6, 10)
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
#elif PP_KERNEL_BEFORE(6, 19)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff, flags);
#else
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#endif
}

/* 6.17: the migrate type became flags. */
static inline int pp_alloc_contig_range(unsigned long start, unsigned long end,
					gfp_t gfp)
{
#ifdef ACR_FLAGS_NONE
	return alloc_contig_range(start, end, ACR_FLAGS_NONE, gfp);
#else
	return alloc_contig_range(start, end, MIGRATE_MOVABLE, gfp);
#endif
}

/*
 * 6.17: pfn_t is gone.
 *
 * Before 6.12 a huge entry has no special bit, and the lockless page-table
 * walk of get_user_pages() takes all references of such a range on its first
 * page, yet drops them page by page: pages that are no compound page would be
 * freed under the mapping. Marked as a device's, the entry makes that walk
 * search for a dev_pagemap, find none and skip the entry.
 */
#if PP_KERNEL_BEFORE(6, 12)
#define PP_HUGE_PFN(pfn)	__pfn_to_pfn_t(pfn, PFN_DEV | PFN_MAP)
#elif PP_KERNEL_BEFORE(6, 17)
#define PP_HUGE_PFN(pfn)	__pfn_to_pfn_t(pfn, PFN_DEV)
#else
#define PP_HUGE_PFN(pfn)	(pfn)
#endif

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
#define PP_HAVE_VIEW_PMD	1

static inline vm_fault_t pp_insert_pmd(struct vm_fault *vmf, unsigned long pfn,
				       bool write)
{
	return vmf_insert_pfn_pmd(vmf, PP_HUGE_PFN(pfn), write);
}
#endif

/* Before 6.12 the kernel calls no fault handler for this size. */
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && \
	defined(CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE_PUD) && \
	!PP_KERNEL_BEFORE(6, 12)
#define PP_HAVE_VIEW_PUD	1

static inline vm_fault_t pp_insert_pud(struct vm_fault *vmf, unsigned long pfn,
				       bool write)
{
	return vmf_insert_pfn_pud(vmf, PP_HUGE_PFN(pfn), write);
}
#endif

/* 6.16: MSR helpers say q instead of l; rdtsc() moved to asm/tsc.h. */
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>

#if PP_KERNEL_BEFORE(6, 16)
#define pp_rdmsr_safe		rdmsrl_safe
#define pp_rdmsr_safe_on_cpu	rdmsrl_safe_on_cpu
#define pp_wrmsr_safe_on_cpu	wrmsrl_safe_on_cpu
#else
#include <asm/cpuid/api.h>
#define pp_rdmsr_safe		rdmsrq_safe
#define pp_rdmsr_safe_on_cpu	rdmsrq_safe_on_cpu
#define pp_wrmsr_safe_on_cpu	wrmsrq_safe_on_cpu
#endif
#endif /* CONFIG_X86 */

/* 6.7: the attributes of a dump request moved into a genl_info. */
#if PP_KERNEL_BEFORE(6, 7)
#define pp_dump_attrs(cb)	(genl_dumpit_info(cb)->attrs)
#else
#define pp_dump_attrs(cb)	(genl_dumpit_info(cb)->info.attrs)
#endif

/* --- architectures ------------------------------------------------------- */

#ifdef CONFIG_X86
static inline bool pp_pte_exec(pte_t pte)
{
	return !(pte_flags(pte) & _PAGE_NX);
}

static inline bool pp_pmd_exec(pmd_t pmd)
{
	return !(pmd_flags(pmd) & _PAGE_NX);
}

static inline bool pp_pud_exec(pud_t pud)
{
	return !(pud_flags(pud) & _PAGE_NX);
}

/* Ticks per second of the counter that samples are taken with, 0: unknown. */
static inline u64 pp_tick_hz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? (u64)tsc_khz * 1000 : 0;
}

/* Whether physical addresses are those of a virtual machine. */
static inline bool pp_is_virtual(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

static inline bool pp_cpu_has_pud(void)
{
	return boot_cpu_has(X86_FEATURE_GBPAGES);
}

/* Whether the CPU sets accessed bits of entries that point to tables itself. */
static inline bool pp_has_table_young(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV);
}

/*
 * Whether an entry points to a table, and its accessed bit is set; clears it.
 * Entries of all levels have the same bits.
 */
static inline bool pp_take_table_young(unsigned long *entry, bool clear)
{
	unsigned long bits = READ_ONCE(*entry);

	if (!(bits & _PAGE_PRESENT) || bits & _PAGE_PSE)
		return false;
	return clear ? test_and_clear_bit(_PAGE_BIT_ACCESSED, entry) :
		       bits & _PAGE_ACCESSED;
}

/* The directory entry of a kernel address: each process has all of them. */
static inline pgd_t *pp_kernel_pgd(unsigned long addr)
{
	return pgd_offset(current->active_mm, addr);
}
#endif

#ifdef CONFIG_ARM64
static inline bool pp_pte_exec(pte_t pte)
{
	return pte_user_exec(pte);
}

static inline bool pp_pmd_exec(pmd_t pmd)
{
	return pte_user_exec(pmd_pte(pmd));
}

static inline bool pp_pud_exec(pud_t pud)
{
	return pte_user_exec(pud_pte(pud));
}

static inline u64 pp_tick_hz(void)
{
	return arch_timer_get_cntfrq();
}

/*
 * At EL2 there is no hypervisor. At EL1 a host without VHE calls its firmware
 * by SMC, while a guest calls its hypervisor.
 */
static inline bool pp_is_virtual(void)
{
	return !is_kernel_in_hyp_mode() &&
	       arm_smccc_1_1_get_conduit() != SMCCC_CONDUIT_SMC;
}

static inline bool pp_cpu_has_pud(void)
{
	return true;
}

/* It would with FEAT_HAFT. */
static inline bool pp_has_table_young(void)
{
	return false;
}

static inline bool pp_take_table_young(unsigned long *entry, bool clear)
{
	return false;
}

/*
 * The directory entry of a kernel address. The kernel's directory is not
 * exported, but a register of the CPU has its address. The directory begins a
 * page. The register's other bits lie above the address (ASID) or below it (a
 * common-translations bit, the offset at which 48-bit addresses begin, and the
 * highest four of 52 address bits).
 */
static inline pgd_t *pp_kernel_pgd(unsigned long addr)
{
	u64 ttbr = read_sysreg(ttbr1_el1);
	u64 phys = ttbr & GENMASK_ULL(47, PAGE_SHIFT);

	if (IS_ENABLED(CONFIG_ARM64_PA_BITS_52))
		phys |= (ttbr & GENMASK_ULL(5, 2)) << 46;
	return pgd_offset_pgd((pgd_t *)__va(phys), addr);
}
#endif

#endif /* PP_COMPAT_H */
