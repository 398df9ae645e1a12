// SPDX-License-Identifier: GPL-2.0
/*
 * check_costs.c - what translations cost where the way of a line is predicted by its
 * virtual address, so that a line that several pages show is slow in itself, and where
 * other load makes them slow for a while.
 */
#include <string.h>

#include "kit/profilekit.h"
#include "machine/machine.h"
#include "method/tlb/last.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define LINE_BYTES 64
/* Cycles that the second array adds, and a wrong prediction. */
#define SECOND_CYCLES 7
#define MISPREDICTED_CYCLES 18
/* What each costs more while there is other load. */
#define LOAD_CYCLES 3
#define FIRST_ENTRIES 72

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	bool loaded;
} predicting;

static uint64_t line_of(const struct view_request *r, uint64_t offset)
{
	const uint64_t page = offset / r->page_bytes;

	return (view_frame(r, page) * r->page_bytes + offset % r->page_bytes) /
	       LINE_BYTES;
}

/* Loads of a line that another page has shown before. */
static size_t mispredicted(const struct view_request *r,
			   const struct sequence *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->length; i++)
		for (size_t j = 0; j < i; j++)
			if (line_of(r, s->offsets[i]) ==
				    line_of(r, s->offsets[j]) &&
			    s->offsets[i] / r->page_bytes !=
				    s->offsets[j] / r->page_bytes) {
				count++;
				break;
			}
	return count;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	const double cycle = view->m->ops->add_chain(view->m, 1000) / 1000;
	int error = predicting.honest->view_walk(view, s, plan, samples, f);
	const double share =
		(double)mispredicted(&view->request, s) / (double)s->length;

	const double more = predicting.loaded && s->length > FIRST_ENTRIES ?
				    LOAD_CYCLES :
				    0;

	for (unsigned int i = 0; !error && i < plan->samples; i++)
		samples[i].ticks += (MISPREDICTED_CYCLES * share + more) *
				    cycle * (double)samples[i].loads;
	return error;
}

/* The load ends. */
static void pause_for(struct machine *m, unsigned int ms)
{
	predicting.loaded = false;
	predicting.honest->pause(m, ms);
}

static const struct tlb_result *measure(bool loaded, struct hierarchy *h)
{
	struct machine *m = profilekit_open(
		"{\"caches\":[{\"level\":1,\"type\":\"data\","
		"\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		"\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		"\"capacity_bytes\":1048576,\"ways\":8,\"line_bytes\":64,"
		"\"latency_cycles\":14}],\"walk\":{\"latency_cycles\":30},"
		"\"counters\":[],\"tlbs\":[{\"level\":1,\"type\":\"data\","
		"\"page_bytes\":[4096],\"entries\":72,\"ways\":72},"
		"{\"level\":2,\"type\":\"data\",\"page_bytes\":[4096],"
		"\"entries\":1536,\"ways\":12,\"latency_cycles\":7}]}",
		TLBKIT_BYTES, tlbkit_seed());
	const struct tlb_result *second = NULL;

	predicting.honest = m->ops;
	predicting.ops = *m->ops;
	predicting.ops.view_walk = view_walk;
	predicting.ops.pause = pause_for;
	predicting.loaded = loaded;
	m->ops = &predicting.ops;
	tlbkit_xray(m, 32768, 8, LINE_BYTES, tlbkit_seed(), h);
	for (size_t i = 0; i < h->tlb_count; i++)
		if (h->tlbs[i].level == 2)
			second = &h->tlbs[i];
	machine_close(m);
	ck_assert_ptr_nonnull(second);
	return second;
}

/*
 * Three times as many pages as the first array has entries have lines of their own,
 * and four times as many have not.
 */
START_TEST(lines_of_several_pages_cost_no_translation)
{
	struct hierarchy h;
	const struct parameter *latency = &measure(false, &h)->latency_cycles;

	ck_assert_msg(latency->status == PARAMETER_MEASURED, "%s",
		      latency->reason);
	ck_assert_double_gt(latency->value, SECOND_CYCLES - 1);
	ck_assert_double_lt(latency->value, SECOND_CYCLES + 1);
}
END_TEST

START_TEST(load_that_ends_is_no_latency)
{
	struct hierarchy h;
	const struct parameter *latency = &measure(true, &h)->latency_cycles;

	ck_assert_msg(latency->status == PARAMETER_UNDECIDED, "%g",
		      latency->value);
}
END_TEST

/* What time alone shows of a last array may be what others leave of it. */
START_TEST(entries_by_time_are_doubted_where_bits_are_disturbed)
{
	const struct accessed_array a = { .reason = "something takes entries" };
	struct tlb_result t = { .level = _i };

	parameter_measured(&t.entries, 2560, 0, "x-ray");
	parameter_measured(&t.ways, 10, 0, "x-ray");
	tlb_last_doubt(&t, &a);
	ck_assert_int_eq(parameter_is_measured(&t.entries), _i == 1);
	ck_assert_int_eq(parameter_is_measured(&t.ways), _i == 1);
	if (_i == 2) {
		ck_assert_ptr_nonnull(strstr(t.entries.reason, "2560"));
		ck_assert_ptr_nonnull(strstr(t.entries.reason, a.reason));
	}
}
END_TEST

/* More was kept than as many entries hold, or it may have been in the array above. */
START_TEST(entries_by_time_are_refuted_by_what_is_kept)
{
	const struct accessed_array a = { .found = true,
					  .ways_found = true,
					  .least = _i ? 2700 : 2500,
					  .entries = 3072,
					  .ways = 12,
					  .sets = 256,
					  .index = INDEX_HASHED };
	const struct policy_finding policy = { .kind = POLICY_UNDECIDED };
	struct tlb_result t = { .level = 2, .index = INDEX_LINEAR };

	parameter_measured(&t.entries, 2560, 0, "x-ray");
	parameter_measured(&t.ways, 10, 0, "x-ray");
	parameter_measured(&t.sets, 256, 0, "x-ray");
	tlb_last_give(&t, &a, &policy);
	ck_assert_int_eq(parameter_is_measured(&t.entries), _i);
	ck_assert_int_eq(parameter_is_measured(&t.ways), _i);
	if (!_i)
		return;
	ck_assert(t.entries.value == 3072 && t.ways.value == 12 &&
		  t.sets.value == 256 && t.index == INDEX_HASHED);
	ck_assert_str_eq(t.entries.method, TLB_LAST_METHOD);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("tlb costs");

	tcase_set_timeout(t, 240);
	tcase_add_test(t, lines_of_several_pages_cost_no_translation);
	tcase_add_test(t, load_that_ends_is_no_latency);
	tcase_add_loop_test(
		t, entries_by_time_are_doubted_where_bits_are_disturbed, 1, 3);
	tcase_add_loop_test(t, entries_by_time_are_refuted_by_what_is_kept, 0,
			    2);
	suite_add_tcase(s, t);
	return s;
}
