// SPDX-License-Identifier: GPL-2.0
/* check_miss_penalty.c - what a miss of a level costs, from lists that grow. */
#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "method/evset/oracle/miss_penalty.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)

static struct failure f;

/* Ticks above a hit and of a hit, for lists each twice as long. */
START_TEST(test_cost_of_a_miss)
{
	static const struct {
		double lists[7][2];
		double ticks;
	} all[] = {
		/* The level below is uncontended. */
		{ { { 0.1, 5 }, { 0.4, 6 }, { 3, 6 }, { 12, 7 }, { 14, 8 } },
		  14 },
		/* This list misses below, too. */
		{ { { 0.1, 5 }, { 5, 6 }, { 13, 7 }, { 119, 8 }, { 119, 8 } },
		  13 },
		/* Its control misses, too. */
		{ { { 0.4, 6 },
		    { 4.8, 7 },
		    { 12.4, 15 },
		    { 2.3, 36 },
		    { 31, 37 } },
		  12.4 },
		{ { { 0.4, 6 }, { 9.3, 9 }, { 2.4, 16 }, { 119, 25 } }, 9.3 },
		/* The first one was disturbed. */
		{ { { 1.5, 5 }, { 0.1, 5 }, { 4, 6 }, { 12, 7 }, { 13, 7 } },
		  13 },
		/* Everything fits. */
		{ { { 0.1, 5 }, { 0.2, 5 }, { 0.3, 6 }, { 0.4, 6 } }, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct evset_list_cost c = { .slow = 0 };

		for (size_t j = 0; j < 7 && all[i].lists[j][1] > 0; j++)
			if (evset_list_cost_add(&c, all[i].lists[j][0],
						all[i].lists[j][1]))
				break;
		ck_assert_double_eq(c.ticks, all[i].ticks);
	}
}
END_TEST

/* Ticks above few lines of each page, each time for some more pages. */
START_TEST(test_cost_of_blocks)
{
	static const struct {
		double sizes[10];
		double enough;
		double ticks;
		double whole;
	} all[] = {
		/* The next level is missed after this one. */
		{ { 0.1, 0.2, 30, 30, 31, 30, 186 }, 107, 31, 31 },
		/* It is as large as the largest size. */
		{ { 0.1, 12, 29, 30, 30, 31 }, 85, 31, 0 },
		/* A policy that keeps some lines; candidates gave 29. */
		{ { 0.1, 4.5, 10.7, 14, 15.5, 16.1, 18, 20 }, 29, 16.1, 0 },
		/* It stays the same, then jumps. */
		{ { 0.1, 6, 7, 7.5, 9, 12, 14, 15.5, 17, 20 }, 29, 9, 0 },
		/* Nothing stays the same, and two sizes are no level. */
		{ { 0.1, 3, 9, 30, 30, 186, 186 }, 107, 0, 0 },
		/* Two sizes with few misses are no level; all of them are. */
		{ { 0.1, 3, 3.2, 14, 30, 30, 31 }, 60, 31, 0 },
		/* Too little for misses. */
		{ { 0.1, 0.2, 0.2, 0.2, 0.3, 0.3 }, 30, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct evset_page_cost l = { .slow = 2,
					     .enough = all[i].enough };

		for (size_t j = 0; j < 10 && all[i].sizes[j] > 0; j++)
			if (evset_page_cost_add(&l, all[i].sizes[j]))
				break;
		ck_assert_msg(l.ticks == all[i].ticks, "%zu: %g", i, l.ticks);
		ck_assert_double_eq(evset_page_cost_whole(&l), all[i].whole);
	}
}
END_TEST

/* Costly sizes end it, though no three sizes are similar. */
START_TEST(test_level_is_past)
{
	static const struct {
		double sizes[8];
		double enough;
		size_t tried;
	} all[] = {
		/* The next level is contended: misses of this one end it. */
		{ { 0.1, 4.6, 13.5, 18.1, 20.3, 331, 330 }, 16.8, 4 },
		/* One size may be disturbed. */
		{ { 0.1, 4.6, 60, 5, 13.5, 18, 60 }, 26, 6 },
		/* The first one that missed is similar: all lines may have
		 * missed.
		 */
		{ { 0.1, 0.1, 17.5, 18.1, 20.3, 20 }, 16.8, 0 },
		/* Candidates missed two levels: this one is cheaper. */
		{ { 0.1, 4.6, 13.5, 18.1, 20.3, 21, 21.3 }, 107, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct evset_page_cost l = { .slow = 2,
					     .enough = all[i].enough };
		size_t tried = 0;

		for (size_t j = 0; !tried && j < 8 && all[i].sizes[j] > 0;
		     j++) {
			evset_page_cost_add(&l, all[i].sizes[j]);
			tried = evset_page_cost_past(&l) ? j + 1 : 0;
		}
		ck_assert_msg(tried == all[i].tried, "%zu: %zu", i, tried);
	}
}
END_TEST

#define SMALL                                                                   \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768," \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4,\"index\":{"         \
	"\"kind\":\"xor\",\"masks\":[\"0x1040\",\"0x2080\",\"0x4100\","         \
	"\"0x200\",\"0x400\",\"0x800\"]}},{\"level\":2,\"type\":\"unified\","   \
	"\"capacity_bytes\":524288,\"ways\":8,\"line_bytes\":64,"               \
	"\"latency_cycles\":14}],\"memory\":{\"latency_cycles\":200},"          \
	"\"huge_page_bytes\":[2097152],\"virtual_machine\":true}"

/* Lines a page apart fall into eight sets of the first level and as few of a
 * second level that uses fewer of their bits.
 */
START_TEST(test_small_level_below)
{
	if (!is_in_part_of(_i, 8))
		return;

	struct machine *m = profilekit_open(SMALL, 64 * MIB, (uint64_t)_i);
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, (uint64_t)_i);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[0];
	ck_assert_msg(parameter_is_measured(&c->capacity_bytes), "%s",
		      c->capacity_bytes.reason);
	ck_assert_double_eq(c->capacity_bytes.value, 32768);
	ck_assert_double_eq(c->ways.value, 8);
	ck_assert_double_eq(c->sets.value, 64);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("cost");

	tcase_add_test(t, test_cost_of_a_miss);
	tcase_add_test(t, test_cost_of_blocks);
	tcase_add_test(t, test_level_is_past);
	tcase_add_loop_test(t, test_small_level_below, 1, 9);
	suite_add_tcase(s, t);
	return s;
}
