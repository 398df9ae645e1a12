// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/tlbkit.h"

#include <stdio.h>

#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "method/cooper/tlb.h"
#include "method/tlb/measure.h"
#include "suites.h"

/* Nothing disturbs these machines but where their pages lie. */
#define PATIENCE 2

void tlbkit_xray(struct machine *m, double bytes, double ways,
		 double line_bytes, uint64_t seed, struct hierarchy *h)
{
	struct failure f = { .text = "" };
	struct cache_result *c;
	struct prober p;

	hierarchy_init(h);
	c = hierarchy_add(h);
	parameter_measured(&c->capacity_bytes, bytes, 0, "test");
	parameter_measured(&c->ways, ways, 0, "test");
	parameter_measured(&c->line_bytes, line_bytes, 0, "test");
	prober_begin(&p, m, seed);
	ck_assert_msg(!tlb_measure(&p, h, &f), "%s", f.text);
}

struct machine *tlbkit_open_first(unsigned int entries, unsigned int ways,
				  bool guest)
{
	struct machine *m;
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		 "\"capacity_bytes\":262144,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":14}],\"walk\":{\"latency_cycles\":30},"
		 "\"counters\":[],\"tlbs\":[{\"level\":1,\"type\":\"data\","
		 "\"page_bytes\":[4096],\"entries\":%u,\"ways\":%u}]}",
		 entries, ways);
	m = profilekit_open(text, TLBKIT_BYTES, tlbkit_seed());
	m->virtual_machine = guest;
	return m;
}

uint64_t tlbkit_seed(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

static void interrupt(void *context, const char *what, double done)
{
	struct tlbkit_interruption *i = context;

	(void)done;
	if (strstr(what, i->during))
		i->stop = 1;
}

void tlbkit_measure(struct tlbkit *kit, struct machine *m,
		    struct tlbkit_interruption *interruption)
{
	const struct cooper_wanted wanted = { .tlbs = true };
	struct cooper c = { .wanted = &wanted,
			    .r = &kit->r,
			    .line_bytes = COOPER_LINE_BYTES,
			    .patience = PATIENCE };
	struct prober p;

	prober_begin(&p, m, tlbkit_seed());
	if (interruption) {
		p.stop = &interruption->stop;
		p.progress = interrupt;
		p.progress_context = interruption;
	}
	c.p = &p;
	*kit = (struct tlbkit){ .error = 0 };
	side_result_begin(&kit->r, COOPER_METHOD);
	ck_assert_msg(!cooper_unit(&c, &kit->f), "%s", kit->f.text);
	kit->error = cooper_measure_tlbs(&c, &kit->f);
}

void tlbkit_measure_profile(struct tlbkit *kit, const char *path)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = TLBKIT_BYTES,
						 .seed = tlbkit_seed() };
	struct failure f = { .text = "" };
	struct machine *m = machine_open_sim(path, &request, &f);

	ck_assert_msg(m != NULL, "%s", f.text);
	tlbkit_measure(kit, m, NULL);
	machine_close(m);
	ck_assert_msg(!kit->error, "%s: %s", path, kit->f.text);
}
