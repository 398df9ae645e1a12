// SPDX-License-Identifier: GPL-2.0
/* check_rate_count.c - the number of sets, by the share of random lines of some
 * sets.
 */
#include <string.h>

#include "kit/disturber.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/guestkit.h"
#include "suites.h"

static struct failure f;

static const struct guest_level levels[] = {
	{ 8, 9, 3, "lru\"", 0, 0, 0, false },
	{ 8, 10, 3, "tree-plru\"", 0, 0, 0, false },
	{ 16, 9, 4, "tree-plru\"", 0, 10, 0, false },
	{ 8, 9, 3, "random\"", 10, 10, 20, false },
	{ 6, 9, 4, "nru\"", 0, 10, 20, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))
/* Seeds of each. */
#define GUESTS 3

/* Masks are always found if @sure. */
static void expect_sets(struct guest_sets *g, const struct guest_level *l,
			bool sure)
{
	const struct index_function *masks = &g->count.page_masks;
	bool folded = false;

	g->count.line_bytes = GUEST_LINE_BYTES;
	ck_assert_msg(!evset_rate_sets(&g->known.e, &g->count, &folded, &f),
		      "%s", f.text);
	ck_assert_msg(g->count.sets == UINT64_C(1) << l->bits, "%llu: %s",
		      (unsigned long long)g->count.sets, g->count.reason);
	ck_assert(folded);
	/* Bits 6 to 11 of a page, each of which selects sets. */
	if (masks->rank || sure)
		ck_assert_msg(masks->rank == 6, "%zu masks: %s", masks->rank,
			      masks->reason);
	ck_assert(masks->rank || masks->reason[0]);
}

START_TEST(sets_of_guests)
{
	const struct guest_level *l = &levels[_i / GUESTS];
	struct guest_sets g;

	if (!is_in_part_of(_i, LEVELS * GUESTS))
		return;

	guest_plant(&g, l, (uint64_t)(_i % GUESTS) + 1);
	/* A set under NRU keeps lines that should have been evicted. */
	expect_sets(&g, l, strncmp(l->policy, "nru", 3) != 0);
	machine_close(g.known.m);
}
END_TEST

/* One of 64 places is decided wrongly, which no space of bits has: the test
 * goes on.
 */
#define DECIDED_WRONG 32

START_TEST(wrong_places_go_on)
{
	struct guest_sets g;

	guest_plant(&g, &levels[0], DECIDED_WRONG);
	expect_sets(&g, &levels[0], true);
	machine_close(g.known.m);
}
END_TEST

static struct guest_sets *disturbed;
static const struct guest_level *level;
static struct rng coin;
static unsigned int left_alone;

/* A neighbour holds a way of some sets, others in each walk: their lines miss.
 */
static void hold_some(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	const uint64_t held = rng_below(&coin, left_alone);

	(void)samples;
	if (!plan->each)
		return;
	for (size_t i = 0; i < s->length; i++)
		if (guest_set(level, disturbed->known.m, s->offsets[i]) %
			    left_alone !=
		    held)
			plan->each->ticks[i] +=
				disturbed->known.e.scale.penalty;
}

static void expect_under_contention(void (*hold)(const struct sequence *s,
						 const struct walk_plan *plan,
						 struct sample *samples),
				    bool sure)
{
	struct guest_sets g;

	level = &levels[0];
	guest_plant(&g, level, 1);
	disturbed = &g;
	coin = (struct rng){ 7 };
	after_walks(g.known.m, hold);
	expect_sets(&g, level, sure);
	machine_close(g.known.m);
}

/* Each set is uncontended in one sample in two, or in four. If every other set
 * misses at once, these look the same: the number is decided, masks may not be.
 */
START_TEST(under_contention)
{
	if (!is_in_part_of(_i, 2))
		return;

	left_alone = _i ? 4 : 2;
	expect_under_contention(hold_some, left_alone > 2);
}
END_TEST

/* One set always seems to overflow: the others decide. */
static void hold_one(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	(void)samples;
	guest_hold_set(disturbed, 0, s, plan);
}

