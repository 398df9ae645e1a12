// SPDX-License-Identifier: GPL-2.0
#include "method/amp/amp.h"

#include "method/amp/level.h"

/* The first cache, as far as TLB measurements need it. */
static void first_cache(const struct amp_result *r, struct cache_result *c)
{
	*c = (struct cache_result){ .level = 1, .type = "data" };
	if (!r->cache_count)
		return;
	c->ways = r->caches[0].ways.p;
	c->capacity_bytes = r->caches[0].size.p;
	c->line_bytes = r->caches[0].block_bytes.p;
}

int amp_measure(struct prober *p, const struct amp_wanted *wanted,
		struct amp_result *r, struct failure *f)
{
	struct counter_checks checks;
	const struct amp_run run = {
		.p = p, .wanted = wanted, .checks = &checks, .r = r
	};
	struct cache_result first;
	int error;

	*r = (struct amp_result){ .decision = wanted->decision,
				  .selected = true };
	error = counters_selftest(p, &checks, f);
	if (error)
		return error;
	error = amp_measure_caches(&run, f);
	first_cache(r, &first);
	if (!error && wanted->caches && p->m->view_executable)
		error = amp_measure_code(&run, f);
	if (!error && wanted->tlbs)
		error = amp_measure_tlbs(&run, &first, f);
	return error;
}
