// SPDX-License-Identifier: GPL-2.0
/* check_short_memory.c - geometry by strides where little memory is contiguous. */
#include "kit/simcache.h"
#include "method/stride/stride.h"
#include "suites.h"

#define REGION_BYTES (UINT64_C(2) << 20)

/* L2 below an L1 of ways as long as the first stride's, or shorter. */
static const struct sim_config machines[] = {
	/* 17 lines 64 KiB apart fit, but none that are longer apart. */
	{ .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 16, 512, 64, 12, SIM_LRU, false, { 0 } } } },
	/* Two lines 64 KiB apart have no room for copies 32 KiB apart. */
	{ .levels = { { 4, 512, 64, 4, SIM_LRU, false, { 0 } },
		      { 8, 1024, 64, 12, SIM_LRU, false, { 0 } } } },
	/* Two lines fall onto each other at half of the memory, at no shorter distance. */
	{ .levels = { { 4, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 1, 16384, 64, 12, SIM_LRU, false, { 0 } } } },
	/* All have room. */
	{ .levels = { { 8, 64, 64, 4, SIM_LRU, false, { 0 } },
		      { 8, 512, 64, 12, SIM_LRU, false, { 0 } } } },
};
#define MACHINES (int)(sizeof(machines) / sizeof(machines[0]))

START_TEST(second_level)
{
	struct sim_config config = machines[_i];
	const struct sim_level *l1 = &config.levels[0], *l2 = l1 + 1;
	const struct xray_level above = { .ways = l1->ways,
					  .way_bytes = l1->sets * 64,
					  .line_bytes = 64 };
	struct failure f = { .text = "" };
	struct xray_geometry g;
	struct machine *m;
	struct prober p;
	struct xray x;

	config.memory_latency = 200;
	config.region_bytes = REGION_BYTES;
	config.seed = 1;
	m = sim_open(&config);
	prober_begin(&p, m, 1);
	xray_prepare(&x, &p, &above, 1);
	ck_assert(!prober_time(&p, &x.reference.control, 0, &x.hit_ticks, &f));
	ck_assert_msg(!xray_find_geometry(&x, &g, &f), "%s", f.text);
	ck_assert_msg(g.found, "%s", g.reason);
	ck_assert_uint_eq(g.level.ways, l2->ways);
	ck_assert_uint_eq(g.level.way_bytes, l2->sets * 64);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("short memory");

	tcase_add_loop_test(t, second_level, 0, MACHINES);
	suite_add_tcase(suite, t);
	return suite;
}
