// SPDX-License-Identifier: GPL-2.0
/* table_amp.c - AMP's results, and where X-Ray's differ. */
#include <string.h>

#include "report/cells.h"
#include "report/disagreement.h"
#include "report/rows.h"

static void cell(char *text, const struct parameter *p, bool bytes)
{
	if (p->status == PARAMETER_UNAVAILABLE)
		strcpy(text, "N/C");
	else if (bytes)
		cell_bytes(text, p);
	else
		cell_count(text, p);
}

/* Print how many votes agree with the reported value. */
static void print_votes(const struct amp_parameter *p, FILE *out)
{
	size_t same = 0;

	for (size_t i = 0; i < p->vote_count; i++)
		same += parameter_is_measured(&p->p) &&
			p->votes[i] == p->p.value;
	if (p->vote_count)
		fprintf(out, " %4zu/%zu", same, p->vote_count);
	else
		fputs("      -", out);
}

/* Print the behaviour of a level in a line of its own. */
static void print_more(const struct amp_row *row, FILE *out)
{
	const struct parameter *const all[] = { &row->write_allocate.p,
						&row->write_back.p,
						&row->replacement.p,
						&row->unified.p };
	static const char *const of_caches[][2] = {
		{ "no write-allocate", "write-allocate" },
		{ "written through", "write-back" },
		{ "the same line is evicted each time",
		  "a random line is evicted" },
		{ "code does not evict data (split)", "code evicts data" },
	};
	static const char *const of_tlbs[][2] = {
		{ "", "" },
		{ "", "" },
		{ "the same entry is evicted each time",
		  "a random entry is evicted" },
		{ "code does not evict data (split)", "code evicts data" },
	};
	static const char *const of_code[][2] = {
		{ "", "" },
		{ "", "" },
		{ "the same entry is evicted each time",
		  "a random entry is evicted" },
		{ "data does not evict code (split)", "data evicts code" },
	};
	const char *const(*words)[2] = !row->mapped_bytes ? of_caches :
				       amp_is_code(row)	  ? of_code :
							    of_tlbs;
	const char *between = "   ";

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!parameter_is_measured(all[i]))
			continue;
		fprintf(out, "%s%s", between, words[i][all[i]->value > 0]);
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', out);
}

static void print_row(const struct amp_row *row, FILE *out)
{
	char name[48], block[CELL], size[CELL], ways[CELL];

	amp_row_name(row, name, sizeof(name));
	cell(block, &row->block_bytes.p, true);
	cell(size, &row->size.p, !row->mapped_bytes);
	cell(ways, &row->ways.p, false);
	fprintf(out, "%-18s %9s %9s %6s ", name, block, size, ways);
	print_votes(&row->block_bytes, out);
	print_votes(&row->size, out);
	print_votes(&row->ways, out);
	fprintf(out, "  %s\n", row->counter ? row->counter : "-");
	print_more(row, out);
}

static void print_undecided(const struct amp_row *row, FILE *out)
{
	const bool tlb = row->mapped_bytes;
	/* A TLB has no parameters of stores. */
	const struct named_parameter all[] = {
		{ tlb ? "page" : "line", &row->block_bytes.p },
		{ tlb ? "entries" : "capacity", &row->size.p },
		{ "ways", &row->ways.p },
		{ "replacement", &row->replacement.p },
		{ "unified", &row->unified.p },
		{ "write-allocate", &row->write_allocate.p },
		{ "write-back", &row->write_back.p },
	};
	const size_t count = sizeof(all) / sizeof(all[0]) - (tlb ? 2 : 0);
	char name[48];

	amp_row_name(row, name, sizeof(name));
	table_reasons(name, all, count, PARAMETER_UNDECIDED, out);
	table_reasons(name, all, count, PARAMETER_UNAVAILABLE, out);
}

static void print_disagreement(const struct disagreement *d, void *out)
{
	fprintf(out,
		"  %s %s: the methods disagree: x-ray %.0f, amp %.0f; trust neither\n",
		d->where, d->name, d->xray, d->amp);
}

void table_amp(const struct report *r, FILE *out)
{
	const struct amp_result *amp = r->amp;

	fprintf(out, "%-18s %9s %9s %6s  %-20s  %s\n", "amp", "line/page",
		"size", "ways",
		amp->decision == AMP_BY_VOTES ? "by most of 8 votes" :
						"votes that agree",
		"counter");
	for (size_t i = 0; i < amp->cache_count; i++)
		print_row(&amp->caches[i], out);
	for (size_t i = 0; i < amp->tlb_count; i++)
		print_row(&amp->tlbs[i], out);
	fputs("\n", out);
	for (size_t i = 0; i < amp->cache_count; i++)
		print_undecided(&amp->caches[i], out);
	for (size_t i = 0; i < amp->tlb_count; i++)
		print_undecided(&amp->tlbs[i], out);
	disagreements_each(r, print_disagreement, out);
}
