// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/walk_trial.h"

#include <errno.h>
#include <stdlib.h>

#include "method/accessed/tuning.h"

/* Each takes a table of its own, a page. A cache that keeps them all is undecided. */
#define MOST_ENTRIES 1024
#define LEAST_ENTRIES 2
/* User addresses of x86-64, and of the simulated machines. */
#define MOST_BYTES (UINT64_C(1) << 46)
/* The first page of a round is one of these: others would have to be mapped. */
#define FIRST_PAGES 16
/* Elements of neighbouring entries lie in different lines. */
#define LINE 64
#define PAGE_LINES 16

/**
 * struct pages - of a trial
 * @rounds: of touches
 * @test: pages that are touched after the bits were cleared
 */
struct pages {
	struct sequence rounds[WALK_ROUNDS];
	struct sequence test;
};

/* --- the view ------------------------------------------------------------ */

static int open_pages(struct walk_view *w, uint64_t page_bytes,
		      struct failure *f)
{
	struct machine *m = w->prober->m;
	int error = -EOPNOTSUPP;

	w->entries = MOST_ENTRIES;
	if (w->entries > MOST_BYTES / w->span)
		w->entries = (size_t)(MOST_BYTES / w->span);
	for (; w->entries >= LEAST_ENTRIES; w->entries /= 2) {
		const struct view_request r = {
			.page_bytes = page_bytes,
			.pages = w->entries * (w->span / page_bytes),
			.frames = 1,
			.touched = true,
		};

		error = m->ops->view_open(m, &r, &w->view, f);
		if (!error || error == -EOPNOTSUPP)
			break;
	}
	return error;
}

/* Of larger pages fewer have to be mapped, and walks for them are shorter. */
int walk_view_open(struct walk_view *w, struct prober *p, uint64_t span,
		   struct failure *f)
{
	const struct machine *m = p->m;
	int error = fail(f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			 "no pages that are small enough");

	*w = (struct walk_view){ .prober = p, .span = span };
	for (size_t i = m->view_page_count; error && i-- > 0;)
		if (m->view_page_bytes[i] < span)
			error = open_pages(w, m->view_page_bytes[i], f);
	return error;
}

void walk_view_close(struct walk_view *w)
{
	if (w->view)
		w->prober->m->ops->view_close(w->view);
	w->view = NULL;
}

/* --- a trial ------------------------------------------------------------- */

static void free_pages(struct pages *t)
{
	for (int i = 0; i < WALK_ROUNDS; i++)
		sequence_free(&t->rounds[i]);
	sequence_free(&t->test);
}

static int reserve(struct sequence *s, size_t length, struct failure *f)
{
	s->offsets = calloc(length, sizeof(*s->offsets));
	s->length = length;
	return s->offsets ? 0 : prober_out_of_memory(f);
}

static int reserve_all(struct pages *t, size_t entries, struct failure *f)
{
	int error = reserve(&t->test, entries, f);

	for (int i = 0; !error && i < WALK_ROUNDS; i++)
		error = reserve(&t->rounds[i], entries, f);
	return error;
}

/* Blocks of a power of two begin where an index may fold its bits. */
static uint64_t first_entry(const struct walk_view *w, size_t entries)
{
	uint64_t block = 1;

	while (block < entries)
		block *= 2;
	return block >= w->entries ?
		       0 :
		       rng_below(&w->prober->rng, w->entries / block) * block;
}

/*
 * Pages of one entry lie far apart, so that no two of them are neighbours or lie below
 * one entry of a level between, and away from those of the next entry: what processors
 * prefetch of translations is the next page's.
 */
static void place(const struct walk_view *w, const struct walk_shape *shape,
		  struct pages *t)
{
	struct rng *rng = &w->prober->rng;
	const uint64_t page_bytes = w->view->request.page_bytes;
	const uint64_t step = w->span / page_bytes / (WALK_ROUNDS + 1);
	const uint64_t band = w->entries / shape->entries;
	const uint64_t first = shape->apart ? 0 :
					      first_entry(w, shape->entries);

	for (size_t i = 0; i < shape->entries; i++) {
		uint64_t entry = shape->spread ?
					 i * band + rng_below(rng, band) :
					 first + i;
		uint64_t beyond = i < shape->entries / 2 ? 0 : shape->apart;
		uint64_t page = 1 + rng_below(rng, FIRST_PAGES);
		uint64_t offset = (entry + beyond) * w->span +
				  page * page_bytes + i % PAGE_LINES * LINE;

		for (int k = 0; k < WALK_ROUNDS; k++)
			t->rounds[k].offsets[i] =
				offset + (uint64_t)k * step * page_bytes;
		t->test.offsets[i] = offset + WALK_ROUNDS * step * page_bytes;
	}
	for (int k = 0; k < WALK_ROUNDS; k++)
		sequence_shuffle(&t->rounds[k], rng);
	sequence_shuffle(&t->test, rng);
}

static int touch(const struct walk_view *w, const struct pages *t,
		 uint64_t *lost, struct failure *f)
{
	struct touch before[WALK_ROUNDS];
	const struct touch_plan plan = { .before = before,
					 .before_count = WALK_ROUNDS,
					 .test = { &t->test, TOUCH_LOADS, 1 } };
	struct touch_answer answer = { .walked = 0 };
	int error;

	for (int k = 0; k < WALK_ROUNDS; k++)
		before[k] = (struct touch){ &t->rounds[k], TOUCH_LOADS, 1 };
	error = w->prober->m->ops->view_touch_tables(w->view, &plan, w->span,
						     &answer, f);
	*lost = answer.read;
	if (error)
		return error;
	return answer.disturbed || answer.walked < t->test.length ? -EAGAIN : 0;
}

int walk_try(const struct walk_view *w, const struct walk_shape *shape,
	     uint64_t *lost, struct failure *f)
{
	struct pages t = { .test = { .offsets = NULL } };
	int error = prober_stopped(w->prober) ?
			    -EINTR :
			    reserve_all(&t, shape->entries, f);

	if (!error) {
		place(w, shape, &t);
		t.test.length = shape->tested;
		error = touch(w, &t, lost, f);
	}
	free_pages(&t);
	return error;
}
