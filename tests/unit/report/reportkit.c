// SPDX-License-Identifier: GPL-2.0
#include "report/reportkit.h"

#include <check.h>
#include <stdio.h>

#include "kit/simcache.h"

static void add_tlb(struct hierarchy *found)
{
	struct tlb_result *t = hierarchy_add_tlb(found, 1, "data", 4096);

	parameter_measured(&t->entries, 64, 1e-6, "x-ray");
	parameter_measured(&t->ways, 4, 1e-6, "x-ray");
	parameter_measured(&t->miss_cycles, 7.5, 0, "x-ray");
	parameter_measured(&t->coalesced_pages, 8, 1e-6, "x-ray");
	parameter_measured(&t->index_decision, 1, 1e-6, "x-ray");
	parameter_undecided(&t->sets, "x-ray", "seen %d sets", 5);
	t->index = INDEX_MODULO;
	parameter_measured(&t->policy_decision, 0, 1e-4,
			   "simulate and compare");
	t->policy_decision.by = "accessed-bits";
	snprintf(t->policies[0], sizeof(t->policies[0]), "tree-PLRU");
	snprintf(t->policies[1], sizeof(t->policies[1]), "LRU3PLRU4");
	t->policy_count = 2;
	t->shared_page_bytes[t->shared_count++] = 2 << 20;
}

static void fill_in(struct hierarchy *found)
{
	struct cache_result *c;

	hierarchy_init(found);
	c = hierarchy_add(found);
	parameter_measured(&c->ways, 12, 1e-6, "x-ray");
	parameter_measured(&c->latency_cycles, 4.25, 0, "x-ray");
	parameter_undecided(&c->capacity_bytes, "x-ray", "seen %d ways", 3);
	c->index = INDEX_HASHED;
	parameter_measured(&c->index_decision, 1, 1e-6, "eviction-sets");
	c->function = (struct index_function){
		.kind = INDEX_HASHED,
		.low_bit = 6,
		.high_bit = 20,
		.masks = { 0x40, 0x80, 0x100, 0x400, 0x10200 },
		.rank = 5,
		.check = { .congruent = 500,
			   .false_congruent = 2,
			   .apart = 499,
			   .apart_high = 0.0075 },
		.limit = "higher bits cannot be measured",
	};
	add_tlb(found);
	parameter_measured(&hierarchy_add_registers(found, "int")->available,
			   14, 1e-6, "x-ray");
	parameter_undecided(&hierarchy_add_registers(found, "sse")->available,
			    "x-ray", "no step");
	hierarchy_add_registers(found, "mmx");
	parameter_measured(&found->frequency_hz, 4.31e9, 0, "additions");
	hierarchy_add_cost(found,
			   &(struct group_cost){ "caches", 2.5, 1000000, 40 });
	hierarchy_add_cost(found, &(struct group_cost){ "tlbs", 0.5, 1000, 5 });
	hierarchy_add_cost(found, &(struct group_cost){ "caches", 1, 500, 2 });
	hierarchy_add_cost(found, &(struct group_cost){ "clock", 0.01, 0, 0 });
	found->complete = true;
}

void report_kit_begin(struct report_kit *kit)
{
	const struct sim_config config = { .memory_latency = 9, .seed = 1 };

	kit->m = sim_open(&config);
	fill_in(&kit->found);
	kit->report = (struct report){ .machine = machine_describe(kit->m),
				       .found = &kit->found,
				       .documented = &kit->documented,
				       .seed = 42,
				       .seconds = 0.5,
				       .limit_s = 60 };
}

void report_kit_end(struct report_kit *kit)
{
	machine_close(kit->m);
}

char *report_kit_table(const struct report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	report_table(report, out);
	fclose(out);
	return text;
}
