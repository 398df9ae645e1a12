// SPDX-License-Identifier: GPL-2.0
/* check_walk_cache.c - caches of page walks by accessed bits. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/accessed/walk_cache.h"
#include "suites.h"

#define BYTES (UINT64_C(16) << 20)
#define LEVELS 3
#define UNDECIDED (-1)
#define TLB(entries, ways, more)                                            \
	"{\"level\":1,\"type\":\"data\",\"entries\":" #entries              \
	",\"ways\":" #ways ",\"page_bytes\":[4096,2097152,1073741824]" more \
	"}"
#define SMALL_TLB TLB(64, 4, "")
#define WALKS(all) ",\"walk_caches\":[" all "]"
#define CACHE(level, entries, ways, more)                \
	"{\"level\":\"" level "\",\"entries\":" #entries \
	",\"ways\":" #ways more "}"
#define POLICY(name) ",\"policy\":{\"name\":\"" name "\"}"
#define XOR(fold) ",\"index\":{\"kind\":\"xor\",\"fold\":" #fold "}"
#define MASKS(all) ",\"index\":{\"kind\":\"xor\",\"masks\":[" all "]}"
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
#define BITS ",\"accessed_bits\":true"

/* @entries: by level; 0: there is no such cache */
static const struct {
	const char *name;
	const char *tlbs;
	const char *more;
	double entries[LEVELS];
} machines[] = {
	{ "none", SMALL_TLB, "", { 0, 0, 0 } },
	{ "one, fully associative",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 32, 32, "")),
	  { 32, 0, 0 } },
	{ "three",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 32, 4, POLICY("tree-plru")) "," CACHE(
		  "pdpte", 4, 4, "") "," CACHE("pml4e", 2, 2, "")),
	  { 32, 4, 2 } },
	{ "an upper one alone",
	  SMALL_TLB,
	  WALKS(CACHE("pdpte", 16, 16, "")),
	  { 0, 16, 0 } },
	{ "sets no power of two",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 24, 2, MODULO)),
	  { 24, 0, 0 } },
	{ "direct-mapped",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 16, 1, "")),
	  { 16, 0, 0 } },
	{ "an index that folds",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 64, 2, XOR(5))),
	  { 64, 0, 0 } },
	{ "random replacement",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 20, 20, POLICY("random"))),
	  { 20, 0, 0 } },
	{ "one entry", SMALL_TLB, WALKS(CACHE("pde", 1, 1, "")), { 1, 0, 0 } },
	{ "new entries go first",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 12, 12, POLICY("lip"))),
	  { 12, 0, 0 } },
	{ "a TLB larger than all that is touched",
	  TLB(32768, 8, ""),
	  WALKS(CACHE("pde", 32, 32, "")),
	  { 32, 0, 0 } },
	{ "a TLB whose entries serve neighbours",
	  TLB(64, 4, ",\"coalesce_pages\":8"),
	  WALKS(CACHE("pde", 48, 4, MODULO)),
	  { 48, 0, 0 } },
	{ "small pages alone",
	  "{\"level\":1,\"type\":\"data\",\"entries\":64,\"ways\":4}",
	  WALKS(CACHE("pde", 32, 32, "") "," CACHE("pdpte", 8, 8, "")),
	  { 32, UNDECIDED, 0 } },
	/* 11 of the second level would be wrong. */
	{ "levels that share a cache, small pages alone",
	  "{\"level\":1,\"type\":\"data\",\"entries\":64,\"ways\":4}",
	  WALKS("{\"level\":[\"pde\",\"pdpte\",\"pml4e\"],"
		"\"entries\":24,\"ways\":24}"),
	  { UNDECIDED, UNDECIDED, UNDECIDED } },
	{ "nearly more than views can show",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 448, 7, "")),
	  { 448, 0, 0 } },
	{ "more than views can show",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 512, 8, "")),
	  { UNDECIDED, 0, 0 } },
	/* Neighbours up to 64 differ in two of three bits: 8 entries would be wrong. */
	{ "an index that leaves out bits",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 16, 2, MASKS("\"0x1b\",\"0x36\",\"0x6d\""))),
	  { UNDECIDED, 0, 0 } },
	/* Two of them hold entries of the levels above: 22 would be wrong. */
	{ "levels that share a cache",
	  SMALL_TLB,
	  WALKS("{\"level\":[\"pde\",\"pdpte\",\"pml4e\"],"
		"\"entries\":24,\"ways\":24}"),
	  { UNDECIDED, UNDECIDED, 24 } },
	/* All neighbours lie in one set: 4 entries would be wrong. */
	{ "an index of high bits",
	  SMALL_TLB,
	  WALKS(CACHE("pde", 32, 4, MASKS("\"0x80\",\"0x100\",\"0x200\""))),
	  { UNDECIDED, 0, 0 } },
};

