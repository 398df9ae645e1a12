// SPDX-License-Identifier: GPL-2.0
/* check_counters.c - by counters or by time, by true ones or by liars. */
#include <errno.h>

#include "method/levels/levels.h"
#include "kit/liar.h"
#include "suites.h"

#define MISSES "\"counters\":[\"l1d_miss\",\"l2_miss\",\"l3_miss\"],"
#define CACHES(l2, l3)                                                   \
	"\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":" \
	"16384,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},"      \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":131072,"   \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":11" l2 "},"     \
	"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":1048576,"  \
	"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":35" l3 "}]"
#define NOISE                                                         \
	",\"noise\":{\"jitter_cycles\":40,\"tail_probability\":0.02," \
	"\"tail_cycles\":5000,\"interrupts_per_million_loads\":20,"   \
	"\"lines_evicted_per_interrupt\":8,\"frequency_drift\":0.02}"
#define POLICY(name) ",\"policy\":{\"name\":\"" name "\"}"
#define SMALL_TLB                                                          \
	",\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096]," \
	"\"entries\":16,\"ways\":16}]"

static const char plain[] = "{" MISSES CACHES("", "") "}";

static const char *const profiles[] = {
	plain,
	"{" MISSES CACHES("", "") NOISE "}",
	"{" MISSES CACHES(POLICY("tree-plru"), POLICY("random")) "}",
	"{" MISSES CACHES(POLICY("bit-plru"), POLICY("srrip")) "}",
	"{" MISSES CACHES(",\"inclusion\":\"exclusive\"", "") "}",
	"{" MISSES CACHES("", "") SMALL_TLB "}",
};

static void measure(struct machine *m, enum prober_by by, uint64_t seed,
		    struct hierarchy *found)
{
	struct failure f = { .text = "" };
	struct prober prober;

	prober_begin(&prober, m, seed);
	prober.by = by;
	ck_assert_msg(!prober_trust_counters(&prober, &f), "%s", f.text);
	ck_assert_msg(!xray_measure(&prober, found, &f), "%s", f.text);
}

/* Right where it is decided; *decided counts. */
static void check_answers(const struct hierarchy *h, size_t *decided)
{
	static const double wanted[3][2] = { { 4, 16384 },
					     { 8, 131072 },
					     { 16, 1048576 } };

	*decided = 0;
	for (size_t i = 0; i < h->cache_count && i < 3; i++) {
		const struct cache_result *c = &h->caches[i];

		if (c->ways.status == PARAMETER_MEASURED) {
			ck_assert_double_eq(c->ways.value, wanted[i][0]);
			ck_assert_double_eq(c->capacity_bytes.value,
					    wanted[i][1]);
			++*decided;
		}
		if (c->line_bytes.status == PARAMETER_MEASURED)
			ck_assert_double_eq(c->line_bytes.value, 64);
	}
}

static void same(const struct hierarchy *a, const struct hierarchy *b)
{
	for (size_t i = 0; i < a->cache_count && i < b->cache_count; i++) {
		struct cache_result x = a->caches[i], y = b->caches[i];
		struct parameter *p[CACHE_PARAMETERS], *q[CACHE_PARAMETERS];

		cache_parameters(&x, p);
		cache_parameters(&y, q);
		for (size_t j = 0; j < CACHE_PARAMETERS; j++) {
			/* Averages are never quite the same. */
			if (p[j] == &x.latency_cycles || p[j] == &x.latency_ns)
				continue;
			if (p[j]->status == PARAMETER_MEASURED &&
			    q[j]->status == PARAMETER_MEASURED)
				ck_assert_double_eq(p[j]->value, q[j]->value);
		}
	}
}

START_TEST(counters_and_time_agree)
{
	if (!is_in_part(_i))
		return;

	struct hierarchy counted, timed;
	struct machine *m = open_liar(profiles[_i], TRUTH, 1);

	measure(m, PROBER_BY_COUNTERS, 1, &counted);
	ck_assert_str_eq(counted.caches[0].ways.by, "counters");
	ck_assert_ptr_null(counted.caches[0].latency_cycles.by);
	machine_close(m);
	m = open_liar(profiles[_i], TRUTH, 1);
	measure(m, PROBER_BY_TIME, 1, &timed);
	ck_assert_str_eq(timed.caches[0].ways.by, "time");
	machine_close(m);
	same(&counted, &timed);
}
END_TEST

/* What blinds the clock: 16 translations for hundreds of lines. */
START_TEST(counters_see_through_translations)
{
	struct machine *m = open_liar(profiles[5], TRUTH, 1);
	struct hierarchy found;
	size_t decided;

	measure(m, PROBER_BY_COUNTERS, 1, &found);
	check_answers(&found, &decided);
	ck_assert_uint_eq(decided, 3);
	machine_close(m);
}
END_TEST

START_TEST(liars_are_refused)
{
	static const enum lie lies[] = { DEAD, STUCK, EVERY_LOAD, HALF,
					 MULTIPLEXED };
	struct machine *m = open_liar(plain, lies[_i], 1);
	size_t notes = m->note_count;
	struct failure f = { .text = "" };
	struct prober prober;

	prober_begin(&prober, m, 1);
	ck_assert_int_eq(prober_trust_counters(&prober, &f), 0);
	ck_assert_uint_eq(prober.counters, 0);
	ck_assert_uint_eq(m->counters, 0);
	ck_assert_uint_eq(m->note_count, notes + 3);
	machine_close(m);

	m = open_liar(plain, lies[_i], 1);
	prober_begin(&prober, m, 1);
	prober.by = PROBER_BY_COUNTERS;
	ck_assert_int_eq(prober_trust_counters(&prober, &f), -ENOENT);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	machine_close(m);
}
END_TEST

