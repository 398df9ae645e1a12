// SPDX-License-Identifier: GPL-2.0
/* check_cluster_pools.c - minimal sets out of lines that missed in the same
 * samples.
 */
#include "kit/disturber.h"
#include "method/evset/evset.h"
#include "method/evset/guestkit.h"
#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/minimal/minimal.h"
#include "method/probe/time_limit.h"
#include "suites.h"

#define SETS 4
/* Lists from this length on are always disturbed. */
#define LONG_LIST 100
#define MISSES_MORE 4.0
/* Of the machine's own clock; random candidates alone take five to eleven
 * seconds.
 */
#define COSTLY_NS 1.5e9

static struct failure f;

static const struct guest_level levels[] = {
	{ 8, 9, 3, "lru\"", 0, 0, 0, false },
	{ 16, 9, 4, "tree-plru\"", 0, 10, 0, false },
	{ 8, 9, 3, "random\"", 10, 10, 20, false },
	{ 6, 9, 4, "nru\"", 0, 10, 20, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))

static const uint64_t costly[] = { 20, 26, 32 };
#define COSTLY ((int)(sizeof(costly) / sizeof(costly[0])))

static void begin(struct guest_known *g, const struct guest_level *l,
		  uint64_t seed)
{
	guest_know(g, l, seed);
	ck_assert_msg(!evset_cluster_pools_begin(&g->e, &f), "%s", f.text);
	evset_allow(&g->e);
	ck_assert_ptr_nonnull(g->e.search.pools);
}

static void end(struct guest_known *g)
{
	evset_cluster_pools_end(&g->e);
	ck_assert_ptr_null(g->e.search.pools);
	machine_close(g->m);
}

/* Lines of a set that is found, and others of its class. */
START_TEST(sets_of_classes)
{
	if (!is_in_part_of(_i, LEVELS))
		return;

	const struct guest_level *l = &levels[_i];
	struct guest_known g;

	begin(&g, l, 1);
	for (int i = 0; i < SETS; i++) {
		struct evset_set set;
		size_t others = 0;

		ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
		guest_expect_set(&g, l, &set);
		for (int k = 0; k < 20; k++) {
			uint64_t line =
				evset_cluster_pools_similar(&g.e, set.lines[0]);

			others += line != set.lines[0];
			ck_assert_uint_eq(guest_set(l, g.m, line),
					  guest_set(l, g.m, set.lines[0]));
		}
		ck_assert_uint_gt(others, 0);
	}
	ck_assert_uint_eq(evset_cluster_pools_similar(&g.e, 1), 1);
	end(&g);
}
END_TEST

static struct guest_known *disturbed;

static bool is_long_list(const struct sequence *s)
{
	bool same = true;

	for (size_t i = 1; i < s->length; i++)
		same &= s->offsets[i] % GUEST_PAGE_BYTES ==
			s->offsets[0] % GUEST_PAGE_BYTES;
	return same && s->length >= LONG_LIST;
}

/* A neighbour evicts lines of each long list of one offset in pages, all the
 * time.
 */
static void take_some(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	if (!is_long_list(s))
		return;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks += MISSES_MORE * disturbed->e.scale.penalty *
				    (double)samples[i].loads /
				    (double)s->length;
}

/* Short lists of classes still give sets; random candidates give none. */
START_SLOW_TEST(under_contention)
{
	const struct guest_level *l = &levels[0];
	struct evset_set set;
	struct guest_known g;

	begin(&g, l, 1);
	disturbed = &g;
	after_walks(g.m, take_some);
	for (int i = 0; i < SETS; i++) {
		ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
		guest_expect_set(&g, l, &set);
	}
	evset_cluster_pools_end(&g.e);
	ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
	ck_assert_uint_eq(set.count, 0);
	end(&g);
}
END_TEST

/* Classes of which none is a set are forgotten, others are not. */
START_TEST(no_sets)
{
	struct guest_known g;

	begin(&g, &levels[0], 1);
	for (int i = 0; i < 100; i++)
		evset_cluster_pools_judge(&g.e, i % 2);
	ck_assert_ptr_nonnull(g.e.search.pools);
	for (int i = 0; i < 100; i++)
		evset_cluster_pools_judge(&g.e, false);
	ck_assert_ptr_null(g.e.search.pools);
	evset_cluster_pools_judge(&g.e, true);
	ck_assert_uint_eq(evset_cluster_pools_similar(&g.e, 64), 64);
	end(&g);
}
END_TEST

/* Contiguous memory needs none. */
START_TEST(not_splintered)
{
	struct guest_known g;

	begin(&g, &levels[0], 1);
	g.e.window.splintered = false;
	ck_assert_int_eq(evset_cluster_pools_begin(&g.e, &f), 0);
	end(&g);
}
END_TEST

#define SPOILED 8

static struct rng coin;
static unsigned int spoiled;

/* Every other line misses, in the first samples. */
static void spoil_first(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	(void)samples;
	if (!plan->each || spoiled++ >= SPOILED)
		return;
	for (size_t i = 0; i < s->length; i++)
		if (rng_below(&coin, 2))
			plan->each->ticks[i] += disturbed->e.scale.penalty;
}

/* That is not taken for half of the sets overflowing, however few lines there
 * are.
 */
START_TEST(disturbed_at_first)
{
	const struct guest_level *l = &levels[0];
	struct evset_set set;
	struct guest_known g;

	guest_know(&g, l, 1);
	disturbed = &g;
	spoiled = 0;
	coin = (struct rng){ 7 };
	after_walks(g.m, spoil_first);
	ck_assert_msg(!evset_cluster_pools_begin(&g.e, &f), "%s", f.text);
	ck_assert_uint_gt(spoiled, SPOILED);
	ck_assert_ptr_nonnull(g.e.search.pools);
	ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
	guest_expect_set(&g, l, &set);
	end(&g);
}
END_TEST

static uint64_t disturbances;

/* One sample of a long list in @disturbances is undisturbed: the search waits.
 */
static void take_mostly(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	if (rng_below(&coin, disturbances))
		take_some(s, plan, samples);
}

/* Lines are clustered before each set has taken more than a second. */
START_TEST(sets_are_costly)
{
	if (!is_in_part_of(_i, COSTLY))
		return;

	struct cache_result c = { .ways.status = PARAMETER_UNDECIDED };
	struct guest_known g;

	begin(&g, &levels[0], 1);
	evset_cluster_pools_end(&g.e);
	disturbed = &g;
	disturbances = costly[_i];
	coin = (struct rng){ 1 };
	after_walks(g.m, take_mostly);
	g.p.until_ns = time_limit_now_ns(&g.p) + COSTLY_NS;
	ck_assert_msg(!evset_measure(&g.x, &c, 0, &f), "%s", f.text);
	ck_assert_double_eq(c.ways.value, levels[0].ways);
	ck_assert_double_eq(c.sets.value, 1 << levels[0].bits);
	end(&g);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("pools");

	tcase_add_loop_test(t, sets_of_classes, 0, LEVELS);
	tcase_add_test(t, under_contention);
	tcase_add_loop_test(t, sets_are_costly, 0, COSTLY);
	tcase_add_test(t, no_sets);
	tcase_add_test(t, disturbed_at_first);
	tcase_add_test(t, not_splintered);
	suite_add_tcase(suite, t);
	return suite;
}
