// SPDX-License-Identifier: GPL-2.0
/* check_neighbour.c - L3 of which another process holds a way of each set. */
#include <errno.h>

#include "kit/neighbour.h"
#include "method/evict/evictkit.h"
#include "method/levels/internal.h"
#include "method/levels/levels.h"
#include "suites.h"

/* A machine, and the same one while another process holds a way of each set. */
static const struct evict_machine all = { .policies = { "brrip", "lru" },
					  .ways = 8,
					  .kib = 1024 };
static const struct evict_machine held = { .policies = { "brrip", "lru" },
					   .ways = 7,
					   .kib = 896 };

/* The held way is missing until the other process ends. */
START_TEST(way_that_another_process_holds)
{
	struct machine *m = evict_kit_open(&all, 7);
	struct machine *less = evict_kit_open(&held, 7);
	struct xray_geometry g = { .found = false };
	struct latency_finding latency;
	struct failure f = { .text = "" };
	enum verdict more = VERDICT_UNDECIDED;
	struct evict_levels l;

	evict_kit_begin(&l, m, 7);
	neighbour_begin(&l.p, less, NEIGHBOUR_LEAVES);
	ck_assert_int_eq(evict_measure_latency(&l.ev, &latency, &f), 0);
	ck_assert_int_eq(evict_find_geometry(&l.ev, &g, &f), 0);
	ck_assert_msg(g.found, "%s", g.reason);
	ck_assert_uint_eq(g.level.ways, 7);
	ck_assert_int_eq(evict_look_later(&l.ev, &g.level, &more, &f), 0);
	ck_assert_int_eq(more, VERDICT_COMPACT);
	ck_assert_int_eq(evict_find_geometry(&l.ev, &g, &f), 0);
	ck_assert_uint_eq(g.level.ways, 8);
	ck_assert_int_eq(evict_look_later(&l.ev, &g.level, &more, &f), 0);
	ck_assert_int_ne(more, VERDICT_COMPACT);
	machine_close(m);
	machine_close(less);
}
END_TEST

/* A measurement that ends before the way is freed reports no ways. */
START_SLOW_TEST(interrupted_beside_another_process)
{
	int error = -EINTR;

	for (unsigned int n = 8; error; n += 3 * part_step(4)) {
		struct machine *m = evict_kit_open(&all, 7);
		struct machine *less = evict_kit_open(&held, 7);
		struct xray_level level = { .ways = 0 };
		struct failure f = { .text = "" };
		struct level_finding found = { .exists = false };
		struct cache_result above, c;
		struct evict_levels l;

		cache_result_init(&above, 2);
		parameter_measured(&above.latency_ns,
				   12 / m->timer.ticks_per_ns, 0, "test");
		evict_kit_begin(&l, m, 7);
		neighbour_begin(&l.p, less, NEIGHBOUR_LEAVES);
		neighbour_interrupts(&l.p, n);
		xray_prepare(&l.x, &l.p, l.upper, 2);
		error = level_find(&l.x, &above, MEMORY_CYCLES, &found, &level,
				   &f);
		level_report(&found, 3, &c);
		ck_assert_msg(!error || error == -EINTR, "%s", f.text);
		ck_assert(!error || !found.exists ||
			  !parameter_is_measured(&c.ways));
		if (!error) {
			ck_assert(found.exists);
			ck_assert_msg(parameter_is_measured(&c.ways), "%s",
				      c.ways.reason);
			ck_assert_double_eq(c.ways.value, 8);
		}
		machine_close(m);
		machine_close(less);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("neighbour");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, way_that_another_process_holds);
	tcase_add_test(t, interrupted_beside_another_process);
	suite_add_tcase(s, t);
	return s;
}
