// SPDX-License-Identifier: GPL-2.0
/* check_evset.c - eviction sets: of an oracle that knows, and of machines. */
#include <stdio.h>

#include "evset_ideal.h"
#include "gf2.h"
#include "machine/sim.h"
#include "method/evset_classes.h"
#include "suites.h"

#define SEEDS 20
#define USERS 6

static struct failure f;

/* A set as evset_measure() would find it: prefix, reduction, controls. */
static bool find(struct ideal *i, struct evset_set *set)
{
	size_t prefix = 0;
	bool good = false;

	ck_assert_int_eq(evset_overflow(&i->o, i->lines, i->count,
					i->o.clearing, &prefix, &f),
			 0);
	if (!prefix)
		return false;
	ck_assert_int_eq(evset_reduce(&i->o, i->lines, prefix, set, &f), 0);
	ck_assert_int_eq(evset_verify(&i->o, set, &good, &f), 0);
	return good;
}

static void expect_class(const struct ideal *i, const struct evset_set *set)
{
	size_t class = i->class_of[set->lines[0] / 64];

	ck_assert_uint_eq(set->count, i->ways + 1);
	for (size_t j = 0; j < set->count; j++)
		ck_assert_uint_eq(i->class_of[set->lines[j] / 64], class);
	for (size_t j = 0; j < set->padding_count; j++)
		ck_assert_uint_ne(i->class_of[set->padding[j] / 64], class);
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

START_TEST(test_nothing_overflows)
{
	size_t prefix = 1;
	struct ideal i;

	ideal_begin(&i, 16, 64, 16, 0, 1);
	ck_assert_int_eq(evset_overflow(&i.o, i.lines, i.count, 0, &prefix, &f),
			 0);
	ck_assert_uint_eq(prefix, 0);
	ideal_end(&i);
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

/* One in so many lines that have passed no controls may be of another set where
 * somebody else uses some.
 */
#define STRAYS_EACH 100

/* Lines of anywhere into classes, each of them one set and whole. */
static void expect_sorted(const struct ideal *i, const struct evset_classes *c,
			  bool whole)
{
	size_t checked = i->used ? EVSET_CHECKED_TIMES * c->ways : SIZE_MAX;
	bool seen[64] = { false };
	size_t strays = 0;

	for (size_t k = 0; k < c->count; k++) {
		const uint64_t *lines = c->lines + c->begin[k];
		size_t class = i->class_of[lines[0] / 64];

		ck_assert(!whole || !seen[class]);
		seen[class] = true;
		for (size_t j = 0; j < evset_class_lines(c, k); j++) {
			bool good = i->class_of[lines[j] / 64] == class;

			ck_assert(good || j >= checked);
			strays += !good;
		}
	}
	ck_assert_uint_le(strays, c->line_count / STRAYS_EACH);
}

START_TEST(test_classes)
{
	if (!is_in_part(_i))
		return;

	const struct size *s = &sizes[_i];

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct evset_classes c;
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, s->ways, s->classes,
			    3 * s->ways * s->classes + 8 * s->classes, s->above,
			    seed);
		i.once = true;
		evset_overflow(&i.o, i.lines, i.count, i.o.clearing, &prefix,
			       &f);
		ck_assert_int_eq(evset_classify(&i.o, i.lines, i.count, prefix,
						s->ways, &c, &f),
				 0);
		ck_assert_uint_eq(c.count, s->classes);
		/* What is left is too little for a set. */
		ck_assert_uint_ge(c.begin[c.count] + s->classes, i.count);
		expect_sorted(&i, &c, true);
		ck_assert(c.apart);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* One set twice, two sets in one, and none: each is bad, and nothing else is. */
START_TEST(test_bad_classes)
{
	struct evset_classes c, changed;
	size_t prefix = 0, bad = 0;
	struct ideal i;

	ideal_begin(&i, 8, 16, 1024, 8, 1);
	evset_overflow(&i.o, i.lines, i.count, i.o.clearing, &prefix, &f);
	ck_assert_int_eq(
		evset_classify(&i.o, i.lines, i.count, prefix, 8, &c, &f), 0);
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
	evset_classes_free(&c);
	ideal_end(&i);
}
END_TEST

/* Wrong answers may leave lines over; what is checked and good is right. */
START_TEST(test_wrong_classes)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct evset_classes c;
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, 8, 32, 1024, 8, seed);
		i.once = true;
		evset_overflow(&i.o, i.lines, i.count, i.o.clearing, &prefix,
			       &f);
		i.wrong = 0.001;
		ck_assert_int_eq(evset_classify(&i.o, i.lines, i.count, prefix,
						8, &c, &f),
				 0);
		for (size_t a = 0; c.apart && a < c.count; a++)
			for (size_t b = 0; b < a; b++)
				ck_assert_uint_ne(
					i.class_of[c.sets[a].lines[0] / 64],
					i.class_of[c.sets[b].lines[0] / 64]);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* Somebody else has a line in one of eight sets: always, or now and then. What
 * is checked and good is right; who stays does no harm.
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
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, 12, 32, 1600, 8, seed);
		i.once = true;
		i.used = others[_i].used;
		i.held = others[_i].held;
		i.stretch = others[_i].stretch;
		evset_overflow(&i.o, i.lines, i.count, i.o.clearing, &prefix,
			       &f);
		ck_assert_int_eq(evset_classify(&i.o, i.lines, i.count, prefix,
						12, &c, &f),
				 0);
		ck_assert_msg(c.apart || i.stretch, "seed %d", (int)seed);
		if (c.apart)
			expect_sorted(&i, &c, true);
		evset_classes_free(&c);
		ideal_end(&i);
	}
}
END_TEST

