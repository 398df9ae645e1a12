// SPDX-License-Identifier: GPL-2.0
/* check_sharing.c - levels that other CPUs use, too, and levels of one's own. */
#include <string.h>

#include "kit/levelkit.h"
#include "method/sharing/sharing.h"
#include "suites.h"

#define CPUS 4
#define PAIRS "[[0,1],[2,3]]"
#define ALL "[[0,1,2,3]]"

static const char *const groups[] = { NULL, PAIRS, ALL };
/* CPUs that share with CPU 3, in ascending order, for each of the groups. */
static const unsigned int sharers[] = { 1, 2, 4 };

static void measure(const struct level *levels, const char *more, uint64_t seed,
		    unsigned int counters, struct hierarchy *h)
{
	struct machine *m = levelkit_open(levels, more, seed);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	ck_assert_msg(sharing_measure(&p, h, &f) == 0, "%s", f.text);
	machine_close(m);
}

static bool shares(const struct cache_result *c, int cpu)
{
	for (size_t i = 0; i < c->shared_count; i++)
		if (c->shared_cpus[i] == cpu)
			return true;
	return false;
}

/* The last @wanted CPUs, and no other. */
static bool right(const struct cache_result *c, unsigned int wanted)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (shares(c, cpu) != (CPUS - cpu <= (int)wanted))
			return false;
	return c->shared_count == wanted;
}

static const struct {
	const char *name;
	struct level levels[LEVELS];
	const char *more;
	unsigned int counters;
	unsigned int wanted[LEVELS]; /* 0: undecided */
} cases[] = {
	{ "pairs and all",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, PAIRS },
	    { 16, 2048, "lru", NINE, false, false, ALL } },
	  TIMED,
	  0,
	  { 1, 2, 4 } },
	{ "threads of a core, noise",
	  { { 8, 64, "lru", NINE, false, false, PAIRS },
	    { 8, 512, "lru", NINE, false, false, PAIRS },
	    { 16, 2048, "lru", NINE, false, false, ALL } },
	  NOISY,
	  0,
	  { 2, 2, 4 } },
	{ "an inclusive level below, which may lose what others load, counted",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 8192, "lru", INCLUSIVE, false, false, ALL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 1, 1, 4 } },
	{ "all shared above an inclusive level",
	  { { 8, 64, "lru", NINE, false, false, ALL },
	    { 8, 512, "lru", NINE, false, false, ALL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, ALL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 4, 4, 4 } },
	{ "a narrow inclusive level below may lose the lines itself",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 512, "lru", INCLUSIVE, false, false, ALL } },
	  TIMED,
	  0,
	  { 1, 0, 4 } },
	{ "exclusive L2",
	  { { 2, 512, "lru", NINE, false, false, NULL },
	    { 16, 1024, "lru", EXCLUSIVE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, ALL } },
	  TIMED,
	  0,
	  { 1, 0, 4 } },
};

START_TEST(known_machines)
{
	struct hierarchy h;

	levelkit_know(&h, cases[_i].levels);
	measure(cases[_i].levels, cases[_i].more, 5, cases[_i].counters, &h);
	for (int i = 0; i < LEVELS; i++) {
		const struct cache_result *c = &h.caches[i];
		unsigned int wanted = cases[_i].wanted[i];

		ck_assert_msg((c->sharing.status == PARAMETER_MEASURED) ==
				      (wanted > 0),
			      "%s: L%d: %g %s", cases[_i].name, i + 1,
			      c->sharing.value, c->sharing.reason);
		ck_assert_msg(
			wanted ? right(c, wanted) : c->sharing.reason[0] != 0,
			"%s: L%d: %zu", cases[_i].name, i + 1, c->shared_count);
	}
}
END_TEST

/* Steps of the clock are as long as a round over the lines. */
START_TEST(coarse_clock)
{
	static const struct level levels[LEVELS] = {
		{ 2, 32, "lru", NINE, false, false, NULL },
		{ 16, 1024, "srrip", INCLUSIVE, false, false, ALL },
		{ 16, 4096, "lru", NINE, false, false, ALL }
	};
	struct hierarchy h;

	levelkit_know(&h, levels);
	measure(levels,
		TIMED
		",\"timer\":{\"resolution_ns\":24,\"overhead_cycles\":25}",
		(uint64_t)_i, 0, &h);
	ck_assert_msg(right(&h.caches[1], 4), "%s", h.caches[1].sharing.reason);
}
END_TEST

static const uint64_t few_seeds[] = { 57471866674656349, 1, 4, 7 };

/* Most new lines take the place of the one before them: a CPU that shares L3 pushes
 * out few lines, and not always some.
 */
START_TEST(few_lines_get_in)
{
	static const struct level levels[LEVELS] = {
		{ 4, 64, "brrip", NINE, false, true, NULL },
		{ 8, 512, "nru", NINE, true, true, NULL },
		{ 16, 2048, "brrip", NINE, false, false, ALL }
	};
	struct hierarchy h;

	levelkit_know(&h, levels);
	measure(levels, COUNTED, few_seeds[_i], ALL_COUNTERS, &h);
	ck_assert_msg(right(&h.caches[0], 1), "L1: %s",
		      h.caches[0].sharing.reason);
	ck_assert_msg(right(&h.caches[1], 1), "L2: %s",
		      h.caches[1].sharing.reason);
	ck_assert_msg(!parameter_is_measured(&h.caches[2].sharing) ||
			      right(&h.caches[2], 4),
		      "L3: %zu", h.caches[2].shared_count);
}
END_TEST

#define BUSY_PAUSES 10
#define LOST_TICKS 20

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	unsigned int pauses;
} thread;

