// SPDX-License-Identifier: GPL-2.0
/*
 * check_baseline.c - the baselines give what their rules imply: right values
 * where the rules hold, and wrong ones as published where they do not.
 */
#include "kit/disturber.h"
#include "method/baseline/baselinekit.h"
#include "suites.h"

/* The Pentium III of the X-Ray paper. */
static const struct baseline_cache two[BASELINEKIT_CACHES] = {
	{ 16, 4, 32, 3, "lru", NULL },
	{ 256, 8, 32, 7, "lru", NULL },
};

/*
 * Sizes and line are right. With strides of 16 KiB more than four elements
 * share a set of L1 (one way is 4 KiB), and n = 4 updates five already: L1
 * always misses. In L2, whose ways are 32 KiB, they fill two sets, 16 lines; n
 * = 16 updates 17, 9 of them in one set. So L1 gets 15 ways. With strides of
 * 256 KiB all share a set of L2, and nine lines do not fit at n = 8: 7 ways.
 */
START_TEST(breaking_cache_on_simple_caches)
{
	static const struct baseline_found wanted[] = { { 16 * KIB, 32, 15 },
							{ 256 * KIB, 32, 7 } };

	baselinekit_check_machine(breaking_cache_measure,
				  baselinekit_open(two, "", BASELINEKIT_REGION),
				  wanted, 2);
}
END_TEST

/*
 * Saavedra's benchmark updates exactly n elements: from 4 to 8 of them L1 rises
 * (ratio 7 / 3), from 8 to 16 nothing does; in L2 8 fit and 16 do not.
 */
START_SLOW_TEST(saavedra_on_simple_caches)
{
	static const struct baseline_found wanted[] = { { 16 * KIB, 32, 4 },
							{ 256 * KIB, 32, 8 } };

	baselinekit_check_machine(saavedra_measure,
				  baselinekit_open(two, "", BASELINEKIT_REGION),
				  wanted, 2);
}
END_TEST

static const struct baseline_cache three[BASELINEKIT_CACHES] = {
	{ 32, 8, 64, 4, "lru", NULL },
	{ 512, 8, 64, 12, "lru", NULL },
	{ 3072, 12, 64, 40, "lru", NULL },
};

/*
 * 512 KiB and 3 MiB are too large by one array. With strides of 32 KiB 9 lines
 * do not fit into a set of L1, which takes 3 times as long as 8; 17 do not fit
 * into two sets of L2 (its ways are 64 KiB), where 9 of them miss: (9 * 40 + 8
 * * 12) / 17 is 2.2 times 12. So L1 has 7 ways. With strides of 1 and 4 MiB all
 * lines share a set in each level: nine take 10 times as long as eight, 13 take
 * 5 times as long as twelve: 7 ways for both, also for L3, which has 12.
 */
START_SLOW_TEST(breaking_cache_on_three_levels)
{
	static const struct baseline_found wanted[] = { { 32 * KIB, 64, 7 },
							{ MIB, 64, 7 },
							{ 4 * MIB, 64, 7 } };

	baselinekit_check_machine(
		breaking_cache_measure,
		baselinekit_open(three, "", UINT64_C(96) << 20), wanted, 3);
}
END_TEST

/*
 * Sizes and ways are powers of two: 8 where 16 lines do not fit but 8 do, in
 * all levels, though L3 has 12.
 */
START_SLOW_TEST(saavedra_on_three_levels)
{
	static const struct baseline_found wanted[] = { { 32 * KIB, 64, 8 },
							{ MIB, 64, 8 },
							{ 4 * MIB, 64, 8 } };

	baselinekit_check_machine(
		saavedra_measure,
		baselinekit_open(three, "", BASELINEKIT_REGION), wanted, 3);
}
END_TEST

/*
 * A stride of 256 bytes visits a quarter of the lines. With a linear index they
 * fill a quarter of the sets; here (the two lowest bits of the set are XORed
 * with bits 15 and 16) they fill all sets: 1 MiB of array fits into 256 KiB of
 * cache. The next array has 2 MiB, and above 1 MiB that is the result.
 */
