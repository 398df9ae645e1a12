// SPDX-License-Identifier: GPL-2.0
/* check_ways.c - the ways of a guest's second level, of sets that agree. */
#include "disturber.h"
#include "guestkit.h"
#include "method/evset_control.h"
#include "method/evset_pools.h"
#include "method/evset_ways.h"
#include "suites.h"

#define SEEDS 4

static struct failure f;

static const struct guest_level levels[] = {
	{ 8, 11, 3, "lru\"", 0, 0, 0, false },
	{ 8, 11, 4, "tree-plru\"", 0, 10, 0, false },
	{ 16, 10, 3, "lru\"", 0, 10, 10, false },
	{ 8, 10, 3, "tree-plru\"", 10, 10, 0, true },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))

/* The same lines, moved in their pages. */
static bool is_moved(const struct evset_set *a, const struct evset_set *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->lines[i] / GUEST_PAGE_BYTES !=
		    b->lines[i] / GUEST_PAGE_BYTES)
			return false;
	return true;
}

/* All of them are sets, and not all of one search. */
static void expect_ways(struct guest_known *g, const struct guest_level *l)
{
	struct evset_found r = { .ways = 0 };
	bool alone = true;

	ck_assert_msg(!evset_measure_ways(&g->e, &r, &f), "%s", f.text);
	ck_assert_msg(r.ways == l->ways, "%d ways: %s", (int)r.ways, r.reason);
	for (size_t i = 0; i < EVSET_AGREED; i++) {
		guest_expect_set(g, l, &r.agreed[i]);
		alone &= is_moved(&r.agreed[0], &r.agreed[i]);
	}
	ck_assert(!alone);
	evset_pools_end(&g->e);
}

START_TEST(sets_agree)
{
	const struct guest_level *l = &levels[_i / SEEDS];
	struct guest_known g;

	if (!is_in_part_of(_i, LEVELS * SEEDS))
		return;
	guest_know(&g, l, (uint64_t)_i + 1);
	expect_ways(&g, l);
	machine_close(g.m);
}
END_TEST

static struct guest_known *held;
static const struct guest_level *level;

/* Somebody keeps a line of one set in two, all the time. */
static void hold_half(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	size_t of[4096] = { 0 };

	(void)samples;
	if (!plan->each)
		return;
	for (size_t i = 0; i < s->length; i++)
		of[guest_set(level, held->m, s->offsets[i])]++;
	for (size_t i = 0; i < s->length; i++) {
		size_t set = guest_set(level, held->m, s->offsets[i]);

		if (set % 2 && of[set] == level->ways)
			plan->each->ticks[i] += held->e.penalty;
	}
}

/* Sets that are moved to where somebody else is do not count for the ways. */
START_TEST(half_is_held)
{
	const struct guest_level *l = &levels[0];
	struct evset_found r = { .ways = 0 };
	struct guest_known g;

	guest_know(&g, l, (uint64_t)_i + 1);
	held = &g;
	level = l;
	after_walks(g.m, hold_half);
	ck_assert_msg(!evset_measure_ways(&g.e, &r, &f), "%s", f.text);
	ck_assert_msg(r.ways == l->ways, "%d ways: %s", (int)r.ways, r.reason);
	evset_pools_end(&g.e);
	machine_close(g.m);
}
END_TEST

/* Of a round, in lines that should hit. */
#define CONTROL_MISSES 4

static struct evset_found known;

/* Where none of a set's lines is walked some miss that should hit. */
static void spoil_control(const struct sequence *s,
			  const struct walk_plan *plan, struct sample *samples)
{
	bool own = plan->each;

	for (size_t i = 0; !own && i < s->length; i++)
		for (int k = 0; k < EVSET_AGREED; k++)
			own |= evset_holds(known.agreed[k].lines,
					   known.agreed[k].count,
					   s->offsets[i]);
	for (unsigned int i = 0; !own && i < plan->samples; i++)
		samples[i].ticks += CONTROL_MISSES * held->e.penalty *
				    (double)samples[i].loads /
				    (double)s->length;
}

/* What lists are compared with has to hit. */
START_TEST(control_misses)
{
	const struct guest_level *l = &levels[_i % LEVELS];
	struct guest_known g;
	bool late = true;

	guest_know(&g, l, (uint64_t)_i + 1);
	known = (struct evset_found){ .ways = 0 };
	held = &g;
	ck_assert_msg(!evset_measure_ways(&g.e, &known, &f), "%s", f.text);
	ck_assert_uint_gt(known.agreed[0].padding_count, 0);
	ck_assert_int_eq(evset_control_misses(&g.e, known.agreed, &late, &f),
			 0);
	ck_assert(!late);
	after_walks(g.m, spoil_control);
	ck_assert_int_eq(evset_control_misses(&g.e, known.agreed, &late, &f),
			 0);
	ck_assert(late);
	evset_pools_end(&g.e);
	machine_close(g.m);
}
END_TEST

#define SEARCHED 128
#define SHORT_LIST 64

static bool has_searched, has_found;
static struct rng coin;

static size_t timed(const struct sequence *s, const struct walk_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; plan->each && i < s->length; i++)
		n += plan->each->timed[i];
	return n;
}

/* As soon as a few lines are asked about, out of many, nothing is found any more. */
static void spoil_searches(const struct sequence *s,
			   const struct walk_plan *plan, struct sample *samples)
{
	const bool searches = timed(s, plan) > SEARCHED;

	(void)samples;
	has_searched |= searches;
	has_found |= has_searched && !plan->each && s->length <= SHORT_LIST;
	for (size_t i = 0; has_found && searches && i < s->length; i++)
		plan->each->ticks[i] = (double)rng_below(&coin, 100);
}

/* One set is enough to find others by. */
START_TEST(one_search)
{
	const struct guest_level *l = &levels[0];
	struct guest_known g;

	guest_know(&g, l, (uint64_t)_i + 1);
	coin = (struct rng){ (uint64_t)_i + 1 };
	after_walks(g.m, spoil_searches);
	expect_ways(&g, l);
	ck_assert(has_found);
	machine_close(g.m);
}
END_TEST

Suite *make_ways_suite(void)
{
	Suite *suite = suite_create("ways of guests");
	TCase *t = tcase_create("ways");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, sets_agree, 0, LEVELS * SEEDS);
	tcase_add_loop_test(t, half_is_held, 0, 3);
	tcase_add_loop_test(t, one_search, 0, 3);
	tcase_add_loop_test(t, control_misses, 0, LEVELS);
	suite_add_tcase(suite, t);
	return suite;
}
