// SPDX-License-Identifier: GPL-2.0
/* check_ways.c - the ways of a guest's second level, by sets that agree. */
#include <string.h>

#include "kit/disturber.h"
#include "method/evset/guestkit.h"
#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/oracle/list_walk.h"
#include "method/evset/stages.h"
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
	evset_cluster_pools_end(&g->e);
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

/* A neighbour keeps one line of each of some sets all the time: as many lines
 * as there are ways miss there.
 */
static bool (*is_held)(size_t set);

static void hold(const struct sequence *s, const struct walk_plan *plan,
		 struct sample *samples)
{
	const double penalty = held->e.scale.penalty;
	size_t of[4096] = { 0 }, misses = 0;

	for (size_t i = 0; i < s->length; i++)
		of[guest_set(level, held->m, s->offsets[i])]++;
	for (size_t i = 0; i < s->length; i++) {
		size_t set = guest_set(level, held->m, s->offsets[i]);

		if (!is_held(set) || of[set] != level->ways)
			continue;
		misses++;
		if (plan->each)
			plan->each->ticks[i] += penalty;
	}
	for (unsigned int i = 0; !plan->each && i < plan->samples; i++)
		samples[i].ticks += (double)misses * penalty *
				    (double)samples[i].loads /
				    (double)s->length;
}

static void measure_held(uint64_t seed, bool (*which)(size_t set),
			 void (*then)(const struct sequence *s,
				      const struct walk_plan *plan,
				      struct sample *samples),
			 struct evset_found *r)
{
	struct guest_known g;

	level = &levels[2];
	guest_know(&g, level, seed);
	held = &g;
	is_held = which;
	after_walks(g.m, then);
	*r = (struct evset_found){ .ways = 0 };
	ck_assert_msg(!evset_measure_ways(&g.e, r, &f), "%s", f.text);
	evset_cluster_pools_end(&g.e);
	machine_close(g.m);
}

static void expect_held(uint64_t seed, bool (*which)(size_t set),
			void (*then)(const struct sequence *s,
				     const struct walk_plan *plan,
				     struct sample *samples))
{
	struct evset_found r;

	measure_held(seed, which, then, &r);
	ck_assert_msg(r.ways == level->ways, "%d ways: %s", (int)r.ways,
		      r.reason);
}

static bool is_odd(size_t set)
{
	return set % 2;
}

/* Contended sets do not count for the ways. */
START_SLOW_TEST(half_is_held)
{
	expect_held((uint64_t)_i + 1, is_odd, hold);
}
END_TEST

#define PAGE_LINES 64
#define PAGES 8
static size_t page;

static bool is_of_page(size_t set)
{
	return set / PAGE_LINES % PAGES == page;
}

/* A set of a page that the neighbour keeps is contended wherever it is moved to
 * in its pages: there are other pages.
 */
START_SLOW_TEST(pages_are_held)
{
	page = (size_t)_i;
	expect_held(1, is_of_page, hold);
}
END_TEST

#define SHORT_LIST 64
#define NO_PAGE SIZE_MAX
static size_t first_page;
static bool is_second;

static bool is_of_first(size_t set)
{
	return is_second && set / PAGE_LINES == first_page;
}

/* The page of the first set that overflows by itself is contended as soon as a
 * second one overflows.
 */
static void hold_first(const struct sequence *s, const struct walk_plan *plan,
		       struct sample *samples)
{
	size_t of[4096] = { 0 };

	for (size_t i = 0; s->length <= SHORT_LIST && i < s->length; i++) {
		const size_t set = guest_set(level, held->m, s->offsets[i]);

		if (++of[set] <= level->ways)
			continue;
		if (first_page == NO_PAGE)
			first_page = set / PAGE_LINES;
		is_second |= set / PAGE_LINES != first_page;
	}
	hold(s, plan, samples);
}

/* Nothing fits in a set that has become contended, nor does it show that other
 * sets are of other pages; these show it themselves.
 */
START_SLOW_TEST(first_becomes_held)
{
	first_page = NO_PAGE;
	is_second = false;
	expect_held((uint64_t)_i + 1, is_of_first, hold_first);
	ck_assert(is_second);
}
END_TEST

#define MOST_PLACES 56