/* Large pages where TLBs hold any. */
static struct machine *open_with(const char *tlbs, const char *more,
				 uint64_t seed)
{
	const char *large = strstr(tlbs, "2097152") ? "2097152,1073741824" : "";
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4}],\"counters\":[],"
		 "\"huge_page_bytes\":[%s],\"tlbs\":[%s]%s}",
		 large, tlbs, more);
	return profilekit_open(text, BYTES, seed);
}

static void measure(struct machine *m, uint64_t seed, struct hierarchy *h)
{
	struct failure f = { .text = "" };
	struct prober p;

	hierarchy_init(h);
	h->complete = true;
	prober_begin(&p, m, seed);
	ck_assert_msg(!walk_caches_measure(&p, h, &f), "%s", f.text);
	ck_assert(h->complete);
}

static uint64_t seed_of_tests(void)
{
	return from_environment("PROBE_PHYS_SEED", 1);
}

/* Right, or undecided for a reason. */
static void check(const struct walk_cache_result *w, double entries,
		  const char *name)
{
	const struct parameter *p = &w->entries;

	if (parameter_is_measured(p))
		ck_assert_msg(p->value == entries && p->error_bound > 0 &&
				      p->error_bound < 1e-3,
			      "%s: %s: %g entries, PROBE_PHYS_SEED=%llu", name,
			      w->level, p->value,
			      (unsigned long long)seed_of_tests());
	else
		ck_assert_msg(p->reason[0], "%s: %s: no reason", name,
			      w->level);
}

START_TEST(entries_are_counted)
{
	const uint64_t seed = seed_of_tests();
	static const char *const names[LEVELS] = { "pde", "pdpte", "pml4e" };
	struct hierarchy h;
	char text[1024];
	struct machine *m;

	snprintf(text, sizeof(text), BITS "%s", machines[_i].more);
	m = open_with(machines[_i].tlbs, text, seed);
	measure(m, seed, &h);
	ck_assert_uint_eq(h.walk_cache_count, LEVELS);
	for (size_t k = 0; k < LEVELS; k++) {
		const struct walk_cache_result *w = &h.walk_caches[k];
		const double entries = machines[_i].entries[k];

		ck_assert_str_eq(w->level, names[k]);
		ck_assert_uint_eq(w->span_bytes, UINT64_C(1) << (21 + 9 * k));
		check(w, entries, machines[_i].name);
		ck_assert_msg(
			parameter_is_measured(&w->entries) == (entries >= 0),
			"%s: %s: %s, PROBE_PHYS_SEED=%llu", machines[_i].name,
			w->level, w->entries.reason, (unsigned long long)seed);
	}
	machine_close(m);
}
END_TEST

/* --- what disturbs -------------------------------------------------------- */

static const struct machine_ops *honest;
static unsigned int calls;

/* A third of all tests is disturbed, which is noticed, ... */
static int lose_noticed(struct view *view, const struct touch_plan *plan,
			uint64_t table_bytes, struct touch_answer *answer,
			struct failure *f)
{
	int error =
		honest->view_touch_tables(view, plan, table_bytes, answer, f);

	if (calls++ % 3 == 0) {
		answer->read = plan->test.pages->length;
		answer->disturbed = true;
	}
	return error;
}

/* ... or a seventh, which is not. */
static int lose_unnoticed(struct view *view, const struct touch_plan *plan,
			  uint64_t table_bytes, struct touch_answer *answer,
			  struct failure *f)
{
	int error =
		honest->view_touch_tables(view, plan, table_bytes, answer, f);

	if (calls++ % 7 == 0)
		answer->read = plan->test.pages->length;
	return error;
}

/* A TLB has the pages, whatever was flushed. */
static int find_all(struct view *view, const struct touch_plan *plan,
		    uint64_t table_bytes, struct touch_answer *answer,
		    struct failure *f)
{
	int error =
		honest->view_touch_tables(view, plan, table_bytes, answer, f);

	answer->walked = answer->read = 0;
	return error;
}

/* The kernel walks for pages of its own before each test; 0: it empties all. */
static unsigned int kernel_entries;

static int take_entries(struct view *view, const struct touch_plan *plan,
			uint64_t table_bytes, struct touch_answer *answer,
			struct failure *f)
{
	const uint64_t end = view->request.pages * view->request.page_bytes;
	uint64_t offsets[64];
	const struct sequence kernel = { offsets, kernel_entries };
	struct touch before[8];
	struct touch_plan more = *plan;
	int error;