START_TEST(no_counters_no_complaint)
{
	static const char none[] = "{\"counters\":[]," CACHES("", "") "}";
	struct machine *m = open_liar(none, TRUTH, 1);
	struct failure f = { .text = "" };
	struct prober prober;

	prober_begin(&prober, m, 1);
	ck_assert_int_eq(prober_trust_counters(&prober, &f), 0);
	ck_assert_uint_eq(m->note_count, 0);
	prober.by = PROBER_BY_COUNTERS;
	ck_assert_int_eq(prober_trust_counters(&prober, &f), -ENOENT);
	machine_close(m);
}
END_TEST

/* They pass the proof, for they miss when all is cold. */
START_TEST(counters_of_another_level_are_found_out)
{
	static const enum lie lies[] = { LEVEL_ABOVE, LEVEL_BELOW };
	struct machine *m = open_liar(plain, lies[_i], 1);
	struct hierarchy found;
	size_t decided;

	measure(m, PROBER_BY_AUTO, 1, &found);
	check_answers(&found, &decided);
	ck_assert_uint_eq(decided, 3);
	ck_assert_uint_eq(m->note_count, 1);
	ck_assert_ptr_nonnull(strstr(m->notes[0], "l2_miss"));
	ck_assert_str_eq(found.caches[0].ways.by, "counters");
	ck_assert_str_eq(found.caches[1].ways.by, "time");
	ck_assert_str_eq(found.caches[2].ways.by, "counters");
	machine_close(m);
}
END_TEST

START_TEST(false_counts_never_mislead)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct machine *m = open_liar(plain, FALSE_COUNTS, seed);
		struct hierarchy found;
		size_t decided;

		measure(m, PROBER_BY_COUNTERS, seed, &found);
		check_answers(&found, &decided);
		ck_assert_uint_ge(decided, 1);
		machine_close(m);
	}
}
END_TEST

/* Which of three lines in a set of two ways misses is known by lists that short. */
START_TEST(reading_counters_misses)
{
	static const char two_ways[] =
		"{" MISSES "\"caches\":[{\"level\":1,\"type\":\"data\","
		"\"capacity_bytes\":65536,\"ways\":2,\"line_bytes\":64,"
		"\"latency_cycles\":3},{\"level\":2,\"type\":\"unified\","
		"\"capacity_bytes\":524288,\"ways\":16,\"line_bytes\":64,"
		"\"latency_cycles\":15,\"inclusion\":\"exclusive\"}]}";
	struct machine *m = open_liar(two_ways, COLD_READS, (uint64_t)_i);
	const struct parameter *ways;
	struct hierarchy found;

	measure(m, PROBER_BY_COUNTERS, (uint64_t)_i, &found);
	ways = &found.caches[0].ways;
	ck_assert_msg(ways->status == PARAMETER_MEASURED, "%s", ways->reason);
	ck_assert_double_eq(ways->value, 2);
	ck_assert_uint_ge(found.cache_count, 2);
	machine_close(m);
}
END_TEST

/* Nothing stays in a level that takes what the one above throws out, and throws it
 * out first: its latency is that of the next one.
 */
START_TEST(a_counter_contradicts_a_latency)
{
	static const char hidden[] =
		"{" MISSES "\"caches\":[{\"level\":1,\"type\":\"data\","
		"\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		"\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		"\"capacity_bytes\":327680,\"ways\":20,\"line_bytes\":64,"
		"\"latency_cycles\":16,\"inclusion\":\"exclusive\"" POLICY(
			"lip") "},{\"level\":3,\"type\":\"unified\","
			       "\"capacity_bytes\":786432,\"ways\":6,\"line_bytes\":64,"
			       "\"latency_cycles\":52,\"inclusion\":\"exclusive\"}]}";
	struct machine *m = open_liar(hidden, TRUTH, 1);
	const struct cache_result *c;
	struct hierarchy found;

	measure(m, PROBER_BY_AUTO, 1, &found);
	ck_assert_uint_ge(found.cache_count, 2);
	c = &found.caches[1];
	ck_assert_msg(!parameter_is_measured(&c->latency_cycles) ||
			      c->latency_cycles.value < 17,
		      "%g", c->latency_cycles.value);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("deciding");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, counters_and_time_agree, 0,
			    sizeof(profiles) / sizeof(profiles[0]));
	tcase_add_test(t, counters_see_through_translations);
	tcase_add_loop_test(t, liars_are_refused, 0, 5);
	tcase_add_test(t, no_counters_no_complaint);
	tcase_add_loop_test(t, counters_of_another_level_are_found_out, 0, 2);
	tcase_add_test(t, false_counts_never_mislead);
	tcase_add_loop_test(t, reading_counters_misses, 1, 4);
	tcase_add_test(t, a_counter_contradicts_a_latency);
	suite_add_tcase(suite, t);
	return suite;
}
