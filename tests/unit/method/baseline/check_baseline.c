// SPDX-License-Identifier: GPL-2.0
/*
 * check_baseline.c - the baselines say what their rules imply: right where these
 * hold, and wrong as published where they do not.
 */
#include <stdio.h>

#include "kit/disturber.h"
#include "kit/profilekit.h"
#include "method/baseline/baseline.h"
#include "suites.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define REGION (UINT64_C(64) << 20)
#define MOST_CACHES 3

typedef int baseline(struct prober *p, struct side_result *r,
		     struct failure *f);

/** struct cache - of a machine to be simulated. @index: NULL: linear */
struct cache {
	unsigned int kib;
	unsigned int ways;
	unsigned int line;
	unsigned int latency;
	const char *policy;
	const char *index;
};

/** struct found - what is to come out; 0: undecided */
struct found {
	double bytes;
	double line;
	double ways;
};

static struct failure f;

static void write_cache(char *text, size_t size, const struct cache *c, int i)
{
	snprintf(text, size,
		 "%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
		 "\"ways\":%u,\"line_bytes\":%u,\"latency_cycles\":%u,"
		 "\"policy\":{\"name\":\"%s\"},\"index\":%s}",
		 i ? "," : "", i + 1, i ? "unified" : "data", c->kib * 1024,
		 c->ways, c->line, c->latency, c->policy,
		 c->index ? c->index : "{\"kind\":\"linear\"}");
}

/* @more: of the profile, from a comma on */
static struct machine *open_caches(const struct cache *caches, const char *more,
				   uint64_t bytes)
{
	char text[2000] = "{\"caches\":[";

	for (int i = 0; i < MOST_CACHES && caches[i].kib; i++)
		write_cache(text + strlen(text), sizeof(text) - strlen(text),
			    &caches[i], i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"memory\":{\"latency_cycles\":200}%s}",
		 more);
	return profilekit_open(text, bytes, 1);
}

static struct side_result ask(baseline *says, struct machine *m)
{
	struct side_result r;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_msg(!says(&p, &r, &f), "%s", f.text);
	ck_assert(r.complete);
	return r;
}

static void check_value(const char *what, size_t level,
			const struct parameter *p, double wanted)
{
	ck_assert_msg(parameter_is_measured(p) == (wanted > 0),
		      "%s of L%zu: %g, %s", what, level, p->value, p->reason);
	ck_assert_msg(!(wanted > 0) || p->value == wanted,
		      "%s of L%zu: %g instead of %g", what, level, p->value,
		      wanted);
	ck_assert_msg(wanted > 0 || strlen(p->reason) > 0, "%s of L%zu", what,
		      level);
}

static void check_found(const struct side_result *r, const struct found *wanted,
			size_t count)
{
	ck_assert_uint_eq(r->cache_count, count);
	for (size_t i = 0; i < count; i++) {
		const struct side_level *level = &r->caches[i];

		check_value("capacity", i + 1, &level->capacity_bytes,
			    wanted[i].bytes);
		check_value("line", i + 1, &level->line_bytes, wanted[i].line);
		check_value("ways", i + 1, &level->ways, wanted[i].ways);
		ck_assert_int_eq(level->latency_cycles.status,
				 PARAMETER_UNAVAILABLE);
	}
}

static void check_says(baseline *says, struct machine *m,
		       const struct found *wanted, size_t count)
{
	struct side_result r = ask(says, m);

	check_found(&r, wanted, count);
	ck_assert(parameter_is_measured(&r.levels));
	ck_assert(r.levels.value == (double)count);
	side_result_free(&r);
	machine_close(m);
}

/* As X-Ray's Pentium III. */
static const struct cache two[MOST_CACHES] = {
	{ 16, 4, 32, 3, "lru", NULL },
	{ 256, 8, 32, 7, "lru", NULL },
};

/*
 * Sizes and line are right. With strides of 16 KiB more than four elements are of
 * one set of L1 (one way of it is 4 KiB), and n = 4 updates five already: L1 always
 * misses. Of L2, whose ways are 32 KiB, they fill two sets, 16 lines; n = 16 updates
 * 17, 9 of which are of one set. So L1 gets 15 ways. With strides of 256 KiB all are of one set of L2, which
 * nine lines leave at n = 8: 7 ways.
 */
START_TEST(breaking_cache_on_simple_caches)
{
	static const struct found wanted[] = { { 16 * KIB, 32, 15 },
					       { 256 * KIB, 32, 7 } };

	check_says(breaking_cache_measure, open_caches(two, "", REGION), wanted,
		   2);
}
END_TEST

/* There are no more elements than it says in Saavedra's: from 4 to 8 of them L1
 * rises (ratio 7 / 3), from 8 to 16 nothing does; of L2 8 fit and 16 do not.
 */
