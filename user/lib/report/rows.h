/* SPDX-License-Identifier: GPL-2.0 */
/* rows.h - the parts of a table. Internal to report/. */
#ifndef PROBE_PHYS_REPORT_ROWS_H
#define PROBE_PHYS_REPORT_ROWS_H

#include "report/report.h"

/** table_caches() - print a row for each cache, and lines on its behaviour */
void table_caches(const struct report *r, FILE *out);

/** table_tlbs() - the same for TLBs; prints nothing when none was found */
void table_tlbs(const struct report *r, FILE *out);

/** table_amp() - print AMP's rows, undecided parameters and disagreements */
void table_amp(const struct report *r, FILE *out);

/** struct named_parameter - a parameter and its name in a sentence */
struct named_parameter {
	const char *name;
	const struct parameter *parameter;
};

/**
 * table_reasons() - print a line for each reason why parameters have no value
 * @where: array that has the parameters, such as "L1"
 * @without: the status of the parameters that are listed
 *
 * Parameters without a value for the same reason share a line.
 */
void table_reasons(const char *where, const struct named_parameter *all,
		   size_t count, enum parameter_status without, FILE *out);

/** table_undecided() - table_reasons() of everything that was found */
void table_undecided(const struct hierarchy *h, FILE *out);

#endif
