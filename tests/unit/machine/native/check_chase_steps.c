// SPDX-License-Identifier: GPL-2.0
/* check_chase_steps.c - lists of steps, and what is counted after them. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "machine/native/chase.h"
#include "machine/native/chase_steps.h"
#include "machine/native/native.h"
#include "machine/native/step_lines.h"
#include "suites.h"

#define WORDS 4096
#define MANY 300

/* What the runs say, in order, is the list. */
static void ck_same(const struct step_lines *lines, const struct sequence *s)
{
	size_t next = 0;

	for (size_t i = 0; i < lines->count; i++)
		for (uint32_t n = 0; n < lines->runs[i].count; n++)
			ck_assert_int_eq(
				((int64_t)lines->runs[i].first +
				 (int64_t)n * lines->runs[i].distance) *
					8,
				(int64_t)s->offsets[next++]);
	ck_assert_uint_eq(next, s->length);
	ck_assert_uint_eq(lines->length, s->length);
}

START_TEST(rows_are_one_run)
{
	uint64_t offsets[MANY];
	const struct sequence s = { offsets, MANY };
	struct failure f = { .text = "" };
	struct step_lines lines;
	static const int64_t distances[] = { 64, 4096, -64, 0, 8, -(8 << 20) };

	for (size_t d = 0; d < sizeof(distances) / sizeof(*distances); d++) {
		for (size_t i = 0; i < MANY; i++)
			offsets[i] = (UINT64_C(4) << 30) +
				     (uint64_t)((int64_t)i * distances[d]);
		ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
		ck_assert_uint_eq(lines.count, 1);
		ck_same(&lines, &s);
		step_lines_free(&lines);
	}
}
END_TEST

/* Rows, single lines, lines twice, leaps that no distance can say. */
START_TEST(any_list_is_kept)
{
	uint64_t seed =
		from_environment("PROBE_PHYS_SEED", 1) * 1000 + (uint64_t)_i;
	uint64_t offsets[MANY];
	struct sequence s = { offsets, 0 };
	struct failure f = { .text = "" };
	struct step_lines lines;
	struct rng rng = { seed };

	printf("steps: seed %llu\n", (unsigned long long)seed);
	s.length = rng_below(&rng, MANY);
	for (size_t i = 0; i < s.length; i++) {
		bool leap = !i || !rng_below(&rng, 1 + (uint64_t)_i % 8);

		offsets[i] = leap ? rng_below(&rng, UINT64_C(1) << 32) * 8 :
				    (offsets[i - 1] + 64) % (UINT64_C(1) << 35);
	}
	ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
	ck_same(&lines, &s);
	/* No more room than the offsets had taken. */
	ck_assert_uint_le(lines.count * sizeof(*lines.runs),
			  (s.length + 1) * 2 * sizeof(*offsets));
	step_lines_free(&lines);
}
END_TEST

START_TEST(beyond_what_a_list_names_is_refused)
{
	uint64_t offsets[] = { 0, UINT64_C(1) << 35 };
	const struct sequence s = { offsets, 2 };
	struct failure f = { .text = "" };
	struct step_lines lines;

	ck_assert_int_eq(step_lines_make(&lines, &s, &f), -ERANGE);
	ck_assert(strstr(f.text, "32 GiB"));
	ck_assert_ptr_null(lines.runs);
	offsets[1] -= 8;
	ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
	ck_same(&lines, &s);
	step_lines_free(&lines);
}
END_TEST

/* Each word of a store is another afterwards, and nothing else is. */
START_TEST(stores_write_their_words)
{
	static uint64_t words[WORDS];
	uint64_t offsets[] = { 64, 128, 192, 8, 1600, 1608, 32760 };
	const struct sequence s = { offsets, 7 };
	struct failure f = { .text = "" };
	struct step_lines lines;
	size_t changed = 0;

	memset(words, 0, sizeof(words));
	ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
	step_lines_take(&lines, (char *)words, STEP_FLUSH);
	step_lines_take(&lines, (char *)words, STEP_LOAD);
	step_lines_take(&lines, (char *)words, STEP_LOAD_TOGETHER);
	for (size_t i = 0; i < WORDS; i++)
		ck_assert_uint_eq(words[i], 0);
	step_lines_take(&lines, (char *)words, STEP_STORE);
	for (size_t i = 0; i < s.length; i++)
		ck_assert_uint_ne(words[offsets[i] / 8], 0);
	for (size_t i = 0; i < WORDS; i++)
		changed += words[i] != 0;
	ck_assert_uint_eq(changed, s.length);
	step_lines_free(&lines);
}
END_TEST

