// SPDX-License-Identifier: GPL-2.0
/* check_last.c - last TLBs by time and by accessed bits, in one report. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define SEED 3
#define BYTES (UINT64_C(16) << 20)
#define ARRAY(level, type, entries, ways, more)          \
	"{\"level\":" #level ",\"type\":\"" type         \
	"\",\"page_bytes\":[4096],\"entries\":" #entries \
	",\"ways\":" #ways more "}"
#define SECOND ",\"latency_cycles\":7"
#define XOR ",\"index\":{\"kind\":\"xor\",\"fold\":7}"
#define FIRST ARRAY(1, "data", 64, 4, "") "," ARRAY(1, "instruction", 64, 8, "")
#define BITS ",\"accessed_bits\":true"

static struct machine *open_with(const char *tlbs, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		 "\"capacity_bytes\":262144,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":12}],\"counters\":[],"
		 "\"huge_page_bytes\":[],\"tlbs\":[%s]%s}",
		 tlbs, more);
	return profilekit_open(text, BYTES, SEED);
}

static void measure(struct machine *m, struct hierarchy *h)
{
	tlbkit_xray(m, 32768, 8, 64, SEED, h);
}

/* The only result of that level and type; NULL: there is none. */
static const struct tlb_result *find(const struct hierarchy *h, int level,
				     const char *type)
{
	const struct tlb_result *found = NULL;

	for (size_t i = 0; i < h->tlb_count; i++) {
		const struct tlb_result *t = &h->tlbs[i];

		if (t->level != level || strcmp(t->type, type) != 0)
			continue;
		ck_assert_ptr_null(found);
		found = t;
	}
	return found;
}

static void expect(const struct hierarchy *h, int level, const char *type,
		   double entries, double ways)
{
	const struct tlb_result *t = find(h, level, type);

	ck_assert_msg(t != NULL, "no L%d %s TLB", level, type);
	ck_assert_msg(parameter_is_measured(&t->entries), "L%d %s: %s", level,
		      type, t->entries.reason);
	ck_assert(t->entries.value == entries);
	ck_assert(t->ways.value == ways && t->sets.value == entries / ways);
}

static void expect_policy(const struct tlb_result *t, const char *name)
{
	const struct parameter *p = &t->policy_decision;

	ck_assert_msg(parameter_is_measured(p), "L%d %s: %s", t->level, t->type,
		      p->reason);
	ck_assert_str_eq(t->policies[0], name);
	ck_assert_str_eq(p->by, "accessed-bits");
	ck_assert(p->error_bound > 0 && p->error_bound < 1e-3);
}

START_SLOW_TEST(split_arrays_are_reported)
{
	struct machine *m =
		open_with(FIRST "," ARRAY(2, "data", 1024, 8, SECOND) "," ARRAY(
				  2, "instruction", 512, 4, SECOND XOR),
			  BITS);
	struct hierarchy h;

	measure(m, &h);
	expect(&h, 1, "data", 64, 4);
	expect(&h, 2, "data", 1024, 8);
	expect(&h, 2, "instruction", 512, 4);
	ck_assert_ptr_null(find(&h, 2, "unified"));
	expect_policy(find(&h, 2, "data"), "LRU");
	expect_policy(find(&h, 2, "instruction"), "LRU");
	machine_close(m);
}
END_TEST

START_SLOW_TEST(shared_arrays_are_reported)
{
	struct machine *m = open_with(
		FIRST "," ARRAY(2, "unified", 1024, 8, SECOND XOR), BITS);
	struct hierarchy h;

	measure(m, &h);
	expect(&h, 2, "unified", 1024, 8);
	ck_assert_ptr_null(find(&h, 2, "instruction"));
	machine_close(m);
}
END_TEST

/* Nothing lies below the first level. */
START_SLOW_TEST(one_level_stays_one)
{
	struct machine *m = open_with(FIRST, BITS);
	struct hierarchy h;

	measure(m, &h);
	expect(&h, 1, "data", 64, 4);
	ck_assert_ptr_null(find(&h, 2, "data"));
	ck_assert_ptr_null(find(&h, 2, "instruction"));
	machine_close(m);
}
END_TEST

/* A machine whose accessed bits are those of another one. */
static struct machine *others_bits;

static int open_other(struct machine *m, const struct view_request *request,
		      struct view **view, struct failure *f)
{
	struct machine *of = request->touched ? others_bits : m;

	return others_bits->ops->view_open(of, request, view, f);
}

static void measure_mixed(const char *by_time, const char *by_bits,
			  struct hierarchy *h)
{
	struct machine *m = open_with(by_time, BITS);
	const struct machine_ops *honest = m->ops;
	struct machine_ops ops = *honest;

	others_bits = open_with(by_bits, BITS);
	ops.view_open = open_other;
	m->ops = &ops;
	measure(m, h);
	m->ops = honest;
	machine_close(m);
	machine_close(others_bits);
}

