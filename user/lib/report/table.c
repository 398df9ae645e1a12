// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/report.h"

#define CELL 24

void report_bytes(char *text, size_t size, uint64_t bytes)
{
	if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
		snprintf(text, size, "%llu MiB",
			 (unsigned long long)(bytes >> 20));
	else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
		snprintf(text, size, "%llu KiB",
			 (unsigned long long)(bytes >> 10));
	else
		snprintf(text, size, "%llu B", (unsigned long long)bytes);
}

static bool known(const struct parameter *p)
{
	return p->status == PARAMETER_MEASURED;
}

/* A question mark is an answer: see below the table. */
static const char *unknown(const struct parameter *p)
{
	return p->status == PARAMETER_UNDECIDED ? "?" : "-";
}

static void count_cell(char *text, const struct parameter *p)
{
	if (known(p))
		snprintf(text, CELL, "%.0f", p->value);
	else
		strcpy(text, unknown(p));
}

static void bytes_cell(char *text, const struct parameter *p)
{
	if (known(p))
		report_bytes(text, CELL, (uint64_t)p->value);
	else
		strcpy(text, unknown(p));
}

static void time_cell(char *text, const struct parameter *p, const char *unit)
{
	if (known(p))
		snprintf(text, CELL, p->value < 100 ? "%.1f %s" : "%.0f %s",
			 p->value, unit);
	else
		strcpy(text, unknown(p));
}

static void print_documented(const struct report *r,
			     const struct cache_result *found, FILE *out)
{
	const struct documented_cache *c =
		r->documented ? documented_find(r->documented, found->level,
						found->type) :
				NULL;
	char capacity[CELL];

	if (!c || !c->capacity_bytes) {
		fputs("  -", out);
		return;
	}
	report_bytes(capacity, sizeof(capacity), c->capacity_bytes);
	fprintf(out, "  %llu ways, %s, %llu B, %llu sets",
		(unsigned long long)c->ways, capacity,
		(unsigned long long)c->line_bytes, (unsigned long long)c->sets);
}

static void print_cache(const struct report *r, const struct cache_result *c,
			FILE *out)
{
	char ways[CELL], capacity[CELL], line[CELL], sets[CELL];
	char cycles[CELL], ns[CELL];
	const char *index = unknown(&c->index_decision);

	if (known(&c->index_decision))
		index = index_kind_name(c->index);
	count_cell(ways, &c->ways);
	bytes_cell(capacity, &c->capacity_bytes);
	bytes_cell(line, &c->line_bytes);
	count_cell(sets, &c->sets);
	time_cell(cycles, &c->latency_cycles, "cycles");
	time_cell(ns, &c->latency_ns, "ns");
	fprintf(out, "L%d %-11s %6s %9s %6s %7s  %-7s %12s %9s", c->level,
		c->type, ways, capacity, line, sets, index, cycles, ns);
	print_documented(r, c, out);
	fputc('\n', out);
}

static void print_effective(const struct cache_result *c, FILE *out)
{
	char ways[CELL], capacity[CELL];

	if (!known(&c->effective_ways) ||
	    (known(&c->ways) && c->ways.value == c->effective_ways.value))
		return;
	count_cell(ways, &c->effective_ways);
	bytes_cell(capacity, &c->effective_capacity_bytes);
	fprintf(out, "   of which a program can use %s ways, %s\n", ways,
		capacity);
}

static void print_memory(const struct hierarchy *h, FILE *out)
{
	char cycles[CELL], ns[CELL];

	time_cell(cycles, &h->memory_latency_cycles, "cycles");
	time_cell(ns, &h->memory_latency_ns, "ns");
	fprintf(out, "%-55s %12s %9s\n", "memory", cycles, ns);
}

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

/* What few arrays have, in a line of its own. */
static void print_tlb_more(const struct tlb_result *t, FILE *out)
{
	char size[CELL];

	if (known(&t->effective_entries) &&
	    (!known(&t->entries) ||
	     t->entries.value != t->effective_entries.value))
		fprintf(out, "   of which a program can use %.0f entries\n",
			t->effective_entries.value);
	if (known(&t->coalesced_pages) && t->coalesced_pages.value > 1)
		fprintf(out,
			"   one entry serves %.0f pages whose frames are contiguous\n",
			t->coalesced_pages.value);
	if (!t->shared_count)
		return;
	fputs("   shared with pages of", out);
	for (size_t i = 0; i < t->shared_count; i++) {
		report_bytes(size, sizeof(size), t->shared_page_bytes[i]);
		fprintf(out, "%s %s", i ? "," : "", size);
	}
	fputc('\n', out);
}

