// SPDX-License-Identifier: GPL-2.0
/* Curves whose levels are known, and such as have none. */
#include <math.h>
#include <stdio.h>

#include "method/curve/curvekit.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define CURVES 1000

/* What is not static is too large for a stack. */
static struct curve_result result;

static const struct curve_result *analyse(const struct curve_point *points,
					  size_t count)
{
	ck_assert_int_eq(curve_analyse(points, count, &result), 0);
	/* Steps or a reason, and never both. */
	ck_assert(result.decided == !result.reason[0]);
	ck_assert(result.decided == !!result.step_count);
	return &result;
}

/* struct rates - of many curves; @capacities of those with all levels */
struct rates {
	unsigned int undecided;
	unsigned int right;
	unsigned int capacities;
	unsigned int capacities_right;
	unsigned int latencies_right;
};

static void judge(const struct known_curve *k, const struct curve_result *r,
		  struct rates *rates)
{
	rates->undecided += !r->decided;
	if (r->step_count != k->level_count)
		return;
	rates->right++;
	for (size_t m = 0; m + 1 < k->level_count; m++) {
		const struct known_level *l = &k->levels[m];
		size_t end = 0;

		while (k->points[end].x < r->steps[m].end)
			end++;
		rates->capacities++;
		rates->capacities_right += end + 1 >= l->first_end &&
					   end <= l->last_end + 1;
		rates->latencies_right +=
			fabs(r->steps[m].latency / l->latency - 1) < 0.05;
	}
	ck_assert_double_eq(r->steps[k->level_count - 1].end,
			    k->points[k->count - 1].x);
}

START_SLOW_TEST(known_steps_are_found)
{
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	static struct known_curve k;
	struct rates rates = { 0 };

	for (uint64_t i = 0; i < CURVES; i++) {
		struct rng rng = { seed * 1000003 + i };

		known_curve_draw(&rng, &k);
		judge(&k, analyse(k.points, k.count), &rates);
	}
	printf("curve: seed %llu: levels right in %u of %d curves (%u "
	       "undecided); of %u capacities %.2f %% within one grid step, of "
	       "as many latencies %.2f %% within 5 %%\n",
	       (unsigned long long)seed, rates.right, CURVES, rates.undecided,
	       rates.capacities,
	       100.0 * rates.capacities_right / rates.capacities,
	       100.0 * rates.latencies_right / rates.capacities);
	ck_assert_uint_ge(rates.right, CURVES * 99 / 100);
	ck_assert_uint_ge(rates.capacities_right * 100, rates.capacities * 99);
	ck_assert_uint_ge(rates.latencies_right * 100, rates.capacities * 99);
}
END_TEST

/* Four points in each octave from 1 KiB on, as in the paper's sweeps. */
static size_t sweep(const double *y, size_t count, struct curve_point *points)
{
	for (size_t i = 0; i < count; i++)
		points[i] =
			(struct curve_point){ exp2(10 + (double)(i / 4)) *
						      (1 + (double)(i % 4) / 4),
					      y[i] };
	return count;
}

#define FLAT(y) y, y, y, y, y, y, y, y

/* What a reason has to say; NULL: this number of levels is found. */
static const struct {
	const char *reason;
	size_t levels;
	size_t count;
	double y[48];
} hand_made[] = {
	{ "no points", 0, 0, { 0 } },
	{ "too few", 0, 1, { 4 } },
	{ "too few", 0, 3, { 4, 4, 12 } },
	{ "less than an octave", 0, 4, { 4, 4, 12, 12 } },
	{ "point 3 (1536, nan)", 0, 8, { 4, 4, NAN, 4, 4, 4, 4, 4 } },
	{ "point 1 (1024, inf)", 0, 8, { INFINITY, 4, 4, 4, 4, 4, 4, 4 } },
	{ "point 8 (3584, -inf)", 0, 8, { 4, 4, 4, 4, 4, 4, 4, -INFINITY } },
	{ "point 2 (1280, 0)", 0, 8, { 4, 0, 4, 4, 4, 4, 4, 4 } },
	{ "point 2 (1280, -4)", 0, 8, { 4, -4, 4, 4, 4, 4, 4, 4 } },
	{ "falls", 0, 16, { FLAT(300), FLAT(4) } },
	{ "falls", 0, 8, { 300, 200, 120, 80, 50, 30, 20, 10 } },
	{ "noise",
	  0,
	  16,
	  { 4, 40, 9, 80, 5, 30, 4, 90, 4, 40, 9, 80, 5, 30, 4, 90 } },
	{ "from the first point",
	  0,
	  24,
	  { 1, 1.3, 1.8, 2.6, 4, 5, 6.5, 9, FLAT(12), FLAT(12) } },
	{ "stands out",
	  0,
	  16,
	  { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
	    16384, 32768 } },
	/* A constant is one level, which no sweep has left: no capacity. */
	{ NULL, 1, 16, { FLAT(4), FLAT(4) } },
	{ NULL, 1, 5, { 4, 4, 4, 4, 4 } },
	{ NULL, 1, 16, { FLAT(4), FLAT(4.5) } },
	{ NULL, 2, 16, { FLAT(4), FLAT(5) } },
	{ NULL, 3, 24, { FLAT(4), FLAT(12), FLAT(200) } },
};

