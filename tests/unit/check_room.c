// SPDX-License-Identifier: GPL-2.0
/* check_room.c - lists that are as long as what they are in. */
#include <stdlib.h>
#include <string.h>

#include "evset_ideal.h"
#include "method/evset_classes.h"
#include "method/evset_sorting.h"
#include "suites.h"

static struct failure f;

#define SEEDS 6
/* Of lines beside a set that overflow it so many are not seen to. */
#define MISSED 0.3

static int miss_others(void *context, const uint64_t *lines, size_t count,
		       bool surely, enum verdict *verdict, struct failure *to)
{
	struct ideal *i = context;
	int error = ideal_compact(context, lines, count, surely, verdict, to);

	if (i->o.in_order && rng_uniform(&i->rng) < MISSED)
		*verdict = VERDICT_COMPACT;
	return error;
}

/* Lines that a class has missed come up as another set: of both more than half of as many
 * as a set has ways are walked, and a set may have as many as there is room for.
 */
START_TEST(test_most_ways)
{
	size_t found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_classes c;
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, EVSET_MOST_WAYS, 2, 8 * EVSET_MOST_WAYS, 0,
			    seed);
		i.o.compact = miss_others;
		evset_overflow(&i.o, i.lines, i.count, 0, &prefix, &f);
		ck_assert_int_eq(
			evset_classify(&i.o,
				       &(struct evset_unsorted){
					       i.lines, i.count, 0, prefix },
				       EVSET_MOST_WAYS, &c, &f),
			0);
		ck_assert_uint_le(c.count, 2);
		found += c.apart;
		evset_classes_free(&c);
		ideal_end(&i);
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

Suite *make_room_suite(void)
{
	Suite *s = suite_create("room");
	TCase *t = tcase_create("ends");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_most_ways);
	suite_add_tcase(s, t);
	return s;
}
