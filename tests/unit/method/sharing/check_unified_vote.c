// SPDX-License-Identifier: GPL-2.0
/* check_unified_vote.c - votes of a level that lets lines in only after a while. */
#include "method/sharing/unified.h"
#include "suites.h"

/* Times that data have come between, and how often they push nothing out. */
static int data_came;
#define STUBBORN 3

/* A level that lets nothing in at first, and then what it is given: what is
 * loaded misses by then.
 */
static int walk_stubborn(struct machine *m, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f)
{
	const bool data = plan->step_count == 3;
	double missed = plan->code || data ? 0.02 : 0;

	(void)m;
	(void)f;
	data_came += data;
	if (data && data_came == STUBBORN)
		missed = 0.6;
	else if (missed > 0 && data_came >= STUBBORN)
		missed = 0.99;
	*samples = (struct sample){ .loads = s->length,
				    .counted = plan->counters };
	samples->counts[COUNTER_L3_MISS] = missed * (double)s->length;
	return 0;
}

static void rest(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

/* Code came before it let anything in, and data after. */
START_TEST(changes_its_mind)
{
	const struct machine_ops ops = { .walk = walk_stubborn, .pause = rest };
	struct machine m = { .ops = &ops };
	struct prober p = { .m = &m, .budget = budget_begin() };
	struct view code = { .m = &m };
	struct cache_result c = { .level = 3 };
	uint64_t lines[100] = { 0 };
	struct unified q = { .p = &p,
			     .c = &c,
			     .counter = 1U << COUNTER_L3_MISS,
			     .code = &code,
			     .loaded = { lines, 100 } };
	struct failure f = { .text = "" };
	enum outcome outcome = OUTCOME_VOID;

	data_came = 0;
	ck_assert(!unified_decide(&q, &outcome, &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert_msg(parameter_is_measured(&c.unified), "%s",
		      c.unified.reason);
	ck_assert(c.unified.value > 0);
}
END_TEST

/* A level that holds no code, and a sample in fifteen that is as long as many
 * misses.
 */
static int code_came;
#define DISTURBED 15

static int walk_disturbed(struct machine *m, const struct sequence *s,
			  const struct walk_plan *plan, struct sample *samples,
			  struct failure *f)
{
	const bool data = plan->step_count == 3;
	double ticks = data ? 10 : 3;

	(void)m;
	(void)f;
	if (plan->code && ++code_came % DISTURBED == 0)
		ticks = 25;
	*samples = (struct sample){ .loads = s->length,
				    .ticks = ticks * (double)s->length };
	return 0;
}

/* What is said of a first level whose walks are @walk: it must be decided. */
static double decide(int (*walk)(struct machine *m, const struct sequence *s,
				 const struct walk_plan *plan,
				 struct sample *samples, struct failure *f))
{
	const struct machine_ops ops = { .walk = walk, .pause = rest };
	struct machine m = { .ops = &ops };
	struct prober p = { .m = &m, .budget = budget_begin() };
	struct view code = { .m = &m };
	struct cache_result c = { .level = 1 };
	uint64_t lines[100] = { 0 };
	const struct hierarchy h = { .cache_count = 1 };
	struct unified q = { .p = &p,
			     .h = &h,
			     .c = &c,
			     .first = 3,
			     .hit = 3,
			     .miss = 10,
			     .far = 10,
			     .code = &code,
			     .loaded = { lines, 100 } };
	struct failure f = { .text = "" };
	enum outcome outcome = OUTCOME_VOID;

	ck_assert(!unified_decide(&q, &outcome, &f));
	ck_assert_msg(parameter_is_measured(&c.unified), "%s",
		      c.unified.reason);
	return c.unified.value;
}

START_TEST(asks_again_after_a_long_sample)
{
	code_came = 0;
	ck_assert(decide(walk_disturbed) == 0);
}
END_TEST

/* The other thread of the core has taken most of the lines two times in three. */
static int nothing_came;

static int walk_beside_a_thread(struct machine *m, const struct sequence *s,
				const struct walk_plan *plan,
				struct sample *samples, struct failure *f)
{
	const bool nothing = plan->step_count == 2 && !plan->code;
	double ticks = nothing ? 3 : 10;

	(void)m;
	(void)f;
	if (nothing && ++nothing_came % 3)
		ticks = 8;
	*samples = (struct sample){ .loads = s->length,
				    .ticks = ticks * (double)s->length };
	return 0;
}

START_TEST(nothing_is_looked_at_again)
{
	nothing_came = 0;
	ck_assert(decide(walk_beside_a_thread) > 0);
}
END_TEST

/* Another thread of the core takes all lines in a burst, in any case but right after
 * they were loaded.
 */
#define LONG_STEP 150
static int looks;

static int walk_in_a_burst(struct machine *m, const struct sequence *s,
			   const struct walk_plan *plan, struct sample *samples,
			   struct failure *f)
{
	const bool data = plan->step_count == 3;
	const bool burst = ++looks > 8 && looks < 24;
	const bool takes_long = plan->code ||
				plan->steps[1].lines->length > LONG_STEP;

	(void)m;
	(void)f;
	*samples = (struct sample){
		.loads = s->length,
		.ticks = (data || (burst && takes_long) ? 10 : 3) *
			 (double)s->length,
	};
	return 0;
}

START_TEST(a_burst_is_no_code)
{
	const struct machine_ops ops = { .walk = walk_in_a_burst,
					 .pause = rest };
	struct machine m = { .ops = &ops };
	struct prober p = { .m = &m, .budget = budget_begin() };
	struct view code = { .m = &m };
	struct cache_result c = { .level = 1 };
	uint64_t lines[100] = { 0 }, others[600] = { 0 };
	const struct hierarchy h = { .cache_count = 1 };
	struct unified q = { .p = &p,
			     .h = &h,
			     .c = &c,
			     .first = 3,
			     .hit = 3,
			     .miss = 10,
			     .far = 10,
			     .code = &code,
			     .loaded = { lines, 100 },
			     .fill = { lines, 100 },
			     .data = { others, 600 } };
	struct failure f = { .text = "" };
	enum outcome outcome = OUTCOME_VOID;

	looks = 0;
	ck_assert(!unified_decide(&q, &outcome, &f));
	ck_assert_msg(parameter_is_measured(&c.unified), "%s",
		      c.unified.reason);
	ck_assert(c.unified.value == 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("votes");

	tcase_add_test(t, changes_its_mind);
	tcase_add_test(t, asks_again_after_a_long_sample);
	tcase_add_test(t, nothing_is_looked_at_again);
	tcase_add_test(t, a_burst_is_no_code);
	suite_add_tcase(suite, t);
	return suite;
}
