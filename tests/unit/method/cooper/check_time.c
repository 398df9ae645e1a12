// SPDX-License-Identifier: GPL-2.0
/* check_time.c - the timing discipline, on a machine that is a script. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/cooper/time.h"
#include "suites.h"

#define STRINGS 3
#define WALKS 4096
#define PATIENCE 10

/**
 * struct script - a machine
 * @machine: what the method sees
 * @view: a view of it
 * @ticks: what string @which takes in trial @trial, per load
 * @walked: lengths of the sequences, in order; @count of them
 * @in_views: walks of them that were in a view
 * @trials: by length
 * @stop: set once @stop_after walks are done
 */
struct script {
	struct machine machine;
	struct view view;
	double (*ticks)(size_t which, unsigned int trial, bool *disturbed);
	size_t walked[WALKS];
	size_t count;
	size_t in_views;
	unsigned int trials[STRINGS];
	volatile sig_atomic_t stop;
	size_t stop_after;
};

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct script *script = (struct script *)m;
	size_t which = s->length - 1 < STRINGS ? s->length - 1 : STRINGS - 1;

	(void)f;
	ck_assert_uint_lt(script->count, WALKS);
	ck_assert_uint_eq(plan->samples, 1);
	ck_assert_uint_gt(plan->warm_rounds, 0);
	script->walked[script->count++] = s->length;
	samples[0] = (struct sample){ .loads = plan->loads };
	samples[0].ticks = plan->loads * script->ticks(which,
						       script->trials[which]++,
						       &samples[0].disturbed);
	if (script->count == script->stop_after)
		script->stop = 1;
	return 0;
}

static int walk_view(struct view *v, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	((struct script *)v->m)->in_views++;
	return walk(v->m, s, plan, samples, f);
}

/* A tick and a half for each cycle. */
static double add_chain(struct machine *m, unsigned int adds)
{
	(void)m;
	return 1.5 * adds;
}

static const struct machine_ops ops = {
	.kind = "script",
	.walk = walk,
	.view_walk = walk_view,
	.add_chain = add_chain,
};

/* String number i has i + 1 elements; the last one as many as @context says. */
static int make(void *context, size_t which, unsigned int trial,
		struct sequence *s, struct failure *f)
{
	const size_t *longest = context;
	size_t length = which + 1 == STRINGS && *longest ? *longest : which + 1;

	(void)trial;
	(void)f;
	*s = (struct sequence){ calloc(length, sizeof(uint64_t)), length };
	ck_assert_ptr_nonnull(s->offsets);
	return 0;
}

/**
 * struct swept - a sweep over the strings of a script
 * @longest: elements of the last string; 0: STRINGS
 */
struct swept {
	struct script script;
	struct prober p;
	struct side_result r;
	struct cooper c;
	struct cooper_string strings[STRINGS];
	struct cooper_sweep sweep;
	size_t longest;
	struct failure f;
};

static struct swept *begin(double (*ticks)(size_t, unsigned int, bool *))
{
	struct swept *t = calloc(1, sizeof(*t));

	ck_assert_ptr_nonnull(t);
	t->script.machine.ops = &ops;
	t->script.machine.region.bytes = 1 << 20;
	t->script.machine.timer.resolution_ticks = 3;
	t->script.view.m = &t->script.machine;
	t->script.ticks = ticks;
	prober_begin(&t->p, &t->script.machine, 1);
	t->p.stop = &t->script.stop;
	side_result_begin(&t->r, COOPER_METHOD);
	t->c = (struct cooper){ .p = &t->p, .r = &t->r, .patience = PATIENCE };
	t->sweep = (struct cooper_sweep){ .strings = t->strings,
					  .count = STRINGS,
					  .make = make,
					  .context = &t->longest,
					  .what = "test" };
	for (size_t i = 0; i < STRINGS; i++)
		t->strings[i].x = 100.0 * (double)(i + 1);
	ck_assert(!cooper_unit(&t->c, &t->f));
	return t;
}

static void finish(struct swept *t)
{
	side_result_free(&t->r);
	free(t);
}

static double steady(size_t which, unsigned int trial, bool *disturbed)
{
	(void)trial;
	(void)disturbed;
	return 1.5 * (4.2 + 10 * (double)which);
}

