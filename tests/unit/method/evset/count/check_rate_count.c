// SPDX-License-Identifier: GPL-2.0
/* check_rate_count.c - the number of sets, by how many of all lines some sets
 * have.
 */
#include <string.h>

#include "kit/disturber.h"
#include "method/evset/count/congruence_rate.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/guestkit.h"
#include "suites.h"

#define SETS 6
#define LINE_BYTES 64
/* Lines of memory that sets are planted of. */
#define PLACES 2048

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

/* A guest, and sets of its second level. */
struct guest {
	struct guest_known known;
	struct evset_set sets[SETS];
};

/* What evset_find() would have found: lines of one set, and lines of others. */
static void plant(struct guest *g, const struct guest_level *l,
		  struct evset_set *set, struct rng *rng)
{
	const size_t most = evset_padding(&g->known.e.o);
	const uint64_t place = rng_below(rng, 64) * LINE_BYTES;
	uint64_t places[PLACES];
	size_t of;

	guest_places(places, PLACES, rng);
	for (size_t i = 0; i < PLACES; i++)
		places[i] =
			places[i] / GUEST_PAGE_BYTES * GUEST_PAGE_BYTES + place;
	of = guest_set(l, g->known.m, places[0]);
	*set = (struct evset_set){ .count = 0 };
	for (size_t i = 0; i < PLACES; i++) {
		bool alike = guest_set(l, g->known.m, places[i]) == of;

		if (alike && set->count <= l->ways)
			set->lines[set->count++] = places[i];
		else if (!alike && set->padding_count < most)
			set->padding[set->padding_count++] = places[i];
	}
	ck_assert_uint_eq(set->count, l->ways + 1);
	ck_assert_uint_eq(set->padding_count, most);
}

static void begin(struct guest *g, const struct guest_level *l, uint64_t seed)
{
	struct evset_machine *e = &g->known.e;
	struct rng rng = { seed };

	guest_know(&g->known, l, seed);
	for (int i = 0; i < SETS; i++)
		plant(g, l, &g->sets[i], &rng);
	e->agreed = g->sets;
	e->agreed_count = SETS;
	evset_allow(e);
}

/* Masks always, where they are @sure. */
static void expect_sets(struct guest *g, const struct guest_level *l, bool sure)
{
	char reason[256] = "";
	uint64_t number = 0;
	bool folded = false;

	ck_assert_msg(!evset_rates_sets(&g->known.e, LINE_BYTES, &number,
					&folded, reason, sizeof(reason), &f),
		      "%s", f.text);
	ck_assert_msg(number == UINT64_C(1) << l->bits, "%llu: %s",
		      (unsigned long long)number, reason);
	ck_assert(folded);
	/* Bits 6 to 11 of a page, each of which selects sets. */
	if (g->known.e.inside.rank || sure)
		ck_assert_msg(g->known.e.inside.rank == 6, "%zu masks: %s",
			      g->known.e.inside.rank, g->known.e.inside.reason);
	ck_assert(g->known.e.inside.rank || g->known.e.inside.reason[0]);
}

START_TEST(sets_of_guests)
{
	const struct guest_level *l = &levels[_i / GUESTS];
	struct guest g;

	if (!is_in_part_of(_i, LEVELS * GUESTS))
		return;

	begin(&g, l, (uint64_t)(_i % GUESTS) + 1);
	/* Of NRU a set keeps lines that should have gone. */
	expect_sets(&g, l, strncmp(l->policy, "nru", 3) != 0);
	machine_close(g.known.m);
}
END_TEST

/* One of 64 places is told wrong, which no space of bits has: it is asked on. */
#define TOLD_WRONG 32

START_TEST(places_are_asked_on)
{
	struct guest g;

	begin(&g, &levels[0], TOLD_WRONG);
	expect_sets(&g, &levels[0], true);
	machine_close(g.known.m);
}
END_TEST

/* More lines of a set are others of the same set, each once. */
START_TEST(members)
{
	const struct guest_level *l = &levels[_i];
	uint64_t lines[2 * (EVSET_MOST_WAYS + 1)];
	const size_t wanted = 2 * (l->ways + 1);
	struct evset_rate rate;
	bool clear = false;
	size_t count = 0;
	struct guest g;

	if (!is_in_part_of(_i, LEVELS))
		return;
	begin(&g, l, 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &clear,
				    &f));
	ck_assert(clear);
	ck_assert(!evset_rate_members(&rate, wanted, lines, &count, &f));
	ck_assert_uint_eq(count, wanted);
	for (size_t i = 0; i < wanted; i++) {
		ck_assert(!evset_holds(lines, i, lines[i]));
		ck_assert_uint_eq(guest_set(l, g.known.m, lines[i]),
				  guest_set(l, g.known.m, lines[0]));
	}
	machine_close(g.known.m);
}
END_TEST

