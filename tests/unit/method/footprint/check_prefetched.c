// SPDX-License-Identifier: GPL-2.0
/* check_prefetched.c - what lies below a level that prefetchers bring lines to. */
#include <stdio.h>

#include "kit/profilekit.h"
#include "machine/machine.h"
#include "method/footprint/footkit.h"
#include "method/footprint/footprint.h"
#include "suites.h"

#define KNOWN 2
#define SEEDS 3

static const struct foot_example example = {
	"next-line",
	{ .levels = { { .ways = 8, .sets = 64, .line_bytes = 64, .latency = 4 },
		      { .ways = 8,
			.sets = 256,
			.line_bytes = 64,
			.latency = 14 } },
	  .memory_latency = 250 },
	KNOWN,
	50,
	2048
};

static const char *const prefetchers[] = {
	"next-line",
	"adjacent-line",
	"stream",
	"stride",
};

static struct machine *open_prefetching(const char *kind, uint64_t seed)
{
	char text[1200];

	snprintf(text, sizeof(text),
		 "{\"caches\":["
		 "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"
		 "\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		 "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":131072,"
		 "\"ways\":8,\"line_bytes\":64,\"latency_cycles\":14},"
		 "{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":2097152,"
		 "\"ways\":16,\"line_bytes\":64,\"latency_cycles\":50}],"
		 "\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"huge_page_bytes\":[2097152],"
		 "\"tlbs\":[{\"level\":1,\"type\":\"data\","
		 "\"page_bytes\":[4096,2097152],\"entries\":40,\"ways\":40}],"
		 "\"walk\":{\"latency_cycles\":30},"
		 "\"memory\":{\"latency_cycles\":250},"
		 "\"prefetchers\":[{\"kind\":\"%s\",\"level\":2,"
		 "\"switchable\":false}]}",
		 kind);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

/* Lines that come beside others are evicted before they are loaded. */
START_TEST(lines_beside_others_miss)
{
	struct foot_example e = example;
	const uint64_t seed = (uint64_t)_i % SEEDS + 1;
	struct machine *m;
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	e.name = prefetchers[_i / SEEDS];
	m = open_prefetching(e.name, seed);
	prober_begin(&p, m, seed);
	foot_know(&h, &e, 0);
	ck_assert_msg(!footprint_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[KNOWN];
	foot_expect_latency(&e, &c->latency_cycles);
	foot_expect_room(&e, &c->effective_capacity_bytes);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("prefetched");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, lines_beside_others_miss, 0,
			    SEEDS * sizeof(prefetchers) /
				    sizeof(prefetchers[0]));
	suite_add_tcase(s, t);
	return s;
}
