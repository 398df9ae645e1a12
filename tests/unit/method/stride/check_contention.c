// SPDX-License-Identifier: GPL-2.0
/* check_contention.c - who uses the first level all the time is noticed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "method/stride/stride.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define PROFILE                                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768," \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4%s},"                 \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":2097152,"         \
	"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":14}],"                \
	"\"memory\":{\"latency_cycles\":200},"                                  \
	"\"huge_page_bytes\":[2097152]%s}"

/* An honest machine, beside another guest that evicts lines of some sets: then of all walks
 * of these, or, where orders matter, of some walks of any set.
 */
static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	unsigned int percent;
	double share;
	bool by_order;
	unsigned int
		warm_rounds; /* only of walks that are warmed so; 0: of all */
	unsigned int walks;
	unsigned int paused_ms;
	unsigned int gone_ms; /* leaves after such pauses; 0: never */
	unsigned int stop_at; /* interrupts at that walk; 0: never */
	volatile sig_atomic_t stop;
	struct rng rng;
} other;

static struct failure f;

/* Each set has a number below 100 of its own. */
static bool is_taken(const struct sequence *s)
{
	const uint64_t set = s->offsets[0] / 64 % 64;

	return (other.by_order ? rng_below(&other.rng, 100) : set * 61 % 100) <
	       other.percent;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *failure)
{
	int error = other.honest->walk(m, s, plan, samples, failure);
	bool taken = is_taken(s) && (!other.warm_rounds ||
				     plan->warm_rounds == other.warm_rounds);

	other.stop |= ++other.walks == other.stop_at;
	for (unsigned int i = 0; taken && i < plan->samples; i++)
		samples[i].ticks += other.share * 10 * (double)samples[i].loads;
	return error;
}

static void wait(struct machine *m, unsigned int ms)
{
	other.paused_ms += ms;
	if (other.gone_ms && other.paused_ms >= other.gone_ms)
		other.percent = 0;
	other.honest->pause(m, ms);
}

#define HASHED                                                                      \
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x1040\",\"0x2080\",\"0x4100\"," \
	"\"0x200\",\"0x400\",\"0x800\"]}"

/* @first: of the first level, @more of the machine. */
static struct machine *open_machine(const char *first, const char *more)
{
	char text[1200];

	snprintf(text, sizeof(text), PROFILE, first, more);
	return profilekit_open(text, 64 * MIB, 1);
}

static void begin(struct machine *m, unsigned int percent, double share)
{
	other.honest = m->ops;
	other.ops = *m->ops;
	other.ops.walk = walk;
	other.ops.pause = wait;
	other.paused_ms = 0;
	other.gone_ms = 0;
	other.percent = percent;
	other.share = share;
	other.by_order = false;
	other.warm_rounds = 0;
	other.walks = 0;
	other.stop_at = 0;
	other.stop = 0;
	other.rng.state = percent + 1;
	m->ops = &other.ops;
}

static const struct {
	unsigned int ways, percent;
	double share;  /* of loads that miss, in @percent of the sets */
	bool by_order; /* of the orders */
	bool contended;
} cases[] = {
	{ 8, 0, 0, false, false },
	{ 8, 4, 0.5, false, false },
	{ 8, 20, 0.2, false, true },
	{ 8, 100, 0, false, false },
	{ 8, 50, 0.05, false, false },
	{ 6, 20, 1, false, true },
	{ 8, 20, 50, false, true },
	{ 8, 0, 100, false, false },
	/* One foreign line, and orders in which it is never the victim. */
	{ 8, 20, 0.3, true, false },
	{ 8, 60, 0.3, true, true },
	/* Nothing is known of the level. */
	{ 0, 100, 1, false, false },
};
#define CASES ((int)(sizeof(cases) / sizeof(cases[0])))

START_TEST(lines_that_are_lost_now_and_then)
{
	struct machine *m = open_machine("", "");
	const struct xray_level level = { .ways = cases[_i].ways,
					  .way_bytes = 4096,
					  .line_bytes = 64 };
	struct prober p;
	struct xray x = { .prober = &p,
			  .hit_ticks = 4,
			  .reference.penalty_ticks = 10 };
	char reason[200] = "before";

	prober_begin(&p, m, 1);
	begin(m, cases[_i].percent, cases[_i].share);
	other.by_order = cases[_i].by_order;
	ck_assert_int_eq(xray_find_contention(&x, &level, false, reason,
					      sizeof(reason), &f),
			 0);
	ck_assert_msg((reason[0] != '\0') == cases[_i].contended, "%s", reason);
	ck_assert(!cases[_i].contended || strstr(reason, "other load"));
	machine_close(m);
}
END_TEST

/* In a guest the level is undecided with what rests on it; on hardware notes say
 * which CPUs share a core. The other measurements are undisturbed here.
 */
