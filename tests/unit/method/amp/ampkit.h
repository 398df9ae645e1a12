/* SPDX-License-Identifier: GPL-2.0 */
/* ampkit.h - AMP on machines of profiles, for those who judge its answers. */
#ifndef PROBE_PHYS_UNIT_METHOD_AMP_AMPKIT_H
#define PROBE_PHYS_UNIT_METHOD_AMP_AMPKIT_H

#include "machine/machine.h"
#include "method/amp/amp.h"

/** AMPKIT_EVERYTHING - to be measured */
#define AMPKIT_EVERYTHING                 \
	{                                 \
		.caches = 3, .tlbs = true \
	}

/** AMPKIT_BYTES - of memory that machines have */
#define AMPKIT_BYTES (UINT64_C(32) << 20)

/** ampkit_open_file() - the profile @name of tests/machines */
struct machine *ampkit_open_file(const char *name, uint64_t seed);

/** ampkit_measure() - @m is closed afterwards */
void ampkit_measure(struct machine *m, uint64_t seed,
		    const struct amp_wanted *wanted, struct amp_result *r);

/** ampkit_measure_file() - both */
void ampkit_measure_file(const char *name, uint64_t seed,
			 const struct amp_wanted *wanted, struct amp_result *r);

/** ampkit_is_cell() - is it this number, or, 0, N/C? */
bool ampkit_is_cell(const struct amp_parameter *p, double wanted);

/** ampkit_is_flag() - is it decided, as @wanted, and by all votes? */
bool ampkit_is_flag(const struct amp_parameter *p, bool wanted);

#endif
