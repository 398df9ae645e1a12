// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/kept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "method/accessed/tuning.h"

/* Rows lie up to 2^19 pages apart then: no known index takes higher bits of page
 * numbers (the largest: 2 * 9 bits, XORed).
 */
#define MOST_PAGES (UINT64_C(1) << 26)
#define LEAST_PAGES (UINT64_C(1) << 12)
/* Twice as many entries as the largest known array (Zen 5: 4096), and a quarter. */
#define MOST_TOUCHED 10240
/**
 * struct effort - how pages are tested
 * @parts: pages of one test are one of @parts. Each walk brings in a page, which
 *         may push out one that is still to be tested
 * @least: pages of one test, at least
 * @tested: pages in each trial, or all where there are fewer
 * @again: rounds before the next test: one is enough where nothing else takes entries
 *
 * Where clearing the bits disturbs, that is the larger error, and each test is a
 * system call.
 */
struct effort {
	size_t parts;
	size_t least;
	size_t tested;
	unsigned int again;
};

static const struct effort precise = { 1024, 1, TESTED_PAGES, 1 };
static const struct effort quick = { 32, 16, TESTED_PAGES / 2, FILL_ROUNDS };
/* Student's t of KEPT_TRIALS - 1 degrees is farther out with this probability. */
#define STUDENT 6.0
#define STUDENT_ERROR 1.3e-7
/* Elements of neighbouring pages lie in different lines. */
#define LINE 64

static int open_pages(struct kept_view *v, struct view_request *r,
		      struct failure *f)
{
	struct machine *m = v->prober->m;
	struct failure why = { .text = "" };
	int error = -EOPNOTSUPP;

	for (; r->pages >= LEAST_PAGES; r->pages /= 4) {
		why.text[0] = '\0';
		error = m->ops->view_open(m, r, &v->view, &why);
		if (!error)
			return 0;
		if (error == -EOPNOTSUPP)
			break;
	}
	return fail(f, why.status, -error, "%s", why.text);
}

int kept_view_open(struct kept_view *v, struct prober *p, uint64_t page_bytes,
		   bool executable, struct failure *f)
{
	struct view_request r = { .page_bytes = page_bytes,
				  .pages = MOST_PAGES,
				  .frames = 1,
				  .executable = executable,
				  .touched = true };
	int error;

	*v = (struct kept_view){ .prober = p, .most = MOST_TOUCHED };
	v->kind = executable ? TOUCH_FETCHES : TOUCH_LOADS;
	if (!p->m->accessed_bits || !p->m->ops->view_touch)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"accessed bits: not to be had here (load probe_phys.ko)");
	/* No address space is larger. */
	while (r.pages > (UINT64_C(1) << 46) / page_bytes)
		r.pages /= 2;
	error = open_pages(v, &r, f);
	v->pages = r.pages;
	return error;
}

void kept_view_close(struct kept_view *v)
{
	if (v->view)
		v->prober->m->ops->view_close(v->view);
	v->view = NULL;
}

struct kept_shape kept_row(uint64_t pages)
{
	return (struct kept_shape){ .rows = 1,
				    .columns = pages,
				    .stride = pages };
}

static uint64_t row_of(const struct kept_view *v, const struct kept_shape *w,
		       uint64_t row)
{
	/* Distinct: each row has a band of the view to itself. */
	uint64_t band = v->pages / w->stride / w->rows;

	if (!w->random)
		return row * w->stride;
	return (row * band + rng_below(&v->prober->rng, band)) * w->stride;
}

static int place(const struct kept_view *v, const struct kept_shape *w,
		 struct sequence *s, struct failure *f)
{
	uint64_t count = w->rows * w->columns;
	uint64_t page_bytes = v->view->request.page_bytes;
	uint64_t lines = page_bytes / LINE;
	uint64_t spacing = w->spacing ? w->spacing : 1;

	if (count > v->most ||
	    (w->rows - 1) * w->stride + w->columns * spacing > v->pages)
		return -ERANGE;
	s->offsets = calloc(count, sizeof(*s->offsets));
	s->length = count;
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t first =
			i % w->columns ?
				s->offsets[i - 1] / page_bytes + spacing :
				row_of(v, w, i / w->columns);

		s->offsets[i] = first * page_bytes +
				(first + i / w->columns) % lines * LINE;
	}
	return 0;
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

static int touch(const struct kept_view *v, const struct touch_plan *plan,
		 struct touch_answer *t, struct failure *f)
{
	const struct prober *p = v->prober;

	if (prober_stopped(p))
		return -EINTR;
	return p->m->ops->view_touch(v->view, plan, t, f);
}

static const struct effort *effort_of(const struct kept_view *v)
{
	return v->prober->m->clearing_disturbs ? &quick : &precise;
}

/**
 * struct trial_pages - pages of trials under way
 * @s: in the order of the rounds, which what is kept depends on
 * @picked: in the order of tests
 * @patience: tests that may still be disturbed
 */
struct trial_pages {
	struct sequence s;
	struct sequence picked;
	size_t patience;
};

