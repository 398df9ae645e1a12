// SPDX-License-Identifier: GPL-2.0
#include "machine/module/event_library.h"

#include <errno.h>
#include <stdio.h>

#ifdef HAVE_LIBPFM4
#include <perfmon/pfmlib_perf_event.h>
#endif

#define WHY_CHARS 80
#define NAMES 8

/* Intel from Sandy Bridge on, Nehalem, AMD Zen, Arm. */
static const char *const names[MACHINE_COUNTERS][NAMES] = {
	[COUNTER_CYCLES] = { "CPU_CLK_UNHALTED:THREAD_P",
			     "UNHALTED_CORE_CYCLES", "CYCLES_NOT_IN_HALT",
			     "CPU_CYCLES" },
	[COUNTER_INSTRUCTIONS] = { "INSTRUCTION_RETIRED",
				   "RETIRED_INSTRUCTIONS", "INST_RETIRED" },
	[COUNTER_LOADS] = { "MEM_INST_RETIRED:ALL_LOADS",
			    "MEM_UOPS_RETIRED:ALL_LOADS",
			    "MEM_UOP_RETIRED:ANY_LOADS",
			    "MEM_INST_RETIRED:LOADS", "LS_DISPATCH:LD_DISPATCH",
			    "LD_RETIRED" },
	[COUNTER_L1D_MISS] = { "MEM_LOAD_RETIRED:L1_MISS",
			       "MEM_LOAD_UOPS_RETIRED:L1_MISS",
			       "L1D_CACHE_REFILL_RD", "L1D_CACHE_REFILL" },
	[COUNTER_L2_MISS] = { "MEM_LOAD_RETIRED:L2_MISS",
			      "MEM_LOAD_UOPS_RETIRED:L2_MISS",
			      "L2D_CACHE_REFILL_RD", "L2D_CACHE_REFILL" },
	[COUNTER_L3_MISS] = { "MEM_LOAD_RETIRED:L3_MISS",
			      "MEM_LOAD_UOPS_RETIRED:L3_MISS",
			      "L3D_CACHE_REFILL" },
	[COUNTER_DTLB_MISS] = { "MEM_LOAD_RETIRED:DTLB_MISS",
				"L1_DTLB_MISS:ANY", "L1D_TLB_REFILL" },
	[COUNTER_STLB_MISS] = { "MEM_INST_RETIRED:STLB_MISS_LOADS",
				"MEM_UOPS_RETIRED:STLB_MISS_LOADS",
				"DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK",
				"DTLB_LOAD_MISSES:CAUSES_A_WALK", "DTLB_WALK" },
	[COUNTER_ITLB_MISS] = { "ITLB_MISSES:ANY", "L1I_TLB_REFILL",
				"ITLB_MISSES:MISS_CAUSES_A_WALK" },
	[COUNTER_L1I_MISS] = { "ICACHE_64B:IFTAG_MISS", "ICACHE:MISSES",
			       "L1I:MISSES", "L1I_CACHE_REFILL" },
	[COUNTER_L1D_WRITE_MISS] = { "L1D_CACHE_REFILL_WR" },
	[COUNTER_L2_WRITE_MISS] = { "L2_RQSTS:RFO_MISS",
				    "L2D_CACHE_REFILL_WR" },
};

const char *event_library_role(enum machine_counter role, size_t index)
{
	return index < NAMES ? names[role][index] : NULL;
}

#ifdef HAVE_LIBPFM4

bool event_library_there(void)
{
	return true;
}

int event_library_find(const char *name, struct probe_phys_event *event,
		       char *why)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t encoding = { .attr = &attr,
					   .size = sizeof(encoding) };
	/* A second call does nothing. */
	int error = pfm_initialize();

	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3,
						  PFM_OS_PERF_EVENT, &encoding);
	if (error != PFM_SUCCESS) {
		snprintf(why, WHY_CHARS, "libpfm4: %s", pfm_strerror(error));
		return -ENOENT;
	}
	*event = (struct probe_phys_event){ .type = attr.type,
					    .config = attr.config,
					    .config1 = attr.config1,
					    .config2 = attr.config2 };
	return 0;
}

#else

bool event_library_there(void)
{
	return false;
}

int event_library_find(const char *name, struct probe_phys_event *event,
		       char *why)
{
	(void)name;
	(void)event;
	snprintf(why, WHY_CHARS,
		 "built without libpfm4, which knows names like it");
	return -EOPNOTSUPP;
}

#endif
