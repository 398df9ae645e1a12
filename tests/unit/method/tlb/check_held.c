// SPDX-License-Identifier: GPL-2.0
/* check_held.c - first arrays of which others hold entries now and then, as the other
 * thread of a core does.
 */
#include <limits.h>

#include "machine/machine.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define PAGE 4096
#define ENTRIES 64
/* What a load takes longer, on average, when it misses. */
#define MISS_CYCLES 7

/**
 * struct holding - others
 * @entries: that they hold
 * @period_ms: they come back after so long
 * @from_ms: they are away from then, of each period
 * @to_ms: until then
 * @gone_ms: after so long they are gone
 */
struct holding {
	size_t entries;
	unsigned int period_ms, from_ms, to_ms, gone_ms;
};

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	const struct holding *by;
	uint64_t now_ms;
	uint64_t walks;
} held;

static void pause_for(struct machine *m, unsigned int ms)
{
	held.now_ms += ms;
	held.honest->pause(m, ms);
}

static bool others_are_there(void)
{
	const uint64_t now = held.now_ms % held.by->period_ms;

	return held.now_ms < held.by->gone_ms &&
	       (now < held.by->from_ms || now >= held.by->to_ms);
}

static size_t pages_of(const struct sequence *s)
{
	size_t pages = 0;

	for (size_t i = 0; i < s->length; i++) {
		size_t j = 0;

		while (j < i && s->offsets[j] / PAGE != s->offsets[i] / PAGE)
			j++;
		pages += j == i;
	}
	return pages;
}

/* Where others hold most of the array, they do so in two samples of three. */
static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	const double cycle = view->m->ops->add_chain(view->m, 1000) / 1000;
	const bool most = held.by->entries > ENTRIES / 2;
	int error = held.honest->view_walk(view, s, plan, samples, f);

	if (error || !others_are_there() ||
	    pages_of(s) + held.by->entries <= ENTRIES)
		return error;
	for (unsigned int i = 0; i < plan->samples; i++)
		if (!most || held.walks++ % 3)
			samples[i].ticks +=
				MISS_CYCLES * cycle * (double)samples[i].loads;
	return 0;
}

static const struct holding others[] = {
	/* Longer than three attempts without a pause. */
	{ 60, 250, 250, 250, 250 },
	/* Longer than all attempts in a row: those after the other arrays come later. */
	{ 60, 800, 800, 800, 800 },
	/* One, most of the time, and always when 300 ms are over. */
	{ 1, 300, 200, 240, 650 },
};

static void measure_held(const struct holding *by, bool guest,
			 struct hierarchy *h)
{
	struct machine *m = tlbkit_open_first(ENTRIES, ENTRIES, guest);

	held.by = by;
	held.now_ms = 0;
	held.walks = 0;
	held.honest = m->ops;
	held.ops = *m->ops;
	held.ops.pause = pause_for;
	held.ops.view_walk = view_walk;
	m->ops = &held.ops;
	tlbkit_xray(m, 32768, 8, 64, tlbkit_seed(), h);
	ck_assert_uint_gt(h->tlb_count, 0);
	machine_close(m);
}

START_TEST(entries_of_others_are_counted_once_they_are_free)
{
	const struct parameter *entries;
	struct hierarchy h;

	measure_held(&others[_i], false, &h);
	entries = &h.tlbs[0].entries;
	ck_assert_msg(entries->status == PARAMETER_MEASURED, "%s",
		      entries->reason);
	ck_assert_double_eq(entries->value, ENTRIES);
}
END_TEST

/* 63 would be wrong. */
START_TEST(an_entry_that_others_hold_for_ever_is_not_missing)
{
	const struct holding for_ever = { 1, 1, 0, 0, UINT_MAX };
	struct hierarchy h;

	measure_held(&for_ever, true, &h);
	ck_assert_int_ne(h.tlbs[0].entries.status, PARAMETER_MEASURED);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("tlb held");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, entries_of_others_are_counted_once_they_are_free,
			    0, (int)(sizeof(others) / sizeof(others[0])));
	tcase_add_test(t, an_entry_that_others_hold_for_ever_is_not_missing);
	suite_add_tcase(s, t);
	return s;
}
