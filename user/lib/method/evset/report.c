// SPDX-License-Identifier: GPL-2.0
#include "method/evset/stages.h"

#include <stdio.h>
#include <string.h>

#define METHOD "eviction sets"

static void say(char *reason, size_t size, const char *why)
{
	if (!reason[0])
		snprintf(reason, size, "%s", why);
}

void evset_say_undecided(struct evset_found *r, const char *why)
{
	say(r->reason, sizeof(r->reason), why);
	say(r->line_reason, sizeof(r->line_reason), why);
	say(r->count.reason, sizeof(r->count.reason), why);
}

void evset_withdraw(struct evset_found *r, const char *why)
{
	*r = (struct evset_found){ .set = r->set,
				   .drawn_before = r->drawn_before };
	evset_say_undecided(r, why);
}

static void decide(struct parameter *p, double value, double bound,
		   const char *reason)
{
	const struct parameter before = *p;

	if (value > 0)
		parameter_measured(p, value, bound, METHOD);
	else if (before.reason[0])
		parameter_undecided(p, METHOD, "%s; by eviction sets: %s",
				    before.reason, reason);
	else
		parameter_undecided(p, METHOD, "%s", reason);
}

double evset_drawn(const struct evset_machine *e, const struct evset_found *r)
{
	return budget_bound(&e->x->prober->budget, r->drawn_before);
}

void evset_report(const struct evset_machine *e, const struct evset_found *r,
		  struct cache_result *c)
{
	double capacity = (double)(r->ways * r->line_bytes * r->count.sets);

	decide(&c->ways, (double)r->ways, r->ways_bound, r->reason);
	decide(&c->line_bytes, (double)r->line_bytes, r->line_bound,
	       r->line_reason);
	decide(&c->sets, (double)r->count.sets, r->sets_bound, r->count.reason);
	decide(&c->capacity_bytes, capacity, r->sets_bound, r->count.reason);
	c->function = r->function;
	c->set_line_count = r->line_count;
	memcpy(c->set_lines, r->lines, sizeof(c->set_lines));
	/* That strides never conflict is no proof of a hash. */
	if (r->count.index != INDEX_UNKNOWN) {
		c->index = r->count.index;
		parameter_measured(&c->index_decision, 0, evset_drawn(e, r),
				   METHOD);
	}
	if (e->x->upper_count && r->alone) {
		c->effective_ways = c->ways;
		c->effective_capacity_bytes = c->capacity_bytes;
	} else if (e->x->upper_count) {
		parameter_undecided(
			&c->effective_ways, METHOD,
			"its set was looked at without those above");
		c->effective_capacity_bytes = c->effective_ways;
	}
}