static void rest(struct machine *m, unsigned int ms)
{
	thread.pauses++;
	thread.honest->pause(m, ms);
}

/* Until then lines are gone as soon as they are there. */
static int walk_beside(struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	int error = thread.honest->walk(m, s, plan, samples, f);

	for (unsigned int i = 0; !error && i < plan->samples; i++)
		if (plan->step_count && thread.pauses < BUSY_PAUSES)
			samples[i].ticks +=
				LOST_TICKS * (double)samples[i].loads;
	return error;
}

/* Another thread of the core works at first. */
START_TEST(quiet_is_waited_for)
{
	struct machine *m = levelkit_open(cases[0].levels, cases[0].more, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	thread.honest = m->ops;
	thread.ops = *m->ops;
	thread.ops.walk = walk_beside;
	thread.ops.pause = rest;
	thread.pauses = 0;
	m->ops = &thread.ops;
	levelkit_know(&h, cases[0].levels);
	prober_begin(&p, m, 5);
	ck_assert_msg(sharing_measure(&p, &h, &f) == 0, "%s", f.text);
	for (int i = 0; i < LEVELS; i++)
		ck_assert_msg(right(&h.caches[i], cases[0].wanted[i]),
			      "L%d: %s", i + 1, h.caches[i].sharing.reason);
	ck_assert_uint_ge(thread.pauses, BUSY_PAUSES);
	machine_close(m);
}
END_TEST

START_TEST(no_other_cpu)
{
	static const struct level levels[LEVELS] = {
		{ 8, 64, "lru", NINE, false, false, NULL },
		{ 8, 512, "lru", NINE, false, false, NULL },
		{ 16, 2048, "lru", NINE, false, false, NULL },
	};
	struct hierarchy h;

	levelkit_know(&h, levels);
	measure(levels, TIMED, 5, 0, &h);
	for (int i = 0; i < LEVELS; i++) {
		ck_assert_int_eq(h.caches[i].sharing.status,
				 PARAMETER_UNAVAILABLE);
		ck_assert(h.caches[i].sharing.reason[0]);
	}
}
END_TEST

/* CPUs that may share as well but could not be measured. */
START_TEST(some_unasked)
{
	struct machine *m = levelkit_open(cases[0].levels, cases[0].more, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	levelkit_know(&h, cases[0].levels);
	prober_begin(&p, m, 5);
	p.counters = cases[0].counters;
	m->unusable_cpus = 2;
	ck_assert_msg(sharing_measure(&p, &h, &f) == 0, "%s", f.text);
	for (int i = 0; i < LEVELS; i++) {
		ck_assert_int_ne(h.caches[i].sharing.status,
				 PARAMETER_MEASURED);
		ck_assert(!cases[0].wanted[i] ||
			  strstr(h.caches[i].sharing.reason, "2 that are"));
	}
	machine_close(m);
}
END_TEST

/* Nothing is known of level @first and those below. */
static void forget_from(struct hierarchy *h, size_t first)
{
	for (size_t i = first; i < LEVELS; i++) {
		cache_result_init(&h->caches[i], (int)i + 1);
		cache_result_leave_open(&h->caches[i], "test", "unknown");
	}
}

/* @known: levels of which something is known */
static int right_of(struct levelkit_drawn *d, struct rng *rng, size_t known)
{
	struct hierarchy h;
	unsigned int group[LEVELS];
	int decided = 0;

	for (int i = 0; i < LEVELS; i++) {
		/* Wider and wider; the last one makes it four CPUs. */
		group[i] = (unsigned int)rng_below(rng, 3);
		if (i && group[i] < group[i - 1])
			group[i] = group[i - 1];
		if (i == LEVELS - 1 && !group[i])
			group[i] = 1;
		d->levels[i].shared = groups[group[i]];
	}
	levelkit_know(&h, d->levels);
	forget_from(&h, known);
	measure(d->levels, d->more, d->seed, d->counters, &h);
	for (int i = 0; i < LEVELS; i++) {
		const struct cache_result *c = &h.caches[i];

		if (!parameter_is_measured(&c->sharing))
			continue;
		decided++;
		levelkit_check(d, i, right(c, sharers[group[i]]),
			       "other CPUs share it");
	}
	return decided;
}

static int never_wrong(struct levelkit_drawn *d, struct rng *rng, int round)
{
	(void)round;
	return right_of(d, rng, LEVELS);
}

/* Right or undecided, whatever the machine. */
START_SLOW_TEST(random_machines)
{
	ck_assert_int_ge(levelkit_sweep("sharing", 40, never_wrong), 20);
}
END_TEST

static int never_wrong_above(struct levelkit_drawn *d, struct rng *rng,
			     int round)
{
	return right_of(d, rng, 1 + (size_t)round % 2);
}

/* The level below may be anything: it may lose lines to any CPU. CPUs that
 * share nothing are found nevertheless.
 */
START_SLOW_TEST(nothing_known_below)
{
	ck_assert_int_ge(levelkit_sweep("sharing above", 40, never_wrong_above),
			 1);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("eviction by another CPU");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, known_machines, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(t, coarse_clock, 1, 13);
	tcase_add_loop_test(t, few_lines_get_in, 0,
			    sizeof(few_seeds) / sizeof(few_seeds[0]));
	tcase_add_test(t, quiet_is_waited_for);
	tcase_add_test(t, no_other_cpu);
	tcase_add_test(t, some_unasked);
	tcase_add_test(t, random_machines);
	tcase_add_test(t, nothing_known_below);
	suite_add_tcase(s, t);
	return s;
}
