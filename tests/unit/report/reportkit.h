/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reportkit.h - the results that tests of the report print: a cache, a TLB and
 * registers, with measured, undecided and unavailable parameters.
 */
#ifndef PROBE_PHYS_UNIT_REPORT_REPORTKIT_H
#define PROBE_PHYS_UNIT_REPORT_REPORTKIT_H

#include "report/report.h"

/**
 * struct report_kit - results, and the report on them
 * @found: a hashed L1, its data TLB and registers; tests may change it
 * @documented: nothing
 * @m: a simulated machine
 * @report: points to the fields above
 */
struct report_kit {
	struct hierarchy found;
	struct documented documented;
	struct machine *m;
	struct report report;
};

/** report_kit_begin() - open the machine and fill in the results */
void report_kit_begin(struct report_kit *kit);

/** report_kit_end() - close the machine */
void report_kit_end(struct report_kit *kit);

/** report_kit_table() - Return: the printed table, which the caller frees */
char *report_kit_table(const struct report *report);

#endif
