// SPDX-License-Identifier: GPL-2.0
/* walk.c - lines are evicted in steps before a sample. */
#include "method/evict/internal.h"
#include "method/evict/tuning.h"

/* Past a line and its neighbours. */
#define SPACER_STEP 3

/* The same address with other bits, in the window. */
static uint64_t with_bits(const struct evictor *ev, uint64_t line, uint64_t v)
{
	uint64_t window = ev->p->arena_offset;

	return window + ((line - window) ^ v);
}

/* What a vector leaves of sets above. */
static uint64_t above(const struct evictor *ev, uint64_t v)
{
	return ev->upper_bytes ? v & (ev->upper_bytes - 1) : 0;
}

static void reuse(const struct evictor *ev, uint64_t x, uint64_t v,
		  struct sequence *s)
{
	uint64_t low = above(ev, v);

	evict_load(s, with_bits(ev, x, v));
	for (size_t i = 0; i < ev->clear_count; i++)
		evict_load(s, with_bits(ev, x, low ^ ev->clear[i]));
	evict_load(s, with_bits(ev, x, v));
}

bool evict_spares(const struct evictor *ev, uint64_t line, uint64_t other)
{
	uint64_t differ = line ^ other;

	if (!gf2_reduce(&ev->same, differ))
		return false;
	for (size_t i = 0; i < ev->evict_count; i++)
		for (size_t j = 0; j < ev->clear_count; j++) {
			uint64_t c = above(ev, ev->evict[i]) ^ ev->clear[j];

			if (!gf2_reduce(&ev->same, differ ^ c))
				return false;
			/* Most of them are alike. */
			if (i && above(ev, ev->evict[i]) ==
					 above(ev, ev->evict[i - 1]))
				break;
		}
	return true;
}

static size_t evicting_loads(const struct evictor *ev)
{
	return ev->evict_count * (ev->clear_count + 2);
}

static void evict_line(const struct evictor *ev, uint64_t line,
		       struct sequence *s)
{
	for (size_t i = 0; i < ev->evict_count; i++)
		reuse(ev, line, ev->evict[i], s);
}

int evict_flush_sets(struct evictor *ev, const uint64_t *lines, size_t count,
		     struct failure *f)
{
	const struct prober *p = ev->p;
	uint64_t apart = p->arena_bytes / MOST_FLUSHED;
	size_t each;
	struct sequence s = { NULL, 0 };
	const struct walk_step step = { STEP_FLUSH, &s, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	uint64_t word = lines[0];
	const struct sequence one = { &word, 1 };
	struct sample unused;
	int error;

	if (apart < ev->least_bytes)
		apart = ev->least_bytes;
	each = p->arena_bytes / apart;
	if (!evict_room(&s, count * each))
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < each; j++)
			evict_load(&s, p->arena_offset +
					       (lines[i] - p->arena_offset) %
						       apart +
					       j * apart);
	error = p->m->ops->walk(p->m, &one, &plan, &unused, f);
	sequence_free(&s);
	return error;
}

/* May it come into the hashed level? Not where it throws out what came back. */
static bool spares_kept(const struct evictor *ev, const struct evict_walk *w,
			uint64_t line)
{
	for (size_t i = 0; i < w->kept_count; i++)
		if (!gf2_reduce(&ev->same, line ^ w->lines[i]))
			return false;
	return true;
}

/* Another line of the page, no neighbour; @at is tried first. */
static uint64_t spacer_of(const struct evictor *ev, const struct evict_walk *w,
			  uint64_t line, uint64_t at)
{
	uint64_t lines = EVICT_PAGE_BYTES / ev->line_bytes;
	uint64_t page = line / EVICT_PAGE_BYTES * EVICT_PAGE_BYTES;
	uint64_t own = (line - page) / ev->line_bytes, spacer = page;

	for (int i = 0; i < SPACER_TRIES; i++, at += SPACER_STEP) {
		spacer = page + at % lines * ev->line_bytes;
		if ((at + 1 - own) % lines > 2 && spares_kept(ev, w, spacer))
			break;
	}
	return spacer;
}

/* After each timed line one that hits in the first level: lines that lie in one
 * set of it take longer than those of their control where each misses there right
 * after another.
 */
static void space(struct evictor *ev, const struct evict_walk *w,
		  struct sequence *timed, struct sequence *s)
{
	uint64_t first = rng_below(&ev->p->rng, EVICT_PAGE_BYTES);

	for (size_t i = timed->length; i-- > 0;) {
		uint64_t line = timed->offsets[i];
		uint64_t spacer = spacer_of(ev, w, line, first + i);

		evict_load(s, spacer);
		timed->offsets[EVICT_SPACED * i] = line;
		timed->offsets[EVICT_SPACED * i + 1] = spacer;
	}
	timed->length *= EVICT_SPACED;
}