START_TEST(level_undecided)
{
	struct machine *m =
		open_machine("", _i ? ",\"virtual_machine\":true" : "");
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	begin(m, 20, 0.3);
	other.warm_rounds = 200;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert(parameter_is_measured(&h.caches[0].ways) == !_i);
	ck_assert(parameter_is_measured(&h.caches[0].line_bytes));
	ck_assert(!_i || strstr(h.caches[0].ways.reason, "other load"));
	ck_assert_uint_eq(h.cache_count, _i ? 1 : 2);
	machine_close(m);
}
END_TEST

/* Who leaves within two seconds is waited for. */
START_TEST(who_leaves_is_waited_for)
{
	struct machine *m = open_machine("", ",\"virtual_machine\":true");
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	begin(m, 20, 0.3);
	other.warm_rounds = 200;
	other.gone_ms = _i ? 2000 : 100000;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(parameter_is_measured(&h.caches[0].ways) == !!_i, "%s",
		      h.caches[0].ways.reason);
	ck_assert_uint_eq(h.cache_count, _i ? 2 : 1);
	machine_close(m);
}
END_TEST

/* So is its line where strides fail and eviction sets find the level. */
START_SLOW_TEST(hashed_level_undecided)
{
	struct machine *m = open_machine(HASHED, ",\"virtual_machine\":true");
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	begin(m, _i ? 20 : 0, 0.3);
	other.warm_rounds = 200;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[0];
	if (_i) {
		ck_assert(!parameter_is_measured(&c->ways));
		ck_assert(!parameter_is_measured(&c->capacity_bytes));
		ck_assert(!parameter_is_measured(&c->line_bytes));
		ck_assert(!parameter_is_measured(&c->sets));
		ck_assert_int_eq(c->index, INDEX_UNKNOWN);
		ck_assert_msg(strstr(c->ways.reason, "other load"), "%s",
			      c->ways.reason);
		ck_assert(parameter_is_measured(&c->latency_cycles));
	} else {
		ck_assert_msg(parameter_is_measured(&c->ways), "%s",
			      c->ways.reason);
		ck_assert_str_eq(c->ways.method, "eviction sets");
		ck_assert_double_eq(c->ways.value, 8);
		ck_assert_double_eq(c->capacity_bytes.value, 32768);
	}
	machine_close(m);
}
END_TEST

/* A guest that is interrupted at that walk; *h: what it reports. Return: it was. */
static bool interrupt_at(unsigned int walk_number, unsigned int percent,
			 const char *first, struct hierarchy *h)
{
	struct machine *m = open_machine(first, ",\"virtual_machine\":true");
	struct prober p;
	int error;

	prober_begin(&p, m, 1);
	begin(m, percent, 0.3);
	other.warm_rounds = 200;
	other.stop_at = walk_number;
	p.stop = &other.stop;
	error = xray_measure(&p, h, &f);
	ck_assert_msg(!error || error == -EINTR, "%s", f.text);
	ck_assert(h->complete == !error);
	machine_close(m);
	return error;
}

/* Interrupted before other users of the level are known, and while their test is
 * repeated: ways are undecided at any time.
 */
START_SLOW_TEST(interrupted_with_other_users)
{
	/* The test for other users takes 96 walks, eviction sets thousands. */
	const unsigned int step = _i ? 7200 : 360;
	const char *first = _i ? HASHED : "";
	bool interrupted = true, tested = false;

	for (unsigned int n = step; interrupted; n += step * part_step(2)) {
		struct hierarchy h;
		const struct cache_result *c = &h.caches[0];

		interrupted = interrupt_at(n, 20, first, &h);
		if (!h.cache_count)
			continue;
		ck_assert_msg(!parameter_is_measured(&c->ways),
			      "walk %u: %g ways", n, c->ways.value);
		ck_assert(!parameter_is_measured(&c->capacity_bytes));
		ck_assert(!_i || !parameter_is_measured(&c->sets));
		tested |= interrupted && strstr(c->ways.reason, "other load");
	}
	ck_assert(tested);
}
END_TEST

/* Alone, what was looked at again stays. */
START_TEST(interrupted_alone)
{
	bool interrupted = true;
	int decided = 0;

	for (unsigned int n = 50; interrupted; n += n / 4) {
		struct hierarchy h;
		const struct cache_result *c = &h.caches[0];

		interrupted = interrupt_at(n, 0, "", &h);
		if (!h.cache_count || !parameter_is_measured(&c->ways)) {
			ck_assert_msg(!decided, "walk %u: no ways any more", n);
			continue;
		}
		ck_assert_double_eq(c->ways.value, 8);
		decided += interrupted;
	}
	ck_assert_int_gt(decided, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("contention");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, lines_that_are_lost_now_and_then, 0, CASES);
	tcase_add_loop_test(t, level_undecided, 0, 2);
	tcase_add_loop_test(t, who_leaves_is_waited_for, 0, 2);
	tcase_add_loop_test(t, hashed_level_undecided, 0, 2);
	tcase_add_loop_test(t, interrupted_with_other_users, 0, 2);
	tcase_add_test(t, interrupted_alone);
	suite_add_tcase(suite, t);
	return suite;
}
