// SPDX-License-Identifier: GPL-2.0
/* check_theory.c - the lemmas and theorems of the X-Ray paper on random
 * geometries, and that the transformation of the code satisfies them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "method/level/level.h"
#include "suites.h"

#define ROUNDS 3000

/* How many addresses of a sequence the sets that it touches hold. */
struct occupancy {
	size_t least;
	size_t most;
};

static uint64_t set_of(const struct xray_level *c, uint64_t address)
{
	return address / c->line_bytes % (c->way_bytes / c->line_bytes);
}

static struct occupancy occupancy(const struct xray_level *c,
				  const struct sequence *s)
{
	size_t *sets = calloc(c->way_bytes / c->line_bytes, sizeof(*sets));
	struct occupancy o = { .least = SIZE_MAX };

	ck_assert_ptr_nonnull(sets);
	for (size_t i = 0; i < s->length; i++)
		sets[set_of(c, s->offsets[i])]++;
	for (size_t i = 0; i < s->length; i++) {
		size_t here = sets[set_of(c, s->offsets[i])];

		o.least = here < o.least ? here : o.least;
		o.most = here > o.most ? here : o.most;
	}
	free(sets);
	return o;
}

static bool compact(const struct xray_level *c, const struct sequence *s)
{
	return occupancy(c, s).most <= c->ways;
}

static bool non_compact(const struct xray_level *c, const struct sequence *s)
{
	return occupancy(c, s).least > c->ways;
}

static uint64_t power(struct rng *rng, unsigned int low, unsigned int high)
{
	return UINT64_C(1) << (low + rng_below(rng, high - low + 1));
}

static struct xray_level random_level(struct rng *rng)
{
	struct xray_level c = { .line_bytes = power(rng, 3, 8),
				.ways = 1 + rng_below(rng, 24) };

	c.way_bytes = c.line_bytes * power(rng, 0, 8);
	c.own = c.ways;
	return c;
}

static struct sequence placed(const struct shape *w, uint64_t base)
{
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, w, base), 0);
	return s;
}

static uint64_t seed(void)
{
	const char *text = getenv("PROBE_PHYS_SEED");

	return text ? strtoull(text, NULL, 0) : 1;
}

#define HOLDS(condition, c, name)                                            \
	ck_assert_msg(condition,                                             \
		      name ": A %zu, B %llu, T %llu (PROBE_PHYS_SEED=%llu)", \
		      (c).ways, (unsigned long long)(c).line_bytes,          \
		      (unsigned long long)(c).way_bytes,                     \
		      (unsigned long long)seed())

static uint64_t block(struct rng *rng, const struct xray_level *c)
{
	return rng_below(rng, 4096) * c->line_bytes;
}

START_TEST(lemma_1)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS; i++) {
		const struct xray_level c = random_level(&rng);
		uint64_t m0 = block(&rng, &c), m = block(&rng, &c);
		uint64_t k = rng_below(&rng, 100);

		HOLDS((set_of(&c, m) == set_of(&c, m0)) ==
			      (m % c.way_bytes == m0 % c.way_bytes),
		      c, "lemma 1");
		HOLDS(set_of(&c, m0 + k * c.way_bytes) == set_of(&c, m0), c,
		      "lemma 1, k * T");
	}
}
END_TEST

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

START_TEST(lemma_2)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS; i++) {
		const struct shape w = { .inner_stride = power(&rng, 3, 12),
					 .inner = 1 + rng_below(&rng, 9),
					 .stride = power(&rng, 3, 12),
					 .outer = 1 + rng_below(&rng, 9) };
		const struct shape turned = { .inner_stride = w.stride,
					      .inner = w.outer,
					      .stride = w.inner_stride,
					      .outer = w.inner };
		struct sequence a = placed(&w, 64), b = placed(&turned, 64);

		qsort(a.offsets, a.length, sizeof(uint64_t), by_value);
		qsort(b.offsets, b.length, sizeof(uint64_t), by_value);
		ck_assert_uint_eq(a.length, b.length);
		ck_assert_mem_eq(a.offsets, b.offsets,
				 a.length * sizeof(uint64_t));
		sequence_free(&a);
		sequence_free(&b);
	}
}
END_TEST