/* One that was disturbed says nothing and is made again. */
static int test_slice(const struct kept_view *v, struct trial_pages *t,
		      const struct sequence *slice, unsigned int rounds,
		      uint64_t *walked, struct failure *f)
{
	for (;;) {
		const struct touch before = { &t->s, v->kind, rounds };
		struct touch_answer answer;
		int error = touch(v,
				  &(struct touch_plan){
					  &before, 1, { slice, v->kind, 1 } },
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

static size_t slice_of(const struct effort *e, size_t length)
{
	size_t slice = length / e->parts + 1;

	return slice > e->least ? slice : e->least;
}

static int run_trial(const struct kept_view *v, struct trial_pages *t,
		     double *kept, struct failure *f)
{
	const struct effort *e = effort_of(v);
	const size_t length = t->s.length;
	struct sequence slice = { .length = slice_of(e, length) };
	unsigned int rounds = FILL_ROUNDS;
	size_t tested = 0, walked = 0;

	sequence_shuffle(&t->s, &v->prober->rng);
	sequence_shuffle(&t->picked, &v->prober->rng);
	while (tested < length && tested < e->tested) {
		uint64_t count;
		int error;

		slice.offsets = t->picked.offsets + tested;
		if (slice.length > length - tested)
			slice.length = length - tested;
		error = test_slice(v, t, &slice, rounds, &count, f);
		if (error)
			return error;
		tested += slice.length;
		walked += count;
		rounds = e->again;
	}
	*kept = (double)length *
		(1 - (double)walked / (double)(tested ? tested : 1));
	return 0;
}

static int run_trials(const struct kept_view *v, const struct kept_shape *w,
		      size_t trials, double *values, struct failure *f)
{
	const struct effort *e = effort_of(v);
	struct trial_pages t = { .s = { .offsets = NULL } };
	int error = place(v, w, &t.s, f);

	if (!error)
		error = copy(&t.picked, &t.s, f);
	if (!error)
		t.patience = TRIAL_PATIENCE * trials *
			     (e->tested / slice_of(e, t.s.length) + 1);
	for (size_t i = 0; !error && i < trials; i++)
		error = run_trial(v, &t, &values[i], f);
	sequence_free(&t.picked);
	sequence_free(&t.s);
	return error;
}

int kept_estimate(const struct kept_view *v, const struct kept_shape *w,
		  struct kept *k, struct failure *f)
{
	double values[FEW_TRIALS];
	int error = run_trials(v, w, FEW_TRIALS, values, f);

	if (error)
		return error;
	k->pages = (double)(w->rows * w->columns);
	k->middle = statistics_quantile(values, FEW_TRIALS, 0.5);
	k->low = values[0];
	k->high = values[FEW_TRIALS - 1];
	return 0;
}

/*
 * The median lies outside of the r-th values from both ends if fewer than r of the
 * values are on one side of it, each with probability 1/2.
 */
static size_t ends_for(double alpha)
{
	double term = pow(0.5, KEPT_TRIALS), sum = 0;
	size_t r = 0;

	for (;;) {
		sum += term;
		if (2 * sum > alpha)
			return r;
		term *= (double)(KEPT_TRIALS - r) / (double)(r + 1);
		r++;
	}
}

static void bound_median(double *values, size_t ends, struct kept *k)
{
	k->middle = statistics_quantile(values, KEPT_TRIALS, 0.5);
	k->low = values[ends - 1];
	k->high = values[KEPT_TRIALS - ends];
}

static void bound_mean(const double *values, struct kept *k)
{
	double mean = 0, squares = 0, error;

	for (int i = 0; i < KEPT_TRIALS; i++)
		mean += values[i] / KEPT_TRIALS;
	for (int i = 0; i < KEPT_TRIALS; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	error = sqrt(squares / (KEPT_TRIALS - 1) / KEPT_TRIALS);
	k->middle = mean;
	k->low = mean - STUDENT * error;
	k->high = mean + STUDENT * error;
}

int kept_measure(const struct kept_view *v, const struct kept_shape *w,
		 struct kept *k, struct failure *f)
{
	const double pages = (double)(w->rows * w->columns);
	struct prober *p = v->prober;
	double values[KEPT_TRIALS];
	size_t ends = ends_for(p->rules.alpha);
	int error;

	/* An interval that says nothing. */
	*k = (struct kept){ .pages = pages, .high = pages };
	if (!ends || p->rules.alpha < STUDENT_ERROR ||
	    !budget_draw(&p->budget, p->rules.alpha))
		return 0;
	error = run_trials(v, w, KEPT_TRIALS, values, f);
	if (error)
		return error;
	p->tests++;
	if (p->m->clearing_disturbs)
		bound_median(values, ends, k);
	else
		bound_mean(values, k);
	return 0;
}

int kept_across(const struct kept_view *v, uint64_t first, uint64_t pages,
		enum touch_kind before, enum touch_kind after, double *share,
		struct failure *f)
{
	const struct kept_shape w = kept_row(pages);
	struct sequence s = { .offsets = NULL };
	const struct touch rounds = { &s, before, FILL_ROUNDS };
	struct touch_answer t = { .walked = 0 };
	int error = first + pages <= v->pages ? place(v, &w, &s, f) : -ERANGE;

	for (size_t i = 0; !error && i < s.length; i++)
		s.offsets[i] += first * v->view->request.page_bytes;
	if (!error) {
		sequence_shuffle(&s, &v->prober->rng);
		error = touch(
			v, &(struct touch_plan){ &rounds, 1, { &s, after, 1 } },
			&t, f);
	}
	if (!error && t.disturbed)
		error = -EAGAIN;
	*share = error ? 0 : 1 - (double)t.walked / (double)pages;
	sequence_free(&s);
	return error;
}
