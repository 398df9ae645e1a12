// SPDX-License-Identifier: GPL-2.0
/* check_classes.c - classes of an ideal oracle. */
#include "method/evset/evset_ideal.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/sort/sorting.h"
#include "suites.h"

#define SEEDS 20
#define USERS 6

static struct failure f;

/* A set as evset_measure() would find it: prefix, reduction, controls. */
static bool find(struct ideal *i, struct evset_set *set)
{
	size_t prefix = 0;
	enum outcome outcome = OUTCOME_OPEN;

	ck_assert_int_eq(evset_overflow(&i->o, i->lines, i->count,
					i->o.upper_evictors, &prefix, &f),
			 0);
	if (!prefix)
		return false;
	ck_assert_int_eq(evset_reduce(&i->o, i->lines, prefix, set, &f), 0);
	ck_assert_int_eq(evset_verify(&i->o, set, &outcome, &f), 0);
	return outcome == OUTCOME_DECIDED;
}

static void expect_class(const struct ideal *i, const struct evset_set *set)
{
	size_t class = i->class_of[set->lines[0] / 64];

	ck_assert_uint_eq(set->count, i->ways + 1);
	for (size_t j = 0; j < set->count; j++)
		ck_assert_uint_eq(i->class_of[set->lines[j] / 64], class);
	for (size_t j = 0; j < set->evictor_count; j++)
		ck_assert_uint_ne(i->class_of[set->evictors[j] / 64], class);
}

static const struct size {
	size_t ways, classes, above;
} sizes[] = {
	{ 1, 16, 0 },	{ 4, 64, 0 },	{ 8, 8, 0 },
	{ 16, 16, 12 }, { 16, 64, 8 },	{ 12, 64, 0 },
	{ 12, 16, 20 }, { 11, 36, 16 }, { 64, 8, 8 },
};
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

START_TEST(test_minimal_set)
{
	const struct size *s = &sizes[_i];

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_set set;
		struct ideal i;

		ideal_begin(&i, s->ways, s->classes,
			    3 * s->ways * s->classes + 8, s->above, seed);
		ck_assert_msg(find(&i, &set), "%zu ways, %zu classes, seed %d",
			      s->ways, s->classes, (int)seed);
		expect_class(&i, &set);
		ideal_end(&i);
	}
}
END_TEST

/* Wrong answers may cost a set, never make a wrong one. */
START_TEST(test_wrong_answers)
{
	const struct size *s = &sizes[_i];
	int found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_set set;
		struct ideal i;

		ideal_begin(&i, s->ways, s->classes,
			    3 * s->ways * s->classes + 8, s->above, seed);
		i.wrong = 0.02;
		for (int attempt = 0; attempt < 5; attempt++) {
			if (!find(&i, &set))
				continue;
			expect_class(&i, &set);
			found++;
			break;
		}
		ideal_end(&i);
	}
	ck_assert_int_ge(found, SEEDS / 2);
}
END_TEST

START_TEST(test_congruence)
{
	struct evset_set set;
	struct ideal i;

	ideal_begin(&i, 8, 16, 1000, 4, 7);
	ck_assert(find(&i, &set));
	for (size_t j = 0; j < i.count; j++) {
		enum verdict verdict;
		bool same = i.class_of[j] == i.class_of[set.lines[0] / 64];
		bool member = false;

		for (size_t k = 0; k < set.count; k++)
			member |= set.lines[k] == 64 * j;
		if (member)
			continue;
		ck_assert_int_eq(evset_congruent(&i.o, &set, 64 * j, true,
						 &verdict, &f),
				 0);
		ck_assert_int_eq(verdict,
				 same ? VERDICT_NON_COMPACT : VERDICT_COMPACT);
	}
	ideal_end(&i);
}
END_TEST

/* Under contention, one in this many lines that passed no controls may be of
 * another set.
 */
#define FOREIGN_EACH 100

/* Random lines are sorted into classes, each of them one whole set. */
static void expect_sorted(const struct ideal *i, const struct evset_classes *c,
			  bool whole)
{
	size_t checked = i->used ? EVSET_CHECKED_TIMES * c->ways : SIZE_MAX;
	bool seen[64] = { false };
	size_t foreign = 0;

	for (size_t k = 0; k < c->count; k++) {
		const uint64_t *lines = c->lines + c->begin[k];
		size_t class = i->class_of[lines[0] / 64];

		ck_assert(!whole || !seen[class]);
		seen[class] = true;
		for (size_t j = 0; j < evset_class_lines(c, k); j++) {
			bool good = i->class_of[lines[j] / 64] == class;

			ck_assert(good || j >= checked);
			foreign += !good;
		}
	}
	ck_assert_uint_le(foreign, c->line_count / FOREIGN_EACH);
}

