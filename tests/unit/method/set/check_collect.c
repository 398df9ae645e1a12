// SPDX-License-Identifier: GPL-2.0
/* check_collect.c - lines of one set of a hashed level, found by trying: each is
 * of that set, and what clears the levels above is of others.
 */
#include <stdio.h>

#include "kit/simcache.h"
#include "method/evset/evset_ideal.h"
#include "method/evset/minimal/minimal.h"
#include "method/set/collect.h"
#include "method/set/members.h"
#include "suites.h"

#define SEEDS 10
#define MACHINE_SEEDS 3

static struct failure f;

static const struct size {
	size_t ways, classes, above;
} sizes[] = {
	{ 4, 16, 8 }, { 8, 8, 8 }, { 16, 16, 12 }, { 11, 6, 16 }, { 64, 4, 8 },
};
#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/**
 * struct found - a minimal set and all lines of its class
 * @s: what tests of it need
 */
struct found {
	struct ideal ideal;
	struct evset_set set;
	struct set_members s;
	uint64_t lines[SET_MEMBERS_MOST];
	size_t count;
};

static size_t class_of(const struct found *t, uint64_t line)
{
	return t->ideal.class_of[line / 64];
}

/* Four times the ways in each class, more or less. Return: false: no set. */
static bool begin(struct found *t, const struct size *size, uint64_t seed)
{
	struct ideal *i = &t->ideal;
	size_t prefix = 0;
	enum outcome outcome = OUTCOME_OPEN;

	ideal_begin(i, size->ways, size->classes,
		    4 * size->ways * size->classes, size->above, seed);
	ck_assert_int_eq(evset_overflow(&i->o, i->lines, i->count,
					i->o.upper_evictors, &prefix, &f),
			 0);
	ck_assert_int_eq(evset_reduce(&i->o, i->lines, prefix, &t->set, &f), 0);
	ck_assert_int_eq(evset_verify(&i->o, &t->set, &outcome, &f), 0);
	for (size_t j = 0; j < i->count; j++)
		i->lines[j] = 64 * j;
	t->s = (struct set_members){ &i->o, &t->set, &i->rng };
	t->count = 0;
	for (size_t j = 0; j < i->count && t->count < SET_MEMBERS_MOST; j++)
		if (class_of(t, 64 * j) == class_of(t, t->set.lines[0]))
			t->lines[t->count++] = 64 * j;
	if (outcome != OUTCOME_DECIDED)
		ideal_end(i);
	return outcome == OUTCOME_DECIDED;
}

/* A line of any other class. */
static uint64_t other_line(const struct found *t)
{
	uint64_t line = 0;

	while (class_of(t, line) == class_of(t, t->set.lines[0]) ||
	       evset_holds(t->set.evictors, t->set.evictor_count, line))
		line += 64;
	return line;
}

START_TEST(test_members)
{
	int sets = 0;

	for (uint64_t seed = 1; sets < SEEDS; seed++) {
		struct found t;
		enum outcome outcome = OUTCOME_OPEN;
		size_t all;

		ck_assert_uint_le(seed, 2 * SEEDS);
		if (!begin(&t, &sizes[_i], seed))
			continue;
		sets++;
		all = t.count;
		ck_assert_int_eq(set_members_check(&t.s, t.lines, t.count,
						   &outcome, &f),
				 0);
		ck_assert_msg(outcome == OUTCOME_DECIDED, "seed %d", (int)seed);
		/* One of another set, in the place of any. */
		t.lines[rng_below(&t.ideal.rng, all)] = other_line(&t);
		ck_assert_int_eq(set_members_check(&t.s, t.lines, t.count,
						   &outcome, &f),
				 0);
		ck_assert_msg(outcome == OUTCOME_OPEN, "seed %d", (int)seed);
		ck_assert_int_eq(
			set_members_confirm(&t.s, t.lines, &t.count, &f), 0);
		ck_assert_uint_eq(t.count, all - 1);
		for (size_t i = 0; i < t.count; i++)
			ck_assert_uint_eq(class_of(&t, t.lines[i]),
					  class_of(&t, t.set.lines[0]));
		ideal_end(&t.ideal);
	}
}
END_TEST

START_TEST(test_clearing)
{
	const struct size *size = &sizes[_i];

	int sets = 0;

	for (uint64_t seed = 1; sets < SEEDS; seed++) {
		size_t room = size->ways * (size->classes - 1), count = 0;
		uint64_t lines[2048];
		size_t in[64] = { 0 };
		struct found t;

		ck_assert_uint_le(seed, 2 * SEEDS);
		if (!begin(&t, size, seed))
			continue;
		sets++;
		t.ideal.wrong = 0.01;
		ck_assert_int_eq(set_members_clear(&t.s, t.lines, t.count,
						   t.ideal.lines, t.ideal.count,
						   lines, 3 * room / 4, &count,
						   &f),
				 0);
		ck_assert_uint_ge(count, room / 2);
		ck_assert_uint_le(count, 3 * room / 4);
		for (size_t i = 0; i < count; i++) {
			size_t class = class_of(&t, lines[i]);

			ck_assert_uint_ne(class, class_of(&t, t.set.lines[0]));
			ck_assert_uint_le(++in[class], size->ways);
			ck_assert(!evset_holds(lines, i, lines[i]));
		}
		ideal_end(&t.ideal);
	}
}
END_TEST

