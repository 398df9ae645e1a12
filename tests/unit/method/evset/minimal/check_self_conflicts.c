// SPDX-License-Identifier: GPL-2.0
/* check_self_conflicts.c - minimal sets out of candidates that miss. */
#include <stdlib.h>
#include <string.h>

#include "kit/disturber.h"
#include "method/evset/guestkit.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/minimal/self_conflicts.h"
#include "method/probe/time_limit.h"
#include "suites.h"

#define SEEDS 3
#define TRIES 6
#define PLACES 16384
#define OTHERS 36
#define ROOM 200
/* Of the machine's own clock. Questions about whole lists of four thousand
 * candidates took 0.9 to 6.0 seconds in guests.
 */
#define SETS 6
#define SETS_NS 0.4e9

static struct failure f;

/* Missing lines do not decide the last ones: a policy that misses at random,
 * and timer steps longer than misses.
 */
static const struct guest_level levels[] = {
	{ 8, 11, 3, "lru\"", 0, 0, 0, false },
	{ 8, 11, 4, "tree-plru\"", 0, 10, 0, false },
	{ 16, 10, 3, "lru\"", 0, 10, 10, false },
	{ 4, 11, 3, "tree-plru\"", 0, 10, 0, false },
	{ 12, 10, 3, "lru\"", 10, 10, 0, false },
	{ 8, 11, 3, "random\"", 0, 10, 0, false },
	{ 6, 11, 3, "nru\"", 0, 10, 20, false },
	{ 8, 10, 3, "lru\"", 100, 0, 0, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))
#define DECIDED 5

static void expect_set(const struct guest_known *g, const struct guest_level *l,
		       const struct evset_set *set)
{
	const size_t of = guest_set(l, g->m, set->lines[0]);

	guest_expect_set(g, l, set);
	ck_assert_uint_ge(set->evictor_count, g->e.o.upper_evictors);
	for (size_t i = 0; i < set->evictor_count; i++)
		ck_assert_uint_ne(guest_set(l, g->m, set->evictors[i]), of);
}

/* Nearly every time, and never a wrong set. */
START_TEST(sets_of_conflicts)
{
	const struct guest_level *l = &levels[_i / SEEDS];
	struct guest_known g;
	int decided = 0;

	if (!is_in_part_of(_i, DECIDED * SEEDS))
		return;
	guest_know(&g, l, (uint64_t)_i);
	for (int i = 0; i < TRIES; i++) {
		struct evset_set set;
		uint64_t *lines = NULL;
		size_t count = 0;

		ck_assert_int_eq(
			evset_candidates(&g.e, PLACES, &lines, &count, &f), 0);
		ck_assert_msg(!evset_self_conflicts(&g.e, lines, count, &set,
						    &f),
			      "%s", f.text);
		free(lines);
		if (set.count)
			expect_set(&g, l, &set);
		decided += set.count > 0;
	}
	ck_assert_int_ge(decided, TRIES / 2);
	machine_close(g.m);
}
END_TEST

/* Sets are found nevertheless, or none is: never a wrong one. */
START_TEST(found_sets)
{
	const struct guest_level *l = &levels[_i / SEEDS];
	struct guest_known g;
	int found = 0;

	if (!is_in_part_of(_i, LEVELS * SEEDS))
		return;
	guest_know(&g, l, (uint64_t)_i);
	for (int i = 0; i < TRIES; i++) {
		struct evset_set set;

		ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
		if (set.count)
			expect_set(&g, l, &set);
		found += set.count > 0;
	}
	if (_i / SEEDS < DECIDED)
		ck_assert_int_gt(found, TRIES / 2);
	machine_close(g.m);
}
END_TEST

START_TEST(sets_in_time)
{
	struct guest_known g;
	struct evset_set set;
	double begun_ns;
	int found = 0;

	if (!is_in_part_of(_i, SEEDS))
		return;
	guest_know(&g, &levels[0], (uint64_t)_i);
	begun_ns = time_limit_now_ns(&g.p);
	while (found < SETS) {
		ck_assert_msg(!evset_find(&g.e, &set, &f), "%s", f.text);
		found += set.count > 0;
		ck_assert_double_lt(time_limit_now_ns(&g.p) - begun_ns,
				    SETS_NS);
	}
	machine_close(g.m);
}
END_TEST

/**
 * struct mixture - lines of some sets among others
 * @others: none of which overflows with the rest
 * @missing: lines of the sets
 */
struct mixture {
	uint64_t lines[ROOM];
	size_t others, missing;
};

/* OTHERS lines of as many sets, then @of[i] lines of each of @sets further
 * ones.
 */
static void gather(struct mixture *c, const struct guest_level *l,
		   struct machine *m, const size_t *of, size_t sets)
{
	static uint64_t places[PLACES];
	size_t begin[ROOM] = { 0 }, want = OTHERS;
	size_t got[ROOM] = { 0 },
	       *number = calloc((size_t)1 << l->bits, sizeof(*number));
	struct rng rng = { 7 };
	size_t known = 0;

