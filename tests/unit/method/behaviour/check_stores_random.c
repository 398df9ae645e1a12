// SPDX-License-Identifier: GPL-2.0
/* check_stores_random.c - write-allocate and write-back of random machines, and of
 * those that came out wrong once.
 */
#include "kit/levelkit.h"
#include "suites.h"

/* A first level that drops what is used brings the line back to the second one by
 * the next use: that is no write-back. All of these were called one.
 */
static const struct level dropping[][LEVELS] = {
	{ { 4, 32, "fifo", NINE, true, true, NULL },
	  { 16, 256, "lip", NINE, false, false, NULL },
	  { 8, 2048, "tree-plru", NINE, false, false, NULL } },
	{ { 4, 32, "fifo", NINE, false, true, NULL },
	  { 16, 512, "fifo", NINE, true, true, NULL },
	  { 8, 1024, "nru", NINE, false, false, NULL } },
	{ { 8, 64, "fifo", NINE, true, true, NULL },
	  { 8, 512, "srrip", NINE, false, true, NULL },
	  { 16, 1024, "brrip", NINE, false, false, NULL } },
	{ { 8, 64, "fifo", NINE, false, true, NULL },
	  { 16, 256, "nru", NINE, true, false, NULL },
	  { 4, 1024, "random", NINE, false, false, NULL } },
	{ { 16, 64, "fifo", NINE, true, true, NULL },
	  { 16, 512, "lip", NINE, false, false, NULL },
	  { 8, 1024, "fifo", NINE, false, false, NULL } },
};

#define DROPPING (sizeof(dropping) / sizeof(dropping[0]))
#define DROPPING_SEEDS 3

START_SLOW_TEST(first_level_drops_what_is_used)
{
	static const struct {
		const char *more;
		unsigned int counters;
	} by[] = { { TIMED, 0 },
		   { COUNTED, ALL_COUNTERS },
		   { NOISY, 0 },
		   { COARSE, 0 } };

	for (int i = 0; i < DROPPING_SEEDS * 4; i++) {
		const struct parameter *p;
		struct hierarchy h;

		levelkit_know(&h, dropping[_i]);
		levelkit_stores(dropping[_i], by[i % 4].more,
				levelkit_seed() + i / 4, by[i % 4].counters,
				&h);
		p = &h.caches[0].write_back;
		ck_assert_msg(!parameter_is_measured(p) || p->value == 0,
			      "seed %d, %s: writes back", i / 4,
			      by[i % 4].more);
	}
}
END_TEST

/* All that is decided is right. */
static int never_wrong(struct levelkit_drawn *d, struct rng *rng, int round)
{
	const struct level *l = d->levels;
	const struct parameter *back;
	struct hierarchy h;
	int decided = 0;

	(void)rng;
	/* Only below such a level write-backs are seen. */
	if (round & 4)
		d->levels[1].kind = NINE;
	levelkit_know(&h, l);
	levelkit_stores(l, d->more, d->seed, d->counters, &h);
	back = &h.caches[0].write_back;
	levelkit_check(d, 0,
		       !parameter_is_measured(back) ||
			       (back->value > 0) == !l[0].through,
		       back->value > 0 ? "writes back" : "writes through");
	for (int i = 0; i < LEVELS; i++) {
		const struct parameter *p = &h.caches[i].write_allocate;

		if (!parameter_is_measured(p))
			continue;
		decided++;
		levelkit_check(d, i, (p->value > 0) == !l[i].bypassed,
			       p->value > 0 ? "allocates" : "is bypassed");
	}
	return decided;
}

/* Right or undecided, whatever the machine. */
START_SLOW_TEST(random_machines)
{
	const int rounds = 90 / (int)part_step(3);

	ck_assert_int_ge(levelkit_sweep("stores", rounds, never_wrong), rounds);
}
END_TEST

/* Machines of random_machines that came out wrong once. */
static const struct {
	uint64_t seed;
	int round;
} once_wrong[] = {
	{ 20786, 37 }, { 30003, 57 }, { 30004, 67 },
	{ 30005, 70 }, { 30007, 86 },
};

START_TEST(random_machines_once_wrong)
{
	const int round = once_wrong[_i].round;
	struct rng rng = { once_wrong[_i].seed };
	struct levelkit_drawn d = { .seed = 0 };

	for (int i = 0; i <= round; i++)
		d = levelkit_draw(&rng, i);
	never_wrong(&d, &rng, round);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("never wrong");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, first_level_drops_what_is_used, 0, DROPPING);
	tcase_add_test(t, random_machines);
	tcase_add_loop_test(t, random_machines_once_wrong, 0,
			    sizeof(once_wrong) / sizeof(once_wrong[0]));
	suite_add_tcase(s, t);
	return s;
}
