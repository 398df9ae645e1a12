// SPDX-License-Identifier: GPL-2.0
#include "method/instruction/icachekit.h"

#include <math.h>

#include "method/instruction/icache.h"
#include "suites.h"

/* What is measured before. */
void icache_kit_know(struct hierarchy *h, double ns)
{
	hierarchy_init(h);
	hierarchy_add(h);
	parameter_measured(&hierarchy_add(h)->latency_ns, ns, 0, "known");
}

void icache_kit_measure(struct machine *m, enum prober_by by, double l2_ns,
			uint64_t seed, struct hierarchy *h)
{
	struct failure f = { .text = "" };
	struct prober p;
	int error;

	prober_begin(&p, m, seed);
	p.by = by;
	icache_kit_know(h, l2_ns);
	error = icache_measure(&p, h, &f);
	ck_assert_msg(!error, "seed %llu: %s", (unsigned long long)seed,
		      f.text);
}

bool icache_kit_decided(const struct hierarchy *h)
{
	const struct cache_result *c = &h->instruction;
	const struct parameter *all[] = { &c->ways, &c->capacity_bytes,
					  &c->line_bytes, &c->sets,
					  &c->index_decision };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ck_assert_int_eq(all[i]->status, all[0]->status);
		if (!parameter_is_measured(all[i]))
			ck_assert(all[i]->status == PARAMETER_UNDECIDED &&
				  all[i]->reason[0]);
	}
	return parameter_is_measured(all[0]);
}

void icache_kit_expect(const struct hierarchy *h, unsigned int ways,
		       unsigned int sets, unsigned int line, uint64_t seed)
{
	const struct cache_result *c = &h->instruction;

	ck_assert_msg(
		c->ways.value == ways && c->sets.value == sets &&
			c->line_bytes.value == line &&
			c->capacity_bytes.value == (double)ways * sets * line &&
			c->index == (sets & (sets - 1) ? INDEX_MODULO :
							 INDEX_LINEAR),
		"seed %llu: %g ways, %g sets, %g bytes instead of %u, %u, %u",
		(unsigned long long)seed, c->ways.value, c->sets.value,
		c->line_bytes.value, ways, sets, line);
}

void icache_kit_expect_miss(const struct hierarchy *h, double wanted,
			    uint64_t seed)
{
	const struct parameter *miss = &h->instruction.miss_cycles;

	ck_assert_msg(parameter_is_measured(miss), "seed %llu: %s",
		      (unsigned long long)seed, miss->reason);
	ck_assert_msg(fabs(miss->value - wanted) <= 0.5 + 0.05 * wanted,
		      "seed %llu: %g cycles instead of %g",
		      (unsigned long long)seed, miss->value, wanted);
}
