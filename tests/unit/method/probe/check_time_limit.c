// SPDX-License-Identifier: GPL-2.0
/* check_time_limit.c - levels that are searched for no longer than is wanted. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "method/probe/time_limit.h"
#include "suites.h"

#define BYTES (UINT64_C(64) << 20)

static struct failure f;

static void expect(const struct parameter *p, double value, const char *what,
		   double limit_s)
{
	if (parameter_is_measured(p))
		ck_assert_msg(p->value == value, "%s: %g in %g s", what,
			      p->value, limit_s);
	else
		ck_assert_msg(strlen(p->reason), "%s: no reason", what);
}

/* What is measured is right. Return: the second level was measured. */
static bool measure_within(double limit_s, uint64_t accesses, double *took_s,
			   struct hierarchy *h)
{
	struct machine *m = profilekit_open(PROFILEKIT_HASHED, BYTES, 1);
	const struct cache_result *c;
	struct prober p;
	double begun_ns;

	prober_begin(&p, m, 1);
	p.limit_s = limit_s;
	p.most_accesses = accesses;
	begun_ns = time_limit_now_ns(&p);
	ck_assert_msg(!xray_measure(&p, h, &f), "%s", f.text);
	*took_s = (time_limit_now_ns(&p) - begun_ns) / 1e9;
	machine_close(m);
	c = h->caches;
	ck_assert(h->complete);
	ck_assert(!p.until_ns);
	ck_assert(!p.until_accesses);
	ck_assert_uint_ge(h->cache_count, 1);
	expect(&c[0].ways, 4, "L1 ways", limit_s);
	expect(&c[0].capacity_bytes, 16384, "L1 capacity", limit_s);
	if (h->cache_count < 2)
		return false;
	expect(&c[1].ways, 8, "L2 ways", limit_s);
	expect(&c[1].capacity_bytes, 131072, "L2 capacity", limit_s);
	expect(&c[1].line_bytes, 64, "L2 line", limit_s);
	return parameter_is_measured(&c[1].ways) &&
	       parameter_is_measured(&c[1].capacity_bytes);
}

static bool measure(double limit_s, double *took_s, struct hierarchy *h)
{
	return measure_within(limit_s, 0, took_s, h);
}

/* None of these are enough for the second level, but for the last ones. */
START_TEST(few_accesses)
{
	static const uint64_t most[] = { 1, 100000, 1000000, 1000000000 };
	struct hierarchy h;
	double took_s;

	for (size_t i = 0; i < 4; i++) {
		const bool decided = measure_within(0, most[i], &took_s, &h);
		const struct cache_result *last = &h.caches[h.cache_count - 1];

		ck_assert_msg(decided == (most[i] == 1000000000),
			      "%llu accesses", (unsigned long long)most[i]);
		if (!decided)
			ck_assert_msg(strstr(last->capacity_bytes.reason,
					     "accesses"),
				      "%llu accesses: %s",
				      (unsigned long long)most[i],
				      last->capacity_bytes.reason);
	}
}
END_TEST

START_TEST(reasons_are_whole)
{
	char text[TIME_LIMIT_WHY_BYTES];
	struct prober p = { .most_accesses = UINT64_MAX };

	time_limit_why(&p, text, sizeof(text));
	ck_assert_msg(text[strlen(text) - 1] == ')', "%s", text);
	p = (struct prober){ .limit_s = 86400 };
	time_limit_why(&p, text, sizeof(text));
	ck_assert_msg(text[strlen(text) - 1] == ')', "%s", text);
}
END_TEST

/* Much less time, a little less, enough. */
START_SLOW_TEST(little_time)
{
	const double next = part_step(4) > 1 ? 2.2 : 1.3;
	double all_s, least_s, took_s;
	struct hierarchy h;
	int open = 0;

	ck_assert(measure(0, &all_s, &h));
	ck_assert(!measure(1e-9, &least_s, &h));
	ck_assert(!parameter_is_measured(&h.caches[0].ways));
	ck_assert_msg(strstr(h.caches[0].ways.reason, "--time-limit"), "%s",
		      h.caches[0].ways.reason);
	for (double limit_s = all_s / 100; limit_s < all_s; limit_s *= next) {
		bool decided = measure(limit_s, &took_s, &h);

		/* Two levels, and what takes its time however they went. */
		ck_assert_double_le(took_s, least_s + 2.2 * limit_s);
		if (!decided && h.cache_count > 1) {
			const char *why = h.caches[1].capacity_bytes.reason;

			ck_assert_msg(strstr(why, "--time-limit"), "%s", why);
			open++;
		}
	}
	ck_assert_int_gt(open, 0);
	ck_assert(measure(4 * all_s, &took_s, &h));
	ck_assert_double_eq(took_s, all_s);
}
END_TEST

