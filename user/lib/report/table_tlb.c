// SPDX-License-Identifier: GPL-2.0
/* table_tlb.c - rows of TLBs. */
#include "base/text.h"
#include "report/cells.h"
#include "report/rows.h"

static void print_documented_tlb(const struct report *r,
				 const struct tlb_result *t, FILE *out)
{
	const struct documented_tlb *d =
		r->documented ? documented_find_tlb(r->documented, t->level,
						    t->type, t->page_bytes) :
				NULL;

	if (!d || !d->entries)
		fputs("  -", out);
	else if (d->ways == d->entries)
		fprintf(out, "  %llu entries, fully associative",
			(unsigned long long)d->entries);
	else
		fprintf(out, "  %llu entries, %llu ways",
			(unsigned long long)d->entries,
			(unsigned long long)d->ways);
}

/* Properties that few arrays have are printed in lines of their own. */
static void print_tlb_more(const struct tlb_result *t, FILE *out)
{
	char size[CELL];

	if (cell_known(&t->effective_entries) &&
	    (!cell_known(&t->entries) ||
	     t->entries.value != t->effective_entries.value))
		fprintf(out, "   of which a program can use %.0f entries\n",
			t->effective_entries.value);
	if (cell_known(&t->coalesced_pages) && t->coalesced_pages.value > 1)
		fprintf(out,
			"   one entry serves %.0f pages whose frames are contiguous\n",
			t->coalesced_pages.value);
	if (cell_known(&t->policy_decision)) {
		fprintf(out, "   replacement: %s", t->policies[0]);
		for (size_t i = 1; i < t->policy_count; i++)
			fprintf(out, "%s%s", i == 1 ? " = " : ", ",
				t->policies[i]);
		fputc('\n', out);
	}
	if (!t->shared_count)
		return;
	fputs("   shared with pages of", out);
	for (size_t i = 0; i < t->shared_count; i++) {
		text_bytes_exact(t->shared_page_bytes[i], size, CELL);
		fprintf(out, "%s %s", i ? "," : "", size);
	}
	fputc('\n', out);
}

static void print_tlb(const struct report *r, const struct tlb_result *t,
		      FILE *out)
{
	char page[CELL], entries[CELL], ways[CELL], sets[CELL];
	char hit[CELL], miss[CELL];
	const char *index = cell_index(&t->index_decision, t->index);

	text_bytes_exact(t->page_bytes, page, CELL);
	cell_count(entries, &t->entries);
	cell_count(ways, &t->ways);
	cell_count(sets, &t->sets);
	cell_time(hit, &t->latency_cycles, "cycles");
	cell_time(miss, &t->miss_cycles, "cycles");
	fprintf(out, "L%d %-11s %6s %7s %6s %5s  %-7s %11s %11s", t->level,
		t->type, page, entries, ways, sets, index, hit, miss);
	print_documented_tlb(r, t, out);
	fputc('\n', out);
	print_tlb_more(t, out);
}

static void print_walk_cache(const struct walk_cache_result *w, FILE *out)
{
	char span[CELL], entries[CELL];

	text_bytes_exact(w->span_bytes, span, CELL);
	cell_count(entries, &w->entries);
	fprintf(out, "%-14s %6s %7s\n", w->level, span,
		cell_known(&w->entries) && !(w->entries.value > 0) ? "none" :
								     entries);
}

/* Nothing where the machine does not show them. */
static void print_walk_caches(const struct hierarchy *h, FILE *out)
{
	const char *head = "\nwalk cache      spans entries\n";

	for (size_t i = 0; i < h->walk_cache_count; i++) {
		const struct walk_cache_result *w = &h->walk_caches[i];

		if (w->entries.status == PARAMETER_UNAVAILABLE)
			continue;
		fputs(head, out);
		head = "";
		print_walk_cache(w, out);
	}
}

static void print_tlbs(const struct report *r, FILE *out)
{
	const struct hierarchy *h = r->found;

	if (!h->tlb_count)
		return;
	fprintf(out, "\n%-14s %6s %7s %6s %5s  %-7s %11s %11s  %s\n", "tlb",
		"page", "entries", "ways", "sets", "index", "hit adds",
		"miss adds", "documented (not used)");
	for (size_t i = 0; i < h->tlb_count; i++)
		print_tlb(r, &h->tlbs[i], out);
}

void table_tlbs(const struct report *r, FILE *out)
{
	print_tlbs(r, out);
	print_walk_caches(r->found, out);
}