#define WAYS 8
#define SETS 512
#define BITS 9

/* Those beyond the first level's are hashed. */
static uint64_t mask_of(unsigned int bit)
{
	return (bit < 6 ? UINT64_C(0x40) : UINT64_C(0x10040)) << bit;
}

static struct machine *open_hashed(bool exclusive, uint64_t seed)
{
	struct sim_config config = {
		.levels = { { .ways = 8,
			      .sets = 64,
			      .line_bytes = 64,
			      .latency = 4 },
			    { .ways = WAYS,
			      .sets = SETS,
			      .line_bytes = 64,
			      .latency = 14,
			      .exclusive = exclusive } },
		.memory_latency = 200,
		.region_bytes = UINT64_C(64) << 20,
		.seed = seed,
	};

	for (unsigned int b = 0; b < BITS; b++)
		config.levels[1].masks[b] = mask_of(b);
	return sim_open(&config);
}

static void know(struct cache_result *c, double ways, double sets,
		 enum index_kind index)
{
	parameter_measured(&c->ways, ways, 1e-6, "test");
	parameter_measured(&c->line_bytes, 64, 1e-6, "test");
	parameter_measured(&c->capacity_bytes, ways * sets * 64, 1e-6, "test");
	c->index = index;
}

static void know_both(struct hierarchy *h)
{
	hierarchy_init(h);
	know(hierarchy_add(h), 8, 64, INDEX_LINEAR);
	h->caches[0].clearing_lines = 9;
	know(hierarchy_add(h), WAYS, SETS, INDEX_HASHED);
}

static uint64_t set_of(const struct machine *m, uint64_t offset)
{
	uint64_t phys = m->region.extents[0].phys + offset, set = 0;

	for (unsigned int b = 0; b < BITS; b++)
		set |= (uint64_t)__builtin_parityll(phys & mask_of(b)) << b;
	return set;
}

static void expect_lines(const struct machine *m, const struct set_lines *l)
{
	uint64_t set = set_of(m, l->tested[0]), low = l->tested[0] % 4096;
	size_t in[SETS] = { 0 };

	ck_assert_uint_ge(l->tested_count, 3 * WAYS);
	ck_assert_uint_ge(l->clearing_count, 2 * l->between);
	for (size_t i = 0; i < l->tested_count; i++) {
		ck_assert_uint_eq(set_of(m, l->tested[i]), set);
		ck_assert_uint_eq(l->tested[i] % 4096, low);
		ck_assert(!evset_holds(l->tested, i, l->tested[i]));
	}
	for (size_t i = 0; i < l->clearing_count; i++) {
		ck_assert_uint_ne(set_of(m, l->clearing[i]), set);
		ck_assert_uint_eq(l->clearing[i] % 4096, low);
		ck_assert_uint_le(++in[set_of(m, l->clearing[i])], WAYS);
	}
}

START_TEST(test_machine)
{
	struct machine *m = open_hashed(false, (uint64_t)_i);
	struct set_lines lines;
	struct hierarchy h;
	struct prober p;
	char why[200];

	know_both(&h);
	prober_begin(&p, m, (uint64_t)_i);
	ck_assert_int_eq(set_collect(&lines, &p, &h, 2, why, sizeof(why), &f),
			 0);
	ck_assert_msg(!why[0], "%s", why);
	expect_lines(m, &lines);
	set_lines_free(&lines);
	machine_close(m);
}
END_TEST

/* A visit takes a line out of an exclusive level: no policy can be decided. */
START_TEST(test_exclusive)
{
	struct machine *m = open_hashed(true, 1);
	struct set_lines lines;
	struct hierarchy h;
	struct prober p;
	char why[200];

	know_both(&h);
	prober_begin(&p, m, 1);
	ck_assert_int_eq(set_collect(&lines, &p, &h, 2, why, sizeof(why), &f),
			 0);
	ck_assert_uint_eq(lines.tested_count, 0);
	ck_assert_uint_gt(strlen(why), 0);
	set_lines_free(&lines);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("oracle"), *m = tcase_create("machine");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_members, 0, SIZES);
	tcase_add_loop_test(t, test_clearing, 0, SIZES);
	suite_add_tcase(s, t);
	tcase_set_timeout(m, 120);
	tcase_add_loop_test(m, test_machine, 1, 1 + MACHINE_SEEDS);
	tcase_add_test(m, test_exclusive);
	suite_add_tcase(s, m);
	return s;
}