	ck_assert_uint_lt(plan->before_count, 8);
	memcpy(before, plan->before, plan->before_count * sizeof(*before));
	for (unsigned int i = 0; i < kernel_entries; i++)
		offsets[i] = end - (i + 1) * table_bytes;
	if (kernel_entries)
		before[more.before_count++] =
			(struct touch){ &kernel, TOUCH_LOADS, 1 };
	more.before = before;
	error = honest->view_touch_tables(view, &more, table_bytes, answer, f);
	if (!kernel_entries)
		answer->read = plan->test.pages->length;
	return error;
}

static void measure_with(int (*touch)(struct view *, const struct touch_plan *,
				      uint64_t, struct touch_answer *,
				      struct failure *),
			 bool disturbs, struct hierarchy *h)
{
	const uint64_t seed = seed_of_tests();
	struct machine *m = open_with(
		SMALL_TLB, BITS WALKS(CACHE("pde", 32, 32, "")), seed);
	struct machine_ops ops = *m->ops;

	honest = m->ops;
	calls = 0;
	ops.view_touch_tables = touch;
	m->ops = &ops;
	m->clearing_disturbs = disturbs;
	measure(m, seed, h);
	m->ops = honest;
	machine_close(m);
}

START_TEST(disturbed_trials_are_made_again)
{
	struct hierarchy h;

	measure_with(lose_noticed, false, &h);
	check(&h.walk_caches[0], 32, "noticed");
	ck_assert(parameter_is_measured(&h.walk_caches[0].entries));
}
END_TEST

START_TEST(losses_make_no_smaller_cache)
{
	struct hierarchy h;

	measure_with(lose_unnoticed, false, &h);
	check(&h.walk_caches[0], 32, "unnoticed");
}
END_TEST

START_TEST(pages_in_a_tlb_say_nothing)
{
	struct hierarchy h;

	measure_with(find_all, false, &h);
	for (size_t i = 0; i < LEVELS; i++) {
		ck_assert_int_eq(h.walk_caches[i].entries.status,
				 PARAMETER_UNDECIDED);
		ck_assert_ptr_nonnull(
			strstr(h.walk_caches[i].entries.reason, "TLBs"));
	}
}
END_TEST

/* It takes none in the first case, and all in the last one. */
START_TEST(a_kernel_that_takes_entries_is_doubted)
{
	static const unsigned int taken[] = { 1, 3, 8, 28, 0 };
	struct hierarchy h;

	kernel_entries = taken[_i];
	measure_with(take_entries, true, &h);
	for (size_t i = 0; i < LEVELS; i++)
		ck_assert_msg(h.walk_caches[i].entries.status ==
					      PARAMETER_UNDECIDED &&
				      h.walk_caches[i].entries.reason[0],
			      "%u taken: %g of level %zu", kernel_entries,
			      h.walk_caches[i].entries.value, i);
}
END_TEST

static int take_nothing(struct view *view, const struct touch_plan *plan,
			uint64_t table_bytes, struct touch_answer *answer,
			struct failure *f)
{
	return honest->view_touch_tables(view, plan, table_bytes, answer, f);
}

START_TEST(a_kernel_that_takes_none_is_believed)
{
	struct hierarchy h;

	measure_with(take_nothing, true, &h);
	check(&h.walk_caches[0], 32, "module");
	ck_assert(parameter_is_measured(&h.walk_caches[0].entries));
	/* None at all, or the kernel has emptied them. */
	ck_assert_int_eq(h.walk_caches[1].entries.status, PARAMETER_UNDECIDED);
}
END_TEST

START_TEST(machines_without_bits_say_so_once)
{
	struct machine *m = open_with(SMALL_TLB, "", 1);
	struct hierarchy h;

	measure(m, 1, &h);
	ck_assert_uint_eq(h.walk_cache_count, 1);
	ck_assert_int_eq(h.walk_caches[0].entries.status,
			 PARAMETER_UNAVAILABLE);
	ck_assert_ptr_nonnull(
		strstr(h.walk_caches[0].entries.reason, "accessed bits"));
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("walk caches");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, entries_are_counted, 0,
			    (int)(sizeof(machines) / sizeof(machines[0])));
	tcase_add_test(t, disturbed_trials_are_made_again);
	tcase_add_test(t, losses_make_no_smaller_cache);
	tcase_add_test(t, pages_in_a_tlb_say_nothing);
	tcase_add_loop_test(t, a_kernel_that_takes_entries_is_doubted, 0, 5);
	tcase_add_test(t, a_kernel_that_takes_none_is_believed);
	tcase_add_test(t, machines_without_bits_say_so_once);
	suite_add_tcase(suite, t);
	return suite;
}
