/* SPDX-License-Identifier: GPL-2.0 */
/* baselinekit.h - machines with few caches, as the baselines measure them. */
#ifndef PROBE_PHYS_UNIT_METHOD_BASELINE_BASELINEKIT_H
#define PROBE_PHYS_UNIT_METHOD_BASELINE_BASELINEKIT_H

#include "method/baseline/baseline.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
/** BASELINEKIT_REGION - usual bytes of memory */
#define BASELINEKIT_REGION (UINT64_C(64) << 20)
#define BASELINEKIT_CACHES 3

typedef int baseline_method(struct prober *p, struct side_result *r,
			    struct failure *f);

/** struct baseline_cache - of a machine to be simulated
 * @kib: capacity; 0: no such level
 * @index: of the profile; NULL: linear
 */
struct baseline_cache {
	unsigned int kib;
	unsigned int ways;
	unsigned int line;
	unsigned int latency;
	const char *policy;
	const char *index;
};

/** struct baseline_found - expected results; 0: undecided */
struct baseline_found {
	double bytes;
	double line;
	double ways;
};

/** baselinekit_open() - a machine
 * @more: of its profile, from a comma on
 */
struct machine *baselinekit_open(const struct baseline_cache *caches,
				 const char *more, uint64_t bytes);

/** baselinekit_measure() - results of a complete measurement */
struct side_result baselinekit_measure(baseline_method *says,
				       struct machine *m);

/** baselinekit_interrupt() - results of a measurement that is stopped, and close the
 * machine
 * @at: text of the progress at which the user stops it
 */
struct side_result baselinekit_interrupt(baseline_method *says,
					 struct machine *m, const char *at);

/** baselinekit_check_value() - the test fails unless @p is as expected */
void baselinekit_check_value(const char *what, size_t level,
			     const struct parameter *p, double wanted);

/** baselinekit_check() - the same for all levels */
void baselinekit_check(const struct side_result *r,
		       const struct baseline_found *wanted, size_t count);

/** baselinekit_check_machine() - measure, check and close a machine */
void baselinekit_check_machine(baseline_method *says, struct machine *m,
			       const struct baseline_found *wanted,
			       size_t count);

#endif
