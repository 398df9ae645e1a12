// SPDX-License-Identifier: GPL-2.0
#include "method/probe/hit_range.h"

#include <math.h>

struct hit_range hit_range_now(const struct prober *p,
			       const struct cache_result *c)
{
	const double then = prober_load_ticks(p, c->latency_ns.value);
	const double cycle = sampler_cycle_ticks(p->m);
	double now = then;

	if (cycle > 0 && parameter_is_measured(&c->latency_cycles))
		now = cycle * c->latency_cycles.value + p->page_ticks;
	return (struct hit_range){ fmin(then, now), fmax(then, now) };
}

double hit_range_off(const struct hit_range *r, double ticks)
{
	if (ticks > r->most)
		return ticks - r->most;
	/* NAN stays what it is. */
	return ticks >= r->least ? 0 : ticks - r->least;
}