START_TEST(hand_made_curves)
{
	static struct curve_point points[48];
	const struct curve_result *r;

	sweep(hand_made[_i].y, hand_made[_i].count, points);
	r = analyse(points, hand_made[_i].count);
	if (hand_made[_i].reason) {
		ck_assert_msg(strstr(r->reason, hand_made[_i].reason),
			      "'%s' is not '%s'", r->reason,
			      hand_made[_i].reason);
		return;
	}
	ck_assert_msg(r->decided, "%s", r->reason);
	ck_assert_uint_eq(r->step_count, hand_made[_i].levels);
	ck_assert(!r->open);
	for (size_t m = 0; m < r->step_count && r->step_count > 1; m++) {
		ck_assert_double_eq(r->steps[m].end, points[8 * m + 7].x);
		ck_assert_double_eq_tol(r->steps[m].latency,
					hand_made[_i].y[8 * m], 1e-9);
	}
}
END_TEST

START_TEST(x_has_to_ascend)
{
	struct curve_point points[8];
	double y[8] = { FLAT(4) };

	sweep(y, 8, points);
	points[4].x = points[3].x;
	ck_assert_ptr_nonnull(strstr(analyse(points, 8)->reason, "point 5"));
	points[4].x = 1;
	ck_assert_ptr_nonnull(strstr(analyse(points, 8)->reason, "point 5"));
	points[4].x = NAN;
	ck_assert_ptr_nonnull(strstr(analyse(points, 8)->reason, "point 5"));
	points[4].x = points[3].x;
	points[0].x = 0;
	ck_assert_ptr_nonnull(strstr(analyse(points, 8)->reason, "point 1"));
	points[0].x = -1;
	ck_assert_ptr_nonnull(strstr(analyse(points, 8)->reason, "point 1"));
}
END_TEST

/* A disturbed point moves no end, wherever in a level it lies. */
START_TEST(one_disturbed_point)
{
	static const double factors[] = { 0.5, 0.8, 1.3, 2, 10 };
	double y[24] = { FLAT(4), FLAT(12), FLAT(60) };
	struct curve_point points[24];

	for (size_t i = 0; i < 23; i++) {
		double was = y[i];
		const struct curve_result *r;

		/* The last one of a level may as well have begun to rise, and
		 * the first one may still be of the level before.
		 */
		if (i % 8 == 7 || (i && !(i % 8)))
			continue;
		y[i] *= factors[_i];
		sweep(y, 24, points);
		r = analyse(points, 24);
		ck_assert_msg(r->step_count == 3, "point %zu: %zu steps %s", i,
			      r->step_count, r->reason);
		for (size_t m = 0; m < 3; m++) {
			ck_assert_double_eq(r->steps[m].end,
					    points[8 * m + 7].x);
			ck_assert_double_eq_tol(r->steps[m].latency,
						m ? 12 * (m * 4 - 3) : 4, 1e-9);
		}
		y[i] = was;
	}
}
END_TEST

/* A sweep that ends too early says so, and keeps what it has seen the end of. */
START_TEST(rise_that_has_not_ended)
{
	double y[] = { FLAT(4), FLAT(12), 20, 40, 80 };
	struct curve_point points[19];
	const struct curve_result *r;

	r = analyse(points, sweep(y, 19, points));
	ck_assert(r->decided && r->open);
	ck_assert_uint_eq(r->step_count, 3);
	ck_assert_double_eq(r->steps[0].end, points[7].x);
	ck_assert_double_eq(r->steps[1].end, points[15].x);
	ck_assert_double_eq(r->steps[2].end, points[18].x);
	ck_assert_double_eq_tol(r->steps[2].latency, 80, 1e-9);
}
END_TEST

/* The end is where a slope begins, not where it has got to. */
START_TEST(soft_rise_begins_early)
{
	double y[] = { FLAT(10), FLAT(10), 12, 17, 25, 33, 38, FLAT(40) };
	struct curve_point points[29];
	const struct curve_result *r;

	r = analyse(points, sweep(y, 29, points));
	ck_assert_uint_eq(r->step_count, 2);
	ck_assert_double_eq(r->steps[0].end, points[15].x);
	ck_assert_double_eq_tol(r->steps[1].latency, 40, 1e-9);
}
END_TEST

