// SPDX-License-Identifier: GPL-2.0
/* check_evset.c - eviction sets of whole simulated machines. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "base/gf2.h"
#include "kit/disturber.h"
#include "kit/levelkit.h"
#include "kit/neighbour.h"
#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

static struct failure f;

/* Whole machines: the second level folds bits 16 and up onto its index, from
 * bit @folded of the index on. Scattered: a guest with 2 MiB pages on a host
 * with 4 KiB pages.
 */
static const struct machine_case {
	unsigned int ways, bits, folded;
	const char *policy;
	bool scattered;
	bool open; /* sets, and what depends on them, may be undecided */
	bool by_time;
	bool wide; /* a way of L1 is four pages of the host */
} machines[] = {
	{ 16, 8, 0, "tree-plru", false, false, false, false },
	{ 8, 9, 0, "lru", false, false, false, false },
	{ 12, 7, 0, "bit-plru", false, false, false, false },
	{ 4, 8, 0, "random", false, true, false, false },
	{ 8, 8, 4, "lru", true, false, false, false },
	{ 8, 9, 4, "tree-plru", true, false, true, false },
	{ 16, 8, 3, "tree-plru", true, false, false, false },
	{ 6, 9, 5, "bit-plru", true, false, false, false },
	/* Whole pages are sorted: two bits of the offset are folded, none,
	 * four. If none are, the sets are decided with 17 seeds of 20.
	 */
	{ 8, 10, 4, "lru", true, false, true, false },
	{ 6, 9, 6, "bit-plru", true, true, true, false },
	{ 12, 9, 2, "lru", true, false, true, false },
	/* Scattered pages are no hash. */
	{ 8, 10, 11, "lru", true, true, false, true },
	{ 8, 10, 11, "tree-plru", true, true, true, true },
};
#define MACHINES ((int)(sizeof(machines) / sizeof(machines[0])))
/* Sanitizers are slow: one machine of each kind. */
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
	const char *placement =
		c->scattered ?
			",\"phys_placement\":\"random-2m\",\"virtual_machine\":true,\"host_page_bytes\":4096" :
			"";
	char masks[400] = "", text[1400];

	for (unsigned int b = 0; b < c->bits; b++)
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"%#x\"", b ? "," : "",
			 (unsigned int)mask_of(c, b));
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":14,\"policy\":{\"name\":\"%s\"},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],\"phys_bits\":40%s,\"counters\":[\"l1d_miss\",\"l2_miss\"],\"memory\":{\"latency_cycles\":200}}",
		c->wide ? 65536U : 32768U, c->wide ? 4U : 8U,
		c->ways * 64 << c->bits, c->ways, c->policy, masks, placement);
	return profilekit_open(text, 64 * MIB, 1);
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

	/* Of a page no more is known than the levels above use. */
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
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	/* If the sets are not known, the ways may be those of a level below. */
	expect(&l2->ways, c->ways,
	       c->open && l2->sets.status == PARAMETER_UNDECIDED);
	expect(&l2->line_bytes, 64, false);
	expect(&l2->sets, 1U << c->bits, c->open);
	expect(&l2->capacity_bytes, c->ways * 64U << c->bits, c->open);
	/* In scattered pages only folded bits of the offset show a hash. */
	ck_assert_int_eq(l2->index, c->scattered && c->folded > 5 ?
					    INDEX_UNKNOWN :
					    INDEX_HASHED);
	expect_masks(&l2->function, c);
	machine_close(m);
}
END_TEST

/* A counter counts misses that a neighbour causes, too. */
START_SLOW_TEST(counters_under_contention)
{
	static const struct machine_case all = { 8,	8,     0,     "lru",
						 false, false, false, false };
	static const struct machine_case held = { 7,	 8,	0,     "lru",
						  false, false, false, false };
	struct machine *m = open_folded(&all), *less = open_folded(&held);
	const struct cache_result *l2;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	neighbour_begin(&p, less, NEIGHBOUR_RETURNS);
	ck_assert_int_eq(xray_measure(&p, &h, &f), 0);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	ck_assert_msg(l2->ways.status == PARAMETER_UNDECIDED, "%g ways",
		      l2->ways.value);
	ck_assert_ptr_nonnull(strstr(l2->ways.reason, "others keep lines"));
	machine_close(m);
	machine_close(less);
}
END_TEST

/* Decided, or undecided with a whole reason; no reason for what was not begun.
 */
static void expect_reason(const struct parameter *p)
{
	const size_t length = strlen(p->reason);

	ck_assert(p->status != PARAMETER_UNDECIDED ||
		  (length && p->reason[length - 1] != ' '));
}

/* Interrupted at any time, the answers are the same: a neighbour that held a
 * way has left by then, or there was none.
 */
