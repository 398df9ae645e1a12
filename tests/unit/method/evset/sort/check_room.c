// SPDX-License-Identifier: GPL-2.0
/* check_room.c - lists that are as long as their arrays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "method/dueling/machine.h"
#include "method/evset/evset_ideal.h"
#include "method/evset/sort/classes.h"
#include "method/policy/search.h"
#include "method/set/open_set.h"
#include "suites.h"

static struct failure f;

#define SEEDS 6
/* Share of lines that overflow a set unnoticed. */
#define MISSED 0.3

static int miss_others(void *context, const uint64_t *lines, size_t count,
		       bool surely, enum verdict *verdict, struct failure *to)
{
	struct ideal *i = context;
	int error = ideal_compact(context, lines, count, surely, verdict, to);

	if (i->o.in_order && rng_uniform(&i->rng) < MISSED)
		*verdict = VERDICT_COMPACT;
	return error;
}

/* Overlooked lines of a class form another set: more than half of the ways of
 * both are walked, and a set may have as many as there is room for.
 */
START_TEST(test_most_ways)
{
	size_t found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_classes c;
		struct ideal i;

		ideal_begin(&i, EVSET_MOST_WAYS, 2, 8 * EVSET_MOST_WAYS, 0,
			    seed);
		i.o.compact = miss_others;
		ck_assert_int_eq(ideal_classify(&i, &c, &f), 0);
		ck_assert_uint_le(c.count, 2);
		found += c.checked;
		evset_classes_free(&c);
		ideal_end(&i);
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

/* A class that has few lines left, and none behind them, beside another one. */
START_TEST(test_few_lines)
{
	enum {
		WAYS = 8,
		LINES = 20,
		FEW = 2,
		PADDING = 4,
		ABOVE = 2
	};
	struct evset_set sets[2] = { { .count = WAYS + 1 } };
	struct evset_classes c = { .ways = WAYS,
				   .line_count = LINES + FEW,
				   .begin = { 0, LINES, LINES + FEW },
				   .sets = sets,
				   .count = 2 };
	struct ideal i;
	size_t bad = 2;

	ideal_begin(&i, WAYS, 8, LINES + FEW + PADDING, ABOVE, 1);
	i.once = true;
	/* Each evictor is of a set of its own. */
	for (size_t j = 0; j < i.count; j++)
		i.class_of[j] = j < LINES	? 0 :
				j < LINES + FEW ? 1 :
						  j - LINES - FEW + 2;
	for (size_t j = 0; j < PADDING; j++)
		sets[0].evictors[j] = i.lines[LINES + FEW + j];
	sets[0].evictor_count = PADDING;
	memcpy(sets[0].lines, i.lines, (WAYS + 1) * sizeof(*i.lines));
	sets[1] = sets[0];
	c.lines = malloc(c.line_count * sizeof(*c.lines));
	ck_assert_ptr_nonnull(c.lines);
	memcpy(c.lines, i.lines, c.line_count * sizeof(*c.lines));
	ck_assert_int_eq(evset_check_classes(&i.o, &c, &bad, &f), 0);
	/* It has no line more than fits, and nothing else is wrong. */
	ck_assert_uint_eq(bad, 1);
	free(c.lines);
	ideal_end(&i);
}
END_TEST

#define SET_WAYS 8

/* Lines of a set that were evicted: of line 0 the answers say so after few new
 * lines and deny it after more, as those of a disturbed set may.
 */
static int come_back(void *context, const struct cycle *c, double *per_round,
		     struct failure *to)
{
	const size_t filled = 3 * SET_WAYS;
	const unsigned int last = c->blocks[c->length - 1];

	(void)context;
	(void)to;
	*per_round = filled;
	if (c->length > filled && last < SET_WAYS) {
		const size_t fresh = c->length - filled - 1;

		*per_round += last ? fresh > last : fresh <= SET_WAYS / 2;
	}
	return 0;
}

/* Such answers are no vectors. */
START_TEST(test_line_comes_back)
{
	const struct set_oracle oracle = { .ways = SET_WAYS,
					   .blocks = 4 * SET_WAYS,
					   .most_visits = 8,
					   .most_accesses = 32 * SET_WAYS,
					   .misses = come_back };
	struct policy_finding found = { .cycles = 0 };
	struct policy_search *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	s->finding = &found;
	s->asker.oracle = &oracle;
	s->asker.tolerance = 0.25;
	s->asker.lead = 1;
	ck_assert_int_eq(policy_search_permutation(s, &f), 0);
	ck_assert_int_ne(found.kind, POLICY_PERMUTATION);
	/* The search has come to the lines after one more. */
	ck_assert_uint_gt(s->asker.answers, 2 * SET_WAYS);
	free(s);
}
END_TEST

/* Lines of one set are 4 KiB apart here: all of them miss, or few enough hit.
 */
static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *to)
{
	uint64_t last = 0;

	(void)m;
	(void)to;
	for (size_t i = 0; i < s->length; i++)
		last = s->offsets[i] > last ? s->offsets[i] : last;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i] = (struct sample){
			.loads = plan->loads,
			.ticks = plan->loads * (last < 4096 * 100 ? 10 : 100),
		};
	return 0;
}

static const struct machine_ops ops = { .kind = "made up", .walk = walk };

/* Sets of more ways than cycles have room for are calibrated by some lines. */
START_TEST(test_many_lines)
{
	enum {
		WAYS = 100,
		LINES = SET_LINES_PER_WAY * WAYS
	};
	struct machine m = { .ops = &ops };
	uint64_t tested[LINES];
	const struct set_lines lines = { .tested = tested,
					 .tested_count = LINES,
					 .words = 8,
					 .ways = WAYS };
	struct set_machine s;
	struct prober p;

	for (size_t i = 0; i < LINES; i++)
		tested[i] = 4096 * i;
	prober_begin(&p, &m, 1);
	ck_assert_msg(!set_machine_open(&s, &p, &lines, 1, &f), "%s", f.text);
	ck_assert_uint_eq(s.oracle.blocks, SET_LINES_PER_WAY * SET_MOST_WAYS);
	ck_assert_double_eq_tol(s.hit_ticks, 10, 1e-6);
	ck_assert_double_eq_tol(s.miss_ticks, 90, 1e-6);
	set_machine_close(&s);
}
END_TEST

/* Visits to each line of a set are counted: of as many ways as there is room
 * for.
 */
START_TEST(test_most_visits)
{
	static const struct set_lines lines = { .words = 8 };
	static const struct set_machine set = { .lines = &lines, .counter = 1 };
	struct set_level_geometry level = { SET_MOST_WAYS, 4096, 64 };
	struct machine m = { .ops = &ops };
	const bool groups[64] = { true };
	struct dueling_machine d;
	struct prober p;
	struct cycle c;

	prober_begin(&p, &m, 1);
	ck_assert_int_eq(dueling_machine_open(&d, &p, &level, 1, &set), 0);
	c = (struct cycle){ .blocks = d.blocks, .length = d.length };
	ck_assert_uint_le(d.oracle.groups, 64);
	ck_assert_int_eq(d.oracle.walk(d.oracle.context, groups, &c, &f), 0);
	dueling_machine_close(&d);
	level.ways++;
	ck_assert_int_eq(dueling_machine_open(&d, &p, &level, 1, &set), -EDOM);
	dueling_machine_close(&d);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("ends");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_most_ways);
	tcase_add_test(t, test_few_lines);
	tcase_add_test(t, test_line_comes_back);
	tcase_add_test(t, test_many_lines);
	tcase_add_test(t, test_most_visits);
	suite_add_tcase(s, t);
	return s;
}
