// SPDX-License-Identifier: GPL-2.0
/* check_unified_below.c - lines that code pushed out, and where they come from. */
#include "method/sharing/unified.h"
#include "suites.h"

#define HIT 10
#define MISS 100
#define MEMORY 400
#define LINES 256
/* A step of the clock by which two lines are timed at a time. */
#define COARSE 90

/**
 * struct where - where lines come from after code, of ten
 * @below: from the level right below
 * @memory: from memory; all others are still here
 * @far: from what is @ticks far instead
 * @ticks: of these
 * @lost: the level loses them without code as well
 * @found: what has to be said
 */
struct where {
	int below;
	int memory;
	int far;
	double ticks;
	bool lost;
	bool found;
};

static const struct where cases[] = {
	{ .below = 10, .found = true },
	/* What disturbs one line in ten. */
	{ .below = 9, .memory = 1, .found = true },
	/* An inclusive level lost them. */
	{ .memory = 10 },
	/* It lost some, which cost as much as all would from below. */
	{ .memory = 3 },
	{ .below = 3, .memory = 7 },
	{ .below = 5 },
	/* A level that nothing is known of lies behind. */
	{ .far = 10, .ticks = 160 },
	{ .below = 10, .lost = true },
};
static const struct where *now;
static int turn;

static double ticks_after_code(void)
{
	const int i = turn++ % 10;

	if (i < now->below)
		return MISS;
	if (i < now->below + now->memory)
		return MEMORY;
	return i < now->below + now->memory + now->far ? now->ticks : HIT;
}

static int walk_where(struct machine *m, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	(void)f;
	ck_assert_uint_eq(s->length,
			  m->timer.resolution_ticks < COARSE ? 1 : 2);
	/* The translation comes back after the code, by another line. */
	ck_assert_uint_eq(plan->after_code, 1);
	ck_assert_uint_ne(plan->steps[plan->step_count - 1].lines->offsets[0],
			  s->offsets[0]);
	*samples = (struct sample){ .loads = s->length };
	for (size_t i = 0; i < s->length; i++)
		samples->ticks += plan->code || now->lost ? ticks_after_code() :
							    HIT;
	return 0;
}

/* Some lines of each page, or all. */
static bool find(const struct where *where, uint64_t stride, double step)
{
	const struct machine_ops ops = { .walk = walk_where };
	struct machine m = { .ops = &ops, .timer.resolution_ticks = step };
	struct prober p = { .m = &m, .budget = budget_begin(), .rng = { 1 } };
	struct hierarchy h = { .cache_count = 2 };
	struct view code = { .m = &m };
	uint64_t lines[LINES];
	struct unified q = { .p = &p,
			     .h = &h,
			     .c = &h.caches[0],
			     .below = &h.caches[1],
			     .below_count = 1,
			     .hit = HIT,
			     .miss = MISS,
			     .beyond = MEMORY,
			     .code = &code,
			     .loaded = { lines, LINES } };
	struct failure f = { .text = "" };
	bool found = true;

	for (uint64_t i = 0; i < LINES; i++)
		lines[i] = i * stride;
	now = where;
	turn = 0;
	ck_assert(!unified_find_below(&q, &found, &f));
	return found;
}

START_TEST(finds_lines_right_below)
{
	ck_assert_int_eq(find(&cases[_i], 1024, 2), cases[_i].found);
}
END_TEST

START_TEST(coarse_clocks_time_several_lines)
{
	ck_assert_int_eq(find(&cases[_i], 1024, COARSE), cases[_i].found);
}
END_TEST

/* No line of the page would bring its translation alone. */
START_TEST(needs_lines_aside)
{
	ck_assert(!find(&cases[0], 64, 2));
}
END_TEST

START_TEST(needs_a_clock_fine_enough)
{
	ck_assert(!find(&cases[0], 1024, MISS));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("below");

	tcase_add_loop_test(t, finds_lines_right_below, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(t, coarse_clocks_time_several_lines, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, needs_lines_aside);
	tcase_add_test(t, needs_a_clock_fine_enough);
	suite_add_tcase(suite, t);
	return suite;
}
