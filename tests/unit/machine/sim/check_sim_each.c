// SPDX-License-Identifier: GPL-2.0
/* check_sim_each.c - lines flushed on the way, and loads timed one by one. */
#include "kit/profilekit.h"
#include "suites.h"

/* L1: 4 ways, 64 sets, 3 cycles; L2: 11 cycles. */
#define TEXT                                                                    \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},"                   \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":131072,"          \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":11},"                  \
	"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":1048576,"         \
	"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":35}]}"

static struct machine *open_text(void)
{
	return profilekit_open(TEXT, UINT64_C(512) << 20, 1);
}

/* Three lines of 4 sets of L1; each round one is flushed before it is loaded.
 */
START_TEST(flushed_lines_miss)
{
	uint64_t offsets[] = { 0, 64, 8, 128 };
	const struct sequence s = { offsets, 4 };
	struct walk_flush flushes[] = { { 2, 0 }, { 4, 128 } };
	const struct walk_plan plan = { .warm_rounds = 2,
					.loads = 42,
					.samples = 2,
					.counters = 1U << COUNTER_L1D_MISS |
						    1U << COUNTER_L3_MISS,
					.flushes = flushes,
					.flush_count = 2 };
	struct machine *m = open_text();
	struct failure f = { .text = "" };
	struct sample samples[2];

	ck_assert(m->flushes_lines);
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(samples[i].loads, 44);
		ck_assert(samples[i].counts[COUNTER_L1D_MISS] == 22);
		ck_assert(samples[i].counts[COUNTER_L3_MISS] == 22);
	}
	flushes[1].at = 5;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -ERANGE);
	ck_assert_ptr_nonnull(strstr(f.text, "flush 2"));
	machine_close(m);
}
END_TEST

START_TEST(some_loads_are_timed)
{
	uint64_t offsets[] = { 0, 64, 4096, 8192, 12288, 16384 };
	const struct sequence s = { offsets, 6 };
	bool timed[6] = { false, true, false, false, true, false };
	double ticks[6];
	struct walk_each each = { .timed = timed,
				  .ticks = ticks,
				  .most_ticks = 1000 };
	const struct walk_plan plan = {
		.warm_rounds = 3, .loads = 60, .samples = 1, .each = &each
	};
	struct machine *m = open_text();
	struct failure f = { .text = "" };
	struct sample sample;

	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), 0);
	ck_assert_uint_eq(sample.loads, 60);
	ck_assert_uint_eq(m->conditions.accesses, 18 + 60);
	for (int i = 0; i < 6; i++)
		ck_assert(timed[i] == (ticks[i] > 0));
	ck_assert_double_eq_tol(ticks[4] - ticks[1], 11 - 3, 1e-6);
	ck_assert_double_eq_tol(sample.ticks, 10 * (ticks[1] + ticks[4]), 1e-3);
	timed[1] = timed[4] = false;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), -EINVAL);
	machine_close(m);
}
END_TEST

/* Five lines of a set of four ways of the first level, one of another: those
 * miss in the first, this one does not.
 */
START_TEST(loads_are_timed_one_by_one)
{
	uint64_t offsets[] = { 0, 4096, 8192, 12288, 16384, 64 };
	const struct sequence s = { offsets, 6 };
	double ticks[6];
	struct walk_each each = { .ticks = ticks, .most_ticks = 1000 };
	struct walk_plan plan = {
		.warm_rounds = 3, .loads = 60, .samples = 1, .each = &each
	};
	struct machine *m = open_text();
	struct failure f = { .text = "" };
	struct sample samples[2];

	ck_assert(m->times_each);
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_uint_eq(samples[0].loads, 60);
	ck_assert_uint_eq(m->conditions.accesses, 18 + 60);
	for (int i = 0; i < 5; i++)
		ck_assert_double_eq_tol(ticks[i] - ticks[5], 11 - 3, 1e-6);
	ck_assert_double_eq_tol(ticks[5], 3 + m->timer.overhead_ticks, 1);
	each.most_ticks = 5;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), 0);
	ck_assert_double_le(ticks[0], 5 + 1e-6);
	plan.samples = 2;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	plan.samples = 1;
	each.most_ticks = 1e9;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	each.most_ticks = 5;
	offsets[5] = 72;
	ck_assert_int_eq(m->ops->walk(m, &s, &plan, samples, &f), -EINVAL);
	machine_close(m);
}
END_TEST

/* The steps bring lines into the first level, and take one out of all levels: a round
 * of loads finds them there, once. What the plan says of rounds does not count.
 */
START_TEST(loads_after_steps_are_timed_one_by_one)
{
	uint64_t offsets[] = { 0, 64, 128 }, flushed[] = { 64 };
	const struct sequence s = { offsets, 3 }, gone = { flushed, 1 };
	const struct walk_step steps[] = { { STEP_LOAD_TOGETHER, &s, 0 },
					   { STEP_FLUSH, &gone, 0 } };
	double ticks[3];
	struct walk_each each = { .ticks = ticks, .most_ticks = 1000 };
	const struct walk_plan plan = { .warm_rounds = 3,
					.loads = 60,
					.samples = 1,
					.steps = steps,
					.step_count = 2,
					.each = &each };
	struct machine *m = open_text();
	struct failure f = { .text = "" };
	struct sample sample;

	ck_assert_int_eq(m->ops->walk(m, &s, &plan, &sample, &f), 0);
	ck_assert_uint_eq(sample.loads, 3);
	ck_assert_double_eq_tol(ticks[0], 3 + m->timer.overhead_ticks, 1);
	ck_assert_double_eq_tol(ticks[2], ticks[0], 1e-6);
	ck_assert_double_gt(ticks[1], ticks[0] + 8);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("walks");

	tcase_add_test(t, flushed_lines_miss);
	tcase_add_test(t, some_loads_are_timed);
	tcase_add_test(t, loads_are_timed_one_by_one);
	tcase_add_test(t, loads_after_steps_are_timed_one_by_one);
	suite_add_tcase(suite, t);
	return suite;
}
