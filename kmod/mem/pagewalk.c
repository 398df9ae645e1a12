// SPDX-License-Identifier: GPL-2.0
/* pagewalk.c - from the page directory to the leaf entry of an address. */
#include <linux/align.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

#include <uapi/linux/probe_phys.h>

#include "compat.h"
#include "mem/pagewalk.h"

static u32 prot_bits(bool write, bool exec)
{
	return (write ? PROBE_PHYS_PROT_WRITE : 0) |
	       (exec ? PROBE_PHYS_PROT_EXEC : 0);
}

static void set_leaf(struct pp_leaf *leaf, unsigned long addr,
		     unsigned long pfn, u64 bytes)
{
	leaf->bytes = bytes;
	leaf->phys = PFN_PHYS(pfn) + (addr & (bytes - 1));
}

static int walk_pte(pmd_t *pmd, unsigned long addr, struct pp_leaf *leaf)
{
	pte_t pte = READ_ONCE(*pte_offset_kernel(pmd, addr));

	if (!pte_present(pte))
		return -ENOENT;
	set_leaf(leaf, addr, pte_pfn(pte), PAGE_SIZE);
	leaf->prot = prot_bits(pte_write(pte), pp_pte_exec(pte));
	return 0;
}

static int walk_pmd(pud_t *pud, unsigned long addr, struct pp_leaf *leaf)
{
	pmd_t *pmdp = pmd_offset(pud, addr);
	pmd_t pmd = READ_ONCE(*pmdp);

	if (pmd_none(pmd) || !pmd_present(pmd))
		return -ENOENT;
	if (!pmd_leaf(pmd))
		return walk_pte(pmdp, addr, leaf);
	set_leaf(leaf, addr, pmd_pfn(pmd), PMD_SIZE);
	leaf->prot = prot_bits(pmd_write(pmd), pp_pmd_exec(pmd));
	return 0;
}

static int walk_pud(p4d_t *p4d, unsigned long addr, struct pp_leaf *leaf)
{
	pud_t *pudp = pud_offset(p4d, addr);
	pud_t pud = READ_ONCE(*pudp);

	if (pud_none(pud) || !pud_present(pud))
		return -ENOENT;
	if (!pud_leaf(pud))
		return walk_pmd(pudp, addr, leaf);
	set_leaf(leaf, addr, pud_pfn(pud), PUD_SIZE);
	leaf->prot = prot_bits(pud_write(pud), pp_pud_exec(pud));
	return 0;
}

static int walk_pgd(pgd_t *pgd, unsigned long addr, struct pp_leaf *leaf)
{
	p4d_t *p4d;

	if (pgd_none(READ_ONCE(*pgd)))
		return -ENOENT;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return -ENOENT;
	return walk_pud(p4d, addr, leaf);
}

int pp_pagewalk(struct mm_struct *mm, unsigned long addr, struct pp_leaf *leaf)
{
	return walk_pgd(pgd_offset(mm, addr), addr, leaf);
}

/* The CPU may set bits of the entry meanwhile, and an unmap take it away. */
static bool take_pte(pte_t *ptep, bool clear)
{
	pte_t old = READ_ONCE(*ptep), now;

	for (;;) {
		if (!pte_present(old) || !pte_young(old))
			return false;
		if (!clear)
			return true;
		now.pte = cmpxchg(&ptep->pte, old.pte, pte_mkold(old).pte);
		if (now.pte == old.pte)
			return true;
		old = now;
	}
}

static bool take_pmd(pmd_t *pmdp, pmd_t old, bool clear)
{
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	pmd_t now;

	for (;;) {
		if (!pmd_present(old) || !pmd_leaf(old) || !pmd_young(old))
			return false;
		if (!clear)
			return true;
		now.pmd = cmpxchg(&pmdp->pmd, old.pmd, pmd_mkold(old).pmd);
		if (now.pmd == old.pmd)
			return true;
		old = now;
	}
#endif
	return false;
}

static void accessed_in_pmd(pud_t *pud, unsigned long addr, bool clear,
			    bool *accessed, unsigned long *next)
{
	pmd_t *pmdp = pmd_offset(pud, addr);
	pmd_t pmd = READ_ONCE(*pmdp);

	*next = (addr & PMD_MASK) + PMD_SIZE;
	if (pmd_none(pmd) || !pmd_present(pmd))
		return;
	if (pmd_leaf(pmd)) {
		*accessed = take_pmd(pmdp, pmd, clear);
		return;
	}
	*next = (addr & PAGE_MASK) + PAGE_SIZE;
	*accessed = take_pte(pte_offset_kernel(pmdp, addr), clear);
}

int pp_pagewalk_accessed(struct mm_struct *mm, unsigned long addr, bool clear,
			 bool *accessed, unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pudp, pud;

	*accessed = false;
	*next = (addr & PUD_MASK) + PUD_SIZE;
	if (pgd_none(READ_ONCE(*pgd)))
		return 0;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return 0;
	pudp = pud_offset(p4d, addr);
	pud = READ_ONCE(*pudp);
	if (pud_none(pud) || !pud_present(pud))
		return 0;
	if (pud_leaf(pud))
		return -EOPNOTSUPP;
	accessed_in_pmd(pudp, addr, clear, accessed, next);
	return 0;
}

/* As long as the span of a level is known, its entries lie in one table. */
u64 pp_pagewalk_span(struct mm_struct *mm, u64 page_bytes, unsigned int level)
{
	const u64 spans[] = { PAGE_SIZE, PMD_SIZE, PUD_SIZE, P4D_SIZE };
	const unsigned int below_top = mm_p4d_folded(mm) ? 3 : 4;
	unsigned int i = 0;

	while (i < below_top && spans[i] != page_bytes)
		i++;
	return i < below_top && level < below_top - i ? spans[i + level] : 0;
}

/* The entry of a span that points to a table, or has a page. */
static unsigned long *table_entry(struct mm_struct *mm, unsigned long addr,
				  u64 span)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(READ_ONCE(*pgd)))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	if (span == P4D_SIZE)
		return (unsigned long *)p4d;
	if (p4d_none(READ_ONCE(*p4d)))
		return NULL;
	pud = pud_offset(p4d, addr);
	if (span == PUD_SIZE)
		return (unsigned long *)pud;
	if (pud_none(READ_ONCE(*pud)) || pud_leaf(READ_ONCE(*pud)))
		return NULL;
	return (unsigned long *)pmd_offset(pud, addr);
}

bool pp_pagewalk_table_accessed(struct mm_struct *mm, unsigned long addr,
				u64 span, bool clear)
{
	unsigned long *entry = table_entry(mm, addr, span);

	return entry && pp_take_table_young(entry, clear);
}

u64 pp_pagewalk_linear(u64 phys, u64 bytes)
{
	unsigned long addr = (unsigned long)__va(phys), end = addr + bytes;
	u64 least = U64_MAX;
	struct pp_leaf leaf;

	while (addr < end && least > PAGE_SIZE) {
		if (walk_pgd(pp_kernel_pgd(addr), addr, &leaf))
			return 0;
		least = min(least, leaf.bytes);
		addr = ALIGN_DOWN(addr, leaf.bytes) + leaf.bytes;
		cond_resched();
	}
	return least;
}
