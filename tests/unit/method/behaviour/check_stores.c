// SPDX-License-Identifier: GPL-2.0
/* check_stores.c - levels that allocate on writes or not, and steps before a sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kit/disturber.h"
#include "kit/levelkit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

static const struct {
	const char *name;
	struct level levels[LEVELS];
	const char *more;
	unsigned int counters;
	int wanted[LEVELS]; /* -1: undecided */
	int back;	    /* the first level writes back; -1: undecided */
} cases[] = {
	{ "all allocate",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  TIMED,
	  0,
	  { 1, 1, 1 },
	  1 },
	{ "all allocate, noise",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  NOISY,
	  0,
	  { 1, 1, 1 },
	  1 },
	{ "first level bypassed and written through",
	  { { 8, 64, "tree-plru", NINE, true, true, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  TIMED,
	  0,
	  { 0, 1, 1 },
	  0 },
	{ "first level bypassed, counted",
	  { { 8, 64, "tree-plru", NINE, true, false, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 0, 1, 1 },
	  1 },
	{ "second level bypassed, noise",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, true, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  NOISY,
	  0,
	  { 1, 0, 1 },
	  1 },
	{ "second level bypassed, written through",
	  { { 8, 64, "lru", NINE, false, true, NULL },
	    { 8, 512, "lru", NINE, true, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  TIMED,
	  0,
	  { 1, 0, 1 },
	  0 },
	{ "second level bypassed, in steps of use, written through",
	  { { 8, 64, "tree-plru", NINE, true, true, NULL },
	    { 8, 512, "srrip", NINE, true, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  TIMED,
	  0,
	  { 0, 0, 1 },
	  -1 },
	{ "third level bypassed, counted",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", NINE, true, false, NULL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 1, 1, 0 },
	  1 },
	{ "stride prefetcher without a switch, counted",
	  { { 8, 64, "tree-plru", NINE, false, false, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 2048, "tree-plru", NINE, false, false, NULL } },
	  COUNTED
	  ",\"prefetchers\":[{\"kind\":\"stride\",\"level\":1,\"switchable\":false}]",
	  ALL_COUNTERS,
	  { 1, 1, 1 },
	  1 },
	{ "no level allocates",
	  { { 8, 64, "lru", NINE, true, false, NULL },
	    { 8, 512, "lru", NINE, true, false, NULL },
	    { 16, 2048, "lru", NINE, true, false, NULL } },
	  TIMED,
	  0,
	  { 0, 0, 0 },
	  1 },
	{ "inclusive L2, noise",
	  { { 8, 64, "tree-plru", NINE, false, false, NULL },
	    { 8, 512, "tree-plru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  NOISY,
	  0,
	  { 1, 1, 1 },
	  1 },
	{ "inclusive L2, bypassed, counted",
	  { { 2, 256, "lru", NINE, true, false, NULL },
	    { 16, 1024, "srrip", INCLUSIVE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 0, 1, 1 },
	  1 },
	{ "inclusive L2, written through",
	  { { 8, 64, "tree-plru", NINE, false, true, NULL },
	    { 8, 512, "tree-plru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  COUNTED,
	  ALL_COUNTERS,
	  { 1, 1, 1 },
	  0 },
	{ "exclusive L2",
	  { { 2, 512, "lru", NINE, false, false, NULL },
	    { 16, 1024, "lru", EXCLUSIVE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  TIMED,
	  0,
	  { 1, 1, 1 },
	  -1 },
	{ "exclusive L2 below a bypassed L1",
	  { { 2, 512, "lru", NINE, true, false, NULL },
	    { 16, 1024, "lru", EXCLUSIVE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  TIMED,
	  0,
	  { 0, -1, 1 },
	  -1 },
};

START_TEST(known_machines)
{
	struct hierarchy h;

	levelkit_know(&h, cases[_i].levels);
	levelkit_stores(cases[_i].levels, cases[_i].more, 5, cases[_i].counters,
			&h);
	for (int i = 0; i < LEVELS; i++) {
		const struct parameter *p = &h.caches[i].write_allocate;
		int wanted = cases[_i].wanted[i];
		bool decided = p->status == PARAMETER_MEASURED;

		ck_assert_msg(decided == (wanted >= 0), "%s: L%d: %g %s",
			      cases[_i].name, i + 1, p->value, p->reason);
		if (decided)
			ck_assert_msg((int)p->value == wanted, "%s: L%d: %g",
				      cases[_i].name, i + 1, p->value);
		else
			ck_assert(p->reason[0]);
	}
	ck_assert_msg((h.caches[0].write_back.status == PARAMETER_MEASURED) ==
			      (cases[_i].back >= 0),
		      "%s: %s", cases[_i].name, h.caches[0].write_back.reason);
	if (cases[_i].back >= 0)
		ck_assert((int)h.caches[0].write_back.value == cases[_i].back);
	else
		ck_assert(h.caches[0].write_back.reason[0]);
	ck_assert_int_eq(h.caches[1].write_back.status, PARAMETER_UNAVAILABLE);
}
END_TEST

/* Rounds that show that lines hit here are the longest ones. */
static bool settles(const struct walk_plan *plan, const struct sample *sample)
{
	return !plan->step_count && sample->loads >= 2000;
}

START_TEST(never_seen_to_hit)
{
	struct machine *m = levelkit_open(cases[0].levels, TIMED, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	levelkit_know(&h, cases[0].levels);
	prober_begin(&p, m, 5);
	p.counters = 0;
	disturb_samples(m, settles);
	ck_assert_msg(write_allocate_measure(&p, &h, &f) == 0, "%s", f.text);
	for (int i = 1; i < LEVELS; i++) {
		const struct parameter *w = &h.caches[i].write_allocate;

		ck_assert_int_eq(w->status, PARAMETER_UNDECIDED);
		ck_assert_ptr_nonnull(strstr(w->reason, "never seen"));
	}
	machine_close(m);
}
END_TEST

#define COARSE_SEEDS 40
#define LOST_SEEDS 12

/* Few lines take less than one step of the clock; and lines that the first level
 * keeps after all are not taken for hits of the second for that.
 */
START_TEST(coarse_clock)
{
	static const struct level known[LEVELS] = {
		{ 4, 256, "tree-plru", NINE, false, false, NULL },
		{ 8, 2048, "srrip", INCLUSIVE, false, false, NULL },
		{ 16, 4096, "lru", NINE, false, false, NULL },
	};
	struct level levels[LEVELS];

	memcpy(levels, known, sizeof(levels));
	levels[0].ways *= _i ? 4 : 1;
	for (uint64_t seed = 1; seed <= COARSE_SEEDS; seed++) {
		const struct parameter *p;
		struct hierarchy h;

		if (!is_in_part((int)seed))
			continue;
		levelkit_know(&h, known);
		levelkit_stores(levels, COARSE, seed, 0, &h);
		p = &h.caches[1].write_allocate;
		ck_assert_msg(parameter_is_measured(p) == !_i, "seed %d: %s",
			      (int)seed, p->reason);
		ck_assert(_i || p->value > 0);
	}
}
END_TEST

/* What an unknown level below costs is assumed, and only hits are believed. */
START_TEST(unknown_below)
{
	struct level levels[LEVELS] = {
		{ 8, 64, "lru", NINE, false, false, NULL },
		{ 8, 512, "lru", NINE, false, false, NULL },
		{ 16, 2048, "lru", NINE, false, false, NULL },
	};
	const struct parameter *p;
	struct hierarchy h;

	levels[1].bypassed = _i;
	levelkit_know(&h, levels);
	parameter_undecided(&h.caches[2].latency_ns, "test", "not known");
	levelkit_stores(levels, TIMED, 7, 0, &h);
	p = &h.caches[1].write_allocate;
	ck_assert_int_eq(p->status,
			 _i ? PARAMETER_UNDECIDED : PARAMETER_MEASURED);
	if (!_i)
		ck_assert(p->value > 0);
	ck_assert_int_eq(h.caches[2].write_allocate.status,
			 PARAMETER_UNDECIDED);
}
END_TEST

/* All that the last level has room for, used twice. */
static void fill_last(struct machine *m, const struct level *last,
		      uint64_t seed)
{
	const struct walk_plan plan = { .warm_rounds = 2, .samples = 1 };
	struct sequence s = { .length = (size_t)last->ways * last->sets };
	struct failure f = { .text = "" };
	struct rng rng = { seed };
	struct sample unused;

	s.offsets = calloc(s.length, sizeof(*s.offsets));
	ck_assert_ptr_nonnull(s.offsets);
	for (size_t i = 0; i < s.length; i++)
		s.offsets[i] = i * 64;
	sequence_shuffle(&s, &rng);
	ck_assert_msg(m->ops->walk(m, &s, &plan, &unused, &f) == 0, "%s",
		      f.text);
	sequence_free(&s);
}

/* A full level that lets few lines stay takes a kept one away again and again:
 * it is back in the second level then, stored to or not.
 */
START_TEST(full_below)
{
	static const struct level levels[LEVELS] = {
		{ 8, 64, "lru", NINE, false, false, NULL },
		{ 8, 512, "lru", NINE, false, false, NULL },
		{ 16, 2048, "brrip", INCLUSIVE, false, false, NULL },
	};
	struct machine *m = levelkit_open(levels, COUNTED, 5);
	struct failure f = { .text = "" };
	const struct parameter *back;
	struct hierarchy h;
	struct prober p;

	levelkit_know(&h, levels);
	h.caches[2].index = INDEX_HASHED;
	prober_begin(&p, m, 5 + (uint64_t)_i);
	p.counters = ALL_COUNTERS;
	fill_last(m, &levels[2], 5);
	ck_assert_msg(write_back_measure(&p, &h, &f) == 0, "%s", f.text);
	back = &h.caches[0].write_back;
	ck_assert_msg(back->status == PARAMETER_MEASURED, "%s", back->reason);
	ck_assert(back->value > 0);
	machine_close(m);
}
END_TEST

/* A level that may be exclusive has nothing of stores that bypass those above. */
START_TEST(unknown_inclusion)
{
	static const struct level levels[LEVELS] = {
		{ 2, 512, "lru", NINE, true, false, NULL },
		{ 16, 1024, "lru", EXCLUSIVE, false, false, NULL },
		{ 16, 4096, "lru", NINE, false, false, NULL },
	};
	struct hierarchy h;

	levelkit_know(&h, levels);
	h.caches[1].inclusion = INCLUSION_UNKNOWN;
	levelkit_stores(levels, TIMED, 9, 0, &h);
	ck_assert_int_eq(h.caches[1].write_allocate.status,
			 PARAMETER_UNDECIDED);
}
END_TEST

/* A first level that puts lines out in the order in which they came loses the line
 * that it is asked for, and a store that it lets pass is seen below.
 */
START_TEST(lost_in_first)
{
	static const struct level levels[LEVELS] = {
		{ 8, 32, "fifo", NINE, true, false, NULL },
		{ 16, 256, "fifo", NINE, false, false, NULL },
		{ 8, 1024, "nru", NINE, true, false, NULL },
	};

	for (uint64_t seed = 1; seed <= LOST_SEEDS; seed++) {
		const struct parameter *p;
		struct hierarchy h;

		if (!is_in_part((int)seed))
			continue;
		levelkit_know(&h, levels);
		levelkit_stores(levels, seed % 2 ? TIMED : NOISY, seed, 0, &h);
		p = &h.caches[0].write_back;
		ck_assert_msg(!parameter_is_measured(p) || p->value > 0,
			      "seed %d: written through", (int)seed);
	}
}
END_TEST

/* Nothing is known of what lies below the second level: a miss costs what lines
 * do that were pushed out of it.
 */
START_TEST(miss_is_found)
{
	static const struct level levels[][LEVELS] = {
		{ { 8, 64, "tree-plru", NINE, false, false, NULL },
		  { 8, 512, "lru", NINE, false, false, NULL },
		  { 16, 2048, "lru", NINE, false, false, NULL } },
		{ { 8, 64, "tree-plru", NINE, false, false, NULL },
		  { 8, 512, "tree-plru", INCLUSIVE, false, false, NULL },
		  { 16, 2048, "lru", NINE, false, false, NULL } },
		{ { 8, 64, "tree-plru", NINE, false, true, NULL },
		  { 8, 512, "tree-plru", NINE, false, false, NULL },
		  { 16, 2048, "lru", NINE, false, false, NULL } },
	};
	const struct parameter *back;
	struct hierarchy h;

	levelkit_know(&h, levels[_i]);
	parameter_undecided(&h.caches[2].latency_ns, "test", "not seen");
	levelkit_stores(levels[_i], TIMED, 7, 0, &h);
	back = &h.caches[0].write_back;
	ck_assert_msg(parameter_is_measured(back), "%s", back->reason);
	ck_assert_int_eq((int)back->value, _i < 2);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("store and load");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, known_machines, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(t, never_seen_to_hit);
	tcase_add_loop_test(t, coarse_clock, 0, 2);
	tcase_add_loop_test(t, unknown_below, 0, 2);
	tcase_add_loop_test(t, full_below, 0, 4);
	tcase_add_test(t, unknown_inclusion);
	tcase_add_loop_test(t, miss_is_found, 0, 3);
	tcase_add_test(t, lost_in_first);
	suite_add_tcase(s, t);
	return s;
}
