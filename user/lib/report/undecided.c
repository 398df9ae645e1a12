// SPDX-License-Identifier: GPL-2.0
/* undecided.c - why parameters have no value. */
#include <string.h>

#include "base/text.h"
#include "report/cells.h"
#include "report/rows.h"

static bool same_reason(const struct parameter *a, const struct parameter *b)
{
	return a->status == b->status && !strcmp(a->reason, b->reason);
}

void table_reasons(const char *where, const struct named_parameter *all,
		   size_t count, enum parameter_status without, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct parameter *p = all[i].parameter;
		bool listed = p->status != without;

		for (size_t k = 0; k < i && !listed; k++)
			listed = same_reason(all[k].parameter, p);
		if (listed)
			continue;
		fprintf(out, "  %s %s", where, all[i].name);
		for (size_t k = i + 1; k < count; k++)
			if (same_reason(all[k].parameter, p))
				fprintf(out, ", %s", all[k].name);
		fprintf(out, ": %s: %s\n",
			without == PARAMETER_UNDECIDED ? "undecided" :
							 "unavailable",
			p->reason);
	}
}

static void undecided(const char *where, const struct named_parameter *all,
		      size_t count, FILE *out)
{
	table_reasons(where, all, count, PARAMETER_UNDECIDED, out);
}

static void undecided_tlb(const struct tlb_result *t, FILE *out)
{
	const struct named_parameter all[] = {
		{ "entries", &t->entries },
		{ "ways", &t->ways },
		{ "sets", &t->sets },
		{ "index", &t->index_decision },
		{ "policy", &t->policy_decision },
		{ "hit", &t->latency_cycles },
		{ "miss", &t->miss_cycles },
		{ "coalescing", &t->coalesced_pages },
		{ "effective entries", &t->effective_entries },
	};
	char page[CELL], name[64];

	text_bytes_exact(t->page_bytes, page, CELL);
	snprintf(name, sizeof(name), "L%d %s TLB, %s pages:", t->level, t->type,
		 page);
	undecided(name, all, sizeof(all) / sizeof(all[0]), out);
}

static void undecided_cache(const struct cache_result *c, FILE *out)
{
	const struct named_parameter all[] = {
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
	undecided(level, all, sizeof(all) / sizeof(all[0]), out);
}

void table_undecided(const struct hierarchy *h, FILE *out)
{
	const struct named_parameter memory = { "latency",
						&h->memory_latency_cycles };
	const struct named_parameter frequency = { "frequency",
						   &h->frequency_hz };

	for (size_t i = 0; i < h->cache_count; i++)
		undecided_cache(&h->caches[i], out);
	if (h->instruction.level)
		undecided_cache(&h->instruction, out);
	undecided("memory", &memory, 1, out);
	for (size_t i = 0; i < h->tlb_count; i++)
		undecided_tlb(&h->tlbs[i], out);
	for (size_t i = 0; i < h->walk_cache_count; i++) {
		const struct named_parameter one = {
			"entries", &h->walk_caches[i].entries
		};
		char name[32];

		snprintf(name, sizeof(name),
			 "walk cache, %s:", h->walk_caches[i].level);
		undecided(name, &one, 1, out);
	}
	for (size_t i = 0; i < h->register_count; i++) {
		const struct named_parameter one = {
			"registers", &h->registers[i].available
		};

		undecided(h->registers[i].type, &one, 1, out);
	}
	undecided("CPU", &frequency, 1, out);
}
