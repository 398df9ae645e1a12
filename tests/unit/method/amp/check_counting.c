// SPDX-License-Identifier: GPL-2.0
/* check_counting.c - AMP where counting takes room or sees a part. */
#include <string.h>

#include "method/amp/ampkit.h"
#include "suites.h"

/* Lines that reading a counter loads before each sample, each of another set. */
#define OWN_LINES 4
#define OWN_APART 320

static int (*quiet_walk)(struct machine *m, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f);

static int counting_walk(struct machine *m, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f)
{
	uint64_t lines[OWN_LINES];
	const struct sequence own = { lines, OWN_LINES };
	const struct walk_step load = { .kind = STEP_LOAD, .lines = &own };
	struct walk_plan contended = *plan;

	for (int i = 0; i < OWN_LINES; i++)
		lines[i] = AMPKIT_BYTES - (uint64_t)(i + 1) * OWN_APART;
	if (!plan->step_count && !(plan->flags & WALK_COLD)) {
		contended.steps = &load;
		contended.step_count = 1;
	}
	return quiet_walk(m, s, &contended, samples, f);
}

static void measure(const char *name,
		    int (*walk)(struct machine *m, const struct sequence *s,
				const struct walk_plan *plan,
				struct sample *samples, struct failure *f),
		    struct amp_result *r)
{
	const struct amp_wanted wanted = { .caches = 1 };
	struct machine *m = ampkit_open_file(name, 1);
	struct machine_ops ops = *m->ops;

	quiet_walk = ops.walk;
	ops.walk = walk;
	m->ops = &ops;
	ampkit_measure(m, 1, &wanted, r);
}

/* As in a kernel: no row of the level's size ever stays cached, and yet
 * the size is decided.
 */
START_SLOW_TEST(counting_takes_room)
{
	static const struct {
		const char *name;
		double bytes, ways;
	} all[] = {
		{ "modern-nehalem-i7-920", 32768, 8 },
		{ "amp-pii-233", 16384, 4 },
		{ "amp-p5-133", 8192, 2 },
		{ "adv-random", 16384, 4 },
	};

	for (int i = 0; i < 4; i++) {
		struct amp_result r;

		measure(all[i].name, counting_walk, &r);
		ck_assert_msg(r.caches[0].size.p.value == all[i].bytes &&
				      r.caches[0].ways.p.value == all[i].ways,
			      "%s: %g, %g ways: %s", all[i].name,
			      r.caches[0].size.p.value,
			      r.caches[0].ways.p.value,
			      r.caches[0].size.p.reason);
	}
}
END_TEST

/* --- half of what was flushed is not counted ----------------------------- */

static int unseen, missed;

/* The part of a moment's counts that is seen during contention. */
static int unseen_walk(struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	int error = quiet_walk(m, s, plan, samples, f);

	if (error || plan->step_count != 4 || unseen-- <= 0)
		return error;
	missed++;
	for (size_t i = 0; i < plan->samples; i++)
		for (int k = 0; k < MACHINE_COUNTERS; k++)
			samples[i].counts[k] *= 0.75;
	return 0;
}

static void measure_unseen(int times, struct amp_result *r)
{
	unseen = times;
	missed = 0;
	measure("adv-random", unseen_walk, r);
	ck_assert_int_gt(missed, 0);
}

/* A flush with missing counts is measured again, and is never taken for lines that
 * come together.
 */
START_TEST(flushes_are_counted_again)
{
	struct amp_result r;

	measure_unseen(2, &r);
	ck_assert_msg(ampkit_is_cell(&r.caches[0].block_bytes, 64), "%s",
		      r.caches[0].block_bytes.p.reason);
	measure_unseen(1000000, &r);
	ck_assert_int_eq(r.caches[0].block_bytes.p.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(
		strstr(r.caches[0].block_bytes.p.reason, "neither"));
}
END_TEST

TCase *make_amp_counting_case(void)
{
	TCase *test = tcase_create("contention");

	tcase_set_timeout(test, 300);
	tcase_add_test(test, counting_takes_room);
	tcase_add_test(test, flushes_are_counted_again);
	return test;
}