/* (a) C adjacent bytes are compact, (b) and so is what is left of them. */
static void lemma_3_ab(const struct xray_level *c, struct rng *rng)
{
	const struct shape all = {
		.inner = 1,
		.stride = c->line_bytes,
		.outer = c->ways * c->way_bytes / c->line_bytes,
	};
	struct sequence s = placed(&all, block(rng, c));

	HOLDS(compact(c, &s), *c, "lemma 3 (a)");
	sequence_shuffle(&s, rng);
	s.length = 1 + rng_below(rng, s.length);
	HOLDS(compact(c, &s), *c, "lemma 3 (b)");
	sequence_free(&s);
}

static struct sequence joined(const struct sequence *a,
			      const struct sequence *b)
{
	struct sequence s = { .length = a->length + b->length };

	s.offsets = calloc(s.length, sizeof(*s.offsets));
	ck_assert_ptr_nonnull(s.offsets);
	for (size_t i = 0; i < s.length; i++)
		s.offsets[i] = i < a->length ? a->offsets[i] :
					       b->offsets[i - a->length];
	return s;
}

/* (c), (d): in other sets; (e) anywhere. */
static void lemma_3_cde(const struct xray_level *c, struct rng *rng)
{
	const struct shape one = { .inner = 1,
				   .stride = c->way_bytes,
				   .outer = 1 + rng_below(rng, 2 * c->ways) };
	const struct shape two = { .inner = 1,
				   .stride = c->way_bytes,
				   .outer = 1 + rng_below(rng, 2 * c->ways) };
	uint64_t base = block(rng, c);
	uint64_t other = base + 64 * 4096 * c->way_bytes + block(rng, c);
	struct sequence a = placed(&one, base), b = placed(&two, other);
	struct sequence both = joined(&a, &b);

	if (set_of(c, base) != set_of(c, other)) {
		HOLDS(!compact(c, &a) || !compact(c, &b) || compact(c, &both),
		      *c, "lemma 3 (c)");
		HOLDS(!non_compact(c, &both) ||
			      (non_compact(c, &a) && non_compact(c, &b)),
		      *c, "lemma 3 (d)");
	}
	HOLDS(!non_compact(c, &a) || !non_compact(c, &b) ||
		      non_compact(c, &both),
	      *c, "lemma 3 (e)");
	sequence_free(&a);
	sequence_free(&b);
	sequence_free(&both);
}

START_TEST(lemma_3)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS / 10; i++) {
		const struct xray_level c = random_level(&rng);

		lemma_3_ab(&c, &rng);
		lemma_3_cde(&c, &rng);
	}
}
END_TEST

START_TEST(lemma_4)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS; i++) {
		const struct xray_level c = random_level(&rng);
		uint64_t stride = c.line_bytes * power(&rng, 0, 9);
		uint64_t less = stride < c.way_bytes ? stride : c.way_bytes;
		uint64_t base = block(&rng, &c);
		size_t n = 1 + rng_below(&rng, 40);
		uint64_t delta;

		if (less <= c.line_bytes)
			continue;
		delta = c.line_bytes *
			(1 + rng_below(&rng, less / c.line_bytes - 1));
		for (size_t j = 0; j < n * n; j++)
			HOLDS(set_of(&c, base + j / n * stride) !=
				      set_of(&c, base + delta + j % n * stride),
			      c, "lemma 4");
	}
}
END_TEST

static void check_theorem(const struct xray_level *c, const struct shape *w,
			  uint64_t base, const char *name)
{
	uint64_t turns = (c->way_bytes + w->stride - 1) / w->stride;
	struct sequence s = placed(w, base);

	ck_assert_msg(compact(c, &s) == (w->outer <= c->ways * turns) &&
			      non_compact(c, &s) ==
				      (w->outer >= (c->ways + 1) * turns),
		      "%s: A %zu, B %llu, T %llu, S %llu, N %zu, n %zu "
		      "(PROBE_PHYS_SEED=%llu)",
		      name, c->ways, (unsigned long long)c->line_bytes,
		      (unsigned long long)c->way_bytes,
		      (unsigned long long)w->stride, w->outer, w->inner,
		      (unsigned long long)seed());
	sequence_free(&s);
}