/* Other lines of the pages. */
static void touch(const struct evictor *ev, const struct sequence *timed,
		  struct sequence *s)
{
	for (size_t i = 0; i < timed->length; i++)
		evict_load(s, with_bits(ev,
					timed->offsets[i] / EVICT_PAGE_BYTES *
						EVICT_PAGE_BYTES,
					EVICT_PAGE_BYTES / 2));
}

/* Each line comes twice in a row: the level below sees it used again before the next one
 * takes the place that it gives to new lines (LIP).
 */
static void bring_in(const struct evictor *ev, const struct sequence *order,
		     struct sequence *s)
{
	for (size_t i = 0; i < order->length; i++)
		for (int twice = 0; twice < 2; twice++) {
			evict_load(s, order->offsets[i]);
			evict_line(ev, order->offsets[i], s);
		}
}

static void evict_all(const struct evictor *ev, const struct evict_walk *w,
		      struct sequence *order, struct sequence *s)
{
	sequence_shuffle(order, &ev->p->rng);
	bring_in(ev, order, s);
	for (unsigned int r = 1; r < w->rounds; r++) {
		sequence_shuffle(order, &ev->p->rng);
		for (size_t i = 0; i < order->length; i++)
			evict_load(s, order->offsets[i]);
		for (size_t i = 0; i < order->length; i++)
			evict_line(ev, order->offsets[i], s);
	}
}

/* What comes back is reused, so that it stays. */
static void bring_back(const struct evictor *ev, const struct evict_walk *w,
		       struct sequence *s)
{
	for (size_t i = 0; i < w->kept_count; i++)
		reuse(ev, w->lines[i], 0, s);
	for (size_t i = 0; i < w->added_count; i++)
		evict_load(s, w->added[i]);
	for (size_t i = 0; i < w->added_count; i++)
		evict_line(ev, w->added[i], s);
}

/**
 * struct prepared - a walk as the machine wants it
 * @flushed: lines that no level holds at first
 * @order: lines that are evicted
 * @loads: everything that is done before
 * @touched: other lines of the pages, which may be none
 * @timed: what is walked
 */
struct prepared {
	struct sequence flushed;
	struct sequence order;
	struct sequence loads;
	struct sequence touched;
	struct sequence timed;
};

static bool prepare_walk(struct evictor *ev, const struct evict_walk *w,
			 struct prepared *to)
{
	size_t all = w->count + w->added_count, each = evicting_loads(ev) + 1;

	*to = (struct prepared){ .flushed = { NULL, 0 } };
	if (!evict_room(&to->flushed, all) ||
	    !evict_room(&to->order, w->count) ||
	    !evict_room(&to->loads,
			((w->rounds + 1) * w->count + w->added_count) * each +
				w->kept_count * each) ||
	    !evict_room(&to->touched, EVICT_SPACED * all) ||
	    !evict_room(&to->timed, EVICT_SPACED * all))
		return false;
	for (size_t i = 0; i < w->count; i++) {
		evict_load(&to->flushed, w->lines[i]);
		evict_load(&to->order, w->lines[i]);
		if ((i >= w->kept_count) != w->time_kept)
			evict_load(&to->timed, w->lines[i]);
	}
	for (size_t i = 0; i < w->added_count; i++) {
		evict_load(&to->flushed, w->added[i]);
		if (!w->time_kept)
			evict_load(&to->timed, w->added[i]);
	}
	evict_all(ev, w, &to->order, &to->loads);
	bring_back(ev, w, &to->loads);
	sequence_shuffle(&to->timed, &ev->p->rng);
	if (w->touch)
		touch(ev, &to->timed, &to->touched);
	if (w->spaced)
		space(ev, w, &to->timed, &to->touched);
	return true;
}

int evict_observe(struct evictor *ev, const struct evict_walk *w,
		  struct readings *r, struct failure *f)
{
	struct prepared walk;
	const struct walk_step steps[] = { { STEP_FLUSH, &walk.flushed, 0 },
					   { STEP_LOAD, &walk.loads, 0 },
					   { STEP_LOAD, &walk.touched, 0 } };
	const struct walk_plan plan = { .samples = EVICT_SAMPLES,
					.steps = steps,
					.step_count = 3 };
	int error;

	r->count = 0;
	if (!prepare_walk(ev, w, &walk))
		error = prober_out_of_memory(f);
	else
		error = prober_observe(ev->p, &walk.timed, &plan, 0, r, f);
	sequence_free(&walk.flushed);
	sequence_free(&walk.order);
	sequence_free(&walk.loads);
	sequence_free(&walk.touched);
	sequence_free(&walk.timed);
	return error;
}