/*
 * A cache that loses everything at each reading of the counter, as a system
 * call does with a small one: a word says whether the step has brought it
 * since.
 */
struct touchy {
	uint64_t *word;
	double misses;
	unsigned int reads;
};

static struct touchy touchy;

static bool read_touchy(void *context, double *counts)
{
	struct touchy *t = context;

	/* What reading misses itself, the first time most. */
	t->misses += t->reads++ ? 17 : 100;
	counts[COUNTER_L1D_MISS] = t->misses;
	*t->word = 0;
	return true;
}

static void *follow_touchy(void *p, uint64_t loads)
{
	touchy.misses += *touchy.word ? 0 : (double)loads;
	return p;
}

static double count_touchy(size_t step_count, enum step_kind kind)
{
	static uint64_t words[WORDS];
	uint64_t offset = 8;
	const struct sequence s = { &offset, 1 };
	const struct walk_step step = { kind, &s, 0 };
	const struct chase_meter meter = { .read = read_touchy,
					   .context = &touchy,
					   .counted = 1U << COUNTER_L1D_MISS };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = step_count };
	struct failure f = { .text = "" };
	struct timer timer;
	struct step_lines lines;
	struct chase_path path = {
		.follow = follow_touchy,
		.unit = 1,
		.round = 5,
		.base = (char *)words,
		.steps = &lines,
		.meter = &meter,
	};
	struct machine m = { .cpu = native_pin(-1, &f) };
	struct sample sample;

	touchy = (struct touchy){ .word = &words[1] };
	ck_assert_int_eq(timer_choose(&timer, &f), 0);
	ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
	chase_sample(&m, &timer, &path, &plan, &sample);
	step_lines_free(&lines);
	timer_release(&timer);
	ck_assert_uint_eq(sample.loads, 5);
	ck_assert(sample.counted >> COUNTER_L1D_MISS & 1);
	return sample.counts[COUNTER_L1D_MISS];
}

static uint64_t followed;

static void *follow_counting(void *p, uint64_t loads)
{
	followed += loads;
	return p;
}

START_TEST(reading_disturbs_nothing_after_steps)
{
	ck_assert_double_eq(count_touchy(1, STEP_STORE), 0);
	/* And what was not brought is counted, all of it. */
	ck_assert_double_eq(count_touchy(1, STEP_LOAD), 5);
}
END_TEST

/* What a walk finds is what was left, or a round goes before. */
START_TEST(nothing_is_walked_before)
{
	static uint64_t words[WORDS];
	struct failure f = { .text = "" };
	struct timer timer;
	const struct chase_path path = {
		.follow = follow_counting,
		.unit = 1,
		.round = 5,
		.base = (char *)words,
	};
	struct machine m = { .cpu = native_pin(-1, &f) };

	ck_assert_int_eq(timer_choose(&timer, &f), 0);
	for (unsigned int i = 0; i < 3; i++) {
		const struct walk_plan plan = { .flags = i ? WALK_AT_ONCE : 0,
						.warm_rounds = i / 2 * 3,
						.samples = 2 };
		struct sample samples[2];

		followed = 0;
		chase_sample(&m, &timer, &path, &plan, samples);
		ck_assert_uint_eq(samples[1].loads, 5);
		ck_assert_uint_eq(followed, 10 + (i ? i / 2 * 15 : 5));
	}
	timer_release(&timer);
}
END_TEST

static unsigned int begun;

static uint64_t begin_counting(const struct timer *t)
{
	(void)t;
	return ++begun;
}

static uint64_t end_counting(const struct timer *t)
{
	(void)t;
	return begun;
}