static struct guest *disturbed;
static const struct guest_level *level;
static struct rng coin;
static unsigned int left_alone;

/* Somebody holds a way of some sets, others in each walk: their lines are late. */
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
			plan->each->ticks[i] += disturbed->known.e.penalty;
}

static void expect_beside(void (*hold)(const struct sequence *s,
				       const struct walk_plan *plan,
				       struct sample *samples),
			  bool sure)
{
	struct guest g;

	level = &levels[0];
	begin(&g, level, 1);
	disturbed = &g;
	coin = (struct rng){ 7 };
	after_walks(g.known.m, hold);
	expect_sets(&g, level, sure);
	machine_close(g.known.m);
}

static const struct guest_level steady = { 8, 9, 3, "random\"", 0, 0, 0, false };
#define ASKED 40
/* A random policy itself spoils a look in eight. */
#define FITS_MOSTLY 0.7

/* A timer whose steps are as long as a miss, and in step with the loop or not: what
 * lines take is the same on the average, and spreads or does not.
 */
static void spread_some(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	const double step = rng_below(&coin, 2) ? disturbed->known.e.penalty :
						  0;

	(void)samples;
	if (!plan->each)
		return;
	for (size_t i = 0; i < s->length; i++)
		plan->each->ticks[i] += step * (rng_uniform(&coin) - 0.5);
}

/* What fits is seen to fit in nearly every look, not in every other one. */
START_TEST(steps_of_a_miss)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	struct evset_rate rate;
	bool clear = false;
	struct guest g;

	level = &steady;
	begin(&g, level, 1);
	disturbed = &g;
	coin = (struct rng){ 7 };
	after_walks(g.known.m, spread_some);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &clear,
				    &f));
	ck_assert(clear);
	for (int i = 0; i < ASKED; i++) {
		ck_assert(!evset_rate_ask(&rate, rate.beside, rate.beside_count,
					  false, &verdict, &f));
		ck_assert_int_eq(verdict, VERDICT_COMPACT);
	}
	ck_assert_double_gt(rate.fits, FITS_MOSTLY);
	machine_close(g.known.m);
}
END_TEST

/* Groups of other places that fit are no control of this one. */
START_TEST(control_of_its_place)
{
	uint64_t lines[EVSET_RATE_GROUP];
	size_t fitting = 0;
	struct evset_rate rate;
	bool clear = false;
	struct guest g;

	begin(&g, &levels[0], 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &clear,
				    &f));
	ck_assert(clear);
	for (uint64_t by = LINE_BYTES; by < GUEST_PAGE_BYTES;
	     by += LINE_BYTES) {
		enum verdict verdict = VERDICT_UNDECIDED;

		evset_rate_draw(&rate, by, lines);
		ck_assert(!evset_rate_ask(&rate, lines, rate.group, false,
					  &verdict, &f));
		fitting += verdict == VERDICT_COMPACT;
		for (size_t i = 0; i < rate.beside_count; i++)
			ck_assert_uint_eq(rate.beside[i] % GUEST_PAGE_BYTES,
					  rate.moved.lines[0] %
						  GUEST_PAGE_BYTES);
	}
	ck_assert_uint_gt(fitting, 0);
	machine_close(g.known.m);
}
END_TEST

/* Each set is left alone in one look in two, or in four. Every other set late at once
 * makes those look alike: the number is told, masks may not be.
 */
START_TEST(beside_somebody)
{
	if (!is_in_part_of(_i, 2))
		return;

	left_alone = _i ? 4 : 2;
	expect_beside(hold_some, left_alone > 2);
}
END_TEST

/* All lines of one set look as if it overflowed, always: of the others it is told. */
static void hold_one(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	const struct evset_set *set = &disturbed->sets[0];

	(void)samples;
	for (size_t i = 0; plan->each && i < s->length; i++)
		if (evset_holds(set->lines, set->count, s->offsets[i]))
			plan->each->ticks[i] += disturbed->known.e.penalty;
}

START_TEST(one_is_used)
{
	expect_beside(hold_one, true);
}
END_TEST

/* From the time on when groups were held against that one for a while, after others. */
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

