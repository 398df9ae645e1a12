// SPDX-License-Identifier: GPL-2.0
/* check_array.c - last arrays of translations by accessed bits. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/accessed/array.h"
#include "suites.h"

#define SEED 7
#define BYTES (UINT64_C(16) << 20)
#define ARRAY(level, type, pages, entries, ways, more)                       \
	"{\"level\":" #level ",\"type\":\"" type "\",\"page_bytes\":[" pages \
	"],\"entries\":" #entries ",\"ways\":" #ways more "}"
#define SECOND ",\"latency_cycles\":7"
#define POLICY(name) ",\"policy\":{\"name\":\"" name "\"}"
#define XOR(fold) ",\"index\":{\"kind\":\"xor\",\"fold\":" #fold "}"
/* Pages 64 to 511 lie in the sets of the first 64 (Zen 3, code). */
#define GAP                                                        \
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x1\",\"0x2\"," \
	"\"0x4\",\"0x8\",\"0x10\",\"0x20\",\"0x200\"]}"
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
#define SMALL "4096"
#define LARGE "2097152"
#define BOTH "4096,2097152"

/**
 * struct case - a machine, and its last array
 * @above: entries of the array above it, as the search is given them
 */
static const struct {
	const char *name;
	const char *tlbs;
	uint64_t page_bytes;
	bool executable;
	double above;
	double entries, ways;
	enum index_kind index;
} machines[] = {
	{ "one level", ARRAY(1, "data", SMALL, 64, 4, ""), 4096, false, 0, 64,
	  4, INDEX_LINEAR },
	{ "an index that leaves out bits",
	  ARRAY(1, "data", SMALL, 64, 64, "") "," ARRAY(2, "data", SMALL, 512,
							4, SECOND GAP),
	  4096, false, 64, 512, 4, INDEX_HASHED },
	{ "one set", ARRAY(1, "data", SMALL, 64, 64, POLICY("tree-plru")), 4096,
	  false, 0, 64, 64, INDEX_LINEAR },
	{ "Zen 5, data",
	  ARRAY(1, "data", SMALL, 96, 96, "") "," ARRAY(2, "data", SMALL, 4096,
							8, SECOND XOR(9)),
	  4096, false, 96, 4096, 8, INDEX_HASHED },
	{ "Zen 5, code",
	  ARRAY(1, "instruction", SMALL, 64, 64,
		"") "," ARRAY(2, "instruction", SMALL, 2048, 4,
			      SECOND XOR(9) POLICY("random")),
	  4096, true, 64, 2048, 4, INDEX_HASHED },
	{ "Haswell, large pages",
	  ARRAY(1, "data", LARGE, 32, 4, "") "," ARRAY(
		  2, "unified", BOTH, 1024, 8, SECOND POLICY("tree-plru")),
	  2097152, false, 32, 1024, 8, INDEX_LINEAR },
	{ "folded, twelve ways",
	  ARRAY(1, "data", BOTH, 64, 4,
		"") "," ARRAY(2, "unified", BOTH, 1536, 12,
			      SECOND XOR(7) POLICY("mru3plru4")),
	  4096, false, 64, 1536, 12, INDEX_HASHED },
	{ "sixteen ways, by fetches",
	  ARRAY(1, "instruction", SMALL, 128, 8, "") "," ARRAY(
		  2, "unified", SMALL, 2048, 16, SECOND POLICY("srrip")),
	  4096, true, 128, 2048, 16, INDEX_LINEAR },
	{ "five ways",
	  ARRAY(1, "data", SMALL, 48, 48, "") "," ARRAY(
		  2, "unified", SMALL, 1280, 5, SECOND POLICY("random")),
	  4096, false, 48, 1280, 5, INDEX_LINEAR },
	{ "sets no power of two",
	  ARRAY(1, "data", SMALL, 72, 72, "") "," ARRAY(2, "data", SMALL, 3072,
							8, SECOND MODULO),
	  4096, false, 72, 3072, 8, INDEX_MODULO },
	{ "direct-mapped",
	  ARRAY(1, "data", SMALL, 8, 8, "") "," ARRAY(2, "data", SMALL, 256, 1,
						      SECOND),
	  4096, false, 8, 256, 1, INDEX_LINEAR },
	{ "what is not known above",
	  ARRAY(1, "data", SMALL, 64, 4, POLICY("nru")) "," ARRAY(
		  2, "data", SMALL, 512, 4, SECOND POLICY("bit-plru")),
	  4096, false, 0, 512, 4, INDEX_LINEAR },
};

