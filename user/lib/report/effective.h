/* SPDX-License-Identifier: GPL-2.0 */
/*
 * effective.h - what a program gets of each level of cache, alone and beside a
 * load on other CPUs (Cooper, Sandoval, section VII).
 */
#ifndef PROBE_PHYS_REPORT_EFFECTIVE_H
#define PROBE_PHYS_REPORT_EFFECTIVE_H

#include "report/report.h"
#include "result/side_result.h"

/**
 * struct effective_load - what other CPUs did meanwhile
 * @cpus: which; @cpu_count of them, 0: there was no load
 * @bytes: each walked so much memory of its own
 * @loads: that all of them did
 */
struct effective_load {
	int cpus[MACHINE_OTHERS];
	size_t cpu_count;
	uint64_t bytes;
	double loads;
};

/**
 * struct effective_report - what is said of it all
 * @alone: what was found without a load
 * @loaded: and beside it; NULL: was not asked, or not reached
 * @load: the load
 * @level: only this one, from 1; 0: all
 * @r: where and how it was measured; its other results are left out
 */
struct effective_report {
	const struct side_result *alone;
	const struct side_result *loaded;
	const struct effective_load *load;
	size_t level;
	const struct report *r;
};

/** effective_table() - for people */
void effective_table(const struct effective_report *e, FILE *out);

/** effective_json() - a new reference to the document; fields as in the man
 * page
 */
json_t *effective_json(const struct effective_report *e);

#endif
