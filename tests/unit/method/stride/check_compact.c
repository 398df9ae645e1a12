// SPDX-License-Identifier: GPL-2.0
/* check_compact.c - why lines are not walked that a level above may keep. */
#include <string.h>

#include "kit/simcache.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "suites.h"

#define WAY_BYTES 16384
#define LINES 11

/* Sixteen lines clear a set of four, at random: eleven of one set have copies, which
 * reach into the next row.
 */
START_TEST(refused)
{
	struct sim_config config = {
		.levels = { { 4, 256, 64, 4, SIM_RANDOM, false, { 0 } },
			    { 16, 256, 64, 14, SIM_LRU, false, { 0 } } },
		.memory_latency = 200,
		.region_bytes = UINT64_C(64) << 20,
		.seed = 1,
	};
	const struct xray_level first = { .ways = 4,
					  .way_bytes = WAY_BYTES,
					  .line_bytes = 64,
					  .own = 4,
					  .clearing = 16 };
	struct failure f = { .text = "" };
	struct machine *m = sim_open(&config);
	struct xray_geometry g = { .found = false };
	enum verdict verdict = VERDICT_COMPACT;
	struct evidence e;
	struct prober p;
	struct xray x;

	prober_begin(&p, m, 1);
	xray_prepare(&x, &p, &first, 1);
	ck_assert(!xray_compact(&x, WAY_BYTES, LINES, &verdict, &e, &f));
	ck_assert(verdict == VERDICT_UNDECIDED);
	xray_say_undecided(&g, &e, WAY_BYTES, LINES);
	ck_assert_msg(strstr(g.reason, "copies reach into the next row"), "%s",
		      g.reason);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("compact");

	tcase_add_test(t, refused);
	suite_add_tcase(suite, t);
	return suite;
}
