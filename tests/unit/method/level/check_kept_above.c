// SPDX-License-Identifier: GPL-2.0
/* check_kept_above.c - a latency below a level that keeps lines whatever comes. */
#include <math.h>

#include "kit/profilekit.h"
#include "method/levels/levels.h"
#include "suites.h"

#define ARENA_BYTES (UINT64_C(256) << 20)
#define CYCLES 35
/* L2 keeps a quarter of the lines of a control: of 35 cycles 30 are seen. */
#define PROFILE                                                               \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":"     \
	"32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":5},"           \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":81920,"         \
	"\"ways\":5,\"line_bytes\":64,\"latency_cycles\":15,\"policy\":"      \
	"{\"name\":\"drrip\",\"seed\":628}},{\"level\":3,\"type\":"           \
	"\"unified\",\"capacity_bytes\":655360,\"ways\":10,\"line_bytes\":"   \
	"64,\"latency_cycles\":35,\"policy\":{\"name\":\"random\",\"seed\":"  \
	"850}}],\"counters\":[],\"walk\":{\"latency_cycles\":25},\"memory\":" \
	"{\"latency_cycles\":240}}"
#define SEEDS 2

START_TEST(lines_that_are_kept_above_are_no_hits_below)
{
	static struct hierarchy h;
	struct failure f = { .text = "" };
	struct machine *m = profilekit_open(PROFILE, ARENA_BYTES, (uint64_t)_i);
	struct prober p;

	prober_begin(&p, m, (uint64_t)_i);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	for (size_t i = 2; i < h.cache_count; i++) {
		const struct parameter *l = &h.caches[i].latency_cycles;

		ck_assert_msg(!parameter_is_measured(l) ||
				      fabs(l->value - CYCLES) < 0.04 * CYCLES,
			      "seed %d: L%zu: %g cycles", _i, i + 1, l->value);
	}
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("kept_above");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, lines_that_are_kept_above_are_no_hits_below, 1,
			    1 + SEEDS);
	suite_add_tcase(suite, t);
	return suite;
}
