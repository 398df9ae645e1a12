// SPDX-License-Identifier: GPL-2.0
/* info.c - the features of this kernel on this CPU. */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/string.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "compat.h"
#include "cpu/cpu.h"
#include "dev/dev.h"
#include "mem/mem.h"

static u64 ladder_features(void)
{
	u64 features = PROBE_PHYS_FEATURE_BUDDY;

	if (IS_ENABLED(CONFIG_CONTIG_ALLOC))
		features |= PROBE_PHYS_FEATURE_CONTIG;
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE) ||
	    IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		features |= PROBE_PHYS_FEATURE_IMPORT;
	return features;
}

static u64 other_features(void)
{
	u64 features = 0;

	if (pp_flush_line_bytes())
		features |= PROBE_PHYS_FEATURE_FLUSH_LINES;
	if (pp_flush_has_all())
		features |= PROBE_PHYS_FEATURE_FLUSH_ALL;
	if (pp_prefetch_available())
		features |= PROBE_PHYS_FEATURE_PREFETCH;
	if (IS_ENABLED(CONFIG_PERF_EVENTS))
		features |= PROBE_PHYS_FEATURE_COUNTERS;
	if (arch_has_hw_pte_young())
		features |= PROBE_PHYS_FEATURE_VIEW_ACCESSED;
	if (pp_has_table_young())
		features |= PROBE_PHYS_FEATURE_VIEW_TABLES;
	if (pp_is_virtual())
		features |= PROBE_PHYS_FEATURE_VIRTUAL;
	return features;
}

void pp_info_fill(struct probe_phys_info *info)
{
	u64 pmd_bytes, pud_bytes;

	pp_view_page_sizes(&pmd_bytes, &pud_bytes);
	info->abi = PROBE_PHYS_ABI;
	info->page_bytes = PAGE_SIZE;
	info->features = ladder_features() | other_features();
	if (pmd_bytes)
		info->features |= PROBE_PHYS_FEATURE_VIEW_PMD;
	if (pud_bytes)
		info->features |= PROBE_PHYS_FEATURE_VIEW_PUD;
	info->pmd_bytes = pmd_bytes;
	info->pud_bytes = pud_bytes;
	info->max_buffer_bytes = pp_session_max_bytes();
	info->max_total_bytes = pp_session_max_total_bytes();
	info->used_total_bytes = pp_session_used_total_bytes();
	info->tick_hz = pp_tick_hz();
	info->line_bytes = pp_flush_line_bytes();
	strscpy(info->version, PP_VERSION, sizeof(info->version));
}
