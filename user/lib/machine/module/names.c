// SPDX-License-Identifier: GPL-2.0
#include "machine/module/names.h"

#include <linux/probe_phys.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const char *module_rung_name(uint32_t rung)
{
	switch (rung) {
	case PROBE_PHYS_RUNG_IMPORT:
		return "imported huge pages";
	case PROBE_PHYS_RUNG_CONTIG:
		return "contiguous range";
	case PROBE_PHYS_RUNG_BUDDY:
		return "buddy blocks";
	default:
		return "unknown rung";
	}
}

const char *module_event_name(uint32_t kind)
{
	static const char *const names[] = {
		[PROBE_PHYS_EVENT_BUFFER_CREATED] = "buffer-created",
		[PROBE_PHYS_EVENT_BUFFER_GONE] = "buffer-gone",
		[PROBE_PHYS_EVENT_WALK_DISTURBED] = "walk-disturbed",
		[PROBE_PHYS_EVENT_SMI] = "smi",
		[PROBE_PHYS_EVENT_FREQUENCY] = "frequency-changed",
		[PROBE_PHYS_EVENT_CPU_OFFLINE] = "cpu-offline",
		[PROBE_PHYS_EVENT_PREFETCH_RESTORED] = "prefetch-restored",
	};

	if (kind >= LENGTH(names) || !names[kind])
		return "unknown";
	return names[kind];
}

const char *module_feature_name(unsigned int bit)
{
	/* In the order of the PROBE_PHYS_FEATURE_* bits. */
	static const char *const names[] = {
		"contiguous-range", "buddy-blocks",    "huge-page-import",
		"pmd-views",	    "pud-views",       "line-flush",
		"flush-all",	    "prefetch-switch", "counters",
		"virtual-machine",  "accessed-bits",   "table-accessed-bits",
	};

	return bit < LENGTH(names) ? names[bit] : NULL;
}

const char *module_prefetcher_name(unsigned int bit)
{
	/* In the order of the PROBE_PHYS_PREFETCH_* bits. */
	static const char *const names[] = {
		"L1 stream", "L1 stride",   "L1 region",
		"L2 stream", "L2 adjacent", "L2 up/down",
	};

	return bit < LENGTH(names) ? names[bit] : NULL;
}
