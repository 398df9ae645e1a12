// SPDX-License-Identifier: GPL-2.0
/* check_each_after_steps.c - loads that are timed one by one after steps, on this
 * computer.
 */
#include "machine/machine.h"
#include "machine/realkit.h"
#include "suites.h"

/* After steps a sample is one round, whatever the plan says of rounds. */
START_TEST(loads_after_steps_are_timed_one_by_one)
{
	uint64_t offsets[] = { 0, 4096, 65536 };
	double ticks[3] = { 0 };
	const struct sequence s = { offsets, 3 };
	const struct walk_step steps[] = { { STEP_FLUSH, &s, 0 },
					   { STEP_LOAD_TOGETHER, &s, 0 } };
	struct walk_each each = { .ticks = ticks, .most_ticks = 1e6 };
	struct walk_plan plan = { .warm_rounds = 3,
				  .loads = 98,
				  .samples = 1,
				  .steps = steps,
				  .step_count = 2,
				  .each = &each };
	struct failure f = { .text = "" };
	struct machine *m = realkit_machine();
	struct sample sample;

	if (!m)
		return;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), 0);
	ck_assert_uint_eq(sample.loads, 3);
	for (int i = 0; i < 3; i++)
		ck_assert(ticks[i] > 0);
	plan.samples = 2;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -EINVAL);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("each");

	tcase_add_test(t, loads_after_steps_are_timed_one_by_one);
	suite_add_tcase(suite, t);
	return suite;
}
