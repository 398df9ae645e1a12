// SPDX-License-Identifier: GPL-2.0
#include "report/cells.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool cell_known(const struct parameter *p)
{
	return p->status == PARAMETER_MEASURED;
}

const char *cell_unknown(const struct parameter *p)
{
	return p->status == PARAMETER_UNDECIDED ? "?" : "-";
}

void cell_count(char text[CELL], const struct parameter *p)
{
	if (cell_known(p))
		snprintf(text, CELL, "%.0f", p->value);
	else
		strcpy(text, cell_unknown(p));
}

void cell_bytes(char text[CELL], const struct parameter *p)
{
	if (cell_known(p))
		text_bytes_exact((uint64_t)p->value, text, CELL);
	else
		strcpy(text, cell_unknown(p));
}

void cell_time(char text[CELL], const struct parameter *p, const char *unit)
{
	if (cell_known(p))
		snprintf(text, CELL, p->value < 100 ? "%.1f %s" : "%.0f %s",
			 p->value, unit);
	else
		strcpy(text, cell_unknown(p));
}

const char *cell_index(const struct parameter *decision, enum index_kind kind)
{
	return cell_known(decision) ? index_kind_name(kind) :
				      cell_unknown(decision);
}