static void print_tlb(const struct report *r, const struct tlb_result *t,
		      FILE *out)
{
	char page[CELL], entries[CELL], ways[CELL], sets[CELL];
	char hit[CELL], miss[CELL];
	const char *index = unknown(&t->index_decision);

	if (known(&t->index_decision))
		index = index_kind_name(t->index);
	report_bytes(page, sizeof(page), t->page_bytes);
	count_cell(entries, &t->entries);
	count_cell(ways, &t->ways);
	count_cell(sets, &t->sets);
	time_cell(hit, &t->latency_cycles, "cycles");
	time_cell(miss, &t->miss_cycles, "cycles");
	fprintf(out, "L%d %-11s %6s %7s %6s %5s  %-7s %11s %11s", t->level,
		t->type, page, entries, ways, sets, index, hit, miss);
	print_documented_tlb(r, t, out);
	fputc('\n', out);
	print_tlb_more(t, out);
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

static void print_registers(const struct hierarchy *h, FILE *out)
{
	const char *between = "\nregisters a program can use: ";
	char count[CELL];

	for (size_t i = 0; i < h->register_count; i++) {
		const struct register_result *r = &h->registers[i];

		if (r->available.status == PARAMETER_UNAVAILABLE)
			continue;
		count_cell(count, &r->available);
		fprintf(out, "%s%s %s", between, count, r->type);
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', out);
}

struct named {
	const char *name;
	const struct parameter *parameter;
};

/* Parameters that are open for the same reason share a line. */
static void print_open(const char *level, const struct named *all, size_t count,
		       FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct parameter *p = all[i].parameter;
		bool said = false;

		if (p->status != PARAMETER_UNDECIDED)
			continue;
		for (size_t j = 0; j < i && !said; j++)
			said = all[j].parameter->status == p->status &&
			       !strcmp(all[j].parameter->reason, p->reason);
		if (said)
			continue;
		fprintf(out, "  %s %s", level, all[i].name);
		for (size_t j = i + 1; j < count; j++)
			if (all[j].parameter->status == p->status &&
			    !strcmp(all[j].parameter->reason, p->reason))
				fprintf(out, ", %s", all[j].name);
		fprintf(out, ": undecided: %s\n", p->reason);
	}
}

static void print_open_tlb(const struct tlb_result *t, FILE *out)
{
	const struct named all[] = {
		{ "entries", &t->entries },
		{ "ways", &t->ways },
		{ "sets", &t->sets },
		{ "index", &t->index_decision },
		{ "hit", &t->latency_cycles },
		{ "miss", &t->miss_cycles },
		{ "coalescing", &t->coalesced_pages },
		{ "effective entries", &t->effective_entries },
	};
	char page[CELL], name[64];

	report_bytes(page, sizeof(page), t->page_bytes);
	snprintf(name, sizeof(name), "L%d %s TLB, %s pages:", t->level, t->type,
		 page);
	print_open(name, all, sizeof(all) / sizeof(all[0]), out);
}

static void print_inclusion(const struct cache_result *c, FILE *out)
{
	switch (c->inclusion) {
	case INCLUSION_INCLUSIVE:
		fputs("   inclusive: what it loses the levels above lose\n",
		      out);
		break;
	case INCLUSION_EXCLUSIVE:
		fputs("   exclusive: takes what the levels above throw out\n",
		      out);
		break;
	case INCLUSION_NINE:
		fputs("   neither inclusive nor exclusive of the levels above\n",
		      out);
		break;
	default:
		break;
	}
}

static void print_stores(const struct cache_result *c, FILE *out)
{
	bool allocate = known(&c->write_allocate), back = known(&c->write_back);

	if (!allocate && !back)
		return;
	fputs("   ", out);
	if (allocate)
		fprintf(out, "%swrite-allocate",
			c->write_allocate.value > 0 ? "" : "no ");
	if (back)
		fprintf(out, "%s%s", allocate ? ", " : "",
			c->write_back.value > 0 ? "write-back" :
						  "write-through");
	fputc('\n', out);
}

static void print_unified(const struct cache_result *c, FILE *out)
{
	if (known(&c->unified))
		fputs(c->unified.value > 0 ?
			      "   unified: holds code as well\n" :
			      "   holds no code\n",
		      out);
}

static void print_sharing(const struct cache_result *c, FILE *out)
{
	if (!known(&c->sharing))
		return;
	if (c->shared_count == 1) {
		fputs("   shared with no other CPU\n", out);
		return;
	}
	fputs("   shared with CPU", out);
	for (size_t i = 1; i < c->shared_count; i++)
		fprintf(out, "%s %d", i > 1 ? "," : "", c->shared_cpus[i]);
	fputc('\n', out);
}

static void print_open_cache(const struct cache_result *c, FILE *out)
{
	const struct named all[] = {
		{ "ways", &c->ways },
		{ "capacity", &c->capacity_bytes },
		{ "line", &c->line_bytes },
		{ "sets", &c->sets },
		{ "index", &c->index_decision },
		{ "latency", &c->latency_cycles },
		{ "inclusion", &c->inclusion_decision },
		{ "write-allocate", &c->write_allocate },
		{ "write-back", &c->write_back },
		{ "unified", &c->unified },
		{ "sharing", &c->sharing },
	};
	bool code = !strcmp(c->type, "instruction");
	char level[24];

	snprintf(level, sizeof(level), "L%d%s", c->level,
		 code ? " instruction" : "");
	print_open(level, all, sizeof(all) / sizeof(all[0]), out);
}

static void print_undecided(const struct hierarchy *h, FILE *out)
{
	const struct named memory = { "latency", &h->memory_latency_cycles };
	const struct named frequency = { "frequency", &h->frequency_hz };

	for (size_t i = 0; i < h->cache_count; i++)
		print_open_cache(&h->caches[i], out);
	if (h->instruction.level)
		print_open_cache(&h->instruction, out);
	print_open("memory", &memory, 1, out);
	for (size_t i = 0; i < h->tlb_count; i++)
		print_open_tlb(&h->tlbs[i], out);
	for (size_t i = 0; i < h->register_count; i++) {
		const struct named one = { "registers",
					   &h->registers[i].available };

		print_open(h->registers[i].type, &one, 1, out);
	}
	print_open("CPU", &frequency, 1, out);
}

static void print_prefetchers(const struct machine_prefetchers *p, FILE *out)
{
	if (!p->off_count && !p->why[0])
		return;
	fputs("prefetch ", out);
	for (size_t i = 0; i < p->off_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", p->off[i]);
	fprintf(out, "%s%s%s\n",
		p->off_count ? " off until the end" : "not switched",
		p->why[0] ? ": " : "", p->why);
}

void report_head(const struct report *r, FILE *out)
{
	const struct machine *m = r->machine;
	const char *name = r->documented ? r->documented->cpu_model : m->name;
	char bytes[CELL], longest[CELL];

	report_bytes(bytes, sizeof(bytes), m->region.bytes);
	report_bytes(longest, sizeof(longest),
		     m->region.extent_count ? m->region.extents[0].bytes : 0);
	fprintf(out, "machine  %s on CPU %d%s%s\n", m->ops->kind, m->cpu,
		name[0] ? ", " : "", name);
	fprintf(out, "memory   %s of %s, longest contiguous run %s (%s)\n",
		bytes, m->region.backing, longest,
		!m->region.phys_known ? "physical addresses unknown" :
		m->virtual_machine    ? "guest-physical addresses" :
					"physical addresses known");
	fprintf(out, "timer    %s, resolution %.1f ns, overhead %.1f ns",
		m->timer.name,
		m->timer.resolution_ticks / m->timer.ticks_per_ns,
		m->timer.overhead_ticks / m->timer.ticks_per_ns);
	if (known(&r->found->cycle_ns))
		fprintf(out, "; core cycle %.3f ns", r->found->cycle_ns.value);
	if (known(&r->found->frequency_hz))
		fprintf(out, ", %.2f GHz", r->found->frequency_hz.value / 1e9);
	fputs("\n", out);
	print_prefetchers(&m->prefetchers, out);
	for (size_t i = 0; i < m->note_count; i++)
		fprintf(out, "note     %s\n", m->notes[i]);
	fputs("\n", out);
}

static void print_foot(const struct report *r, FILE *out)
{
	const struct machine_conditions *c = &r->machine->conditions;

	fprintf(out,
		"\n%llu tests, each wrong with a probability of at most 1e-6; %llu samples, %llu disturbed and repeated; %.1f s; --seed %llu\n",
		(unsigned long long)r->found->tests,
		(unsigned long long)c->samples,
		(unsigned long long)c->disturbed, r->seconds,
		(unsigned long long)r->seed);
	if (!r->found->complete)
		fprintf(out, "The measurement %s: this is what was finished.\n",
			r->failure ? "failed" : "was interrupted");
}

static void print_measured(const struct report *r, FILE *out)
{
	fprintf(out, "%-14s %6s %9s %6s %7s  %-7s %22s  %s\n", "cache", "ways",
		"capacity", "line", "sets", "index", "latency",
		"documented (not used)");
	for (size_t i = 0; i < r->found->cache_count; i++) {
		print_cache(r, &r->found->caches[i], out);
		print_effective(&r->found->caches[i], out);
		print_inclusion(&r->found->caches[i], out);
		print_stores(&r->found->caches[i], out);
		print_unified(&r->found->caches[i], out);
		print_sharing(&r->found->caches[i], out);
		table_index_function(&r->found->caches[i].function, out);
	}
	if (r->found->instruction.level)
		print_cache(r, &r->found->instruction, out);
	print_memory(r->found, out);
	print_tlbs(r, out);
	print_registers(r->found, out);
	fputs("\n", out);
}

void report_table(const struct report *r, FILE *out)
{
	report_head(r, out);
	if (!r->amp_alone)
		print_measured(r, out);
	if (r->amp)
		amp_table(r, out);
	if (!r->amp_alone)
		print_undecided(r->found, out);
	print_foot(r, out);
}