START_TEST(unit_is_an_addition)
{
	struct swept *t = begin(steady);

	ck_assert_double_eq_tol(t->c.add_ticks, 1.5, 1e-9);
	ck_assert_uint_eq(t->c.sample_loads, 2000);
	/* Two hundred steps of a coarser clock. */
	t->script.machine.timer.resolution_ticks = 30;
	ck_assert(!cooper_unit(&t->c, &t->f));
	ck_assert_uint_eq(t->c.sample_loads, 4000);
	finish(t);
}
END_TEST

/* As many trials as patience asks for after the first, and whole cycles. */
START_TEST(quiet_strings_have_no_more_trials)
{
	struct swept *t = begin(steady);

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->sweep.trials, PATIENCE + 1);
	ck_assert_uint_eq(t->script.count, STRINGS * (PATIENCE + 1));
	for (size_t i = 0; i < STRINGS; i++) {
		ck_assert_double_eq(t->strings[i].cycles, 4 + 10 * (double)i);
		ck_assert_double_eq(t->strings[i].x, 100 * (double)(i + 1));
		ck_assert_uint_eq(t->strings[i].trials, PATIENCE + 1);
	}
	/* Loads of the samples and of the rounds before them. */
	ck_assert_double_ge(t->r.loads, 2000.0 * (double)t->script.count);
	finish(t);
}
END_TEST

START_TEST(each_string_once_before_any_again)
{
	struct swept *t = begin(steady);

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	for (size_t i = 0; i < t->script.count; i++)
		ck_assert_uint_eq(t->script.walked[i], i % STRINGS + 1);
	finish(t);
}
END_TEST

/* Slower by far but for the seventh trial. */
static double once_fast(size_t which, unsigned int trial, bool *disturbed)
{
	double noise = trial == 7 ? 0 : 30 + trial % 5;

	return steady(which, trial, disturbed) + noise;
}

START_TEST(the_least_time_counts)
{
	struct swept *t = begin(once_fast);

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	for (size_t i = 0; i < STRINGS; i++) {
		ck_assert_double_eq(t->strings[i].cycles, 4 + 10 * (double)i);
		ck_assert_uint_eq(t->strings[i].trials, 7 + PATIENCE + 1);
	}
	finish(t);
}
END_TEST

/* Faster by a quarter of a cycle, all in all, a bit each time. */
static double creeping(size_t which, unsigned int trial, bool *disturbed)
{
	return steady(which, trial, disturbed) + 0.25 / (1 + trial);
}

START_TEST(less_than_a_cycle_is_no_improvement)
{
	struct swept *t = begin(creeping);

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->sweep.trials, PATIENCE + 1);
	finish(t);
}
END_TEST

/* Only the second string is noisy. */
static double one_noisy(size_t which, unsigned int trial, bool *disturbed)
{
	return which == 1 ? once_fast(which, trial, disturbed) :
			    steady(which, trial, disturbed);
}

START_TEST(others_are_left_meanwhile)
{
	struct swept *t = begin(one_noisy);

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->strings[0].trials, PATIENCE + 1);
	ck_assert_uint_eq(t->strings[1].trials, 7 + PATIENCE + 1);
	finish(t);
	t = begin(one_noisy);
	t->sweep.together = true;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->strings[0].trials, 7 + PATIENCE + 1);
	ck_assert_uint_eq(t->strings[1].trials, 7 + PATIENCE + 1);
	finish(t);
}
END_TEST

/* Who is disturbed may seem fast: its pages had become larger. */
static double disturbed_at_first(size_t which, unsigned int trial,
				 bool *disturbed)
{
	*disturbed = which == 1 || trial < 3;
	return *disturbed ? 3 : steady(which, trial, disturbed);
}

START_TEST(disturbed_samples_do_not_count)
{
	struct swept *t = begin(disturbed_at_first);
	struct side_curve *curve;

	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_double_eq(t->strings[0].cycles, 4);
	ck_assert(isinf(t->strings[1].cycles));
	ck_assert_double_eq(t->strings[2].cycles, 24);
	curve = cooper_keep(&t->c, &t->sweep, SIDE_FOOTPRINT_BYTES, "test");
	ck_assert_ptr_nonnull(curve);
	ck_assert_uint_eq(curve->count, 2);
	ck_assert_double_eq(curve->points[1].x, 300);
	finish(t);
}
END_TEST

