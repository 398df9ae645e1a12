// SPDX-License-Identifier: GPL-2.0
/* check_full.c - first arrays that are full, in a guest: what takes an entry may stay, and
 * others may hold a way of each set.
 */
#include "machine/machine.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define PAGE 4096
#define ENTRIES 64
/* What a load takes longer, on average, when it misses. */
#define MISS_CYCLES 7
/* Share of loads that miss while an order never replaces the entry of the clock (Zen 5). */
#define STUCK 0.07

static const struct machine_ops *honest;

/* As many pages as entries, each of them once. */
static bool is_one_full_order(const struct sequence *s)
{
	if (s->length != ENTRIES)
		return false;
	for (size_t i = 0; i < s->length; i++)
		for (size_t j = 0; j < i; j++)
			if (s->offsets[j] / PAGE == s->offsets[i] / PAGE)
				return false;
	return true;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	const double cycle = view->m->ops->add_chain(view->m, 1000) / 1000;
	int error = honest->view_walk(view, s, plan, samples, f);

	for (unsigned int i = 0;
	     !error && is_one_full_order(s) && i < plan->samples; i++)
		samples[i].ticks +=
			STUCK * MISS_CYCLES * cycle * (double)samples[i].loads;
	return error;
}

START_TEST(an_entry_that_one_order_never_replaces_is_no_miss)
{
	struct machine *m = tlbkit_open_first(ENTRIES, ENTRIES, true);
	struct machine_ops ops = *m->ops;
	const struct parameter *entries;
	struct hierarchy h;

	honest = m->ops;
	ops.view_walk = view_walk;
	m->ops = &ops;
	tlbkit_xray(m, 32768, 8, 64, tlbkit_seed(), &h);
	entries = &h.tlbs[0].entries;
	ck_assert_msg(entries->status == PARAMETER_MEASURED, "%s",
		      entries->reason);
	ck_assert_double_eq(entries->value, ENTRIES);
	m->ops = honest;
	machine_close(m);
}
END_TEST

/* 5 of 6 ways in a guest, and 5 ways elsewhere. */
START_TEST(an_odd_number_of_ways_is_doubted_in_a_guest)
{
	struct machine *m = tlbkit_open_first(80, 5, _i);
	struct hierarchy h;

	tlbkit_xray(m, 32768, 8, 64, tlbkit_seed(), &h);
	ck_assert_int_eq(h.tlbs[0].entries.status == PARAMETER_MEASURED, !_i);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("full tlbs");

	tcase_set_timeout(t, 240);
	tcase_add_test(t, an_entry_that_one_order_never_replaces_is_no_miss);
	tcase_add_loop_test(t, an_odd_number_of_ways_is_doubted_in_a_guest, 0,
			    2);
	suite_add_tcase(s, t);
	return s;
}