START_TEST(one_is_contended)
{
	expect_under_contention(hold_one, true);
}
END_TEST

/* From the time on when groups were held against that set for a while, after
 * others.
 */
#define IN_A_ROW 60
#define HELD_MOST 2000
static unsigned int in_a_row, held;
static bool after_others;

static void hold_later(const struct sequence *s, const struct walk_plan *plan,
		       struct sample *samples)
{
	const struct evset_set *set = &disturbed->sets[0];

	if (!plan->each)
		return;
	if (!evset_holds(s->offsets, s->length, set->lines[0])) {
		after_others |= in_a_row > 0;
		in_a_row = 0;
		return;
	}
	in_a_row++;
	if (!held && (!after_others || in_a_row < IN_A_ROW))
		return;
	held++;
	hold_one(s, plan, samples);
}

/* In vain, a contended set gets no more than two groups and its controls, each
 * time, before the next one.
 */
START_TEST(one_becomes_contended)
{
	in_a_row = held = 0;
	after_others = false;
	expect_under_contention(hold_later, true);
	ck_assert_uint_gt(held, 0);
	ck_assert_uint_lt(held, HELD_MOST);
}
END_TEST

/* Without information there is no answer. */
static void hold_all(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	(void)samples;
	for (size_t i = 0; plan->each && i < s->length; i++)
		plan->each->ticks[i] = (double)rng_below(&coin, 100);
}

static void expect_nothing(struct guest_sets *g, uint64_t line_bytes)
{
	struct evset_count *c = &g->count;
	bool folded = true;

	c->line_bytes = line_bytes;
	c->sets = 1;
	ck_assert_msg(!evset_rate_sets(&g->known.e, c, &folded, &f), "%s",
		      f.text);
	ck_assert(!c->sets && !folded && c->reason[0]);
	ck_assert_uint_eq(c->page_masks.rank, 0);
}

START_SLOW_TEST(all_are_contended)
{
	struct guest_sets g;

	guest_plant(&g, &levels[0], 1);
	coin = (struct rng){ 7 };
	after_walks(g.known.m, hold_all);
	expect_nothing(&g, GUEST_LINE_BYTES);
	machine_close(g.known.m);
}
END_TEST

/* Pages that are too few to draw groups from, sets that are too few to compare.
 */
static unsigned int walks;

static void count_walks(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	(void)s;
	(void)plan;
	(void)samples;
	walks++;
}

/* Sets have lines at all offsets of pages, if the bits that select them lie
 * within a line: this is tested once.
 */
START_TEST(all_offsets_congruent)
{
	const struct guest_level *l = &levels[0];
	const uint64_t line_bytes = GUEST_LINE_BYTES << l->folded;
	struct guest_sets g;

	guest_plant(&g, l, 1);
	after_walks(g.known.m, count_walks);
	walks = 0;
	expect_nothing(&g, line_bytes);
	ck_assert(walks && g.count.all_offsets);
	walks = 0;
	expect_nothing(&g, line_bytes);
	ck_assert_uint_eq(walks, 0);
	machine_close(g.known.m);
}
END_TEST

START_TEST(not_enough)
{
	struct guest_sets g;
	uint64_t bytes;

	guest_plant(&g, &levels[0], 1);
	bytes = g.known.e.window.bytes;
	g.known.e.window.bytes = 64 * g.known.e.window.low_bytes;
	expect_nothing(&g, GUEST_LINE_BYTES);
	g.known.e.window.bytes = bytes;
	g.count.agreed_count = 2;
	expect_nothing(&g, GUEST_LINE_BYTES);
	machine_close(g.known.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("rates");

	tcase_add_loop_test(t, sets_of_guests, 0, LEVELS * GUESTS);
	tcase_add_loop_test(t, under_contention, 0, 2);
	tcase_add_test(t, wrong_places_go_on);
	tcase_add_test(t, one_is_contended);
	tcase_add_test(t, one_becomes_contended);
	tcase_add_test(t, all_are_contended);
	tcase_add_test(t, all_offsets_congruent);
	tcase_add_test(t, not_enough);
	suite_add_tcase(suite, t);
	return suite;
}
