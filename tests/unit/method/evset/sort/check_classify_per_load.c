// SPDX-License-Identifier: GPL-2.0
/* check_classify_per_load.c - lines sorted by set by the time of each load. */
#include <stdlib.h>

#include "base/gf2.h"
#include "method/evset/count/page_masks.h"
#include "method/evset/guestkit.h"
#include "method/evset/oracle/per_load.h"
#include "suites.h"

#define NOISE_TICKS 3.0
#define WEAK_CLASSES 64

static struct failure f;

static double noise_of(struct rng *rng, double ticks)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += rng_uniform(rng);
	return (sum - 6) * ticks;
}

static double noise(struct rng *rng)
{
	return noise_of(rng, NOISE_TICKS);
}

/* Samples of half of some lines, in half of which each class misses. */
static void sample(struct evset_samples *l, size_t classes, struct rng *rng)
{
	for (size_t k = 0; k < l->room; k++) {
		uint64_t late = rng_next(rng);

		for (size_t i = 0; i < l->lines; i++)
			if (rng_next(rng) & 1)
				evset_samples_add(l, i, k,
						  (double)(late >> i % classes &
							   1) * 8 +
							  noise(rng));
	}
}

/* All classes are found, whatever their number. */
START_TEST(test_clusters)
{
	static const size_t classes[] = { 1, 2, 16, 60 };
	size_t n = classes[_i % 4], count = 0, lines = 40 * n;
	size_t *class_of = calloc(lines, sizeof(*class_of));
	struct rng rng = { (uint64_t)_i + 1 };
	struct evset_samples l;

	ck_assert_int_eq(evset_samples_begin(&l, lines, 150, &f), 0);
	sample(&l, n, &rng);
	ck_assert_int_eq(evset_cluster(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, n);
	for (size_t i = 0; i < lines; i++) {
		ck_assert_uint_lt(class_of[i], n);
		ck_assert_uint_eq(class_of[i], class_of[i % n]);
	}
	evset_samples_free(&l);
	free(class_of);
}
END_TEST

/* Samples of a third of the lines, and noise as large as a miss: many lines of
 * other classes are more similar to a line than those of its own.
 */
static void sample_weakly(struct evset_samples *l, size_t classes,
			  struct rng *rng)
{
	bool late[WEAK_CLASSES];

	for (size_t k = 0; k < l->room; k++) {
		for (size_t j = 0; j < classes; j++)
			late[j] = rng_next(rng) & 1;
		for (size_t i = 0; i < l->lines; i++)
			if (rng_below(rng, 3) == 0)
				evset_samples_add(l, i, k,
						  (late[i % classes] ? 8 : 0) +
							  noise_of(rng, 4));
	}
}

START_TEST(test_weak_clusters)
{
	const size_t n = WEAK_CLASSES, lines = 20 * n;
	size_t *class_of = calloc(lines, sizeof(*class_of));
	size_t count = 0, none = 0, of[WEAK_CLASSES];
	struct rng rng = { (uint64_t)_i + 1 };
	struct evset_samples l;

	ck_assert_int_eq(evset_samples_begin(&l, lines, 255, &f), 0);
	sample_weakly(&l, n, &rng);
	ck_assert_int_eq(evset_cluster(&l, 6, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, n);
	for (size_t j = 0; j < n; j++)
		of[j] = EVSET_NO_CLASS;
	for (size_t i = 0; i < lines; i++) {
		if (class_of[i] != EVSET_NO_CLASS &&
		    of[i % n] == EVSET_NO_CLASS)
			of[i % n] = class_of[i];
		none += class_of[i] == EVSET_NO_CLASS;
		ck_assert(class_of[i] == EVSET_NO_CLASS ||
			  class_of[i] == of[i % n]);
	}
	ck_assert_uint_le(none, lines / 50);
	evset_samples_free(&l);
	free(class_of);
}
END_TEST

/* Lines that miss at random are of no class; nor are too few. */
START_TEST(test_no_clusters)
{
	size_t class_of[200], count = 1;
	struct rng rng = { (uint64_t)_i + 1 };
	struct evset_samples l;

	ck_assert_int_eq(evset_samples_begin(&l, 200, 150, &f), 0);
	for (size_t k = 0; k < l.room; k++)
		for (size_t i = 0; i < l.lines; i++)
			if (rng_next(&rng) & 1)
				evset_samples_add(&l, i, k, noise(&rng));
	ck_assert_int_eq(evset_cluster(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, 0);
	for (size_t i = 0; i < 200; i++)
		ck_assert_uint_eq(class_of[i], EVSET_NO_CLASS);
	evset_samples_free(&l);
	ck_assert_int_eq(evset_samples_begin(&l, 110, 150, &f), 0);
	sample(&l, 10, &rng);
	ck_assert_int_eq(evset_cluster(&l, 12, class_of, &count, &f), 0);
	ck_assert_uint_eq(count, 0);
	evset_samples_free(&l);
}
END_TEST

static const struct guest_level levels[] = {
	{ 16, 10, 4, "lru\"", 0, 0, 0, false },
	{ 16, 10, 4, "random\"", 0, 10, 0, false },
	{ 16, 10, 4, "tree-plru\"", 10, 10, 20, false },
	{ 8, 9, 3, "bit-plru\"", 10, 20, 20, false },
	{ 8, 10, 5, "random\"", 0, 10, 0, false },
	{ 6, 9, 4, "nru\"", 0, 10, 20, false },
	{ 16, 10, 4, "random\"", 0, 10, 0, true },
	{ 8, 10, 4, "tree-plru\"", 10, 10, 0, true },
	{ 16, 9, 3, "qlru\",\"variant\":\"H11_M1_R0_U0\"", 0, 10, 0, false },
	/* Classes may fail their controls. */
	{ 12, 8, 3, "srrip\"", 10, 10, 0, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))
#define OPEN (LEVELS - 1)

static bool may_be_open(const struct guest_level *l)
{
	return l == &levels[OPEN];
}

static void check_classes(const struct guest_level *l, struct machine *m,
			  const struct evset_classes *c, size_t sets)
{
	ck_assert(c->checked || may_be_open(l));
	ck_assert_msg(!c->checked || c->count == sets, "%zu classes", c->count);
	for (size_t k = 0; c->checked && k < c->count; k++)
		for (size_t i = c->begin[k]; i < c->begin[k + 1]; i++)
			ck_assert_uint_eq(guest_set(l, m, c->lines[i]),
					  guest_set(l, m,
						    c->lines[c->begin[k]]));
}

/* Masks over the bits of a page span those of the level there. */
static void check_masks(struct evset_machine *e, const struct guest_level *l,
			const struct evset_classes *c)
{
	const struct evset_sorted_lines in = {
		.e = e, .c = c, .line_bytes = 64, .page_bytes = GUEST_PAGE_BYTES
	};
	struct gf2_space truth = { .rank = 0 };
	struct index_function found;

	ck_assert_msg(!evset_page_masks(&in, 300, &found, &f), "%s", f.text);
	for (unsigned int b = 0; b < l->bits; b++)
		gf2_add(&truth, guest_mask(l, b) & (GUEST_PAGE_BYTES - 1));
	ck_assert_msg(found.rank || may_be_open(l), "%s", found.reason);
	if (!found.rank)
		return;
	ck_assert_int_eq(found.kind, INDEX_UNKNOWN);
	ck_assert_uint_eq(found.low_bit, 6);
	ck_assert_uint_eq(found.high_bit, 11);
	ck_assert_uint_eq(found.rank, truth.rank);
	for (size_t i = 0; i < found.rank; i++)
		ck_assert_uint_eq(gf2_reduce(&truth, found.masks[i]), 0);
	ck_assert_uint_ge(found.check.apart, 100);
	ck_assert(!l->paired == !found.check.congruent);
	ck_assert_uint_eq(found.check.false_apart, 0);
	ck_assert_uint_eq(found.check.false_congruent, 0);
	ck_assert_double_le(found.check.apart_high, 0.05);
}

/* Bits that are folded lead to the same sets again, the others to their own. */
static void check_offsets(struct evset_machine *e, const struct guest_level *l,
			  const struct evset_classes *c)
{
	const struct evset_sorted_lines in = {
		.e = e, .c = c, .line_bytes = 64, .page_bytes = GUEST_PAGE_BYTES
	};
	uint64_t offsets[64], low = 0;
	size_t count = 0;
	bool folded = false;

	ck_assert_msg(!evset_page_offsets(&in, offsets, 64, &count, &folded,
					  &f),
		      "%s", f.text);
	ck_assert(count || may_be_open(l));
	if (!count)
		return;
	ck_assert_uint_eq(count, (size_t)1 << l->folded);
	ck_assert(folded);
	for (size_t i = 0; i < count; i++) {
		uint64_t own = offsets[i] / 64 & (count - 1);

		/* Bit 11 replaces bit 6 if these are used only together. */
		if (l->paired)
			own ^= offsets[i] >> 11 & 1;
		ck_assert(!(low >> own & 1));
		low |= UINT64_C(1) << own;
	}
}

START_TEST(test_classify)
{
	if (!is_in_part_of(_i, LEVELS))
		return;

	const struct guest_level *l = &levels[_i];
	size_t sets = ((size_t)1 << l->bits) >> l->folded;
	struct machine *m = guest_open(l, 1);
	struct xray x = { .hit_ticks = 14 };
	struct evset_machine e = { .x = &x,
				   .scale.penalty = 46,
				   .o.upper_evictors = 12 };
	struct evset_unsorted u = { .count = 40 * sets * l->ways / 12,
				    .prefix = sets * l->ways / 2 };
	struct evset_classes c;
	struct prober p;

	prober_begin(&p, m, 1);
	x.prober = &p;
	ck_assert(evset_per_load_possible(&e));
	u.lines = calloc(u.count, sizeof(*u.lines));
	guest_places(u.lines, u.count, &p.rng);
	ck_assert_msg(!evset_sort_per_load(&e, &u, l->ways, &c, &f), "%s",
		      f.text);
	check_classes(l, m, &c, sets);
	if (c.checked) {
		check_masks(&e, l, &c);
		check_offsets(&e, l, &c);
	}
	evset_classes_free(&c);
	free(u.lines);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("each");

	tcase_add_loop_test(t, test_clusters, 0, 12);
	tcase_add_loop_test(t, test_weak_clusters, 0, 4);
	tcase_add_loop_test(t, test_no_clusters, 0, 3);
	tcase_add_loop_test(t, test_classify, 0, LEVELS);
	suite_add_tcase(suite, t);
	return suite;
}