START_SLOW_TEST(other_entries_are_undecided)
{
	const struct tlb_result *t;
	struct hierarchy h;

	measure_mixed(FIRST "," ARRAY(2, "data", 1024, 8, SECOND),
		      FIRST "," ARRAY(2, "data", 2048, 8, SECOND), &h);
	expect(&h, 1, "data", 64, 4);
	t = find(&h, 2, "data");
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->entries.status, PARAMETER_UNDECIDED);
	ck_assert_int_eq(t->sets.status, PARAMETER_UNDECIDED);
	ck_assert_str_eq(t->entries.reason,
			 "entries: 1024 by time, 2048 by accessed bits");
}
END_TEST

START_SLOW_TEST(other_sharing_is_undecided)
{
	const struct tlb_result *t;
	struct hierarchy h;

	measure_mixed(FIRST "," ARRAY(2, "unified", 1024, 8, SECOND),
		      FIRST "," ARRAY(2, "data", 1024, 8, SECOND) "," ARRAY(
			      2, "instruction", 1024, 8, SECOND),
		      &h);
	t = find(&h, 2, "unified");
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->entries.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(t->entries.reason, "two by accessed"));
}
END_TEST

START_SLOW_TEST(without_accessed_bits_time_decides)
{
	struct machine *m =
		open_with(FIRST "," ARRAY(2, "data", 1024, 8, SECOND), "");
	const struct tlb_result *t;
	struct hierarchy h;

	measure(m, &h);
	t = find(&h, 2, "data");
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(t->entries.method, "x-ray");
	machine_close(m);
}
END_TEST

static const struct machine_ops *undisturbed;

/* No longer row of pages is ever left alone. */
#define MOST_UNDISTURBED 200

static int disturb_long_rows(struct view *view, const struct touch_plan *plan,
			     struct touch_answer *answer, struct failure *f)
{
	int error = undisturbed->view_touch(view, plan, answer, f);

	if (plan->before[0].pages->length > MOST_UNDISTURBED)
		*answer = (struct touch_answer){ .disturbed = true };
	return error;
}

/* Sharing is seen in a few pages; what they share has its row, its size unknown. */
START_SLOW_TEST(shared_arrays_of_unknown_size_are_reported)
{
	struct machine *m = open_with(
		FIRST "," ARRAY(2, "unified", 1024, 8, SECOND XOR), BITS);
	struct machine_ops ops = *m->ops;
	const struct tlb_result *t;
	struct hierarchy h;

	undisturbed = m->ops;
	ops.view_touch = disturb_long_rows;
	m->ops = &ops;
	tlbkit_xray(m, 32768, 8, 64, SEED, &h);
	m->ops = undisturbed;
	expect(&h, 1, "data", 64, 4);
	expect(&h, 1, "instruction", 64, 8);
	t = find(&h, 2, "unified");
	ck_assert_ptr_nonnull(t);
	ck_assert(parameter_is_measured(&t->entries) ||
		  t->entries.status == PARAMETER_UNDECIDED);
	ck_assert(!parameter_is_measured(&t->entries) ||
		  t->entries.value == 1024);
	machine_close(m);
}
END_TEST

static unsigned int walks;
static bool touched;

static int count_walks(struct view *view, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	walks += !touched;
	return undisturbed->view_walk(view, s, plan, samples, f);
}

static int end_count(struct view *view, const struct touch_plan *plan,
		     struct touch_answer *answer, struct failure *f)
{
	touched = true;
	return undisturbed->view_touch(view, plan, answer, f);
}

/* Walks before accessed bits are looked at. */
static unsigned int walks_of_time(bool disturbs)
{
	/* More entries than a search by time looks for. */
	struct machine *m =
		open_with(FIRST "," ARRAY(2, "data", 16384, 8, SECOND), BITS);
	struct machine_ops ops = *m->ops;
	struct hierarchy h;

	undisturbed = m->ops;
	ops.view_walk = count_walks;
	ops.view_touch = end_count;
	m->ops = &ops;
	m->clearing_disturbs = disturbs;
	walks = 0;
	touched = false;
	tlbkit_xray(m, 32768, 8, 64, SEED, &h);
	m->ops = undisturbed;
	machine_close(m);
	return walks;
}

/* What time says of a last array is doubted where clearing the bits disturbs. */
START_SLOW_TEST(time_tries_once_where_bits_decide)
{
	const unsigned int often = walks_of_time(false);
	const unsigned int once = walks_of_time(true);

	printf("%u walks, %u where clearing disturbs\n", often, once);
	ck_assert_uint_lt(once, often - often / 10);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("last TLBs");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, split_arrays_are_reported);
	tcase_add_test(t, shared_arrays_are_reported);
	tcase_add_test(t, one_level_stays_one);
	tcase_add_test(t, shared_arrays_of_unknown_size_are_reported);
	tcase_add_test(t, other_entries_are_undecided);
	tcase_add_test(t, other_sharing_is_undecided);
	tcase_add_test(t, without_accessed_bits_time_decides);
	suite_add_tcase(suite, t);
	t = tcase_create("attempts by time");
	tcase_set_timeout(t, 300);
	tcase_add_test(t, time_tries_once_where_bits_decide);
	suite_add_tcase(suite, t);
	return suite;
}
