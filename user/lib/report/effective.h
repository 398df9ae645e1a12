/* SPDX-License-Identifier: GPL-2.0 */
/*
 * effective.h - report the capacity of each level of cache that a program can
 * use, alone and beside a load on other CPUs (Cooper, Sandoval, section VII).
 */
#ifndef PROBE_PHYS_REPORT_EFFECTIVE_H
#define PROBE_PHYS_REPORT_EFFECTIVE_H

#include "report/report.h"
#include "result/side_result.h"

/**
 * struct effective_load - the load on other CPUs
 * @cpus: CPUs that ran the load; @cpu_count of them, 0: no load
 * @bytes: bytes of its own memory that each CPU walked
 * @loads: number of loads by all of them
 */
struct effective_load {
	int cpus[MACHINE_OTHERS];
	size_t cpu_count;
	uint64_t bytes;
	double loads;
};

/**
 * struct effective_report - input of the report
 * @alone: result without a load
 * @loaded: result beside the load; NULL: not requested, or not reached
 * @load: the load
 * @level: report only this level, from 1; 0: all
 * @r: machine and conditions; its results are not used
 */
struct effective_report {
	const struct side_result *alone;
	const struct side_result *loaded;
	const struct effective_load *load;
	size_t level;
	const struct report *r;
};

/** effective_table() - print a table */
void effective_table(const struct effective_report *e, FILE *out);

/** effective_json() - a new reference to the document; fields as in the man
 * page
 */
json_t *effective_json(const struct effective_report *e);

#endif