START_TEST(long_strings_have_fewer_trials)
{
	struct swept *t = begin(steady);

	t->longest = 100000;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->strings[0].trials, PATIENCE + 1);
	ck_assert_uint_lt(t->strings[2].trials, PATIENCE / 2);
	ck_assert_uint_gt(t->strings[2].trials, 2);
	ck_assert_double_eq(t->strings[2].cycles, 24);
	finish(t);
}
END_TEST

/* 4.2 cycles on the pages of even trials, 6.2 on those of odd ones. */
static double by_pages(size_t which, unsigned int trial, bool *disturbed)
{
	return steady(which, trial, disturbed) + (trial % 2 ? 3 : 0);
}

START_TEST(mappings_are_averaged)
{
	struct swept *t = begin(by_pages);

	t->sweep.mappings = 2;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_double_eq(t->strings[0].cycles, 5);
	t->sweep.mappings = 0;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_double_eq(t->strings[0].cycles, 4);
	t->c.patience = 1;
	t->sweep.mappings = COOPER_MAPPINGS;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->strings[0].trials, COOPER_MAPPINGS);
	finish(t);
}
END_TEST

START_TEST(views_are_walked_as_views)
{
	struct swept *t = begin(steady);

	t->strings[1].view = &t->script.view;
	ck_assert(!cooper_sweep(&t->c, &t->sweep, &t->f));
	ck_assert_uint_eq(t->script.in_views, PATIENCE + 1);
	ck_assert_double_eq(t->strings[1].cycles, 14);
	finish(t);
}
END_TEST

/* In the middle of a trial: what was timed is kept, the rest is not there. */
START_TEST(stopped_sweeps_keep_their_times)
{
	struct side_curve *curve;
	struct swept *t = begin(steady);

	t->script.stop_after = 2;
	ck_assert_int_eq(cooper_sweep(&t->c, &t->sweep, &t->f), -EINTR);
	ck_assert_uint_eq(t->script.count, 2);
	ck_assert_double_eq(t->strings[1].cycles, 14);
	ck_assert(isinf(t->strings[2].cycles));
	curve = cooper_keep(&t->c, &t->sweep, SIDE_FOOTPRINT_BYTES, "test");
	ck_assert_ptr_nonnull(curve);
	ck_assert_uint_eq(curve->count, 2);
	ck_assert_double_eq(curve->points[1].x, 200);
	ck_assert_double_eq(curve->points[1].y, 14);
	finish(t);
}
END_TEST

static double no_chain(struct machine *m, unsigned int adds)
{
	(void)m;
	(void)adds;
	return 0;
}

START_TEST(no_unit_is_said)
{
	struct machine_ops mute = ops;
	struct swept *t = begin(steady);

	mute.add_chain = no_chain;
	t->script.machine.ops = &mute;
	ck_assert_int_eq(cooper_unit(&t->c, &t->f), -ENODATA);
	ck_assert_int_eq(t->f.status, STATUS_UNAVAILABLE);
	finish(t);
}
END_TEST

TCase *make_cooper_time_case(void)
{
	TCase *t = tcase_create("discipline");

	tcase_add_test(t, unit_is_an_addition);
	tcase_add_test(t, quiet_strings_have_no_more_trials);
	tcase_add_test(t, each_string_once_before_any_again);
	tcase_add_test(t, the_least_time_counts);
	tcase_add_test(t, less_than_a_cycle_is_no_improvement);
	tcase_add_test(t, others_are_left_meanwhile);
	tcase_add_test(t, disturbed_samples_do_not_count);
	tcase_add_test(t, long_strings_have_fewer_trials);
	tcase_add_test(t, mappings_are_averaged);
	tcase_add_test(t, views_are_walked_as_views);
	tcase_add_test(t, stopped_sweeps_keep_their_times);
	tcase_add_test(t, no_unit_is_said);
	return t;
}