static struct machine *open_with(const char *tlbs, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":1,\"type\":\"instruction\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4}],\"counters\":[],"
		 "\"huge_page_bytes\":[2097152],\"tlbs\":[%s]%s}",
		 tlbs, more);
	return profilekit_open(text, BYTES, SEED);
}

static void measure(struct machine *m, uint64_t page_bytes, bool executable,
		    double above, struct accessed_array *a)
{
	struct failure f = { .text = "" };
	struct kept_view v;
	struct prober p;

	prober_begin(&p, m, SEED);
	ck_assert_msg(!kept_view_open(&v, &p, page_bytes, executable, &f), "%s",
		      f.text);
	v.above = above;
	ck_assert_msg(!accessed_find_array(&v, a, &f), "%s", f.text);
	kept_view_close(&v);
}

START_SLOW_TEST(last_array_is_found)
{
	struct machine *m =
		open_with(machines[_i].tlbs, ",\"accessed_bits\":true");
	struct accessed_array a;

	measure(m, machines[_i].page_bytes, machines[_i].executable,
		machines[_i].above, &a);
	ck_assert_msg(a.found && a.ways_found, "%s: %s", machines[_i].name,
		      a.reason);
	ck_assert_msg(a.entries == machines[_i].entries &&
			      a.ways == machines[_i].ways &&
			      a.sets == a.entries / a.ways &&
			      a.index == machines[_i].index,
		      "%s: %g entries, %g ways, %g sets, index %d",
		      machines[_i].name, a.entries, a.ways, a.sets, a.index);
	ck_assert(a.bound > 0 && a.bound < 1e-5);
	machine_close(m);
}
END_TEST

static const struct {
	const char *tlbs;
	enum verdict verdict;
} pairs[] = {
	{ ARRAY(1, "data", SMALL, 64, 4, "") "," ARRAY(
		  1, "instruction", SMALL, 64, 8,
		  "") "," ARRAY(2, "unified", SMALL, 1024, 8, SECOND),
	  VERDICT_COMPACT },
	{ ARRAY(1, "data", SMALL, 64, 4, "") "," ARRAY(
		  1, "instruction", SMALL, 64, 8,
		  "") "," ARRAY(2, "data", SMALL, 1024, 8,
				SECOND) "," ARRAY(2, "instruction", SMALL, 512,
						  4, SECOND),
	  VERDICT_NON_COMPACT },
	{ ARRAY(1, "unified", SMALL, 128, 8, ""), VERDICT_COMPACT },
	{ ARRAY(1, "data", SMALL, 64, 4, "") "," ARRAY(1, "instruction", SMALL,
						       64, 4, ""),
	  VERDICT_NON_COMPACT },
};

START_SLOW_TEST(shared_arrays_are_distinguished)
{
	struct machine *m =
		open_with(pairs[_i].tlbs, ",\"accessed_bits\":true");
	struct failure f = { .text = "" };
	enum verdict verdict;
	struct kept_view v;
	struct prober p;

	prober_begin(&p, m, SEED);
	ck_assert_int_eq(kept_view_open(&v, &p, 4096, true, &f), 0);
	ck_assert_msg(!accessed_find_shared(&v, _i < 2 ? 512 : 64, &verdict,
					    &f),
		      "%s", f.text);
	ck_assert_int_eq(verdict, pairs[_i].verdict);
	ck_assert(p.budget.alpha_drawn > 0);
	kept_view_close(&v);
	machine_close(m);
}
END_TEST