static bool is_in_most_places(size_t set)
{
	return set % PAGE_LINES < MOST_PLACES;
}

/* Nearly all sets are contended: the others show that there are more ways, or
 * the ways are undecided.
 */
START_SLOW_TEST(most_is_held)
{
	struct evset_found r;

	measure_held((uint64_t)_i + 1, is_in_most_places, hold, &r);
	ck_assert_msg(r.ways == level->ways || (!r.ways && r.reason[0]),
		      "%d ways", (int)r.ways);
}
END_TEST

/* Misses of a round of control lines. */
#define CONTROL_MISSES 4

static struct evset_found known;

/* Control lines miss if none of a set's lines is walked. */
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
		samples[i].ticks += CONTROL_MISSES * held->e.scale.penalty *
				    (double)samples[i].loads /
				    (double)s->length;
}

/* Control lines have to hit. */
START_SLOW_TEST(control_misses)
{
	const struct guest_level *l = &levels[_i % LEVELS];
	struct guest_known g;
	enum outcome outcome = OUTCOME_VOID;

	guest_know(&g, l, (uint64_t)_i + 1);
	known = (struct evset_found){ .ways = 0 };
	held = &g;
	ck_assert_msg(!evset_measure_ways(&g.e, &known, &f), "%s", f.text);
	ck_assert_uint_gt(known.agreed[0].evictor_count, 0);
	ck_assert_int_eq(evset_control_misses(&g.e, known.agreed, &outcome, &f),
			 0);
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	after_walks(g.m, spoil_control);
	ck_assert_int_eq(evset_control_misses(&g.e, known.agreed, &outcome, &f),
			 0);
	ck_assert_int_eq(outcome, OUTCOME_VOID);
	evset_cluster_pools_end(&g.e);
	machine_close(g.m);
}
END_TEST

/* Lists seem to fit or not by chance. */
static int toss(void *context, const uint64_t *lines, size_t count, bool final,
		enum verdict *verdict, struct failure *why)
{
	struct evset_machine *e = context;

	(void)lines;
	(void)count;
	(void) final;
	(void)why;
	*verdict = rng_below(&e->x->prober->rng, 2) ? VERDICT_COMPACT :
						      VERDICT_NON_COMPACT;
	return 0;
}

static void expect_none_in(struct guest_known *g, const char *tries)
{
	struct evset_found r = { .ways = 0 };

	ck_assert_msg(!evset_measure_ways(&g->e, &r, &f), "%s", f.text);
	ck_assert_uint_eq(r.ways, 0);
	ck_assert_msg(strstr(r.reason, tries), "%s", r.reason);
}

/* No tries are made that cannot give enough sets; later a few, and as many as it
 * takes once these find some again.
 */
START_TEST(gives_up_where_nothing_is_found)
{
	const struct guest_level *l = &levels[0];
	struct evset_found r = { .ways = 0 };
	struct guest_known g;

	guest_know(&g, l, (uint64_t)_i + 1);
	g.e.window.splintered = false;
	g.e.o.compact = toss;
	/* Single loads are not sampled. */
	g.e.search.conflict_failures = 1000;
	expect_none_in(&g, "0 of 10 tries");
	expect_none_in(&g, "0 of 3 tries");
	g.e.o.compact = evset_compact;
	ck_assert_msg(!evset_measure_ways(&g.e, &r, &f), "%s", f.text);
	ck_assert_msg(r.ways == l->ways, "%d ways: %s", (int)r.ways, r.reason);
	evset_cluster_pools_end(&g.e);
	machine_close(g.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("ways");
	TCase *none = tcase_create("none");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, sets_agree, 0, LEVELS * SEEDS);
	tcase_add_loop_test(t, half_is_held, 0, 3);
	tcase_add_loop_test(t, pages_are_held, 0, PAGES);
	tcase_add_loop_test(t, most_is_held, 0, 4);
	tcase_add_loop_test(t, first_becomes_held, 0, 3);
	tcase_add_loop_test(t, control_misses, 0, LEVELS);
	suite_add_tcase(suite, t);
	tcase_set_timeout(none, 120);
	tcase_add_loop_test(none, gives_up_where_nothing_is_found, 0, 1);
	suite_add_tcase(suite, none);
	return suite;
}
