// SPDX-License-Identifier: GPL-2.0
/* page.c - page size of a TLB (sections 3.1 and 3.10). */
#include <math.h>
#include <stdlib.h>

#include "method/amp/level.h"
#include "method/amp/tuning.h"

/* Words of each page, evenly spread. */
#define WORDS 8
/*
 * Number of pages: more than a first level holds, and several times as many as
 * a second one.
 */
#define FEW_PAGES 2048
#define MANY_PAGES 16384
#define HOT_PAGES 4
/*
 * One miss per page is right; half or twice as many would be pages of another
 * size.
 */
#define TOO_FEW 0.8
#define ENOUGH 0.9
#define MISSES_OF_A_PAGE_TOO_MANY 0.5

/**
 * struct rows - pages that are read word by word
 * @space: the level
 * @view: the pages
 * @pages: number of pages that are read; the control reads a few that hit
 * @least: misses per page, least of all samples
 * @to: (out) votes
 */
struct rows {
	struct amp_space *space;
	struct view *view;
	size_t pages;
	double least;
	struct amp_parameter *to;
};

/* Bytes of a frame that one visit uses. */
static uint64_t word_of(const struct view_request *r)
{
	return r->executable ? VIEW_SLOT_BYTES : sizeof(uint64_t);
}

/*
 * Page after page in random order, word after word in each: a page misses once
 * for each entry that it needs.
 */
static int lay(struct rows *rows, size_t pages, struct sequence *s,
	       struct failure *f)
{
	const struct view_request *r = &rows->view->request;
	const struct shape all = { .inner = 1,
				   .stride = r->page_bytes,
				   .outer = pages };
	struct sequence order;

	if (sequence_place(&order, &all, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(&order, &rows->space->p->rng);
	s->length = WORDS * pages;
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	for (size_t i = 0; s->offsets && i < s->length; i++) {
		uint64_t page = order.offsets[i / WORDS];

		s->offsets[i] = page + i % WORDS * (r->page_bytes / WORDS) +
				page / r->page_bytes / r->frames * word_of(r);
	}
	sequence_free(&order);
	return s->offsets ? 0 : prober_out_of_memory(f);
}

/* Count misses per page. */
static int count(struct rows *rows, size_t pages, struct readings *r,
		 struct failure *f)
{
	struct amp_space *space = rows->space;
	const struct walk_plan plan = { .warm_rounds = PAGE_WARM_ROUNDS,
					.samples = AMP_VOTES,
					.counters = 1U << space->counter };
	struct sample samples[AMP_VOTES];
	size_t unread = 0;
	struct sequence s;
	int error = lay(rows, pages, &s, f);

	r->count = 0;
	if (error)
		return error;
	error = prober_stopped(space->p) ?
			-EINTR :
			rows->view->m->ops->view_walk(rows->view, &s, &plan,
						      samples, f);
	for (int i = 0; !error && i < AMP_VOTES; i++) {
		if (samples[i].disturbed)
			continue;
		if (samples[i].counted & plan.counters)
			r->values[r->count++] =
				samples[i].counts[space->counter] /
				(double)samples[i].loads * WORDS;
		else
			unread++;
	}
	space->accesses += (PAGE_WARM_ROUNDS + AMP_VOTES) * s.length;
	sequence_free(&s);
	return error ? error : amp_note_unread(space, r->count, unread, f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct rows *rows = context;

	return count(rows, side == TRIAL_TEST ? rows->pages : HOT_PAGES,
		     &b->of[side], f);
}

/* One miss per page is expected: the test counts those beyond it. */
static int vote(void *context, struct trial_block *b, struct failure *f)
{
	struct readings *test = &b->of[TRIAL_TEST];
	struct rows *rows = context;
	double misses = amp_least(b);

	(void)f;
	rows->least = fmin(rows->least, misses);
	amp_vote(rows->to, misses > 0 && test->count ?
				   (double)rows->view->request.page_bytes *
					   exp2(floor(0.5 - log2(misses))) :
				   NAN);
	for (size_t i = 0; i < test->count; i++)
		test->values[i] =
			(test->values[i] - 1) / MISSES_OF_A_PAGE_TOO_MANY;
	return 0;
}

static void decide(double bound, uint64_t page_bytes, enum verdict verdict,
		   double least, struct amp_parameter *to)
{
	if (verdict == VERDICT_COMPACT && least >= TOO_FEW) {
		amp_measured(&to->p, (double)page_bytes, bound);
		return;
	}
	if (verdict == VERDICT_UNDECIDED) {
		parameter_undecided(
			&to->p, AMP_METHOD,
			"what pages that were mapped miss differs too much, or was counted too seldom");
		return;
	}
	parameter_undecided(
		&to->p, AMP_METHOD,
		"pages of %llu bytes that were mapped miss %.2f times each: something enters them otherwise",
		(unsigned long long)page_bytes, least);
}

static int read_rows(struct rows *rows, struct failure *f)
{
	static const struct trial_ops ops = { .observe = observe,
					      .after = vote };
	const struct amp_space *space = rows->space;
	const struct budget_scope scope = budget_open(&space->p->budget);
	struct trial t = prober_trial(space->p, &ops, rows);
	enum verdict verdict = VERDICT_UNDECIDED;
	double bound;
	int error;

	rows->least = INFINITY;
	t.least_blocks = AMP_VOTES;
	t.tests = NULL;
	error = trial_run(&t, &verdict, f);
	bound = budget_close(&space->p->budget, &scope);
	if (!error)
		decide(bound, rows->view->request.page_bytes, verdict,
		       rows->least, rows->to);
	return error;
}

/*
 * As few pages as nearly all miss: most arrays are far smaller than the
 * largest.
 */
static int choose_pages(struct rows *rows, size_t most, struct failure *f)
{
	int error = 0;

	rows->pages = FEW_PAGES;
	while (!error && rows->pages < most) {
		struct trial_block b;
		struct readings *test = &b.of[TRIAL_TEST];

		error = count(rows, rows->pages, test, f);
		if (!error && test->count && amp_least(&b) >= ENOUGH)
			break;
		rows->pages *= 2;
	}
	return error;
}

int amp_find_page(struct amp_space *space, uint64_t page_bytes, int level,
		  bool executable, struct amp_parameter *to, struct failure *f)
{
	uint64_t pages = level > 1 ? MANY_PAGES : FEW_PAGES;
	struct view_request r = { .page_bytes = page_bytes,
				  .pages = pages,
				  .descending = true,
				  .executable = executable };
	struct rows rows = { .space = space, .to = to };
	int error;

	r.frames = pages * WORDS * word_of(&r) / page_bytes + 3;
	error = space->p->m->ops->view_open(space->p->m, &r, &rows.view, f);
	if (error)
		return error;
	error = choose_pages(&rows, (size_t)pages, f);
	if (!error)
		error = read_rows(&rows, f);
	to->accesses = space->accesses;
	space->p->m->ops->view_close(rows.view);
	return error;
}