/* algorithms.md, section 2.2: 146 tests and 81,000 accesses, last straw. */
START_TEST(test_cost)
{
	uint64_t tests = 0, accesses = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_set set;
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, 16, 64, 3072, 0, seed);
		evset_overflow(&i.o, i.lines, i.count, 0, &prefix, &f);
		evset_reduce(&i.o, i.lines, prefix, &set, &f);
		expect_class(&i, &set);
		tests += i.o.tests;
		accesses += i.o.accesses;
		ideal_end(&i);
	}
	ck_assert_uint_le(tests, SEEDS * 146 * 12 / 10);
	ck_assert_uint_le(accesses, SEEDS * UINT64_C(81000) * 12 / 10);
}
END_TEST

/* Whole machines: the second level folds bits 16 and up onto its index, from
 * bit @folded of the index on. Scattered: a guest with 2 MiB pages, behind which
 * are those of a host that has 4 KiB pages.
 */
static const struct machine_case {
	unsigned int ways, bits, folded;
	const char *policy;
	bool scattered;
	bool open; /* sets may be undecided */
	bool by_time;
} machines[] = {
	{ 16, 8, 0, "tree-plru", false, false, false },
	{ 8, 9, 0, "lru", false, false, false },
	{ 12, 7, 0, "bit-plru", false, false, false },
	{ 4, 8, 0, "random", false, true, false },
	{ 8, 8, 4, "lru", true, false, false },
	{ 8, 9, 4, "tree-plru", true, false, true },
	{ 16, 8, 3, "tree-plru", true, false, false },
	{ 6, 9, 5, "bit-plru", true, false, false },
	/* Whole pages are sorted: of the offset two bits are folded, none, four. */
	{ 8, 10, 4, "lru", true, false, true },
	{ 6, 9, 6, "bit-plru", true, false, true },
	{ 12, 9, 2, "lru", true, false, true },
};
#define MACHINES ((int)(sizeof(machines) / sizeof(machines[0])))
/* Where sanitizers slow them down: one of each kind. */
#ifdef __SANITIZE_ADDRESS__
#define FIRST_MACHINE 3
#define LAST_MACHINE 6
#else
#define FIRST_MACHINE 0
#define LAST_MACHINE MACHINES
#endif
#define MIB (UINT64_C(1) << 20)

static uint64_t mask_of(const struct machine_case *c, unsigned int bit)
{
	return UINT64_C(1) << (6 + bit) | (uint64_t)(bit >= c->folded)
						  << (16 + bit);
}

static struct machine *open_folded(const struct machine_case *c)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = 64 * MIB,
						 .seed = 1 };
	const char *placement =
		c->scattered ?
			",\"phys_placement\":\"random-2m\",\"virtual_machine\":true,\"host_page_bytes\":4096" :
			"";
	struct profile *profile;
	char masks[400] = "", text[1400];
	struct machine *m;

	for (unsigned int b = 0; b < c->bits; b++)
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"%#x\"", b ? "," : "",
			 (unsigned int)mask_of(c, b));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":14,\"policy\":{\"name\":\"%s\"},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],\"phys_bits\":40%s,\"counters\":[\"l1d_miss\",\"l2_miss\"],\"memory\":{\"latency_cycles\":200}}",
		c->ways * 64 << c->bits, c->ways, c->policy, masks, placement);
	profile = profile_parse(text, strlen(text), "folded", &f);
	ck_assert_msg(profile != NULL, "%s", f.text);
	m = machine_open_profile(profile, &request, &f);
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

