// SPDX-License-Identifier: GPL-2.0
#include "observe/trial.h"

#include <math.h>

/* Of a miss: speaks for neither side (decision.c). */
#define NEITHER 0.4
/* Blocks of either kind that are more than chance. */
#define CLEAR_BLOCKS 3

double trial_exposure(size_t test_length, size_t control_length,
		      unsigned int loads)
{
	return fmax((double)test_length, loads) /
	       fmax((double)control_length, loads);
}

bool trial_split(const struct trial *t, enum verdict verdict)
{
	return verdict == VERDICT_UNDECIDED &&
	       t->decision.compact_blocks >= CLEAR_BLOCKS &&
	       t->decision.non_compact_blocks >= CLEAR_BLOCKS;
}

static int take_block(const struct trial *t, struct trial_block *b,
		      struct failure *f)
{
	enum trial_side first = t->test_first ? TRIAL_TEST : TRIAL_CONTROL;
	enum trial_side second = t->test_first ? TRIAL_CONTROL : TRIAL_TEST;
	int error = t->ops->place ? t->ops->place(t->context, b, f) : 0;

	if (!error && t->ops->observe)
		error = t->ops->observe(t->context, first, b, f);
	if (!error && t->ops->observe)
		error = t->ops->observe(t->context, second, b, f);
	if (!error && t->ops->after)
		error = t->ops->after(t->context, b, f);
	if (t->ops->release)
		t->ops->release(t->context);
	return error;
}

static void to_misses(const struct trial *t, double hit, struct readings *r)
{
	for (size_t i = 0; i < r->count; i++) {
		r->values[i] = (r->values[i] - hit) * t->loads / t->miss;
		if (t->most_gain > 0 && r->values[i] < -t->most_gain)
			r->values[i] = NEITHER;
	}
}

static void note_misses(struct trial *t, const struct readings *test)
{
	double misses;

	if (!test->count)
		return;
	misses = statistics_peek(test->values, test->count, 0.5);
	t->least_misses = fmin(t->least_misses, misses);
	t->most_misses = fmax(t->most_misses, misses);
}

static void add_block(struct trial *t, struct trial_block *b)
{
	struct readings *test = &b->of[TRIAL_TEST];
	struct readings *control = &b->of[TRIAL_CONTROL];

	if (t->hit_by_control)
		b->hit = statistics_peek(control->values, control->count, 0.25);
	to_misses(t, b->hit + b->added, test);
	to_misses(t, b->hit, control);
	decision_add_block(&t->decision, test->values, test->count,
			   control->values, control->count, b->exposure);
	note_misses(t, test);
}

static int take_blocks(struct trial *t, enum verdict *verdict,
		       struct failure *f)
{
	bool done = false;

	for (size_t i = 0; !done || i < t->least_blocks; i++) {
		struct trial_block b = { .exposure = 1 };
		int error = take_block(t, &b, f);

		if (error)
			return error;
		if (done)
			continue;
		add_block(t, &b);
		done = decision_done(&t->decision, verdict);
	}
	return 0;
}

int trial_run(struct trial *t, enum verdict *verdict, struct failure *f)
{
	struct decision_rules rules = t->rules;
	int error;

	if (t->budget)
		rules.alpha = budget_take(t->budget, rules.alpha);
	decision_begin(&t->decision, &rules);
	t->least_misses = INFINITY;
	t->most_misses = -INFINITY;
	if (!(rules.alpha > 0)) {
		*verdict = VERDICT_UNDECIDED;
		return 0;
	}
	error = take_blocks(t, verdict, f);
	if (t->tests && (!error || t->failed_counts))
		++*t->tests;
	if (!error && t->unanimous && *verdict == VERDICT_COMPACT &&
	    t->decision.non_compact_blocks)
		*verdict = VERDICT_UNDECIDED;
	return error;
}
