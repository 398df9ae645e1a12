// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "compare.h"

#define CELL 24
#define WHERE_WIDTH 19
#define TRUTH_WIDTH 12
#define CONSENSUS_WIDTH 17
#define METHOD_WIDTH 17

static void value_text(char *text, const struct compare_row *row, double value)
{
	switch (row->parameter) {
	case COMPARE_CAPACITY:
	case COMPARE_EFFECTIVE:
	case COMPARE_LINE:
		report_bytes(text, CELL, (uint64_t)value);
		break;
	case COMPARE_LATENCY:
		snprintf(text, CELL, value < 100 ? "%.1f" : "%.0f", value);
		break;
	default:
		snprintf(text, CELL, "%.0f", value);
	}
}

static void cell_text(char *text, size_t size, const struct compare_row *row,
		      const struct compare_cell *cell)
{
	char value[CELL];

	switch (cell->verdict) {
	case COMPARE_NOT_TOLD:
		snprintf(text, size, "-");
		break;
	case COMPARE_UNDECIDED:
		snprintf(text, size, "?");
		break;
	case COMPARE_MISSED:
		snprintf(text, size, "missed");
		break;
	default:
		value_text(value, row, cell->p.value);
		snprintf(text, size, "%s %s", value,
			 compare_verdict_name(cell->verdict));
	}
}

static void where_text(char *text, size_t size, const struct compare_row *row)
{
	char page[CELL];

	switch (row->where) {
	case COMPARE_HIERARCHY:
		snprintf(text, size, "caches");
		break;
	case COMPARE_CACHE:
		snprintf(text, size, "L%d", row->level);
		break;
	case COMPARE_MEMORY:
		snprintf(text, size, "memory");
		break;
	default:
		report_bytes(page, sizeof(page), row->page_bytes);
		snprintf(text, size, "L%d TLB, %s", row->level, page);
	}
}

static const char *parameter_word(const struct compare_row *row)
{
	static const char *const words[] = {
		[COMPARE_LEVELS] = "levels",
		[COMPARE_CAPACITY] = "capacity",
		[COMPARE_EFFECTIVE] = "effective",
		[COMPARE_WAYS] = "ways",
		[COMPARE_LINE] = "line",
		[COMPARE_LATENCY] = "latency",
		[COMPARE_ENTRIES] = "entries",
	};

	return row->where == COMPARE_TLB && row->parameter == COMPARE_LATENCY ?
		       "hit adds" :
		       words[row->parameter];
}

/* Methods that were asked have a column. */
static bool has_column(const struct compare_report *r, int method)
{
	return r->c->said->runs[method].asked;
}

static void print_consensus(const struct compare_row *row, FILE *out)
{
	char text[2 * CELL] = "-", value[CELL];

	if (!isnan(row->consensus)) {
		value_text(value, row, row->consensus);
		snprintf(text, sizeof(text), "%s (%u of %u)", value,
			 row->agreeing, row->voices);
	}
	fprintf(out, " %-*s", CONSENSUS_WIDTH, text);
}

static bool same_level(const struct compare_row *a, const struct compare_row *b)
{
	return a->where == b->where && a->level == b->level &&
	       a->page_bytes == b->page_bytes;
}