/* A clock that goes only while strides are tried, as where they come to no end. */
static struct {
	double now_ns, step_ns;
	bool sets_seen;
} clock;

static double clock_ns(const struct machine *m)
{
	(void)m;
	clock.now_ns += clock.step_ns;
	return clock.now_ns;
}

static void see(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	clock.sets_seen |= !!strstr(what, "eviction sets");
	clock.step_ns = !strncmp(what, "L2", 2) && !clock.sets_seen ? 1e7 : 0;
}

START_TEST(strides_without_end)
{
	struct machine *m = profilekit_open(PROFILEKIT_HASHED, BYTES, 1);
	struct machine_ops ops = *m->ops;
	const struct machine_ops *honest = m->ops;
	struct hierarchy h;
	struct prober p;

	memset(&clock, 0, sizeof(clock));
	ops.clock_ns = clock_ns;
	m->ops = &ops;
	prober_begin(&p, m, 1);
	p.by = PROBER_BY_TIME;
	p.limit_s = 1;
	p.progress = see;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert(clock.sets_seen);
	ck_assert_uint_ge(h.cache_count, 2);
	ck_assert_msg(parameter_is_measured(&h.caches[1].ways), "%s",
		      h.caches[1].ways.reason);
	ck_assert_double_eq(h.caches[1].ways.value, 8);
	ck_assert_double_eq(h.caches[1].capacity_bytes.value, 131072);
	/* A quarter is theirs. */
	ck_assert_double_ge(clock.now_ns, 0.25e9);
	ck_assert_double_le(clock.now_ns, 0.3e9);
	m->ops = honest;
	machine_close(m);
}
END_TEST

static volatile sig_atomic_t stop;

static void stop_at_sets(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	stop |= !!strstr(what, "eviction sets");
}

/* A run that the user stops does not report that it took too long. */
START_TEST(stopped_in_time)
{
	struct machine *m = profilekit_open(PROFILEKIT_HASHED, BYTES, 1);
	struct hierarchy h;
	struct prober p;

	stop = 0;
	prober_begin(&p, m, 1);
	p.limit_s = 1000;
	p.stop = &stop;
	p.progress = stop_at_sets;
	ck_assert_int_eq(xray_measure(&p, &h, &f), -EINTR);
	ck_assert(!h.complete);
	ck_assert_uint_ge(h.cache_count, 2);
	ck_assert_ptr_null(strstr(h.caches[1].ways.reason, "--time-limit"));
	ck_assert_ptr_nonnull(strstr(h.caches[1].ways.reason, "interrupted"));
	machine_close(m);
}
END_TEST

/* The least of two limits counts, and no clock is no limit. */
START_TEST(limits_within_limits)
{
	struct machine *m = profilekit_open(PROFILEKIT_HASHED, BYTES, 1);
	struct machine_ops ops = *m->ops;
	const struct machine_ops *honest = m->ops;
	struct time_limit outer, inner, lifted;
	struct prober p;

	memset(&clock, 0, sizeof(clock));
	ops.clock_ns = clock_ns;
	m->ops = &ops;
	stop = 0;
	prober_begin(&p, m, 1);
	p.stop = &stop;
	ck_assert(isinf(time_limit_left_ns(&p)));
	time_limit_set(&p, 100, &outer);
	time_limit_set(&p, 1000, &inner);
	ck_assert_double_eq(time_limit_left_ns(&p), 100);
	time_limit_restore(&p, &inner);
	time_limit_set(&p, 10, &inner);
	clock.now_ns = 10;
	ck_assert(time_limit_over(&p) && prober_stopped(&p));
	ck_assert(!time_limit_interrupted(&p));
	stop = 1;
	time_limit_lift(&p, &lifted);
	ck_assert(!time_limit_over(&p) && !prober_stopped(&p));
	time_limit_restore(&p, &lifted);
	ck_assert(prober_stopped(&p) && time_limit_interrupted(&p));
	time_limit_restore(&p, &inner);
	ck_assert(!time_limit_over(&p));
	clock.now_ns = 100;
	ck_assert(time_limit_over(&p));
	time_limit_restore(&p, &outer);
	ck_assert(isinf(time_limit_left_ns(&p)));
	ops.clock_ns = NULL;
	time_limit_set(&p, 1, &outer);
	ck_assert(!time_limit_over(&p));
	time_limit_restore(&p, &outer);
	m->ops = honest;
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("time limit");

	tcase_set_timeout(t, 240);
	tcase_add_test(t, few_accesses);
	tcase_add_test(t, reasons_are_whole);
	tcase_add_test(t, little_time);
	tcase_add_test(t, strides_without_end);
	tcase_add_test(t, stopped_in_time);
	tcase_add_test(t, limits_within_limits);
	suite_add_tcase(suite, t);
	return suite;
}
