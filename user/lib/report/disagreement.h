/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disagreement.h - where AMP and X-Ray decide differently. Internal to report/.
 */
#ifndef PROBE_PHYS_REPORT_DISAGREEMENT_H
#define PROBE_PHYS_REPORT_DISAGREEMENT_H

#include "report/report.h"

/**
 * struct disagreement - one parameter that two methods decide differently
 * @row: the row of AMP
 * @where: name of the row, "L1 data TLB"
 * @name: of the parameter, as in the JSON document
 * @xray: X-Ray's value
 * @amp: AMP's value
 */
struct disagreement {
	const struct amp_row *row;
	const char *where;
	const char *name;
	double xray;
	double amp;
};

/** amp_row_name() - "L1 data TLB" */
void amp_row_name(const struct amp_row *row, char *text, size_t size);

/** disagreements_each() - call @take for each disagreement; there is none where
 * AMP measured alone
 */
void disagreements_each(const struct report *r,
			void (*take)(const struct disagreement *d, void *data),
			void *data);

#endif
