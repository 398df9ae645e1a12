// SPDX-License-Identifier: GPL-2.0
/* check_inclusion.c - a line that the first level keeps, and levels below that
 * lose it: inclusive ones take it away, no other does.
 */
#include <stdio.h>
#include <stdlib.h>

#include "method/levels/levels.h"
#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

/* What X-Ray would have found. */
static void know_levels(struct hierarchy *h, const struct level *levels)
{
	levelkit_know(h, levels);
	for (int i = 0; i < LEVELS; i++)
		h->caches[i].inclusion = INCLUSION_UNKNOWN;
}

static void measure(const struct level *levels, const char *more, uint64_t seed,
		    unsigned int counters, struct hierarchy *h)
{
	struct machine *m = levelkit_open(levels, more, seed);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	p.counters = counters;
	know_levels(h, levels);
	ck_assert_msg(inclusion_measure(&p, h, &f) == 0, "%s", f.text);
	machine_close(m);
}

/* Of eight lines a step of the clock is half of what L2 takes longer than L1. */
#define STEPS(ns) TIMED ",\"timer\":{\"resolution_ns\":" #ns "}"
#define L1_COUNTED TIMED ",\"counters\":[\"l1d_miss\"]"

static const struct {
	const char *name;
	struct level levels[LEVELS];
	const char *more;
	const char *wanted[2]; /* of L2 and L3; NULL: undecided */
} cases[] = {
	{ "inclusive L3",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  TIMED,
	  { "nine", "inclusive" } },
	{ "inclusive L3, counted",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  L1_COUNTED,
	  { "nine", "inclusive" } },
	{ "inclusive L3, noise",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  NOISY,
	  { "nine", "inclusive" } },
	{ "nothing inclusive",
	  { { 8, 64, "tree-plru", NINE, false, false, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 2048, "srrip", NINE, false, false, NULL } },
	  TIMED,
	  { "nine", "nine" } },
	{ "exclusive L2",
	  { { 2, 512, "lru", NINE, false, false, NULL },
	    { 16, 1024, "lru", EXCLUSIVE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  TIMED,
	  { "exclusive", "nine" } },
	{ "inclusive L3 below an inclusive L2",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", INCLUSIVE, false, false, NULL } },
	  TIMED,
	  { "inclusive", "inclusive" } },
	{ "L3 below an inclusive L2, noise",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  NOISY,
	  { "inclusive", "nine" } },
	{ "a first level of two ways",
	  { { 2, 256, "lru", NINE, false, false, NULL },
	    { 16, 1024, "srrip", INCLUSIVE, false, false, NULL },
	    { 16, 4096, "srrip", NINE, false, false, NULL } },
	  TIMED,
	  { "inclusive", "nine" } },
	{ "a first level of more ways than the levels below",
	  { { 64, 16, "tree-plru", NINE, false, false, NULL },
	    { 8, 512, "tree-plru", NINE, false, false, NULL },
	    { 16, 2048, "tree-plru", INCLUSIVE, false, false, NULL } },
	  L1_COUNTED,
	  { "nine", "inclusive" } },
	{ "an L2 of one way, longer than those of L3",
	  { { 8, 64, "tree-plru", NINE, false, false, NULL },
	    { 1, 8192, "lru", NINE, false, false, NULL },
	    { 16, 2048, "tree-plru", NINE, false, false, NULL } },
	  L1_COUNTED,
	  { "nine", "nine" } },
	{ "a first level that keeps nothing for certain",
	  { { 8, 64, "random", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  TIMED,
	  { NULL, "nine" } },
	{ "an inclusive L2, by a clock of long steps",
	  { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  STEPS(20),
	  { "inclusive", "nine" } },
	{ "a first level that drops lines, by a clock of long steps",
	  { { 8, 64, "fifo", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  STEPS(20),
	  { NULL, "nine" } },
};

START_TEST(known_machines)
{
	if (!is_in_part(_i))
		return;

	unsigned int counters = cases[_i].more[0] &&
						strstr(cases[_i].more, "l1d") ?
					1U << COUNTER_L1D_MISS :
					0;
	struct hierarchy h;

	measure(cases[_i].levels, cases[_i].more, 5, counters, &h);
	for (int i = 0; i < 2; i++) {
		const struct cache_result *c = &h.caches[i + 1];
		const char *wanted = cases[_i].wanted[i];
		bool decided = c->inclusion_decision.status ==
			       PARAMETER_MEASURED;

		ck_assert_msg(decided == (wanted != NULL), "%s: L%d: %s %s",
			      cases[_i].name, i + 2,
			      inclusion_name(c->inclusion),
			      c->inclusion_decision.reason);
		if (wanted)
			ck_assert_str_eq(inclusion_name(c->inclusion), wanted);
		else
			ck_assert(c->inclusion_decision.reason[0]);
	}
}
END_TEST

/* L2 pushes nothing out that an inclusive L3 of little more room does not. */
START_TEST(hidden_level)
{
	const struct level levels[] = {
		{ 4, 64, "tree-plru", NINE, false, false, NULL },
		{ 16, 512, "tree-plru", NINE, false, false, NULL },
		{ 16, 1024, "fifo", INCLUSIVE, false, false, NULL }
	};
	struct machine *m = levelkit_open(levels, _i ? L1_COUNTED : TIMED, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 5);
	p.counters = _i ? 1U << COUNTER_L1D_MISS : 0;
	ck_assert_msg(xray_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_int_ge(h.cache_count, 2);
	ck_assert(parameter_is_measured(&h.caches[1].ways));
	ck_assert_str_ne(inclusion_name(h.caches[1].inclusion), "inclusive");
	machine_close(m);
}
END_TEST

#define HASH_APART 20
#define HASH_BITS 10
/* The lowest address bit that no mask has. */
#define FREE_BIT 16

/* Of a level of few sets, two bits: every fourth line of a set of L1 shares one. */
#define FEW_BITS 8
#define FEW_APART 2

/* L2 of 1024 or 256 sets that XOR two bits each, below an L1 of 64 sets. */
static struct machine *open_hashed(enum inclusion kind, bool few, uint64_t seed)
{
	char text[2000], masks[400] = "";

	for (int i = 0; i < (few ? FEW_BITS : HASH_BITS); i++) {
		uint64_t mask = UINT64_C(0x40) << i;

		if (!few)
			mask |= mask << HASH_APART;
		else if (i >= FEW_BITS - FEW_APART)
			mask |= mask << FEW_APART;
		snprintf(masks + strlen(masks), sizeof(masks) - strlen(masks),
			 "%s\"0x%llx\"", i ? "," : "",
			 (unsigned long long)mask);
	}
	snprintf(
		text, sizeof(text),
		"{\"cycle_ns\":0.5,\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%d,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12,\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":200}}",
		few ? 131072 : 524288, inclusion_name(kind), masks);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

/* Lines of one set, as they would have been collected; @count 0: none were. */
static void know_hashed(struct hierarchy *h, enum inclusion kind, size_t count)
{
	const struct level levels[] = {
		{ 8, 64, "lru", NINE, false, false, NULL },
		{ 8, 1024, "lru", kind, false, false, NULL },
		{ 8, 64, "lru", NINE, false, false, NULL }
	};
	struct cache_result *c = &h->caches[1];

	know_levels(h, levels);
	h->cache_count = 2;
	parameter_measured(&h->memory_latency_ns, 100, 1e-6, "test");
	c->index = INDEX_HASHED;
	/* In bits that no mask has. */
	for (uint64_t i = 0; i < count; i++)
		c->set_lines[i] = i << FREE_BIT;
	c->set_line_count = count;
}

static const struct {
	enum inclusion kind;
	bool few_sets;
	size_t lines;
	const char *reason; /* NULL: decided */
} listed[] = {
	{ NINE, false, 48, NULL },
	{ INCLUSIVE, false, 48, NULL },
	{ NINE, false, 12, "too few lines" },
	{ INCLUSIVE, false, 0, "not known" },
	{ NINE, true, 48, NULL },
	{ INCLUSIVE, true, 48, NULL },
};

/* Of a hashed level the lines are those that were found. */
START_TEST(listed_lines)
{
	struct machine *m =
		open_hashed(listed[_i].kind, listed[_i].few_sets, 5);
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 5);
	know_hashed(&h, listed[_i].kind, listed[_i].lines);
	c = &h.caches[1];
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	if (listed[_i].reason)
		ck_assert_msg(strstr(c->inclusion_decision.reason,
				     listed[_i].reason),
			      "%s", c->inclusion_decision.reason);
	else
		ck_assert_msg(!strcmp(inclusion_name(c->inclusion),
				      inclusion_name(listed[_i].kind)),
			      "%s instead of %s: %s",
			      inclusion_name(c->inclusion),
			      inclusion_name(listed[_i].kind),
			      c->inclusion_decision.reason);
	machine_close(m);
}
END_TEST

/* Nothing is known of L3's sets, as in a guest: lines that push may evict there as well.
 * What L2 takes away is seen to come from L3.
 */
static const struct {
	struct level levels[LEVELS];
	bool inclusive; /* L2 */
} above_unknown[] = {
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL },
	    { 16, 2048, "lru", NINE, false, false, NULL } },
	  true },
	/* It has L2's sets, and takes away what L2 does not. */
	{ { { 8, 64, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", NINE, false, false, NULL },
	    { 8, 512, "lru", INCLUSIVE, false, false, NULL } },
	  false },
};

START_TEST(level_above_unknown_sets)
{
	struct machine *m = levelkit_open(above_unknown[_i].levels, TIMED, 5);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, 5);
	know_levels(&h, above_unknown[_i].levels);
	h.caches[2].index = INDEX_UNKNOWN;
	parameter_undecided(&h.caches[2].ways, "test", "open");
	parameter_undecided(&h.caches[2].capacity_bytes, "test", "open");
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_msg((h.caches[1].inclusion == INCLUSION_INCLUSIVE) ==
			      above_unknown[_i].inclusive,
		      "%d: %s %s", _i, inclusion_name(h.caches[1].inclusion),
		      h.caches[1].inclusion_decision.reason);
	machine_close(m);
}
END_TEST

/* L1 drops a line that is new, but none that was used before. */
START_TEST(first_level_drops_what_is_new)
{
	static const struct level levels[LEVELS] = {
		{ 16, 32, "brrip", NINE, true, false, NULL },
		{ 8, 256, "brrip", NINE, false, false, NULL },
		{ 4, 1024, "fifo", NINE, false, false, NULL },
	};
	struct hierarchy h;

	measure(levels, NOISY, UINT64_C(28602456728481914), 0, &h);
	ck_assert_int_ne(h.caches[1].inclusion, INCLUSION_INCLUSIVE);
}
END_TEST

/* L2 drops a line by itself that is used again and again. Lines that only share
 * its set of L1 do not show that.
 */
START_TEST(middle_level_drops_what_is_used)
{
	static const struct level levels[LEVELS] = {
		{ 16, 64, "lip", NINE, true, true, NULL },
		{ 4, 256, "fifo", INCLUSIVE, true, false, NULL },
		{ 4, 2048, "srrip", NINE, false, false, NULL },
	};
	struct hierarchy h;

	measure(levels, TIMED, UINT64_C(35434693958970197), 0, &h);
	ck_assert_int_ne(h.caches[2].inclusion, INCLUSION_INCLUSIVE);
}
END_TEST

static int never_wrong(struct levelkit_drawn *d, struct rng *rng, int round)
{
	struct hierarchy h;
	int decided = 0;

	(void)rng;
	if (!is_in_part(round))
		return 0;
	measure(d->levels, d->more, d->seed, d->counters, &h);
	for (int i = 1; i < LEVELS; i++) {
		enum inclusion found = h.caches[i].inclusion;

		decided += found != INCLUSION_UNKNOWN;
		levelkit_check(d, i,
			       found == INCLUSION_UNKNOWN ||
				       found == d->levels[i].kind,
			       inclusion_name(found));
	}
	return decided;
}

/* Right or undecided, whatever the machine. */
START_TEST(random_machines)
{
	printf("%d levels decided\n",
	       levelkit_sweep("inclusion", 60, never_wrong));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("kept line");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, known_machines, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(t, level_above_unknown_sets, 0, 2);
	tcase_add_test(t, first_level_drops_what_is_new);
	tcase_add_test(t, middle_level_drops_what_is_used);
	tcase_add_loop_test(t, listed_lines, 0,
			    sizeof(listed) / sizeof(listed[0]));
	tcase_add_test(t, random_machines);
	suite_add_tcase(s, t);
	t = tcase_create("hidden level");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, hidden_level, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