static const struct machine_ops *honest;
static unsigned int calls;

/* TLBs are flushed in every third test, which the machine notices, ... */
static int flush_noticed(struct view *view, const struct touch_plan *plan,
			 struct touch_answer *answer, struct failure *f)
{
	int error = honest->view_touch(view, plan, answer, f);

	if (calls++ % 3 == 0)
		*answer = (struct touch_answer){
			.walked = plan->test.pages->length, .disturbed = true
		};
	return error;
}

/* ... or in every seventh, unnoticed. */
static int flush_unnoticed(struct view *view, const struct touch_plan *plan,
			   struct touch_answer *answer, struct failure *f)
{
	int error = honest->view_touch(view, plan, answer, f);

	if (calls++ % 7 == 0)
		answer->walked = plan->test.pages->length;
	return error;
}

static void disturb(struct machine *m, struct machine_ops *ops,
		    int (*touch)(struct view *, const struct touch_plan *,
				 struct touch_answer *, struct failure *))
{
	honest = m->ops;
	calls = 0;
	*ops = *honest;
	ops->view_touch = touch;
	m->ops = ops;
}

START_SLOW_TEST(disturbed_tests_are_made_again)
{
	struct machine *m =
		open_with(machines[3].tlbs, ",\"accessed_bits\":true");
	struct accessed_array a;
	struct machine_ops ops;

	disturb(m, &ops, flush_noticed);
	measure(m, 4096, false, machines[3].above, &a);
	m->ops = honest;
	ck_assert_msg(a.found, "%s", a.reason);
	ck_assert(a.entries == machines[3].entries &&
		  a.ways == machines[3].ways);
	machine_close(m);
}
END_TEST

/* Another thread of the core holds entries: pages of its own, which it touches. */
#define OTHERS 128
#define PAUSE_TESTS 300
static uint64_t others[OTHERS];
/* Tests that it stays away from in turn; 0: it never does. */
static unsigned int pause_tests;

/* It touches all of them before a test. */
static int share_core(struct view *view, const struct touch_plan *plan,
		      struct touch_answer *answer, struct failure *f)
{
	const struct sequence pages = { others, OTHERS };
	struct touch before[8];
	struct touch_plan shared = *plan;

	ck_assert_uint_lt(plan->before_count, 8);
	memcpy(before, plan->before, plan->before_count * sizeof(*before));
	if (!pause_tests || calls++ / pause_tests % 2)
		before[shared.before_count++] =
			(struct touch){ &pages, plan->test.kind, 1 };
	shared.before = before;
	return honest->view_touch(view, &shared, answer, f);
}

static void measure_shared(uint64_t seed, struct accessed_array *a)
{
	struct machine *m =
		open_with(ARRAY(1, "data", SMALL, 32, 32,
				"") "," ARRAY(2, "data", SMALL, 512, 8, SECOND),
			  ",\"accessed_bits\":true");
	struct rng rng = { .state = seed };
	struct machine_ops ops;

	/* Of four neighbouring sets three hold two of them, and all some more by chance. */
	for (size_t i = 0; i < OTHERS; i++)
		others[i] = (UINT64_C(1) << 37) + (i << 20) +
			    (i % 4 == 3 ? rng_below(&rng, 256) : i) * 4096;
	disturb(m, &ops, share_core);
	m->clearing_disturbs = true;
	measure(m, 4096, false, 32, a);
	m->ops = honest;
	machine_close(m);
}

/* Two of eight ways, on average and most often: six would be wrong. */
START_SLOW_TEST(entries_of_another_thread_are_not_missing)
{
	struct accessed_array a;

	pause_tests = 0;
	measure_shared(SEED + (uint64_t)_i, &a);
	ck_assert_msg(!a.found || (a.entries == 512 && a.ways == 8),
		      "%g entries, %g ways", a.entries, a.ways);
}
END_TEST

