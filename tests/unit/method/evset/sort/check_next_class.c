// SPDX-License-Identifier: GPL-2.0
/*
 * check_next_class.c - the last classes of lines that are being sorted, by
 * time: a long list is compared with control lines of the same pages, in a few
 * sets of the levels above. If most lines are of one class, the control does
 * not fit either, and the list looks compact.
 */
#include "method/evset/evset_ideal.h"
#include "method/evset/sort/sorting.h"
#include "suites.h"

#define SEEDS 20
#define WAYS 8
#define ABOVE 8
#define CLASSES 16
#define PER_CLASS 40
/* Longer lists, as multiples of the evictors, have such a control. */
#define CONTROL_FROM 4

static struct failure f;

/* Lines of sets that have more of them than ways. */
static size_t misses(const size_t *in, size_t sets)
{
	size_t sum = 0;

	for (size_t i = 0; i < sets; i++)
		sum += in[i] > WAYS ? in[i] : 0;
	return sum;
}

static int ask(void *context, const uint64_t *lines, size_t count, bool surely,
	       enum verdict *verdict, struct failure *failure)
{
	struct ideal *i = context;
	size_t groups = count / (2 * i->o.upper_evictors);
	size_t dealt[CLASSES * PER_CLASS] = { 0 }, in[CLASSES] = { 0 };
	size_t at[CLASSES * PER_CLASS];

	if (count <= CONTROL_FROM * i->o.upper_evictors)
		return ideal_compact(i, lines, count, surely, verdict, failure);
	for (size_t j = 0; j < count; j++)
		at[j] = j;
	for (size_t j = 0; j < count; j++) {
		size_t k = j + rng_below(&i->rng, count - j), kept = at[k];
		size_t class = i->class_of[lines[j] / 64];

		at[k] = at[j];
		in[class]++;
		dealt[class * groups + kept * groups / count]++;
	}
	*verdict = misses(in, CLASSES) > misses(dealt, CLASSES * groups) ?
			   VERDICT_NON_COMPACT :
			   VERDICT_COMPACT;
	return 0;
}

/* Lines by class; @missing classes are not known yet and have @each lines left.
 */
static void sort_most(struct ideal *i, size_t missing, size_t each,
		      struct evset_classes *c)
{
	size_t n = 0;

	*c = (struct evset_classes){ .ways = WAYS, .lines = i->lines };
	for (size_t k = 0; k < CLASSES; k++) {
		bool known = k + missing < CLASSES;

		for (size_t j = 0; j < (known ? PER_CLASS : each); j++) {
			i->class_of[n] = k;
			c->lines[n] = 64 * n;
			n++;
		}
		if (known)
			c->begin[++c->count] = n;
	}
	c->line_count = n;
	for (size_t j = c->begin[c->count]; j < n; j++) {
		size_t k = j + rng_below(&i->rng, n - j);
		uint64_t kept = c->lines[j];

		c->lines[j] = c->lines[k];
		c->lines[k] = kept;
	}
}

static const size_t left[] = { WAYS + 1, 2 * WAYS, 3 * WAYS, 4 * WAYS,
			       5 * WAYS };
#define LEFT ((int)(sizeof(left) / sizeof(left[0])))

START_TEST(test_last_classes)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (size_t missing = 1; missing <= 3; missing++) {
			struct evset_classes c;
			struct sorting s = { .c = &c };
			struct evset_set set;
			bool overflows = false;
			struct ideal i;

			ideal_begin(&i, WAYS, CLASSES, CLASSES * PER_CLASS,
				    ABOVE, seed);
			i.o.compact = ask;
			s.o = &i.o;
			sort_most(&i, missing, left[_i], &c);
			ck_assert_int_eq(
				evset_next_set(&s, &set, &overflows, &f), 0);
			ck_assert_msg(overflows && set.count == WAYS + 1,
				      "seed %d: %zu classes left, %zu lines",
				      (int)seed, missing, set.count);
			for (size_t k = 0; k < set.count; k++)
				ck_assert_uint_eq(
					i.class_of[set.lines[k] / 64],
					i.class_of[set.lines[0] / 64]);
			ideal_end(&i);
		}
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("next");

	tcase_add_loop_test(t, test_last_classes, 0, LEFT);
	suite_add_tcase(s, t);
	return s;
}
