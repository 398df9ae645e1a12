// SPDX-License-Identifier: GPL-2.0
#include "method/probe/cost.h"

#include "method/probe/time_limit.h"

struct group_cost cost_begin(const struct prober *p)
{
	return (struct group_cost){ .seconds = time_limit_now_ns(p) / 1e9,
				    .accesses = p->m->conditions.accesses,
				    .tests = p->tests };
}

struct group_cost cost_since(const struct prober *p,
			     const struct group_cost *begun, const char *group)
{
	struct group_cost cost = cost_begin(p);

	cost.group = group;
	cost.seconds -= begun->seconds;
	cost.accesses -= begun->accesses;
	cost.tests -= begun->tests;
	return cost;
}

void cost_end(const struct prober *p, const struct group_cost *begun,
	      const char *group, struct hierarchy *h)
{
	const struct group_cost cost = cost_since(p, begun, group);

	hierarchy_add_cost(h, &cost);
}