/* What one set is asked for in vain, before another place is tried, is no more than
 * two groups and what is known of it, each time.
 */
START_TEST(one_comes_to_be_used)
{
	in_a_row = held = 0;
	after_others = false;
	expect_beside(hold_later, true);
	ck_assert_uint_gt(held, 0);
	ck_assert_uint_lt(held, HELD_MOST);
}
END_TEST

/* Of a set that somebody uses no more lines are found, which is noticed soon: five
 * groups are asked about, and not 256.
 */
START_TEST(members_of_a_used_set)
{
	uint64_t lines[2 * (EVSET_MOST_WAYS + 1)];
	struct evset_rate rate;
	struct guest g;
	bool clear = false;
	size_t count = 0;
	uint64_t looks;

	begin(&g, &levels[0], 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &clear,
				    &f));
	ck_assert(clear);
	disturbed = &g;
	g.sets[0] = rate.moved;
	after_walks(g.known.m, hold_one);
	looks = rate.looks;
	ck_assert(!evset_rate_members(&rate, 2 * rate.moved.count, lines,
				      &count, &f));
	ck_assert_uint_eq(count, rate.moved.count);
	ck_assert_uint_le(rate.looks - looks, 10 * 200);
	machine_close(g.known.m);
}
END_TEST

/* Nothing tells, nothing is told. */
static void hold_all(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	(void)samples;
	for (size_t i = 0; plan->each && i < s->length; i++)
		plan->each->ticks[i] = (double)rng_below(&coin, 100);
}

static void expect_nothing(struct guest *g, uint64_t line_bytes)
{
	char reason[256] = "";
	uint64_t number = 1;
	bool folded = true;

	ck_assert_msg(!evset_rates_sets(&g->known.e, line_bytes, &number,
					&folded, reason, sizeof(reason), &f),
		      "%s", f.text);
	ck_assert(!number && !folded && reason[0]);
	ck_assert_uint_eq(g->known.e.inside.rank, 0);
}

START_TEST(all_is_used)
{
	struct guest g;

	begin(&g, &levels[0], 1);
	coin = (struct rng){ 7 };
	after_walks(g.known.m, hold_all);
	expect_nothing(&g, LINE_BYTES);
	machine_close(g.known.m);
}
END_TEST

/* Pages that are too few to draw groups from, sets that are too few to compare. */
static unsigned int walks;

static void count_walks(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	(void)s;
	(void)plan;
	(void)samples;
	walks++;
}

/* Sets have lines at all offsets of pages, those that bits select are within a line:
 * which is asked once.
 */
START_TEST(all_places_meet)
{
	const struct guest_level *l = &levels[0];
	const uint64_t line_bytes = LINE_BYTES << l->folded;
	struct guest g;

	begin(&g, l, 1);
	after_walks(g.known.m, count_walks);
	walks = 0;
	expect_nothing(&g, line_bytes);
	ck_assert(walks && g.known.e.all_meet);
	walks = 0;
	expect_nothing(&g, line_bytes);
	ck_assert_uint_eq(walks, 0);
	machine_close(g.known.m);
}
END_TEST

START_TEST(not_enough)
{
	struct guest g;
	uint64_t bytes;

	begin(&g, &levels[0], 1);
	bytes = g.known.e.window_bytes;
	g.known.e.window_bytes = 64 * g.known.e.low_bytes;
	expect_nothing(&g, LINE_BYTES);
	g.known.e.window_bytes = bytes;
	g.known.e.agreed_count = 2;
	expect_nothing(&g, LINE_BYTES);
	machine_close(g.known.m);
}
END_TEST

Suite *make_rates_suite(void)
{
	Suite *suite = suite_create("sets by rates");
	TCase *t = tcase_create("rates");

	tcase_add_loop_test(t, sets_of_guests, 0, LEVELS * GUESTS);
	tcase_add_loop_test(t, beside_somebody, 0, 2);
	tcase_add_loop_test(t, members, 0, LEVELS);
	tcase_add_test(t, places_are_asked_on);
	tcase_add_test(t, steps_of_a_miss);
	tcase_add_test(t, control_of_its_place);
	tcase_add_test(t, one_is_used);
	tcase_add_test(t, one_comes_to_be_used);
	tcase_add_test(t, members_of_a_used_set);
	tcase_add_test(t, all_is_used);
	tcase_add_test(t, all_places_meet);
	tcase_add_test(t, not_enough);
	suite_add_tcase(suite, t);
	return suite;
}