static void print_row(const struct compare_report *r, size_t i, FILE *out)
{
	const struct compare_row *row = &r->c->rows[i];
	char where[2 * CELL] = "", truth[CELL] = "-", text[2 * CELL];
	int last = 0;

	if (!i || !same_level(row, row - 1))
		where_text(where, sizeof(where), row);
	if (!isnan(row->truth))
		value_text(truth, row, row->truth);
	else if (row->absent)
		strcpy(truth, "none");
	fprintf(out, "%-*s %-9s %-*s", WHERE_WIDTH, where, parameter_word(row),
		TRUTH_WIDTH, truth);
	if (!r->c->truth->exact)
		print_consensus(row, out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			last = m;
	for (int m = 0; m <= last; m++) {
		if (!has_column(r, m))
			continue;
		cell_text(text, sizeof(text), row, &row->cells[m]);
		fprintf(out, " %-*s", m < last ? METHOD_WIDTH : 0, text);
	}
	fputc('\n', out);
}

static void print_header(const struct compare_report *r, FILE *out)
{
	fprintf(out, "%-*s %-9s %-*s", WHERE_WIDTH, "", "", TRUTH_WIDTH,
		r->c->truth->exact ? "truth" : "documented");
	if (!r->c->truth->exact)
		fprintf(out, " %-*s", CONSENSUS_WIDTH, "consensus");
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			fprintf(out, " %-*s", METHOD_WIDTH,
				compare_method_name((enum compare_method)m));
	fputc('\n', out);
}

/* --- below the table ------------------------------------------------------ */

static void begin_line(const struct compare_report *r, const char *name,
		       FILE *out)
{
	fprintf(out, "%-*s", WHERE_WIDTH + 10 + TRUTH_WIDTH, name);
	if (!r->c->truth->exact)
		fprintf(out, " %-*s", CONSENSUS_WIDTH, "");
}

static void print_counts(const struct compare_report *r,
			 enum compare_verdict verdict, FILE *out)
{
	unsigned int all = 0;

	for (int m = 0; m < COMPARE_METHODS; m++)
		all += r->c->counts[m][verdict];
	if (!all)
		return;
	begin_line(r, compare_verdict_name(verdict), out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			fprintf(out, " %-*u", METHOD_WIDTH,
				r->c->counts[m][verdict]);
	fputc('\n', out);
}

static void print_costs(const struct compare_report *r, FILE *out)
{
	const struct compare_run *runs = r->c->said->runs;

	begin_line(r, "accesses", out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			fprintf(out, " %-*.3g", METHOD_WIDTH, runs[m].accesses);
	fputc('\n', out);
	begin_line(r, "seconds", out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			fprintf(out, " %-*.1f", METHOD_WIDTH, runs[m].seconds);
	fputc('\n', out);
}

/* Parameters in a row that are open for the same reason share a line. */
static void print_open(const struct compare_report *r, int m, FILE *out)
{
	const struct comparison *c = r->c;

	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		const struct parameter *p = &row->cells[m].p;
		char where[2 * CELL];

		if (row->cells[m].verdict != COMPARE_UNDECIDED)
			continue;
		where_text(where, sizeof(where), row);
		fprintf(out, "  %s: %s %s",
			compare_method_name((enum compare_method)m), where,
			parameter_word(row));
		for (; i + 1 < c->row_count && same_level(row + 1, row); i++) {
			const struct compare_cell *next = &row[1].cells[m];

			if (next->verdict != COMPARE_UNDECIDED ||
			    strcmp(next->p.reason, p->reason) != 0)
				break;
			row++;
			fprintf(out, ", %s", parameter_word(row));
		}
		fprintf(out, ": undecided: %s\n", p->reason);
	}
}

static void print_below(const struct compare_report *r, FILE *out)
{
	const struct compare_run *runs = r->c->said->runs;

	fputc('\n', out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m) && runs[m].reason[0])
			fprintf(out, "  %s: %s\n",
				compare_method_name((enum compare_method)m),
				runs[m].reason);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			print_open(r, m, out);
}

void compare_table(const struct compare_report *r, FILE *out)
{
	report_head(r->r, out);
	print_header(r, out);
	for (size_t i = 0; i < r->c->row_count; i++)
		print_row(r, i, out);
	fputc('\n', out);
	for (int v = COMPARE_RIGHT; v < COMPARE_VERDICTS; v++)
		print_counts(r, (enum compare_verdict)v, out);
	print_counts(r, COMPARE_MISSED, out);
	print_counts(r, COMPARE_UNDECIDED, out);
	print_costs(r, out);
	print_below(r, out);
	fprintf(out,
		"\nlatencies in cycles; effective: what a program can use, cooper-sandoval's from 50 %% of it on; %.1f s; --seed %llu\n",
		r->r->seconds, (unsigned long long)r->r->seed);
	if (!r->r->found->complete)
		fprintf(out, "The comparison %s: this is what was finished.\n",
			r->r->failure ? "failed" : "was interrupted");
}