/* In a line of its own: the walk is where it was, and one load too many fails. */
START_TEST(a_round_after_steps_is_rehearsed)
{
	static void *words[1];
	uint64_t offset = 0;
	const struct sequence s = { &offset, 1 };
	const struct walk_step step = { STEP_LOAD, &s, 0 };
	struct failure f = { .text = "" };
	const struct timer timer = { .start = begin_counting,
				     .stop = end_counting };
	struct step_lines lines;
	struct chase_path path = {
		.follow = chase_follow,
		.start = words,
		.unit = 1,
		.round = 1,
		.base = (char *)words,
		.steps = &lines,
	};
	struct machine m = { .cpu = native_pin(-1, &f) };

	ck_assert_int_eq(step_lines_make(&lines, &s, &f), 0);
	for (size_t steps = 0; steps < 2; steps++) {
		const struct walk_plan plan = { .samples = 1,
						.flags = WALK_AT_ONCE,
						.steps = &step,
						.step_count = steps };
		struct sample sample;

		begun = 0;
		chase_sample(&m, &timer, &path, &plan, &sample);
		ck_assert_uint_eq(begun, 1 + steps);
		ck_assert_uint_eq(sample.loads, 1);
		ck_assert_double_eq(sample.ticks, 0);
	}
	step_lines_free(&lines);
}
END_TEST

/* Where this process may run. */
static struct machine machine_of_two(void)
{
	struct machine m = { .other_count = 0 };
	struct failure f = { .text = "" };
	cpu_set_t allowed;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	m.cpu = native_pin(-1, &f);
	ck_assert_int_ge(m.cpu, 0);
	for (int i = 0; i < CPU_SETSIZE && !m.other_count; i++)
		if (CPU_ISSET(i, &allowed) && i != m.cpu)
			m.others[m.other_count++] = i;
	return m;
}

/* Whether a thread there takes them or this one goes there. */
START_TEST(another_cpu_takes_its_steps)
{
	static uint64_t words[WORDS];
	uint64_t offsets[] = { 64, 1600 };
	const struct sequence s = { offsets, 2 };
	const struct walk_step steps[] = { { STEP_LOAD, &s, 0 },
					   { STEP_STORE, &s, 1 } };
	const struct walk_plan plan = { .steps = steps, .step_count = 2 };
	const struct walk_plan own = { .steps = steps, .step_count = 1 };
	struct failure f = { .text = "" };
	struct step_lines lines[2];
	struct chase_path path = { .base = (char *)words, .steps = lines };
	struct machine m = machine_of_two();

	if (!m.other_count)
		return;
	ck_assert_ptr_null(step_helpers_start(&m, &own));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(step_lines_make(&lines[i], &s, &f), 0);
	for (int helped = 0; helped < 2; helped++) {
		if (helped)
			path.helpers = step_helpers_start(&m, &plan);
		ck_assert(!helped == !path.helpers);
		for (int i = 0; i < 100; i++) {
			words[8] = words[200] = 0;
			ck_assert(chase_take_steps(&m, &path, &plan));
			ck_assert_uint_ne(words[8], 0);
			ck_assert_uint_ne(words[200], 0);
			ck_assert_int_eq(sched_getcpu(), m.cpu);
		}
		step_helpers_stop(path.helpers);
	}
	for (int i = 0; i < 2; i++)
		step_lines_free(&lines[i]);
}
END_TEST

START_TEST(a_cpu_that_is_not_there_has_no_helper)
{
	const struct sequence s = { .offsets = NULL };
	const struct walk_step step = { STEP_LOAD, &s, 1 };
	const struct walk_plan plan = { .steps = &step, .step_count = 1 };
	const struct machine m = { .others = { CPU_SETSIZE },
				   .other_count = 1 };

	ck_assert_ptr_null(step_helpers_start(&m, &plan));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("lists");

	tcase_add_test(t, rows_are_one_run);
	tcase_add_loop_test(t, any_list_is_kept, 0, 32);
	tcase_add_test(t, beyond_what_a_list_names_is_refused);
	tcase_add_test(t, stores_write_their_words);
	suite_add_tcase(suite, t);
	t = tcase_create("other CPUs");
	tcase_add_test(t, another_cpu_takes_its_steps);
	tcase_add_test(t, a_cpu_that_is_not_there_has_no_helper);
	suite_add_tcase(suite, t);
	t = tcase_create("counts");
	tcase_add_test(t, reading_disturbs_nothing_after_steps);
	tcase_add_test(t, nothing_is_walked_before);
	tcase_add_test(t, a_round_after_steps_is_rehearsed);
	suite_add_tcase(suite, t);
	return suite;
}