START_TEST(test_classes)
{
	if (!is_in_part(_i))
		return;

	const struct size *s = &sizes[_i];

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct evset_classes c;
		struct ideal i;

		ideal_begin(&i, s->ways, s->classes,
			    3 * s->ways * s->classes + 8 * s->classes, s->above,
			    seed);
		i.once = true;
		ck_assert_int_eq(ideal_classify(&i, &c, &f), 0);
		ck_assert_uint_eq(c.count, s->classes);
		/* The remaining lines are too few for a set. */
		ck_assert_uint_ge(c.begin[c.count] + s->classes, i.count);
		expect_sorted(&i, &c, true);
		ck_assert(c.checked);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* So few lines that classes do not overflow: as many more as fall into all
 * sets, and no more than that.
 */
START_TEST(test_spare_lines)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct evset_unsorted u = { .count = 160 };
		struct evset_classes c;
		char reason[128] = "";
		struct ideal i;

		ideal_begin(&i, 8, 16, 1024, 8, seed);
		u.lines = i.lines;
		u.spare = i.count - u.count;
		evset_overflow(&i.o, i.lines, i.count, i.o.upper_evictors,
			       &u.prefix, &f);
		ck_assert_int_eq(evset_classify(&i.o, &u, 8, &c, &f), 0);
		ck_assert_uint_eq(c.count, 16);
		ck_assert_msg(evset_is_sorted(&c, reason, sizeof(reason)), "%s",
			      reason);
		ck_assert_uint_le(c.line_count, 16 * 8 * 4);
		ck_assert_uint_eq(c.line_count + c.spare, i.count);
		expect_sorted(&i, &c, true);
		evset_classes_free(&c);
		/* Without spare lines there is no answer. */
		u.spare = 0;
		ck_assert_int_eq(evset_classify(&i.o, &u, 8, &c, &f), 0);
		ck_assert(!evset_is_sorted(&c, reason, sizeof(reason)));
		ck_assert_uint_gt(strlen(reason), 0);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* Lines of sixteen classes, sorted. */
static void begin_sorted(struct ideal *i, struct evset_classes *c)
{
	ideal_begin(i, 8, 16, 1024, 8, 1);
	ck_assert_int_eq(ideal_classify(i, c, &f), 0);
}

/* One set twice, two sets in one, and none: each is bad, and nothing else is.
 */
START_TEST(test_bad_classes)
{
	struct evset_classes c, changed;
	size_t bad = 0;
	struct ideal i;

	begin_sorted(&i, &c);
	ck_assert_uint_eq(c.count, 16);
	evset_check_classes(&i.o, &c, &bad, &f);
	ck_assert_uint_eq(bad, 16);
	/* A class in two. */
	changed = c;
	for (size_t k = 16; k > 5; k--)
		changed.begin[k + 1] = c.begin[k];
	changed.begin[5] = (c.begin[4] + c.begin[5]) / 2;
	changed.count = 17;
	changed.sets[16] = c.sets[15];
	for (size_t k = 15; k > 4; k--)
		changed.sets[k] = c.sets[k - 1];
	evset_check_classes(&i.o, &changed, &bad, &f);
	ck_assert_uint_eq(bad, 4);
	/* Two of them in one. */
	changed = c;
	for (size_t k = 6; k <= 15; k++)
		changed.begin[k] = c.begin[k + 1];
	changed.count = 15;
	evset_check_classes(&i.o, &changed, &bad, &f);
	ck_assert_uint_lt(bad, 15);
	/* One that has lost its lines. */
	changed = c;
	changed.begin[0] = c.begin[1];
	evset_check_classes(&i.o, &changed, &bad, &f);
	ck_assert_uint_eq(bad, 0);
	/* Fewer ways than there are: down to sets of one line and another. */
	changed = c;
	for (changed.ways = 4; changed.ways; changed.ways--) {
		for (size_t k = 0; k < changed.count; k++)
			changed.sets[k].count = changed.ways + 1;
		evset_check_classes(&i.o, &changed, &bad, &f);
		ck_assert_uint_eq(bad, 0);
	}
	evset_classes_free(&c);
	ideal_end(&i);
}
END_TEST

/* A set with lines of another one cannot decide which lines are its own. */
START_TEST(test_bad_set)
{
	struct sorting s;
	struct evset_classes c;
	size_t dropped = 0, lines;
	struct ideal i;

	begin_sorted(&i, &c);
	s = (struct sorting){ .o = &i.o, .c = &c };
	ck_assert_int_eq(evset_purify(&s, &dropped, &f), 0);
	ck_assert_uint_eq(dropped, 0);
	ck_assert_uint_eq(c.count, 16);
	lines = evset_class_lines(&c, 4);
	for (size_t j = 0; j < 3; j++)
		c.sets[4].lines[j] = c.sets[7].lines[j];
	ck_assert_int_eq(evset_purify(&s, &dropped, &f), 0);
	ck_assert_uint_eq(dropped, lines);
	ck_assert_uint_eq(c.count, 15);
	expect_sorted(&i, &c, true);
	evset_classes_free(&c);
	ideal_end(&i);
}
END_TEST

/* Sorted lines make no further class, which would have no lines. */
START_TEST(test_known_set)
{
	struct evset_set set = { .count = 9 };
	struct evset_classes c;
	struct sorting s;
	struct ideal i;

	begin_sorted(&i, &c);
	s = (struct sorting){ .o = &i.o, .c = &c };
	for (size_t j = 0; j < set.count; j++)
		set.lines[j] = c.lines[c.begin[4] + j];
	set.evictor_count = c.sets[4].evictor_count;
	memcpy(set.evictors, c.sets[4].evictors, sizeof(set.evictors));
	ck_assert_int_eq(evset_check_minimal(&s, &set, &f), 0);
	ck_assert_uint_eq(set.count, 0);
	/* The same lines are a new class as soon as they have none. */
	evset_dissolve(&c, 4);
	set.count = 9;
	ck_assert_int_eq(evset_check_minimal(&s, &set, &f), 0);
	ck_assert_uint_eq(set.count, 9);
	evset_classes_free(&c);
	ideal_end(&i);
}
END_TEST

/* Wrong answers may leave lines over; checked classes are right. */
START_TEST(test_wrong_classes)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct evset_classes c;
		struct ideal i;

		ideal_begin(&i, 8, 32, 1024, 8, seed);
		i.once = true;
		i.wrong = 0.001;
		ck_assert_int_eq(ideal_classify(&i, &c, &f), 0);
		for (size_t a = 0; c.checked && a < c.count; a++)
			for (size_t b = 0; b < a; b++)
				ck_assert_uint_ne(
					i.class_of[c.sets[a].lines[0] / 64],
					i.class_of[c.sets[b].lines[0] / 64]);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* One of eight sets is contended: always, or now and then. Checked classes are
 * right; constant contention does no harm.
 */
START_TEST(test_used_classes)
{
	if (!is_in_part(_i))
		return;

	static const struct {
		size_t used, held, stretch;
	} others[USERS] = { { 8, 1, 0 },   { 8, 2, 0 },	   { 8, 1, 37 },
			    { 4, 2, 400 }, { 4, 1, 5000 }, { 2, 2, 3000 } };

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct evset_classes c;
		struct ideal i;

		ideal_begin(&i, 12, 32, 1600, 8, seed);
		i.once = true;
		i.used = others[_i].used;
		i.held = others[_i].held;
		i.stretch = others[_i].stretch;
		ck_assert_int_eq(ideal_classify(&i, &c, &f), 0);
		ck_assert_msg(c.checked || i.stretch, "seed %d", (int)seed);
		if (c.checked)
			expect_sorted(&i, &c, true);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("oracle");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_minimal_set, 0, SIZES);
	tcase_add_loop_test(t, test_wrong_answers, 0, SIZES);
	tcase_add_test(t, test_congruence);
	tcase_add_loop_test(t, test_classes, 0, SIZES);
	tcase_add_test(t, test_bad_classes);
	tcase_add_test(t, test_spare_lines);
	tcase_add_test(t, test_bad_set);
	tcase_add_test(t, test_known_set);
	tcase_add_test(t, test_wrong_classes);
	tcase_add_loop_test(t, test_used_classes, 0, USERS);
	suite_add_tcase(s, t);
	return s;
}
