// SPDX-License-Identifier: GPL-2.0
/* check_stores_alone.c - write-back where eight pinned lines say nothing. */
#include "kit/levelkit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

/* A step of the clock is longer than what a miss of L2 costs. */
#define SEEDS 4
#define STEPS TIMED ",\"timer\":{\"resolution_ns\":40}"

static const struct {
	struct level levels[LEVELS];
	bool back;
} machines[] = {
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  true },
	{ { { 8, 64, "lru", NINE, false, true, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  false },
};

START_TEST(one_line_decides)
{
	const struct level *levels = machines[_i / SEEDS].levels;
	const uint64_t seed = (uint64_t)_i % SEEDS + 5;
	struct machine *m = levelkit_open(levels, STEPS, seed);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	levelkit_know(&h, levels);
	ck_assert_msg(write_back_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_msg(parameter_is_measured(&h.caches[0].write_back), "%d: %s",
		      _i, h.caches[0].write_back.reason);
	ck_assert(h.caches[0].write_back.value == machines[_i / SEEDS].back);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("one line");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, one_line_decides, 0,
			    SEEDS * sizeof(machines) / sizeof(machines[0]));
	suite_add_tcase(s, t);
	return s;
}