START_TEST(saavedra_on_simple_caches)
{
	static const struct found wanted[] = { { 16 * KIB, 32, 4 },
					       { 256 * KIB, 32, 8 } };

	check_says(saavedra_measure, open_caches(two, "", REGION), wanted, 2);
}
END_TEST

static const struct cache three[MOST_CACHES] = {
	{ 32, 8, 64, 4, "lru", NULL },
	{ 512, 8, 64, 12, "lru", NULL },
	{ 3072, 12, 64, 40, "lru", NULL },
};

/*
 * 512 KiB and 3 MiB are too large by one array. With strides of 32 KiB 9 lines do
 * not fit into a set of L1, which takes 3 times as long as 8; 17 do not fit into two
 * sets of L2 (its ways are 64 KiB), where 9 of them miss: (9 * 40 + 8 * 12) / 17 is
 * 2.2 times 12. So L1 has 7 ways. With strides of 1 and 4 MiB all is of one set in
 * each level: nine lines take 10 times as long as eight, 13 lines 5 times as long as
 * twelve: 7 ways for both, for L3, too, which has 12.
 */
START_TEST(breaking_cache_on_three_levels)
{
	static const struct found wanted[] = { { 32 * KIB, 64, 7 },
					       { MIB, 64, 7 },
					       { 4 * MIB, 64, 7 } };

	check_says(breaking_cache_measure,
		   open_caches(three, "", UINT64_C(96) << 20), wanted, 3);
}
END_TEST

/* Sizes are of powers of two as well, and so are ways: 8 where 16 lines do not fit
 * but 8 do, in all levels, though L3 has 12.
 */
START_TEST(saavedra_on_three_levels)
{
	static const struct found wanted[] = { { 32 * KIB, 64, 8 },
					       { MIB, 64, 8 },
					       { 4 * MIB, 64, 8 } };

	check_says(saavedra_measure, open_caches(three, "", REGION), wanted, 3);
}
END_TEST

/*
 * A stride of 256 bytes visits a quarter of the lines. In a linear index they fill a
 * quarter of the sets, here (two lowest bits of the set with bits 15 and 16) all of
 * them: 1 MiB of array fits into 256 KiB of cache. The next array is of 2 MiB, and
 * above 1 MiB that is what is said.
 */
