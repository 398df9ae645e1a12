// SPDX-License-Identifier: GPL-2.0
/* check_slow.c - how much slower lines have to be until they count as slow. */
#include "kit/simcache.h"
#include "method/stride/stride.h"
#include "suites.h"

#define REGION_BYTES (UINT64_C(64) << 20)
#define STRIDE (UINT64_C(64) << 10)

static const struct {
	unsigned int hit, miss; /* cycles */
	double off; /* what the average of hits is off by, a share */
	bool slow;
} machines[] = {
	/* One cycle on five, whatever averages are off by. */
	{ 5, 6, 0, true },
	{ 5, 6, 0.001, true },
	{ 5, 6, -0.001, true },
	/* As far apart as slices of one level. */
	{ 20, 21, -0.001, false },
	{ 20, 23, 0.001, false },
	{ 20, 24, -0.001, true },
};
#define MACHINES (int)(sizeof(machines) / sizeof(machines[0]))

START_TEST(whole_cycles)
{
	struct sim_config config = {
		.levels = { { 8, 64, 64, machines[_i].hit, SIM_LRU, false, { 0 } },
			    { 64,
			      1024,
			      64,
			      machines[_i].miss,
			      SIM_LRU,
			      false,
			      { 0 } } },
		.memory_latency = 200,
		.region_bytes = REGION_BYTES,
		.seed = 1,
	};
	struct failure f = { .text = "" };
	struct machine *m = sim_open(&config);
	size_t slow, tried;
	struct prober p;
	struct xray x;

	prober_begin(&p, m, 1);
	xray_prepare(&x, &p, NULL, 0);
	ck_assert(!prober_time(&p, &x.reference.control, 0, &x.hit_ticks, &f));
	x.hit_ticks *= 1 + machines[_i].off;
	ck_assert_msg(!xray_find_slow(&x, STRIDE, &slow, &tried, &f), "%s",
		      f.text);
	/* More than 64 lines come from memory. */
	ck_assert_uint_eq(slow, machines[_i].slow ? 16 : 128);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("slow");

	tcase_add_loop_test(t, whole_cycles, 0, MACHINES);
	suite_add_tcase(suite, t);
	return suite;
}
