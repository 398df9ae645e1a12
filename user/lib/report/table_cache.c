// SPDX-License-Identifier: GPL-2.0
/* table_cache.c - rows of caches, and the lines below each. */
#include "base/text.h"
#include "report/cells.h"
#include "report/report.h"
#include "report/rows.h"

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
	text_bytes_exact(c->capacity_bytes, capacity, CELL);
	fprintf(out, "  %llu ways, %s, %llu B, %llu sets",
		(unsigned long long)c->ways, capacity,
		(unsigned long long)c->line_bytes, (unsigned long long)c->sets);
}

static void print_cache(const struct report *r, const struct cache_result *c,
			FILE *out)
{
	char ways[CELL], capacity[CELL], line[CELL], sets[CELL];
	char cycles[CELL], ns[CELL];
	const char *index = cell_index(&c->index_decision, c->index);

	cell_count(ways, &c->ways);
	cell_bytes(capacity, &c->capacity_bytes);
	cell_bytes(line, &c->line_bytes);
	cell_count(sets, &c->sets);
	cell_time(cycles, &c->latency_cycles, "cycles");
	cell_time(ns, &c->latency_ns, "ns");
	fprintf(out, "L%d %-11s %6s %9s %6s %7s  %-7s %12s %9s", c->level,
		c->type, ways, capacity, line, sets, index, cycles, ns);
	print_documented(r, c, out);
	fputc('\n', out);
}

static void print_effective(const struct cache_result *c, FILE *out)
{
	char ways[CELL], capacity[CELL];

	if (!cell_known(&c->capacity_bytes) &&
	    !cell_known(&c->effective_ways) &&
	    cell_known(&c->effective_capacity_bytes)) {
		cell_bytes(capacity, &c->effective_capacity_bytes);
		fprintf(out, "   effective: a program can use %s\n", capacity);
		return;
	}
	if (!cell_known(&c->effective_ways) ||
	    (cell_known(&c->ways) && c->ways.value == c->effective_ways.value))
		return;
	cell_count(ways, &c->effective_ways);
	cell_bytes(capacity, &c->effective_capacity_bytes);
	fprintf(out, "   of which a program can use %s ways, %s\n", ways,
		capacity);
}

static void print_miss(const struct cache_result *c, FILE *out)
{
	if (cell_known(&c->miss_cycles))
		fprintf(out, "   a miss that hits L2 adds %.1f cycles\n",
			c->miss_cycles.value);
}

static void print_inclusion(const struct cache_result *c, FILE *out)
{
	switch (c->inclusion) {
	case INCLUSION_INCLUSIVE:
		fputs("   inclusive: a line evicted here is evicted from the levels above\n",
		      out);
		break;
	case INCLUSION_EXCLUSIVE:
		fputs("   exclusive: takes the lines that the levels above evict\n",
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
	bool allocate = cell_known(&c->write_allocate),
	     back = cell_known(&c->write_back);

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
	if (cell_known(&c->unified))
		fputs(c->unified.value > 0 ?
			      "   unified: holds code as well\n" :
			      "   holds no code\n",
		      out);
}

static void print_sharing(const struct cache_result *c, FILE *out)
{
	if (!cell_known(&c->sharing))
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

void table_caches(const struct report *r, FILE *out)
{
	fprintf(out, "%-14s %6s %9s %6s %7s  %-7s %22s  %s\n", "cache", "ways",
		"capacity", "line", "sets", "index", "latency",
		"documented (not used)");
	for (size_t i = 0; i < r->found->cache_count; i++) {
		const struct cache_result *c = &r->found->caches[i];

		print_cache(r, c, out);
		print_effective(c, out);
		print_inclusion(c, out);
		print_stores(c, out);
		print_unified(c, out);
		print_sharing(c, out);
		table_index_function(&c->function, out);
	}
	if (r->found->instruction.level) {
		print_cache(r, &r->found->instruction, out);
		print_miss(&r->found->instruction, out);
	}
}
