/* SPDX-License-Identifier: GPL-2.0 */
/* access.h - one access to a memory hierarchy, and the unit of its
 * cost.
 */
#ifndef PROBE_PHYS_MODEL_ACCESS_H
#define PROBE_PHYS_MODEL_ACCESS_H

#include <stdint.h>

/** MODEL_TICKS - units of one cycle in the costs that the model returns */
#define MODEL_TICKS 16

enum model_kind {
	MODEL_LOAD,
	MODEL_STORE,
	MODEL_FETCH,
};

/**
 * struct model_access - one access
 * @virt: virtual address
 * @phys: physical address
 * @page_bytes: size of the page-table entry that translates it
 * @cpu: CPU that does it
 * @kind: load, store or fetch
 */
struct model_access {
	uint64_t virt;
	uint64_t phys;
	uint64_t page_bytes;
	unsigned int cpu;
	enum model_kind kind;
};

#endif