START_TEST(hashed_second_level_looks_larger)
{
	static const struct baseline_cache hashed[BASELINEKIT_CACHES] = {
		{ 32, 8, 64, 4, "lru", NULL },
		{ 256, 8, 64, 14, "lru",
		  "{\"kind\":\"xor\",\"masks\":[\"0x8040\",\"0x10080\","
		  "\"0x100\",\"0x200\",\"0x400\",\"0x800\",\"0x1000\","
		  "\"0x2000\",\"0x4000\"]}" },
	};
	struct machine *m = baselinekit_open(hashed, "", BASELINEKIT_REGION);
	struct side_result r = baselinekit_measure(breaking_cache_measure, m);

	ck_assert_uint_eq(r.cache_count, 2);
	baselinekit_check_value("capacity", 1, &r.caches[0].capacity_bytes,
				32 * KIB);
	baselinekit_check_value("capacity", 2, &r.caches[1].capacity_bytes,
				2 * MIB);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/*
 * With random replacement in 16 ways, 20 lines of a set (5 MiB) miss in 38 of
 * 100 loads and 24 lines (6 MiB) in 59: from 12 cycles to 83 and to 123, which
 * are two levels of 5 and 6 MiB instead of one of 4. Saavedra's next array has
 * 8 MiB.
 */
START_SLOW_TEST(random_replacement_is_two_levels)
{
	static const struct baseline_cache soft[BASELINEKIT_CACHES] = {
		{ 32, 8, 64, 4, "lru", NULL },
		{ 4096, 16, 64, 12, "random", NULL },
	};
	struct machine *m = baselinekit_open(soft, "", 2 * BASELINEKIT_REGION);
	struct side_result r = baselinekit_measure(breaking_cache_measure, m);

	ck_assert_uint_eq(r.cache_count, 3);
	baselinekit_check_value("capacity", 1, &r.caches[0].capacity_bytes,
				32 * KIB);
	baselinekit_check_value("capacity", 2, &r.caches[1].capacity_bytes,
				5 * MIB);
	baselinekit_check_value("capacity", 3, &r.caches[2].capacity_bytes,
				6 * MIB);
	side_result_free(&r);
	r = baselinekit_measure(saavedra_measure, m);
	baselinekit_check_value("capacity", 2, &r.caches[1].capacity_bytes,
				8 * MIB);
	ck_assert_ptr_nonnull(strstr(r.caches[1].ways.reason, "of 128 MiB"));
	side_result_free(&r);
	machine_close(m);
}
END_TEST

static const struct baseline_cache long_lines[BASELINEKIT_CACHES] = {
	{ 32, 8, 128, 4, "lru", NULL },
	{ 256, 8, 128, 14, "lru", NULL },
};

static void check_line(baseline_method *says, struct machine *m, double wanted)
{
	struct side_result r = baselinekit_measure(says, m);

	ck_assert_uint_gt(r.cache_count, 0);
	for (size_t i = 0; i < r.cache_count; i++)
		baselinekit_check_value("line", i + 1, &r.caches[i].line_bytes,
					wanted);
	side_result_free(&r);
	machine_close(m);
}

/*
 * From 64 to 128 bytes a load takes 200 / 102 = 1.96 times as long, from 32 to 64
 * 102 / 53 = 1.92 times. But at 128 breaking-cache does 640 updates for 1024.
 */
START_SLOW_TEST(lines_of_128_bytes)
{
	check_line(breaking_cache_measure,
		   baselinekit_open(long_lines, "", BASELINEKIT_REGION), 64);
	check_line(saavedra_measure,
		   baselinekit_open(long_lines, "", UINT64_C(16) << 20), 128);
}
END_TEST

/*
 * A prefetcher that detects a stride after three loads of a page leaves three
 * misses per page, whatever the stride: 22.4 cycles at 128 bytes, 40.8 at 256,
 * 77.5 at 512. From 13.2 at 64, 7.1 at 32 and 4.8 at 16 none grows by as much
 * as the last one.
 */
START_SLOW_TEST(prefetched_strides_look_like_lines)
{
	check_line(saavedra_measure,
		   baselinekit_open(three,
				    ",\"prefetchers\":[{\"kind\":\"stride\","
				    "\"level\":1,\"switchable\":false}]",
				    UINT64_C(16) << 20),
		   512);
}
END_TEST

/* Curves that are kept, loads that are counted, and early ends. */

static const struct side_curve *curve_named(const struct side_result *r,
					    const char *name)
{
	for (size_t i = 0; i < r->curve_count; i++)
		if (!strcmp(r->curves[i]->name, name))
			return r->curves[i];
	ck_abort_msg("%s: no curve %s", r->method, name);
}

static void check_curve(const struct side_curve *curve, enum side_axis axis,
			size_t count, double first, double last)
{
	ck_assert_int_eq(curve->axis, axis);
	ck_assert_uint_eq(curve->count, count);
	ck_assert_double_eq_tol(curve->points[0].y, first, 0.1);
	ck_assert_double_eq_tol(curve->points[count - 1].y, last, 1);
	for (size_t i = 1; i < count; i++)
		ck_assert(curve->points[i].x > curve->points[i - 1].x);
}

static double loads_walked;

static void count_loads(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	(void)s;
	for (unsigned int i = 0; i < plan->samples; i++)
		loads_walked += (double)samples[i].loads;
}

/* 28 arrays from 8 KiB to 32 MiB; of 8 MiB strides of 8 to 512 bytes. */
START_TEST(curves_of_breaking_cache)
{
	struct machine *m = baselinekit_open(two, "", BASELINEKIT_REGION);
	const struct side_curve *sizes;
	struct side_result r;

	loads_walked = 0;
	after_walks(m, count_loads);
	r = baselinekit_measure(breaking_cache_measure, m);
	sizes = curve_named(&r, "stride of 256 bytes");
	check_curve(sizes, SIDE_FOOTPRINT_BYTES, 28, 3, 200);
	ck_assert(sizes->points[0].x == 8 * KIB);
	ck_assert(sizes->points[8].x == 2 * MIB);
	ck_assert(sizes->points[16].x == 10 * MIB);
	ck_assert(sizes->points[17].x == 12 * MIB);
	ck_assert(sizes->points[27].x == 32 * MIB);
	check_curve(curve_named(&r, "array of 8 MiB"), SIDE_STRIDE_BYTES, 7,
		    (200 + 3 * 3) / 4.0, 200);
	ck_assert(r.loads > loads_walked && r.loads < 3 * loads_walked);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/* Strides of 4 KiB: 8 bytes to 2 KiB; of 64 MiB: 64 bytes to 32 MiB. */
START_SLOW_TEST(curves_of_saavedra)
{
	struct machine *m = baselinekit_open(two, "", BASELINEKIT_REGION);
	struct side_result r = baselinekit_measure(saavedra_measure, m);

	check_curve(curve_named(&r, "stride of 256 bytes"),
		    SIDE_FOOTPRINT_BYTES, 15, 3, 200);
	check_curve(curve_named(&r, "array of 4 KiB"), SIDE_STRIDE_BYTES, 9, 3,
		    3);
	check_curve(curve_named(&r, "array of 64 MiB"), SIDE_STRIDE_BYTES, 20,
		    200, 3);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/* Up to 3 MiB: no array of 8 MiB for the line, none of 20 times 256 KiB. */
START_TEST(memory_too_small)
{
	static const struct baseline_found breaking[] = { { 16 * KIB, 0, 15 },
							  { 256 * KIB, 0, 0 } };
	static const struct baseline_found saavedra[] = { { 16 * KIB, 0, 4 },
							  { 256 * KIB, 0, 0 } };
	struct machine *m = baselinekit_open(two, "", UINT64_C(3) << 20);
	struct side_result r = baselinekit_measure(breaking_cache_measure, m);

	baselinekit_check(&r, breaking, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(r.levels.reason, "3072 KiB"));
	ck_assert_ptr_nonnull(
		strstr(r.caches[1].ways.reason, "an array of 5120 KiB"));
	side_result_free(&r);
	r = baselinekit_measure(saavedra_measure, m);
	baselinekit_check(&r, saavedra, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

static struct machine *open_two(void)
{
	return baselinekit_open(two, "", UINT64_C(16) << 20);
}

START_TEST(interrupted_keeps_what_is_finished)
{
	static const struct baseline_found before_line[] = {
		{ 16 * KIB, 0, 0 }, { 256 * KIB, 0, 0 }
	};
	static const struct baseline_found before_ways[] = {
		{ 16 * KIB, 32, 15 }, { 256 * KIB, 32, 0 }
	};
	struct side_result r = baselinekit_interrupt(breaking_cache_measure,
						     open_two(), "line size");

	baselinekit_check(&r, before_line, 2);
	side_result_free(&r);
	r = baselinekit_interrupt(breaking_cache_measure, open_two(),
				  "ways of L2");
	baselinekit_check(&r, before_ways, 2);
	side_result_free(&r);
	r = baselinekit_interrupt(breaking_cache_measure, open_two(),
				  "128 KiB");
	baselinekit_check(&r, before_line, 1);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_uint_eq(curve_named(&r, "stride of 256 bytes")->count, 4);
	side_result_free(&r);
	r = baselinekit_interrupt(saavedra_measure, open_two(),
				  "array of 1024 KiB");
	baselinekit_check(&r, before_line, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_uint_eq(curve_named(&r, "stride of 256 bytes")->count, 8);
	side_result_free(&r);
}
END_TEST

/* Disturb all samples but the first, in every other walk. */
static void spoil_most(const struct sequence *s, const struct walk_plan *plan,
		       struct sample *samples)
{
	static bool odd;

	(void)s;
	odd = !odd;
	for (unsigned int i = 1; odd && i < plan->samples; i++) {
		samples[i].disturbed = true;
		samples[i].ticks *= 10;
	}
}

static void mark_all(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	(void)s;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].disturbed = true;
}

START_TEST(disturbed_samples)
{
	static const struct baseline_found wanted[] = { { 16 * KIB, 32, 15 },
							{ 256 * KIB, 32, 7 } };
	struct machine *m = baselinekit_open(two, "", BASELINEKIT_REGION);

	after_walks(m, _i ? mark_all : spoil_most);
	baselinekit_check_machine(breaking_cache_measure, m, wanted, 2);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("baseline");

	tcase_add_test(t, breaking_cache_on_simple_caches);
	tcase_add_test(t, saavedra_on_simple_caches);
	tcase_add_test(t, breaking_cache_on_three_levels);
	tcase_add_test(t, saavedra_on_three_levels);
	tcase_add_test(t, hashed_second_level_looks_larger);
	tcase_add_test(t, random_replacement_is_two_levels);
	tcase_add_test(t, lines_of_128_bytes);
	tcase_add_test(t, prefetched_strides_look_like_lines);
	tcase_add_test(t, curves_of_breaking_cache);
	tcase_add_test(t, curves_of_saavedra);
	tcase_add_test(t, memory_too_small);
	tcase_add_test(t, interrupted_keeps_what_is_finished);
	tcase_add_loop_test(t, disturbed_samples, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
