// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/cells.h"
#include "report/compare/compare.h"

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
		text_bytes_exact((uint64_t)value, text, CELL);
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
		text_bytes_exact(row->page_bytes, page, CELL);
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

/* Each selected method has a column. */
static bool has_column(const struct compare_report *r, int method)
{
	return r->c->said->runs[method].selected;
}

/* The last column needs no padding. */
static void print_cell(const struct compare_report *r, int m, const char *text,
		       FILE *out)
{
	bool last = true;

	for (int k = m + 1; k < COMPARE_METHODS; k++)
		last = last && !has_column(r, k);
	fprintf(out, " %-*s", last ? 0 : METHOD_WIDTH, text);
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
	for (int m = 0; m < COMPARE_METHODS; m++) {
		if (!has_column(r, m))
			continue;
		cell_text(text, sizeof(text), row, &row->cells[m]);
		print_cell(r, m, text, out);
	}
	fputc('\n', out);
}

static void begin_line(const struct compare_report *r, const char *name,
		       const char *truth, const char *consensus, FILE *out)
{
	fprintf(out, "%-*s %-9s %-*s", WHERE_WIDTH, name, "", TRUTH_WIDTH,
		truth);
	if (!r->c->truth->exact)
		fprintf(out, " %-*s", CONSENSUS_WIDTH, consensus);
}

static void print_header(const struct compare_report *r, FILE *out)
{
	begin_line(r, "", r->c->truth->exact ? "truth" : "documented",
		   "consensus", out);
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (has_column(r, m))
			print_cell(r, m,
				   compare_method_name((enum compare_method)m),
				   out);
	fputc('\n', out);
}

/* --- below the table ------------------------------------------------------ */

static void print_numbers(const struct compare_report *r, const char *name,
			  const char *format,
			  const double numbers[COMPARE_METHODS], FILE *out)
{
	char text[CELL];

	begin_line(r, name, "", "", out);
	for (int m = 0; m < COMPARE_METHODS; m++) {
		if (!has_column(r, m))
			continue;
		snprintf(text, sizeof(text), format, numbers[m]);
		print_cell(r, m, text, out);
	}
	fputc('\n', out);
}

static void print_counts(const struct compare_report *r,
			 enum compare_verdict verdict, FILE *out)
{
	double numbers[COMPARE_METHODS], all = 0;

	for (int m = 0; m < COMPARE_METHODS; m++) {
		numbers[m] = r->c->counts[m][verdict];
		all += numbers[m];
	}
	if (all > 0)
		print_numbers(r, compare_verdict_name(verdict), "%.0f", numbers,
			      out);
}

static void print_costs(const struct compare_report *r, FILE *out)
{
	double accesses[COMPARE_METHODS], seconds[COMPARE_METHODS];

	for (int m = 0; m < COMPARE_METHODS; m++) {
		accesses[m] = r->c->said->runs[m].accesses;
		seconds[m] = r->c->said->runs[m].seconds;
	}
	print_numbers(r, "accesses", "%.3g", accesses, out);
	print_numbers(r, "seconds", "%.1f", seconds, out);
}

static bool is_open_with(const struct compare_row *row, int m,
			 const char *reason)
{
	return row->cells[m].verdict == COMPARE_UNDECIDED &&
	       !strcmp(row->cells[m].p.reason, reason);
}

/* Parameters of a level with the same reason share a line. */
static void print_open(const struct compare_report *r, int m, size_t i,
		       FILE *out)
{
	const struct comparison *c = r->c;
	const struct compare_row *row = &c->rows[i];
	const char *reason = row->cells[m].p.reason;
	char where[2 * CELL];

	if (row->cells[m].verdict != COMPARE_UNDECIDED)
		return;
	for (size_t k = i; k-- > 0 && same_level(&c->rows[k], row);)
		if (is_open_with(&c->rows[k], m, reason))
			return;
	where_text(where, sizeof(where), row);
	fprintf(out, "  %s: %s %s", compare_method_name((enum compare_method)m),
		where, parameter_word(row));
	for (size_t k = i + 1; k < c->row_count && same_level(&c->rows[k], row);
	     k++)
		if (is_open_with(&c->rows[k], m, reason))
			fprintf(out, ", %s", parameter_word(&c->rows[k]));
	fprintf(out, ": undecided: %s\n", reason);
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
		for (size_t i = 0; has_column(r, m) && i < r->c->row_count; i++)
			print_open(r, m, i, out);
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
		fprintf(out,
			"The comparison %s: the table has only the finished parts.\n",
			r->r->failure ? "failed" : "was interrupted");
}
