// SPDX-License-Identifier: GPL-2.0
/* check_excess.c - what a miss of a level costs, from lists that grow. */
#include "method/evset_machine.h"
#include "suites.h"

/* Ticks above a hit and of a hit, for lists each twice as long. */
START_TEST(test_cost_of_a_miss)
{
	static const struct {
		double lists[7][2];
		double ticks;
	} all[] = {
		/* Nobody uses the level below. */
		{ { { 0.1, 5 }, { 0.4, 6 }, { 3, 6 }, { 12, 7 }, { 14, 8 } },
		  14 },
		/* What this list misses below is no miss of this level. */
		{ { { 0.1, 5 }, { 5, 6 }, { 13, 7 }, { 119, 8 }, { 119, 8 } },
		  13 },
		/* Its twin misses, too. */
		{ { { 0.4, 6 },
		    { 4.8, 7 },
		    { 12.4, 15 },
		    { 2.3, 36 },
		    { 31, 37 } },
		  12.4 },
		{ { { 0.4, 6 }, { 9.3, 9 }, { 2.4, 16 }, { 119, 25 } }, 9.3 },
		/* Somebody came by while the first was looked at. */
		{ { { 1.5, 5 }, { 0.1, 5 }, { 4, 6 }, { 12, 7 }, { 13, 7 } },
		  13 },
		/* Everything fits. */
		{ { { 0.1, 5 }, { 0.2, 5 }, { 0.3, 6 }, { 0.4, 6 } }, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct evset_cost c = { .slow = 0 };

		for (size_t j = 0; j < 7 && all[i].lists[j][1] > 0; j++)
			if (evset_cost_add(&c, all[i].lists[j][0],
					   all[i].lists[j][1]))
				break;
		ck_assert_double_eq(c.ticks, all[i].ticks);
	}
}
END_TEST

Suite *make_excess_suite(void)
{
	Suite *s = suite_create("excess");
	TCase *t = tcase_create("cost");

	tcase_add_test(t, test_cost_of_a_miss);
	suite_add_tcase(s, t);
	return s;
}
