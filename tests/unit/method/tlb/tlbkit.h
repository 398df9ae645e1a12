/* SPDX-License-Identifier: GPL-2.0 */
/* tlbkit.h - TLBs of simulated machines, measured by X-Ray and by T(n,k). */
#ifndef PROBE_PHYS_UNIT_METHOD_TLB_TLBKIT_H
#define PROBE_PHYS_UNIT_METHOD_TLB_TLBKIT_H

#include <signal.h>

#include "machine/machine.h"
#include "result/result.h"
#include "result/side_result.h"

/** TLBKIT_BYTES - of memory that machines have, beside that of views */
#define TLBKIT_BYTES (UINT64_C(16) << 20)

/**
 * struct tlbkit - a measurement of a simulated machine
 * @r: what came of it, to be freed with side_result_free()
 * @error: what the method returned, and why in @f
 */
struct tlbkit {
	struct side_result r;
	struct failure f;
	int error;
};

/**
 * struct tlbkit_interruption - when the user has enough
 * @during: what is being measured then
 * @stop: set then
 */
struct tlbkit_interruption {
	const char *during;
	volatile sig_atomic_t stop;
};

/** tlbkit_xray() - what X-Ray measures of TLBs below a known first level; an error
 * fails the test; the caller closes @m
 * @bytes, @ways, @line_bytes: of that level
 */
void tlbkit_xray(struct machine *m, double bytes, double ways,
		 double line_bytes, uint64_t seed, struct hierarchy *h);

/** tlbkit_open_first() - a machine with one TLB, of loads of 4 KiB pages, and an L1 of
 * 32 KiB, 8 ways and lines of 64 bytes; the caller closes it
 * @guest: it is a virtual machine
 */
struct machine *tlbkit_open_first(unsigned int entries, unsigned int ways,
				  bool guest);

/** tlbkit_seed() - PROBE_PHYS_SEED */
uint64_t tlbkit_seed(void);

/** tlbkit_measure() - measures the TLBs of @m; the caller closes @m
 * @interruption: NULL: none
 */
void tlbkit_measure(struct tlbkit *kit, struct machine *m,
		    struct tlbkit_interruption *interruption);

/** tlbkit_measure_profile() - the machine of a file; the test fails where the
 * method does
 */
void tlbkit_measure_profile(struct tlbkit *kit, const char *path);

/** make_tlb_views_case() - tests of the views that all others rest on */
struct TCase *make_tlb_views_case(void);

#endif