START_TEST(hashed_second_level_looks_larger)
{
	static const struct cache hashed[MOST_CACHES] = {
		{ 32, 8, 64, 4, "lru", NULL },
		{ 256, 8, 64, 14, "lru",
		  "{\"kind\":\"xor\",\"masks\":[\"0x8040\",\"0x10080\","
		  "\"0x100\",\"0x200\",\"0x400\",\"0x800\",\"0x1000\","
		  "\"0x2000\",\"0x4000\"]}" },
	};
	struct machine *m = open_caches(hashed, "", REGION);
	struct side_result r = ask(breaking_cache_measure, m);

	ck_assert_uint_eq(r.cache_count, 2);
	check_value("capacity", 1, &r.caches[0].capacity_bytes, 32 * KIB);
	check_value("capacity", 2, &r.caches[1].capacity_bytes, 2 * MIB);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/*
 * Of 16 ways that are replaced at random, 20 lines of a set (5 MiB) miss in 38 of
 * 100 loads and 24 lines (6 MiB) in 59: from 12 cycles to 83 and to 123, which are
 * two levels of 5 and 6 MiB instead of one of 4. Saavedra's next array has 8 MiB.
 */
START_TEST(random_replacement_is_two_levels)
{
	static const struct cache soft[MOST_CACHES] = {
		{ 32, 8, 64, 4, "lru", NULL },
		{ 4096, 16, 64, 12, "random", NULL },
	};
	struct machine *m = open_caches(soft, "", 2 * REGION);
	struct side_result r = ask(breaking_cache_measure, m);

	ck_assert_uint_eq(r.cache_count, 3);
	check_value("capacity", 1, &r.caches[0].capacity_bytes, 32 * KIB);
	check_value("capacity", 2, &r.caches[1].capacity_bytes, 5 * MIB);
	check_value("capacity", 3, &r.caches[2].capacity_bytes, 6 * MIB);
	side_result_free(&r);
	r = ask(saavedra_measure, m);
	check_value("capacity", 2, &r.caches[1].capacity_bytes, 8 * MIB);
	ck_assert_ptr_nonnull(strstr(r.caches[1].ways.reason, "of 128 MiB"));
	side_result_free(&r);
	machine_close(m);
}
END_TEST

static const struct cache long_lines[MOST_CACHES] = {
	{ 32, 8, 128, 4, "lru", NULL },
	{ 256, 8, 128, 14, "lru", NULL },
};

static void check_line(baseline *says, struct machine *m, double wanted)
{
	struct side_result r = ask(says, m);

	ck_assert_uint_gt(r.cache_count, 0);
	for (size_t i = 0; i < r.cache_count; i++)
		check_value("line", i + 1, &r.caches[i].line_bytes, wanted);
	side_result_free(&r);
	machine_close(m);
}

/*
 * From 64 to 128 bytes a load takes 200 / 102 = 1.96 times as long, from 32 to 64
 * 102 / 53 = 1.92 times. But at 128 breaking-cache does 640 updates for 1024.
 */
START_TEST(lines_of_128_bytes)
{
	check_line(breaking_cache_measure, open_caches(long_lines, "", REGION),
		   64);
	check_line(saavedra_measure,
		   open_caches(long_lines, "", UINT64_C(16) << 20), 128);
}
END_TEST

/*
 * A prefetcher that knows a stride after three loads of a page leaves three misses
 * in each, whatever the stride: 22.4 cycles at 128 bytes, 40.8 at 256, 77.5 at 512.
 * Of 13.2 at 64, 7.1 at 32 and 4.8 at 16 none grows by as much as the last one.
 */
START_TEST(prefetched_strides_look_like_lines)
{
	check_line(saavedra_measure,
		   open_caches(three,
			       ",\"prefetchers\":[{\"kind\":\"stride\","
			       "\"level\":1,\"switchable\":false}]",
			       UINT64_C(16) << 20),
		   512);
}
END_TEST

/* What is kept and counted, and what ends early */

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
	struct machine *m = open_caches(two, "", REGION);
	const struct side_curve *sizes;
	struct side_result r;

	loads_walked = 0;
	after_walks(m, count_loads);
	r = ask(breaking_cache_measure, m);
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
START_TEST(curves_of_saavedra)
{
	struct machine *m = open_caches(two, "", REGION);
	struct side_result r = ask(saavedra_measure, m);

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
	static const struct found breaking[] = { { 16 * KIB, 0, 15 },
						 { 256 * KIB, 0, 0 } };
	static const struct found saavedra[] = { { 16 * KIB, 0, 4 },
						 { 256 * KIB, 0, 0 } };
	struct machine *m = open_caches(two, "", UINT64_C(3) << 20);
	struct side_result r = ask(breaking_cache_measure, m);

	check_found(&r, breaking, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(r.levels.reason, "3072 KiB"));
	ck_assert_ptr_nonnull(
		strstr(r.caches[1].ways.reason, "an array of 5120 KiB"));
	side_result_free(&r);
	r = ask(saavedra_measure, m);
	check_found(&r, saavedra, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	side_result_free(&r);
	machine_close(m);
}
END_TEST

/** struct stopper - interrupts when progress says so */
struct stopper {
	volatile sig_atomic_t stop;
	const char *at;
};

static void stop_at(void *context, const char *what, double done)
{
	struct stopper *s = context;

	(void)done;
	if (strstr(what, s->at))
		s->stop = 1;
}

static struct side_result interrupt_at(baseline *says, const char *at)
{
	struct machine *m = open_caches(two, "", UINT64_C(16) << 20);
	struct stopper stopper = { .at = at };
	struct side_result r;
	struct prober p;

	prober_begin(&p, m, 1);
	p.stop = &stopper.stop;
	p.progress = stop_at;
	p.progress_context = &stopper;
	ck_assert_int_eq(says(&p, &r, &f), -EINTR);
	ck_assert(!r.complete);
	machine_close(m);
	return r;
}

START_TEST(interrupted_keeps_what_is_finished)
{
	static const struct found before_line[] = { { 16 * KIB, 0, 0 },
						    { 256 * KIB, 0, 0 } };
	static const struct found before_ways[] = { { 16 * KIB, 32, 15 },
						    { 256 * KIB, 32, 0 } };
	struct side_result r =
		interrupt_at(breaking_cache_measure, "line size");

	check_found(&r, before_line, 2);
	side_result_free(&r);
	r = interrupt_at(breaking_cache_measure, "ways of L2");
	check_found(&r, before_ways, 2);
	side_result_free(&r);
	r = interrupt_at(breaking_cache_measure, "128 KiB");
	check_found(&r, before_line, 1);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_uint_eq(curve_named(&r, "stride of 256 bytes")->count, 4);
	side_result_free(&r);
	r = interrupt_at(saavedra_measure, "array of 1024 KiB");
	check_found(&r, before_line, 2);
	ck_assert_int_eq(r.levels.status, PARAMETER_UNDECIDED);
	ck_assert_uint_eq(curve_named(&r, "stride of 256 bytes")->count, 8);
	side_result_free(&r);
}
END_TEST

/* All but the first, in every other walk. */
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
	static const struct found wanted[] = { { 16 * KIB, 32, 15 },
					       { 256 * KIB, 32, 7 } };
	struct machine *m = open_caches(two, "", REGION);

	after_walks(m, _i ? mark_all : spoil_most);
	check_says(breaking_cache_measure, m, wanted, 2);
}
END_TEST

Suite *make_baseline_suite(void)
{
	Suite *suite = suite_create("baseline");
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
