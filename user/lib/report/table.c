// SPDX-License-Identifier: GPL-2.0
/* table.c - a measurement as a table: head, rows, reasons, foot. */
#include "base/text.h"
#include "report/cells.h"
#include "report/report.h"
#include "report/rows.h"

/* Smaller shares are left out of the line of costs. */
#define LEAST_PERCENT 1

static void print_memory(const struct hierarchy *h, FILE *out)
{
	char cycles[CELL], ns[CELL];

	cell_time(cycles, &h->memory_latency_cycles, "cycles");
	cell_time(ns, &h->memory_latency_ns, "ns");
	fprintf(out, "%-55s %12s %9s\n", "memory", cycles, ns);
}

static void print_registers(const struct hierarchy *h, FILE *out)
{
	const char *between = "\nregisters a program can use: ";
	char count[CELL];

	for (size_t i = 0; i < h->register_count; i++) {
		const struct register_result *r = &h->registers[i];

		if (r->available.status == PARAMETER_UNAVAILABLE)
			continue;
		cell_count(count, &r->available);
		fprintf(out, "%s%s %s", between, count, r->type);
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', out);
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
	const struct machine_description *m = &r->machine;
	const char *name = r->documented ? r->documented->cpu_model : m->name;
	char bytes[CELL], longest[CELL];

	text_bytes_exact(m->region->bytes, bytes, CELL);
	text_bytes_exact(m->region->extent_count ? m->region->extents[0].bytes :
						   0,
			 longest, CELL);
	fprintf(out, "machine  %s on CPU %d%s%s\n", m->kind, m->cpu,
		name[0] ? ", " : "", name);
	fprintf(out, "memory   %s of %s, longest contiguous run %s (%s)\n",
		bytes, m->region->backing, longest,
		!m->region->phys_known ? "physical addresses unknown" :
		m->virtual_machine     ? "guest-physical addresses" :
					 "physical addresses known");
	fprintf(out, "timer    %s, resolution %.1f ns, overhead %.1f ns",
		m->timer->name,
		m->timer->resolution_ticks / m->timer->ticks_per_ns,
		m->timer->overhead_ticks / m->timer->ticks_per_ns);
	if (cell_known(&r->found->cycle_ns))
		fprintf(out, "; core cycle %.3f ns", r->found->cycle_ns.value);
	if (cell_known(&r->found->frequency_hz))
		fprintf(out, ", %.2f GHz", r->found->frequency_hz.value / 1e9);
	fputs("\n", out);
	print_prefetchers(m->prefetchers, out);
	for (size_t i = 0; i < m->note_count; i++)
		fprintf(out, "note     %s\n", m->notes[i]);
	fputs("\n", out);
}

/* Shares of the machine's time, which is not the user's of a simulated one. */
static void print_costs(const struct hierarchy *h, FILE *out)
{
	const char *between = "time: ";
	double all = 0;

	for (size_t i = 0; i < h->cost_count; i++)
		all += h->costs[i].seconds;
	for (size_t i = 0; i < h->cost_count; i++) {
		const double percent = 100 * h->costs[i].seconds / all;

		if (!(percent >= LEAST_PERCENT))
			continue;
		fprintf(out, "%s%s %.0f %%", between, h->costs[i].group,
			percent);
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', out);
}

static void print_foot(const struct report *r, FILE *out)
{
	const struct machine_conditions *c = r->machine.conditions;

	fprintf(out,
		"\n%llu tests, each wrong with a probability of at most 1e-6; %llu samples, %llu disturbed and repeated; %.1f s; --seed %llu\n",
		(unsigned long long)r->found->tests,
		(unsigned long long)c->samples,
		(unsigned long long)c->disturbed, r->seconds,
		(unsigned long long)r->seed);
	print_costs(r->found, out);
	if (!r->found->complete)
		fprintf(out,
			"The measurement %s: the table has only the finished parts.\n",
			r->failure ? "failed" : "was interrupted");
}

static void print_measured(const struct report *r, FILE *out)
{
	table_caches(r, out);
	print_memory(r->found, out);
	table_tlbs(r, out);
	print_registers(r->found, out);
	fputs("\n", out);
}

void report_table(const struct report *r, FILE *out)
{
	report_head(r, out);
	if (!r->amp_alone)
		print_measured(r, out);
	if (r->amp)
		table_amp(r, out);
	if (!r->amp_alone)
		table_undecided(r->found, out);
	print_foot(r, out);
}
