// SPDX-License-Identifier: GPL-2.0
#include "method/footprint/footkit.h"

#include <math.h>

#include "method/footprint/footprint.h"
#include "suites.h"

#define KIB 1024.0
/* Half a cycle and 5 %, as for all latencies. */
#define NEAR(value) (0.5 + 0.05 * (value))

static uint64_t set_of(const struct sim_level *l, uint64_t line)
{
	uint64_t set = 0;

	for (int i = 0; i < SIM_MASKS && l->masks[i]; i++)
		set |= (uint64_t)__builtin_parityll(line & l->masks[i]) << i;
	return set;
}

/* What eviction sets know of a hashed level: lines of one set, a few of @foreign that
 * share another one, as load from elsewhere may have it.
 */
static void know_lines(struct cache_result *c, const struct sim_level *l,
		       size_t foreign)
{
	c->index = INDEX_HASHED;
	for (uint64_t line = 0; c->set_line_count < RESULT_SET_LINES;
	     line += 4096) {
		const uint64_t set = set_of(l, line);

		if (set && (set != set_of(l, 4096) || !foreign))
			continue;
		foreign -= set != 0;
		c->set_lines[c->set_line_count++] = line;
	}
}

void foot_know(struct hierarchy *h, const struct foot_example *e,
	       size_t foreign)
{
	hierarchy_init(h);
	for (size_t i = 0; i <= e->known; i++) {
		const struct sim_level *l = &e->config.levels[i];
		struct cache_result *c = hierarchy_add(h);

		if (i == e->known) {
			cache_result_leave_open(c, "test", "not known");
			c->unreached = UNREACHED_BY_STRIDES;
			continue;
		}
		parameter_measured(&c->ways, l->ways, 0, "test");
		parameter_measured(&c->line_bytes, l->line_bytes, 0, "test");
		parameter_measured(&c->capacity_bytes,
				   (double)l->ways * l->sets * l->line_bytes, 0,
				   "test");
		if (l->masks[0])
			know_lines(c, l, foreign);
		else
			c->index = INDEX_LINEAR;
		parameter_measured(&c->latency_cycles, l->latency, 0, "test");
		parameter_measured(&c->latency_ns, l->latency, 0, "test");
	}
	parameter_measured(&h->memory_latency_ns, e->config.memory_latency, 0,
			   "test");
}

void foot_expect_latency(const struct foot_example *e,
			 const struct parameter *p)
{
	if (!e->latency) {
		ck_assert_msg(!parameter_is_measured(p) && p->reason[0],
			      "%s: latency %g", e->name, p->value);
		return;
	}
	ck_assert_msg(parameter_is_measured(p), "%s: latency: %s", e->name,
		      p->reason);
	ck_assert_msg(fabs(p->value - e->latency) <= NEAR(e->latency),
		      "%s: latency %g instead of %g", e->name, p->value,
		      e->latency);
}

void foot_expect_room(const struct foot_example *e, const struct parameter *p)
{
	if (!e->usable_kib) {
		ck_assert_msg(!parameter_is_measured(p) && p->reason[0],
			      "%s: room for %g", e->name, p->value);
		return;
	}
	ck_assert_msg(parameter_is_measured(p), "%s: room: %s", e->name,
		      p->reason);
	ck_assert_msg(p->value <= e->usable_kib * KIB &&
			      p->value >= e->usable_kib * KIB / 2,
		      "%s: room for %g KiB of %g KiB", e->name, p->value / KIB,
		      e->usable_kib);
}

void foot_measure(const struct foot_example *e, size_t foreign, bool times_each,
		  struct cache_result *found)
{
	struct sim_config config = e->config;
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct machine *m;
	struct prober p;

	config.seed = 1;
	config.times_each = times_each;
	m = sim_open(&config);
	prober_begin(&p, m, config.seed);
	foot_know(&h, e, foreign);
	ck_assert_msg(!footprint_measure(&p, &h, &f), "%s", f.text);
	*found = h.caches[e->known];
	machine_close(m);
}
