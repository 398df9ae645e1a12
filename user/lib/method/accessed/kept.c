// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/kept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "method/accessed/trials.h"
#include "method/accessed/tuning.h"

/* Rows lie up to 2^19 pages apart then: no known index takes higher bits of page
 * numbers (the largest: 2 * 9 bits, XORed).
 */
#define MOST_PAGES (UINT64_C(1) << 26)
#define LEAST_PAGES (UINT64_C(1) << 12)
/* Twice as many entries as the largest known array (Zen 5: 4096), and a quarter. */
#define MOST_TOUCHED 10240
/* Student's t of KEPT_TRIALS - 1 degrees is farther out with this probability, ... */
#define STUDENT 6.0
#define STUDENT_ERROR 1.3e-7
/* ... and so is that of QUIET_TRIALS - 1 degrees. */
#define STUDENT_QUIET 7.0
/*
 * Where others take entries now and then, trials that they left alone count: this share
 * of all at least, and of up to MOST_SHARE times as many where nearly all have lost
 * some in a pause. So others have to be away for a sixth of the time.
 */
#define QUIET_SHARE 3
#define MOST_SHARE 6
/*
 * Trials that lose less in a pause are quiet enough to end with. Twice as much ends
 * sooner, and half of it later.
 */
#define QUIET_LOST 0.07
#define QUIET_TRIALS 32
/* Trials before and after one that help to choose it. */
#define NEAR 2
/*
 * Of more than twice the entries of the largest known array no more than half are kept,
 * with all that lie above it. Twice as large an array, which no search would find, keeps
 * four fifths.
 */
#define MOST_KEPT 0.9

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

/* --- do accessed bits follow page walks? ---------------------------------- */

/*
 * A hypervisor that keeps page tables of its own for a guest (shadow paging, PVM) sets
 * the guest's bits when it fills those, and not when a processor walks them. Then each
 * page looks as if a TLB had kept it, however many there are.
 */

/* Any trial may show that bits do not follow: a hypervisor that fills its page tables
 * meanwhile sets some as well, and no TLB keeps that many once.
 */
static int touch_all(const struct kept_view *v, const struct sequence *all,
		     bool *follow, struct failure *f)
{
	/* In a random order, and those that were touched the longest ago. */
	const struct sequence tested = { .offsets = all->offsets,
					 .length = TESTED_PAGES < all->length ?
							   TESTED_PAGES :
							   all->length };
	const struct touch rounds = { all, v->kind, FILL_ROUNDS };
	const struct touch_plan plan = { .before = &rounds,
					 .before_count = 1,
					 .test = { &tested, v->kind, 1 } };
	int error = 0;

	for (int i = 0; !error && *follow && i < PROOFS; i++) {
		struct touch_answer t = { .walked = 0 };

		error = kept_touch(v, &plan, &t, f);
		*follow = (double)t.walked >
			  (1 - MOST_KEPT) * (double)tested.length;
	}
	return error;
}

/* @follow: (out) true as well where there are too few pages to see it */
static int follows_walks(const struct kept_view *v, bool *follow,
			 struct failure *f)
{
	const struct kept_shape w = { .rows = 1,
				      .columns = v->most,
				      .spacing = KEPT_APART,
				      .stride = KEPT_APART * v->most };
	struct sequence all = { .offsets = NULL };
	int error;

	*follow = true;
	if (w.stride > v->pages)
		return 0;
	error = kept_place(v, &w, &all, f);
	if (!error) {
		sequence_shuffle(&all, &v->prober->rng);
		error = touch_all(v, &all, follow, f);
	}
	sequence_free(&all);
	return error;
}

/* Small pages show it of a machine, and take next to no memory. */
static int prove(struct kept_view *v, struct failure *f)
{
	struct machine *m = v->prober->m;
	bool follow = true;
	const bool smallest = v->view->request.page_bytes ==
			      m->view_page_bytes[0];
	int error = smallest && m->virtual_machine ?
			    follows_walks(v, &follow, f) :
			    0;

	if (!error && !follow) {
		m->accessed_bits = false;
		error = fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"they do not follow page walks: the hypervisor has page tables of its own (load probe_phys.ko on the host)");
	}
	if (error)
		kept_view_close(v);
	return error;
}

/* --- pages that are kept -------------------------------------------------- */

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
	return error ? error : prove(v, f);
}

void kept_view_close(struct kept_view *v)
{
	if (v->view)
		v->prober->m->ops->view_close(v->view);
	v->view = NULL;
}

/* What others do lasts longer than a trial, and a trial's own test is of few pages. */
static void smooth_guides(const struct kept_trial *trials, size_t count,
			  struct kept_trial *smooth)
{
	for (size_t i = 0; i < count; i++) {
		size_t first = i < NEAR ? 0 : i - NEAR;
		size_t end = i + NEAR < count ? i + NEAR + 1 : count;

		smooth[i] = trials[i];
		smooth[i].guide = 0;
		for (size_t j = first; j < end; j++)
			smooth[i].guide +=
				trials[j].guide / (double)(end - first);
	}
}

