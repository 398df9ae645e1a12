// SPDX-License-Identifier: GPL-2.0
/* pages.c - translations and fetches whose misses are known. */
#include "method/counter/trial.h"

/* More pages than any array of translations has entries, four times over; and
 * lines of code likewise.
 */
#define PAGES UINT64_C(16384)
#define MOST_ENTRIES 4096
#define CODE_LINES 16384
#define CODE_STRIDE 320
#define FIRST_LEVEL_LINES 4096
#define LEAST_PAGES (4 * MOST_ENTRIES / 2)

/* So few that all of them stay. */
#define HOT_PAGES 4
#define HOT_LOADS 2048
#define WARM_ROUNDS 64
#define HOT_MOST 24
#define FEW_ROUNDS 2
#define MOST_PART 1.2

int counter_pages(struct prober *p, struct view_request *r, struct view **view,
		  struct failure *f)
{
	struct machine *m = p->m;

	*view = NULL;
	if (!m->ops->view_open || !m->view_page_count ||
	    (r->executable && !m->view_executable))
		return 0;
	r->page_bytes = m->view_page_bytes[0];
	while (r->pages >= LEAST_PAGES) {
		int error = m->ops->view_open(m, r, view, f);

		if (!error)
			return 0;
		*view = NULL;
		if (error != -ENOSPC && error != -ENOMEM &&
		    error != -EOPNOTSUPP)
			return error;
		/* No failure: fewer may do, or it stays untested. */
		f->text[0] = '\0';
		if (error == -EOPNOTSUPP)
			return 0;
		r->pages /= 2;
	}
	return 0;
}

/* Pages that show one frame have their words in different places of it. */
int counter_page_sequence(struct prober *p, const struct view *view,
			  size_t count, struct sequence *s, struct failure *f)
{
	const struct view_request *r = &view->request;
	const struct shape shape = { .inner = 1,
				     .stride = r->page_bytes,
				     .outer = count };
	uint64_t slot = r->executable ? VIEW_SLOT_BYTES : sizeof(uint64_t);

	if (sequence_place(s, &shape, 0))
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		s->offsets[i] += i / r->frames * slot;
	sequence_shuffle(s, &p->rng);
	return 0;
}

static int try_pages(struct counter_bench *b, struct view *view, size_t count,
		     double least, double most, struct failure *f)
{
	bool hot = count == HOT_PAGES;
	struct counter_walk w = {
		.view = view,
		.plan = { .warm_rounds = hot ? WARM_ROUNDS : FEW_ROUNDS,
			  .loads = hot ? HOT_LOADS : 0 },
	};
	struct sequence s;
	int error = counter_page_sequence(b->p, view, count, &s, f);

	if (error)
		return error;
	w.s = &s;
	error = counter_try(b, &w, least, most, f,
			    hot ? "accesses to %zu pages" :
				  "%zu pages, most of them evicted",
			    count);
	sequence_free(&s);
	return error;
}

static void no_view(struct counter_bench *b, const char *what)
{
	counter_reject(b->check, COUNTER_UNTESTED,
		       "no view of enough pages%s is to be had here", what);
}

int counter_try_translations(struct counter_bench *b, struct failure *f)
{
	const struct machine *m = b->p->m;
	bool fetches = b->role == COUNTER_ITLB_MISS;
	struct view_request r = { .pages = PAGES,
				  .executable = fetches,
				  .descending = true };
	uint64_t slot = fetches ? VIEW_SLOT_BYTES : sizeof(uint64_t);
	struct view *view = NULL;
	int error;

	if (m->view_page_count && !(m->view_shares_frames & 1)) {
		no_view(b, " that share frames");
		return 0;
	}
	if (m->view_page_count)
		r.frames = PAGES * slot / m->view_page_bytes[0];
	/* Descending ones are no fewer. */
	if (r.frames < 3)
		r.frames = 3;
	error = counter_pages(b->p, &r, &view, f);
	if (error || !view) {
		no_view(b, fetches ? " to jump to" : "");
		return error;
	}
	error = try_pages(b, view, HOT_PAGES, 0, HOT_MOST, f);
	if (!error)
		error = try_pages(b, view, (size_t)r.pages,
				  (double)r.pages - MOST_ENTRIES,
				  MOST_PART * (double)r.pages, f);
	m->ops->view_close(view);
	return error;
}

/* --- lines of code ------------------------------------------------------- */

static int try_lines(struct counter_bench *b, struct view *view, size_t count,
		     uint64_t stride, double least, double most,
		     struct failure *f)
{
	const struct shape shape = { .inner = 1,
				     .stride = stride,
				     .outer = count };
	bool hot = count != CODE_LINES;
	struct counter_walk w = {
		.view = view,
		.plan = { .warm_rounds = hot ? WARM_ROUNDS : FEW_ROUNDS,
			  .loads = hot ? HOT_LOADS : 0 },
	};
	struct sequence s;
	int error;

	if (sequence_place(&s, &shape, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(&s, &b->p->rng);
	w.s = &s;
	error = counter_try(b, &w, least, most, f,
			    hot ? "jumps to %zu places near each other" :
				  "%zu lines of code, most of them evicted",
			    count);
	sequence_free(&s);
	return error;
}

int counter_try_code(struct counter_bench *b, struct failure *f)
{
	const struct machine *m = b->p->m;
	struct view_request r = { .executable = true };
	struct view *view = NULL;
	int error = 0;

	if (m->ops->view_open && m->view_page_count && m->view_executable) {
		r.page_bytes = m->view_page_bytes[0];
		r.pages = (CODE_LINES * (uint64_t)CODE_STRIDE + r.page_bytes -
			   1) /
			  r.page_bytes;
		r.frames = r.pages;
		error = m->ops->view_open(b->p->m, &r, &view, f);
		if (error == -ENOSPC || error == -ENOMEM ||
		    error == -EOPNOTSUPP) {
			view = NULL;
			error = 0;
			f->text[0] = '\0';
		}
	}
	if (error || !view) {
		no_view(b, " to jump to");
		return error;
	}
	error = try_lines(b, view, HOT_PAGES, VIEW_SLOT_BYTES, 0, HOT_MOST, f);
	if (!error)
		error = try_lines(b, view, CODE_LINES, CODE_STRIDE,
				  CODE_LINES - FIRST_LEVEL_LINES,
				  MOST_PART * CODE_LINES, f);
	m->ops->view_close(view);
	return error;
}