/* Noise that happens to rise is no rise. */
START_TEST(noise_ends_no_level)
{
	double y[] = { 9.8, 10, 9.8, 10, 9.8, 10, 10.2, 10.2, FLAT(13) };
	struct curve_point points[16];
	const struct curve_result *r;

	r = analyse(points, sweep(y, 16, points));
	ck_assert_uint_eq(r->step_count, 2);
	ck_assert_double_eq(r->steps[0].end, points[7].x);
}
END_TEST

/* Noise alone has no second level, however strong it is. */
START_TEST(noise_alone_is_no_level)
{
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 1) };
	static struct curve_point points[96];
	unsigned int flat = 0, levels = 0;

	for (int i = 0; i < 1000; i++) {
		double most = exp2(-5 + 0.011 * i);

		for (size_t k = 0; k < 96; k++)
			points[k] = (struct curve_point){
				exp2(10 + (double)k / 8),
				10 * exp2(most * (rng_uniform(&rng) - 0.5))
			};
		analyse(points, 96);
		flat += result.step_count == 1;
		levels += result.step_count > 1;
	}
	printf("curve: noise alone: %u of 1000 flat, %u with levels\n", flat,
	       levels);
	ck_assert_uint_le(levels, 10);
	ck_assert_uint_ge(flat, 100);
	ck_assert_uint_le(flat, 900);
}
END_TEST

/* No latency of a power of x is a level, however fast it rises. */
START_TEST(slopes_are_no_levels)
{
	static struct curve_point points[96];

	for (double power = 0.06; power < 4; power += 0.05) {
		for (size_t k = 0; k < 96; k++) {
			double octave = (double)k / 8;

			points[k] = (struct curve_point){
				exp2(10 + octave), exp2(1 + power * octave)
			};
		}
		ck_assert_msg(!analyse(points, 96)->decided,
			      "x^%g has %zu levels", power, result.step_count);
	}
}
END_TEST

START_TEST(as_many_as_can_be_decided)
{
	static struct curve_point points[CURVE_MOST_POINTS + 1];
	double levels = CURVE_MOST_STEPS + _i, octave;

	for (size_t i = 0; i < CURVE_MOST_POINTS + 1; i++) {
		octave = 2 * levels * (double)i / CURVE_MOST_POINTS;
		points[i].x = exp2(octave);
		points[i].y = 2 * exp2(fmin(floor(octave / 2), levels - 1));
	}
	analyse(points, CURVE_MOST_POINTS);
	if (_i) {
		ck_assert_ptr_nonnull(strstr(result.reason, "levels are more"));
	} else {
		ck_assert_uint_eq(result.step_count, CURVE_MOST_STEPS);
	}
	analyse(points, CURVE_MOST_POINTS + 1);
	ck_assert_ptr_nonnull(strstr(result.reason, "points are more"));
}
END_TEST

/* Other units of x and y are the same curve. */
START_TEST(units_do_not_matter)
{
	static struct known_curve k;
	struct curve_result first;
	struct rng rng = { 5 };

	for (int i = 0; i < 20; i++) {
		known_curve_draw(&rng, &k);
		first = *analyse(k.points, k.count);
		for (size_t j = 0; j < k.count; j++) {
			k.points[j].x /= 4096;
			k.points[j].y *= 8;
		}
		analyse(k.points, k.count);
		ck_assert_uint_eq(result.step_count, first.step_count);
		for (size_t m = 0; m < first.step_count; m++)
			ck_assert_double_eq(result.steps[m].end,
					    first.steps[m].end / 4096);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("curve");

	tcase_add_test(t, known_steps_are_found);
	tcase_add_loop_test(t, hand_made_curves, 0,
			    (int)(sizeof(hand_made) / sizeof(hand_made[0])));
	tcase_add_test(t, x_has_to_ascend);
	tcase_add_loop_test(t, one_disturbed_point, 0, 5);
	tcase_add_test(t, rise_that_has_not_ended);
	tcase_add_test(t, soft_rise_begins_early);
	tcase_add_test(t, noise_ends_no_level);
	tcase_add_test(t, noise_alone_is_no_level);
	tcase_add_test(t, slopes_are_no_levels);
	tcase_add_loop_test(t, as_many_as_can_be_decided, 0, 2);
	tcase_add_test(t, units_do_not_matter);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, make_curve_parts_case());
	return suite;
}