START_SLOW_TEST(test_interrupted)
{
	static const struct machine_case all = { 8,	8,     0,     "lru",
						 false, false, false, false };
	const struct machine_case held = {
		8 - (unsigned int)_i, 8, 0, "lru", false, false, false, false
	};
	int error = -EINTR, decided = 0;

	for (unsigned int n = 1; error; n += 2 * part_step(4)) {
		struct machine *m = open_folded(&all);
		struct machine *less = open_folded(&held);
		struct hierarchy h;
		struct prober p;

		prober_begin(&p, m, 1);
		ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
		neighbour_begin(&p, less, NEIGHBOUR_LEAVES);
		neighbour_interrupts(&p, n);
		error = xray_measure(&p, &h, &f);
		ck_assert(!error || error == -EINTR);
		if (error && h.cache_count > 1 &&
		    parameter_is_measured(&h.caches[1].ways)) {
			ck_assert_double_eq(h.caches[1].ways.value, 8);
			decided++;
		}
		if (h.cache_count > 1) {
			expect_reason(&h.caches[1].ways);
			expect_reason(&h.caches[1].line_bytes);
			expect_reason(&h.caches[1].sets);
		}
		machine_close(m);
		machine_close(less);
	}
	ck_assert(decided || _i);
}
END_TEST

/* Longer samples, those of all sets at once, are always disturbed. */
#define LONG_LOADS 2000

static bool is_long(const struct walk_plan *plan, const struct sample *sample)
{
	(void)plan;
	return sample->loads > LONG_LOADS;
}

/* A list without an undisturbed sample neither fits nor overflows. */
START_SLOW_TEST(test_disturbed)
{
	static const struct machine_case c = { 8,    9,	   4,	  "lru",
					       true, true, false, false };
	struct machine *m = open_folded(&c);
	const struct cache_result *l2;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	disturb_samples(m, is_long);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	expect(&l2->ways, c.ways, false);
	ck_assert_msg(l2->sets.status == PARAMETER_UNDECIDED, "%g sets",
		      l2->sets.value);
	ck_assert_msg(l2->capacity_bytes.status == PARAMETER_UNDECIDED,
		      "%g bytes", l2->capacity_bytes.value);
	machine_close(m);
}
END_TEST

/**
 * struct strides - of one level, which are disturbed
 * @level: "L2" or "L3"
 * @walked: just now
 */
static struct strides {
	const char *level;
	bool walked;
} strides;

static void watch_strides(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	strides.walked =
		!strncmp(what, strides.level, 2) &&
		(strstr(what, "ways, lines") || strstr(what, "size of a way"));
}

static bool is_by_strides(const struct walk_plan *plan,
			  const struct sample *sample)
{
	(void)plan;
	(void)sample;
	return strides.walked;
}

static int strides_begun;

static void count_strides(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	strides_begun += !strncmp(what, "L2: lines ", 10);
}

/* In scattered pages strides fail, and are not tried again. */
START_TEST(test_strides_of_pieces)
{
	static const struct machine_case c = { 8,    9,	   4,	 "lru",
					       true, true, true, false };
	struct machine *m = open_folded(&c);
	struct hierarchy h;
	struct prober p;

	strides_begun = 0;
	prober_begin(&p, m, 1);
	p.by = PROBER_BY_TIME;
	p.pieces = VERDICT_NON_COMPACT;
	p.progress = count_strides;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_ge(h.cache_count, 2);
	expect(&h.caches[1].ways, c.ways, false);
	ck_assert_int_le(strides_begun, 2);
	machine_close(m);
}
END_TEST

/* Strides of a linear level without a verdict: eviction sets decide the same,
 * and levels below are reached.
 */
START_TEST(test_handed_over)
{
	if (!is_in_part_of(_i, LEVELS - 1))
		return;

	static const struct level levels[LEVELS] = {
		{ .ways = 8, .sets = 64, .policy = "lru", .kind = NINE },
		{ .ways = 8, .sets = 256, .policy = "lru", .kind = INCLUSIVE },
		{ .ways = 16, .sets = 1024, .policy = "lru", .kind = INCLUSIVE },
	};
	struct machine *m = levelkit_open(levels, TIMED, 1);
	struct hierarchy h;
	struct prober p;

	strides = (struct strides){ .level = _i == 1 ? "L2" : "L3" };
	prober_begin(&p, m, 1);
	p.progress = watch_strides;
	disturb_samples(m, is_by_strides);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_ge(h.cache_count, LEVELS);
	ck_assert_str_eq(h.caches[_i].ways.method, "eviction sets");
	ck_assert_msg(!inclusion_measure(&p, &h, &f), "%s", f.text);
	for (int i = 1; i < LEVELS; i++) {
		const struct cache_result *c = &h.caches[i];

		ck_assert_msg(parameter_is_measured(&c->effective_ways),
			      "L%d: %s", i + 1, c->effective_ways.reason);
		ck_assert_double_eq(c->ways.value, levels[i].ways);
		ck_assert_double_eq(c->sets.value, levels[i].sets);
		ck_assert_double_eq(c->effective_ways.value, levels[i].ways);
		ck_assert_int_eq(c->index, INDEX_LINEAR);
		ck_assert_msg(c->inclusion == INCLUSION_INCLUSIVE, "L%d: %s",
			      i + 1, c->inclusion_decision.reason);
	}
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("machine");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, test_machine, FIRST_MACHINE, LAST_MACHINE);
	tcase_add_test(t, test_disturbed);
	tcase_add_test(t, counters_under_contention);
	tcase_add_loop_test(t, test_interrupted, 0, 2);
	tcase_add_loop_test(t, test_handed_over, 1, LEVELS);
	tcase_add_test(t, test_strides_of_pieces);
	suite_add_tcase(s, t);
	return s;
}