	ck_assert_ptr_nonnull(number);
	guest_places(places, PLACES, &rng);
	for (size_t k = 0; k < sets; k++) {
		begin[k] = want;
		want += of[k];
	}
	ck_assert_uint_le(want, ROOM);
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < PLACES; i++) {
		size_t set = guest_set(l, m, places[i]), k;

		if (!number[set])
			number[set] = ++known;
		k = number[set] - 1;
		if (k < sets && got[k] < of[k])
			c->lines[begin[k] + got[k]++] = places[i];
		else if (k >= sets && c->others < OTHERS && k < sets + OTHERS)
			c->lines[c->others++] = places[i];
	}
	c->missing = want - OTHERS;
	for (size_t k = 0; k < sets; k++)
		ck_assert_uint_eq(got[k], of[k]);
	ck_assert_uint_eq(c->others, OTHERS);
	free(number);
}

/* Lines of sets that fit miss in this many walks, those of some samples, by
 * this many penalties.
 */
#define SLOW_WALKS 416
#define SLOW_BY 2.0

static struct {
	const struct mixture *c;
	double ticks;
	size_t walks, first, count;
} visitor;

static void slow_down(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	(void)samples;
	if (!plan->each || visitor.walks++ >= SLOW_WALKS)
		return;
	for (size_t i = 0; i < s->length; i++)
		for (size_t j = 0; j < visitor.count; j++)
			if (s->offsets[i] ==
			    visitor.c->lines[visitor.first + j])
				plan->each->ticks[i] += visitor.ticks;
}

/* A neighbour makes the last @visited lines of sets miss for a while. */
static void ask(const size_t *of, size_t sets, size_t visited, size_t *missing,
		struct evset_set *set, size_t *ways)
{
	const struct guest_level *l = &levels[2];
	struct guest_known g;
	struct mixture c;

	guest_know(&g, l, 3);
	gather(&c, l, g.m, of, sets);
	visitor.c = &c;
	visitor.ticks = SLOW_BY * g.e.scale.penalty;
	visitor.walks = 0;
	visitor.first = OTHERS + c.missing - visited;
	visitor.count = visited;
	after_walks(g.m, slow_down);
	*missing = c.missing;
	ck_assert_msg(!evset_leave_one_out(&g.e, c.lines, c.others, missing,
					   set, &f),
		      "%s", f.text);
	if (set->count)
		expect_set(&g, l, set);
	*ways = l->ways;
	machine_close(g.m);
}

/* Some sets overflow by one line only; lines of those that fit do not miss. */
START_TEST(by_one_line)
{
	static const size_t of[] = { 17, 17, 5, 16, 17, 18 };
	struct evset_set set;
	size_t missing, ways;

	ask(of, sizeof(of) / sizeof(of[0]), 0, &missing, &set, &ways);
	ck_assert_uint_eq(missing, 3 * 17 + 18);
	ck_assert_uint_eq(set.count, ways + 1);
}
END_TEST

/* Lines that miss for a while, and then with no line left out, are of no set.
 */
START_TEST(missing_for_a_while)
{
	static const size_t of[] = { 17, 8, 4, 8 };
	struct evset_set set;
	size_t missing, ways;

	ask(of, sizeof(of) / sizeof(of[0]), 8 + 4 + 8, &missing, &set, &ways);
	ck_assert_uint_eq(missing, 17 + 8 + 4 + 8);
	ck_assert_uint_eq(set.count, ways + 1);
}
END_TEST

/* A set that overflows by more lines does so without any one of them. */
START_TEST(by_more_lines)
{
	static const size_t of[] = { 18, 19, 3 };
	struct evset_set set;
	size_t missing, ways;

	ask(of, sizeof(of) / sizeof(of[0]), 0, &missing, &set, &ways);
	ck_assert_uint_eq(missing, 18 + 19);
	ck_assert_uint_eq(set.count, ways + 1);
}
END_TEST

START_TEST(none_overflows)
{
	static const size_t of[] = { 16, 2, 1, 12 };
	struct evset_set set;
	size_t missing, ways;

	ask(of, sizeof(of) / sizeof(of[0]), 0, &missing, &set, &ways);
	ck_assert_uint_eq(missing, 0);
	ck_assert_uint_eq(set.count, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("self-conflicts");

	tcase_add_loop_test(t, sets_of_conflicts, 0, DECIDED * SEEDS);
	tcase_add_loop_test(t, found_sets, 0, LEVELS * SEEDS);
	tcase_add_loop_test(t, sets_in_time, 0, SEEDS);
	tcase_add_test(t, by_one_line);
	tcase_add_test(t, missing_for_a_while);
	tcase_add_test(t, by_more_lines);
	tcase_add_test(t, none_overflows);
	suite_add_tcase(suite, t);
	return suite;
}