START_SLOW_TEST(moments_without_another_thread_show_the_ways)
{
	struct accessed_array a;

	pause_tests = PAUSE_TESTS;
	measure_shared(SEED + (uint64_t)_i, &a);
	ck_assert_msg(a.found && a.ways_found, "%s", a.reason);
	ck_assert_msg(a.entries == 512 && a.ways == 8, "%g entries, %g ways",
		      a.entries, a.ways);
}
END_TEST

/* Pages of the other thread change after as many tests. */
#define CHANGE_TESTS 8
static struct rng other_rng;

/* It holds two of eight ways on average, of any sets, and is never away. */
static int share_at_random(struct view *view, const struct touch_plan *plan,
			   struct touch_answer *answer, struct failure *f)
{
	if (calls % CHANGE_TESTS == 0)
		for (size_t i = 0; i < OTHERS; i++)
			others[i] = (UINT64_C(1) << 37) + (i << 20) +
				    rng_below(&other_rng, 256) * 4096;
	calls++;
	return share_core(view, plan, answer, f);
}

START_SLOW_TEST(sets_that_others_hold_show_where_ways_end)
{
	struct machine *m =
		open_with(ARRAY(1, "data", SMALL, 32, 32,
				"") "," ARRAY(2, "data", SMALL, 512, 8, SECOND),
			  ",\"accessed_bits\":true");
	struct accessed_array a;
	struct machine_ops ops;

	other_rng = (struct rng){ .state = SEED + (uint64_t)_i };
	pause_tests = 0;
	disturb(m, &ops, share_at_random);
	m->clearing_disturbs = true;
	measure(m, 4096, false, 32, &a);
	m->ops = honest;
	machine_close(m);
	ck_assert_msg(a.found && a.ways_found, "%s", a.reason);
	ck_assert_msg(a.entries == 512 && a.ways == 8, "%g entries, %g ways",
		      a.entries, a.ways);
}
END_TEST

START_SLOW_TEST(sharing_needs_no_silence)
{
	struct machine *m =
		open_with(pairs[_i].tlbs, ",\"accessed_bits\":true");
	struct failure f = { .text = "" };
	struct machine_ops ops;
	enum verdict verdict;
	struct kept_view v;
	struct prober p;

	disturb(m, &ops, flush_unnoticed);
	prober_begin(&p, m, SEED);
	ck_assert_int_eq(kept_view_open(&v, &p, 4096, true, &f), 0);
	ck_assert_int_eq(
		accessed_find_shared(&v, _i < 2 ? 512 : 64, &verdict, &f), 0);
	ck_assert_int_eq(verdict, pairs[_i].verdict);
	kept_view_close(&v);
	m->ops = honest;
	machine_close(m);
}
END_TEST

START_TEST(machines_without_accessed_bits_refuse)
{
	struct machine *m = open_with(ARRAY(1, "data", SMALL, 64, 4, ""), "");
	struct failure f = { .text = "" };
	struct kept_view v;
	struct prober p;

	prober_begin(&p, m, SEED);
	ck_assert_int_eq(kept_view_open(&v, &p, 4096, false, &f), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(f.text, "accessed bits"));
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("accessed bits");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, last_array_is_found, 0,
			    (int)(sizeof(machines) / sizeof(machines[0])));
	tcase_add_loop_test(t, shared_arrays_are_distinguished, 0,
			    (int)(sizeof(pairs) / sizeof(pairs[0])));
	tcase_add_test(t, disturbed_tests_are_made_again);
	tcase_add_loop_test(t, entries_of_another_thread_are_not_missing, 0, 6);
	tcase_add_loop_test(t, moments_without_another_thread_show_the_ways, 0,
			    4);
	tcase_add_loop_test(t, sharing_needs_no_silence, 0,
			    (int)(sizeof(pairs) / sizeof(pairs[0])));
	tcase_add_test(t, machines_without_accessed_bits_refuse);
	suite_add_tcase(suite, t);
	t = tcase_create("others in all sets");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, sets_that_others_hold_show_where_ways_end, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