START_TEST(theorem_1)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS; i++) {
		const struct xray_level c = random_level(&rng);
		struct shape w = { .inner = 1,
				   .stride = c.line_bytes * power(&rng, 0, 9) };
		uint64_t turns = (c.way_bytes + w.stride - 1) / w.stride;

		w.outer = 1 + rng_below(&rng, 2 * (c.ways + 1) * turns);
		check_theorem(&c, &w, block(&rng, &c), "theorem 1");
	}
}
END_TEST

START_TEST(theorem_2)
{
	struct rng rng = { seed() };

	for (int i = 0; i < ROUNDS; i++) {
		const struct xray_level c = random_level(&rng);
		struct shape w = { .inner_stride =
					   c.line_bytes * power(&rng, 0, 4),
				   .stride = c.line_bytes * power(&rng, 0, 9) };
		uint64_t turns = (c.way_bytes + w.stride - 1) / w.stride;
		uint64_t less = w.stride < c.way_bytes ? w.stride : c.way_bytes;

		w.inner = 1 + rng_below(&rng, (less + w.inner_stride - 1) /
						      w.inner_stride);
		w.outer = 1 + rng_below(&rng, 2 * (c.ways + 1) * turns);
		ck_assert_uint_lt((w.inner - 1) * w.inner_stride, less);
		check_theorem(&c, &w, block(&rng, &c), "theorem 2");
	}
}
END_TEST

/* Levels above each other: each way at least as long as the one above. */
static size_t random_hierarchy(struct rng *rng, struct xray_level *levels)
{
	size_t count = 2 + rng_below(rng, 2);

	for (size_t i = 0; i < count; i++) {
		levels[i] = random_level(rng);
		levels[i].line_bytes = 64;
		levels[i].way_bytes = 64 * power(rng, 1, 5);
		if (i)
			levels[i].way_bytes =
				levels[i - 1].way_bytes * power(rng, 0, 4);
		if (rng_below(rng, 2))
			levels[i].clearing = 2 * levels[i].ways;
	}
	return count;
}

/* W* where the code says that its conditions hold: Theorem 2 for the level
 * under test, and no set of a level above that is not overfull.
 */
START_TEST(transformation)
{
	struct rng rng = { seed() };
	int held = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct xray_level levels[3];
		size_t last = random_hierarchy(&rng, levels) - 1;
		const struct xray x = { .upper = levels, .upper_count = last };
		const struct xray_level *c = &levels[last];
		uint64_t stride = c->way_bytes * 2 / power(&rng, 0, 2);
		struct shape w = xray_shape(&x, stride,
					    1 + rng_below(&rng, 3 * c->ways));
		struct sequence s;
		char why[64];

		if (!xray_shape_holds(&x, &w, c, why, sizeof(why)))
			continue;
		held++;
		check_theorem(c, &w, block(&rng, c), "W*");
		s = placed(&w, block(&rng, c));
		for (size_t j = 0; j < last; j++)
			HOLDS(occupancy(&levels[j], &s).least >=
				      xray_clearing(&levels[j]),
			      levels[j], "W* clears the levels above");
		sequence_free(&s);
	}
	ck_assert_int_gt(held, ROUNDS / 20);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("random geometries");

	/* What repeats them, also when nothing fails. */
	printf("x-ray's theory: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)seed());
	tcase_set_timeout(t, 120);
	tcase_add_test(t, lemma_1);
	tcase_add_test(t, lemma_2);
	tcase_add_test(t, lemma_3);
	tcase_add_test(t, lemma_4);
	tcase_add_test(t, theorem_1);
	tcase_add_test(t, theorem_2);
	tcase_add_test(t, transformation);
	suite_add_tcase(suite, t);
	return suite;
}
