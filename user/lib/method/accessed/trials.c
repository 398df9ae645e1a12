// SPDX-License-Identifier: GPL-2.0
/* trials.c - rounds of touches, and tests of a few pages after each. */
#include "method/accessed/trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "method/accessed/tuning.h"

/*
 * Pages of one test are one of PARTS. Each walk brings in a page, which may push out
 * one that is still to be tested; where clearing the bits disturbs, that is the larger
 * error, and each test is a few system calls.
 */
#define PARTS 1024
#define PARTS_DISTURBED 16
/* A test is made of runs of neighbours then, as each run takes entries, too. */
#define RUNS 4
#define LEAST_RUN 4
#define MOST_RUN 20
/*
 * An array above may hold pages that the last one does not have, if that takes in what the
 * upper one gives up (Zen 3: 2,048 entries kept 2,112 pages). Others, touched last, push
 * them out: as many as that array has, or this many, as AMD's first arrays of code have.
 */
#define ABOVE 64
/*
 * A pause: touches of one page, for each page of a round. A walk takes as long as ten
 * touches without one at least, so it is longer than the round, and others take more.
 */
#define PAUSE 16

/**
 * struct pages - pages of trials under way
 * @s: in the order of the rounds, which what is kept depends on
 * @placed: row by row, or in the order of tests
 * @slice: pages of a test
 * @last: pages that are touched last of all
 * @patience: tests that may still be disturbed
 */
struct pages {
	struct sequence s;
	struct sequence placed;
	struct sequence slice;
	struct sequence last;
	size_t patience;
};

static bool is_disturbed(const struct kept_view *v)
{
	return v->prober->m->clearing_disturbs;
}

static int copy(struct sequence *to, const struct sequence *of,
		struct failure *f)
{
	to->offsets = calloc(of->length, sizeof(*to->offsets));
	if (!to->offsets)
		return prober_out_of_memory(f);
	memcpy(to->offsets, of->offsets, of->length * sizeof(*to->offsets));
	to->length = of->length;
	return 0;
}

/* The last ones of the view. */
static int place_last(const struct kept_view *v, struct sequence *last,
		      struct failure *f)
{
	const struct kept_shape w =
		kept_row((uint64_t)(v->above > 0 ? v->above : ABOVE));
	int error = kept_place(v, &w, last, f);

	for (size_t i = 0; !error && i < last->length; i++)
		last->offsets[i] +=
			(v->pages - last->length) * v->view->request.page_bytes;
	return error;
}

/*
 * One that was disturbed says nothing and is made again.
 * @pause: touches of one page before the bits are cleared
 */
static int test_slice(const struct kept_view *v, struct pages *t,
		      unsigned int rounds, uint64_t pause, uint64_t *walked,
		      struct failure *f)
{
	const struct sequence one = { t->last.offsets, 1 };

	for (;;) {
		const struct touch before[] = {
			{ &t->s, v->kind, rounds },
			{ &t->last, v->kind, FILL_ROUNDS },
			{ &one, v->kind, (unsigned int)pause },
		};
		/* The same pages always: others have to be mapped. */
		const size_t count = t->last.length ? 3 : 1;
		struct touch_answer answer;
		int error = kept_touch(
			v,
			&(struct touch_plan){ before,
					      count,
					      { &t->slice, v->kind, 1 },
					      NULL,
					      false },
			&answer, f);

		*walked = answer.walked;
		if (error || !answer.disturbed)
			return error;
		if (!t->patience)
			return -EAGAIN;
		t->patience--;
		rounds = FILL_ROUNDS;
	}
}

/* Pages at random, each once. */
static int try_each(const struct kept_view *v, struct pages *t, double *kept,
		    struct failure *f)
{
	const size_t length = t->s.length, slice = length / PARTS + 1;
	unsigned int rounds = FILL_ROUNDS;
	size_t tested = 0, walked = 0;

	sequence_shuffle(&t->placed, &v->prober->rng);
	while (tested < length && tested < TESTED_PAGES) {
		size_t left = length - tested;
		uint64_t count;
		int error;

		t->slice.length = slice < left ? slice : left;
		memcpy(t->slice.offsets, t->placed.offsets + tested,
		       t->slice.length * sizeof(*t->slice.offsets));
		error = test_slice(v, t, rounds, 1, &count, f);
		if (error)
			return error;
		tested += t->slice.length;
		walked += count;
		/* Nothing else takes entries. */
		rounds = 1;
	}
	*kept = (double)length *
		(1 - (double)walked / (double)(tested ? tested : 1));
	return 0;
}

static size_t run_of(const struct kept_shape *w)
{
	const size_t length = w->rows * w->columns;
	size_t run = length / PARTS_DISTURBED / RUNS;

	if (run < LEAST_RUN || w->spacing > 1 || w->columns < LEAST_RUN)
		run = LEAST_RUN;
	if (run > MOST_RUN)
		run = MOST_RUN;
	return run < length / RUNS ? run : length / RUNS;
}

/* One run somewhere in each part. */
static void take_runs(const struct kept_view *v, struct pages *t, size_t run)
{
	const size_t part = t->placed.length / RUNS;

	for (size_t i = 0; i < RUNS; i++) {
		size_t first =
			i * part + rng_below(&v->prober->rng, part - run + 1);

		memcpy(t->slice.offsets + i * run, t->placed.offsets + first,
		       run * sizeof(*t->slice.offsets));
	}
	t->slice.length = RUNS * run;
	sequence_shuffle(&t->slice, &v->prober->rng);
}

static int try_runs(const struct kept_view *v, struct pages *t, size_t run,
		    int tests, bool pauses, double *kept, struct failure *f)
{
	const double length = (double)t->s.length;
	double walked = 0;

	for (int i = 0; i < tests; i++) {
		uint64_t count;
		int error;

		take_runs(v, t, run);
		error = test_slice(v, t, FILL_ROUNDS,
				   pauses ? PAUSE * t->s.length : 1, &count, f);
		if (error)
			return error;
		walked += (double)count;
	}
	*kept = length * (1 - walked / (double)(tests * RUNS * (int)run));
	return 0;
}

static int try_once(const struct kept_view *v, struct pages *t, size_t run,
		    struct kept_trial *trial, struct failure *f)
{
	int error;

	sequence_shuffle(&t->s, &v->prober->rng);
	if (!is_disturbed(v))
		return try_each(v, t, &trial->kept, f);
	error = try_runs(v, t, run, 1, true, &trial->guide, f);
	if (!error)
		error = try_runs(v, t, run, TESTS, false, &trial->kept, f);
	if (!error)
		error = try_runs(v, t, run, 1, true, &trial->still, f);
	return error;
}

int kept_try(const struct kept_view *v, const struct kept_shape *w,
	     struct kept_trial *trials, size_t count, struct failure *f)
{
	struct pages t = { .s = { .offsets = NULL } };
	int error = kept_place(v, w, &t.s, f);

	if (!error)
		error = copy(&t.placed, &t.s, f);
	if (!error)
		error = copy(&t.slice, &t.s, f);
	if (!error && is_disturbed(v))
		error = place_last(v, &t.last, f);
	if (!error)
		t.patience =
			TRIAL_PATIENCE * count *
			(is_disturbed(v) ?
				 TESTS + 2 :
				 TESTED_PAGES / (t.s.length / PARTS + 1) + 1);
	for (size_t i = 0; !error && i < count; i++)
		error = try_once(v, &t, run_of(w), &trials[i], f);
	sequence_free(&t.last);
	sequence_free(&t.slice);
	sequence_free(&t.placed);
	sequence_free(&t.s);
	return error;
}
