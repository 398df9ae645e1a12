/* SPDX-License-Identifier: GPL-2.0 */
/* cells.h - one parameter as a cell of a table. Internal to report/. */
#ifndef PROBE_PHYS_REPORT_CELLS_H
#define PROBE_PHYS_REPORT_CELLS_H

#include "result/result.h"

/* Bytes of the longest cell, with its end. */
#define CELL 24

/** cell_known() - whether the parameter has a value */
bool cell_known(const struct parameter *p);

/** cell_unknown() - "?": undecided, with a reason below the table; "-": no
 * method measures it here
 */
const char *cell_unknown(const struct parameter *p);

/** cell_count() - "8", or cell_unknown() */
void cell_count(char text[CELL], const struct parameter *p);

/** cell_bytes() - "32 KiB", or cell_unknown() */
void cell_bytes(char text[CELL], const struct parameter *p);

/** cell_time() - "4.0 cycles", "120 ns", or cell_unknown() */
void cell_time(char text[CELL], const struct parameter *p, const char *unit);

/** cell_index() - "linear", or cell_unknown() */
const char *cell_index(const struct parameter *decision, enum index_kind kind);

#endif