static int by_guide(const void *a, const void *b)
{
	const struct kept_trial *x = a, *y = b;

	return (x->guide < y->guide) - (x->guide > y->guide);
}

/* @t: Student's, for the bounds */
static void find_mean(const struct kept_trial *trials, size_t count, double t,
		      struct kept *k)
{
	double mean = 0, squares = 0, error;

	k->still = 0;
	for (size_t i = 0; i < count; i++) {
		mean += trials[i].kept / (double)count;
		k->still += trials[i].still / (double)count;
	}
	for (size_t i = 0; i < count; i++)
		squares += (trials[i].kept - mean) * (trials[i].kept - mean);
	error = sqrt(squares / (double)(count - 1) / (double)count);
	k->middle = mean;
	k->low = mean - t * error;
	k->high = mean + t * error;
}

/*
 * Where clearing the bits disturbs, so do others, and all lose entries only: @chosen
 * trials count, those around a pause in which the most was kept. Chance has not chosen
 * the tests that are counted.
 */
static int measure_disturbed(const struct kept_view *v,
			     const struct kept_shape *w, size_t chosen,
			     struct kept *k, struct failure *f)
{
	struct kept_trial trials[QUIET_TRIALS * MOST_SHARE];
	struct kept_trial best[QUIET_TRIALS * MOST_SHARE];
	const size_t more = chosen * QUIET_SHARE;

	for (size_t count = 0; count < chosen * MOST_SHARE;) {
		int error = kept_try(v, w, trials + count, more, f);

		if (error)
			return error;
		count += more;
		smooth_guides(trials, count, best);
		qsort(best, count, sizeof(*best), by_guide);
		find_mean(best, chosen, STUDENT_QUIET, k);
		if (k->still >= (1 - QUIET_LOST) * k->middle)
			break;
	}
	return 0;
}

int kept_estimate(const struct kept_view *v, const struct kept_shape *w,
		  struct kept *k, struct failure *f)
{
	struct kept_trial trials[FEW_TRIALS];
	double values[FEW_TRIALS];
	int error;

	k->pages = (double)(w->rows * w->columns);
	if (v->prober->m->clearing_disturbs)
		return measure_disturbed(v, w, FEW_QUIET_TRIALS, k, f);
	error = kept_try(v, w, trials, FEW_TRIALS, f);
	if (error)
		return error;
	for (size_t i = 0; i < FEW_TRIALS; i++)
		values[i] = trials[i].kept;
	k->middle = statistics_quantile(values, FEW_TRIALS, 0.5);
	k->low = values[0];
	k->high = values[FEW_TRIALS - 1];
	k->still = k->middle;
	return 0;
}

int kept_estimate_up_to(const struct kept_view *v, const struct kept_shape *w,
			double most, struct kept *k, struct failure *f)
{
	struct kept_trial trials[SHORT_TRIALS];
	int error;

	if (!v->prober->m->clearing_disturbs)
		return kept_estimate(v, w, k, f);
	error = kept_try(v, w, trials, SHORT_TRIALS, f);
	if (error)
		return error;
	k->pages = (double)(w->rows * w->columns);
	find_mean(trials, SHORT_TRIALS, STUDENT_QUIET, k);
	return k->middle > most ? 0 : kept_estimate(v, w, k, f);
}

int kept_measure(const struct kept_view *v, const struct kept_shape *w,
		 struct kept *k, struct failure *f)
{
	const double pages = (double)(w->rows * w->columns);
	struct kept_trial trials[KEPT_TRIALS];
	struct prober *p = v->prober;
	int error;

	/* An interval that says nothing. */
	*k = (struct kept){ .pages = pages, .high = pages, .still = pages };
	if (p->rules.alpha < STUDENT_ERROR ||
	    !budget_draw(&p->budget, p->rules.alpha))
		return 0;
	p->tests++;
	if (p->m->clearing_disturbs)
		return measure_disturbed(v, w, QUIET_TRIALS, k, f);
	error = kept_try(v, w, trials, KEPT_TRIALS, f);
	if (error)
		return error;
	find_mean(trials, KEPT_TRIALS, STUDENT, k);
	k->still = k->middle;
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
	int error = first + pages <= v->pages ? kept_place(v, &w, &s, f) :
						-ERANGE;

	for (size_t i = 0; !error && i < s.length; i++)
		s.offsets[i] += first * v->view->request.page_bytes;
	if (!error) {
		sequence_shuffle(&s, &v->prober->rng);
		error = kept_touch(
			v,
			&(struct touch_plan){
				&rounds, 1, { &s, after, 1 }, NULL, false },
			&t, f);
	}
	if (!error && t.disturbed)
		error = -EAGAIN;
	*share = error ? 0 : 1 - (double)t.walked / (double)pages;
	sequence_free(&s);
	return error;
}