static void expect(const struct parameter *p, double value, bool open)
{
	if (open && p->status == PARAMETER_UNDECIDED)
		return;
	ck_assert_msg(p->status == PARAMETER_MEASURED, "%s", p->reason);
	ck_assert_double_eq(p->value, value);
	ck_assert_str_eq(p->method, "eviction sets");
}

/* The space that the machine's masks span, over the bits that were varied. */
static void expect_masks(const struct index_function *found,
			 const struct machine_case *c)
{
	uint64_t bits = (UINT64_C(2) << found->high_bit) - 1;
	struct gf2_space truth = { .rank = 0 }, span = truth;

	/* No page of which more is known than the levels above make of it. */
	if (c->scattered) {
		ck_assert_uint_eq(found->rank, 0);
		return;
	}
	ck_assert_msg(found->rank || c->open, "%s", found->reason);
	for (size_t i = 0; i < found->rank; i++)
		gf2_add(&span, found->masks[i]);
	for (unsigned int b = 0; found->rank && b < c->bits; b++)
		gf2_add(&truth, mask_of(c, b) & bits);
	ck_assert_uint_eq(span.rank, found->rank ? truth.rank : 0);
	for (size_t i = 0; i < found->rank; i++)
		ck_assert_uint_eq(gf2_reduce(&truth, found->masks[i]), 0);
	ck_assert_uint_eq(found->check.false_congruent, 0);
	ck_assert_uint_eq(found->check.false_apart, 0);
	ck_assert(!found->rank || found->check.congruent);
}

START_TEST(test_machine)
{
	if (!is_in_part(_i))
		return;

	const struct machine_case *c = &machines[_i];
	struct machine *m = open_folded(c);
	const struct cache_result *l2;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	if (c->by_time)
		p.by = PROBER_BY_TIME;
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	ck_assert_int_eq(xray_measure(&p, &h, &f), 0);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	expect(&l2->ways, c->ways, false);
	expect(&l2->line_bytes, 64, false);
	expect(&l2->sets, 1U << c->bits, c->open);
	expect(&l2->capacity_bytes, c->ways * 64U << c->bits, c->open);
	/* In scattered pages only folded bits of the offset show it. */
	ck_assert_int_eq(l2->index, c->scattered && c->folded > 5 ?
					    INDEX_UNKNOWN :
					    INDEX_HASHED);
	expect_masks(&l2->function, c);
	machine_close(m);
}
END_TEST

/* Longer samples are always disturbed: those of all sets at once. */
#define LONG_LOADS 2000

static const struct machine_ops *quiet_ops;

static int disturb_long(struct machine *m, const struct sequence *s,
			const struct walk_plan *plan, struct sample *samples,
			struct failure *failure)
{
	int error = quiet_ops->walk(m, s, plan, samples, failure);

	for (unsigned int i = 0; !error && i < plan->samples; i++)
		samples[i].disturbed |= samples[i].loads > LONG_LOADS;
	return error;
}

/* What nobody has seen undisturbed neither fits nor overflows. */
START_TEST(test_disturbed)
{
	static const struct machine_case c = {
		8, 9, 4, "lru", true, true, false
	};
	struct machine *m = open_folded(&c);
	struct machine_ops ops = *m->ops;
	const struct cache_result *l2;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	quiet_ops = m->ops;
	ops.walk = disturb_long;
	m->ops = &ops;
	ck_assert_int_eq(xray_measure(&p, &h, &f), 0);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	expect(&l2->ways, c.ways, false);
	ck_assert_msg(l2->sets.status == PARAMETER_UNDECIDED, "%g sets",
		      l2->sets.value);
	ck_assert_msg(l2->capacity_bytes.status == PARAMETER_UNDECIDED,
		      "%g bytes", l2->capacity_bytes.value);
	m->ops = quiet_ops;
	machine_close(m);
}
END_TEST

Suite *make_evset_suite(void)
{
	Suite *s = suite_create("evset");
	TCase *t = tcase_create("oracle"), *m = tcase_create("machine");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_minimal_set, 0, SIZES);
	tcase_add_loop_test(t, test_wrong_answers, 0, SIZES);
	tcase_add_test(t, test_nothing_overflows);
	tcase_add_test(t, test_congruence);
	tcase_add_loop_test(t, test_classes, 0, SIZES);
	tcase_add_test(t, test_bad_classes);
	tcase_add_test(t, test_wrong_classes);
	tcase_add_loop_test(t, test_used_classes, 0, USERS);
	tcase_add_test(t, test_cost);
	suite_add_tcase(s, t);
	tcase_set_timeout(m, 240);
	tcase_add_loop_test(m, test_machine, FIRST_MACHINE, LAST_MACHINE);
	tcase_add_test(m, test_disturbed);
	suite_add_tcase(s, m);
	return s;
}
