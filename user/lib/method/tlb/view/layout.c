// SPDX-License-Identifier: GPL-2.0
/* layout.c - offsets of the elements of a sequence of pages. */
#include <errno.h>
#include <stdlib.h>

#include "method/tlb/tuning.h"
#include "method/tlb/view/view.h"

/* Two of them can be neither one line nor adjacent, as prefetchers like them. */
#define LEAST_LINES 4

/**
 * struct dealer - the words of a frame that are used by pages of one color
 * @slot: next word, modulo the words of a frame
 * @left: words left in the current line
 */
struct dealer {
	uint64_t slot;
	uint64_t left;
};

/* First line of a frame: frames of one color begin at different lines. */
static uint64_t first_line(const struct tlb_view *v, uint64_t frames,
			   uint64_t frame, uint64_t lines)
{
	uint64_t alike = frames / v->colors;

	if (alike < 2)
		return 0;
	frame /= v->colors;
	return alike > lines ? frame % lines : frame * (lines / alike);
}

/*
 * Pages become offsets in full lines: each line holds words of pages of one
 * color only, so that it has one place in the first cache.
 */
static int deal_words(const struct tlb_view *v, struct tlb_layout *layout,
		      struct failure *f)
{
	uint64_t frames = layout->view->request.frames;
	uint64_t slots = v->page_bytes / v->slot_bytes;
	uint64_t per_line = v->line_bytes > v->slot_bytes ?
				    v->line_bytes / v->slot_bytes :
				    1;
	struct dealer *dealers;
	uint64_t *used;
	int error;

	if (per_line > slots)
		return -ERANGE;
	dealers = calloc(frames * v->colors, sizeof(*dealers));
	used = calloc(frames, sizeof(*used));
	error = dealers && used ? 0 : prober_out_of_memory(f);
	for (size_t i = 0; i < layout->s.length && !error; i++) {
		uint64_t page = layout->s.offsets[i];
		uint64_t frame = view_frame(&layout->view->request, page);
		struct dealer *d =
			&dealers[frame * v->colors + page % v->colors];

		if (!d->left) {
			d->slot =
				first_line(v, frames, frame, slots / per_line) *
					per_line +
				used[frame];
			d->left = per_line;
			used[frame] += per_line;
			error = used[frame] > slots ? -ERANGE : 0;
		}
		layout->s.offsets[i] =
			page * v->page_bytes + d->slot % slots * v->slot_bytes;
		d->slot++;
		d->left--;
	}
	free(dealers);
	free(used);
	return error;
}

/*
 * While the target of a return is not known, fetches go on behind it. At the end of a page,
 * that takes an entry for the next one.
 */
static uint64_t usable_lines(const struct tlb_view *v)
{
	const uint64_t lines = v->page_bytes / v->line_bytes;

	return v->executable && v->code == VIEW_RETURNS && lines > 1 ?
		       lines - 1 :
		       lines;
}

/*
 * Pages become offsets with a line each, spread evenly over the sets of the
 * first cache.
 */
static int deal_lines(const struct tlb_view *v, struct tlb_layout *layout,
		      struct failure *f)
{
	const struct view_request *r = &layout->view->request;
	uint64_t lines = usable_lines(v);
	bool *used;
	int error = 0;

	if (lines > 2 * v->apart)
		lines = 2 * v->apart;
	/*
	 * An emulator's times may look like a cache of one line, or of lines
	 * longer than pages.
	 */
	if (!lines)
		return -ERANGE;
	used = calloc(r->frames * lines, sizeof(*used));
	if (!used)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < layout->s.length && !error; i++) {
		uint64_t page = layout->s.offsets[i], tried = 0;
		bool *mine = &used[view_frame(r, page) * lines];

		while (tried < lines && mine[(i + tried) % lines])
			tried++;
		error = tried < lines ? 0 : -ERANGE;
		mine[(i + tried) % lines] = true;
		layout->s.offsets[i] = page * v->page_bytes +
				       (i + tried) % lines * v->line_bytes;
	}
	free(used);
	return error;
}

static int deal(const struct tlb_view *v, struct tlb_layout *layout,
		struct failure *f)
{
	return layout->dense ? deal_words(v, layout, f) :
			       deal_lines(v, layout, f);
}

/* Further orders visit the same lines, by words of their own. */
static int add_orders(struct tlb_view *v, struct tlb_layout *layout,
		      const struct shape *w, struct failure *f)
{
	const size_t pages = layout->s.length;
	struct sequence one = layout->s, all = { .offsets = NULL };
	int error = 0;

	if (layout->dense || v->orders < 2 ||
	    v->orders * v->slot_bytes > v->line_bytes)
		return 0;
	all.offsets = calloc(v->orders * pages, sizeof(*all.offsets));
	if (!all.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; !error && i < v->orders; i++) {
		for (size_t j = 0; j < pages; j++)
			all.offsets[all.length++] =
				one.offsets[j] + i * v->slot_bytes;
		error = sequence_shuffle_shape(&one, w, &v->prober->rng);
	}
	sequence_free(&one);
	layout->s = all;
	layout->orders = v->orders;
	return error ? prober_out_of_memory(f) : 0;
}

bool tlb_layout_fills(const struct tlb_view *v, size_t count)
{
	/* Pages that share no frame share no line. */
	return v->colors > 1 || (v->narrow && count > v->apart);
}

/*
 * Rows begin at multiples of their length: a hash takes them like the whole
 * view.
 */
static uint64_t choose_base(struct tlb_view *v, const struct shape *w,
			    uint64_t room)
{
	uint64_t row = w->inner > 1 ? w->inner * w->inner_stride :
				      w->outer * w->stride;
	uint64_t unit = 1;

	while (unit < row && unit < room / FEW_PLACES)
		unit *= 2;
	return rng_below(&v->prober->rng, room / unit + 1) * unit;
}

static int place(struct tlb_view *v, const struct shape *w, uint64_t base,
		 struct tlb_layout *layout, struct failure *f)
{
	int error;

	layout->orders = 1;
	if (sequence_place(&layout->s, w, base))
		return prober_out_of_memory(f);
	error = sequence_shuffle_shape(&layout->s, w, &v->prober->rng);
	error = error ? prober_out_of_memory(f) : deal(v, layout, f);
	if (!error)
		error = add_orders(v, layout, w, f);
	if (error)
		sequence_free(&layout->s);
	return error;
}

static int place_in(struct tlb_view *v, const struct shape *w, bool aligned,
		    struct view *view, struct tlb_layout *layout,
		    struct failure *f)
{
	uint64_t span = shape_span(w) - sizeof(uint64_t) + 1, base = 0;

	if (!view || span > view->request.pages)
		return -ERANGE;
	if (!aligned)
		base = choose_base(v, w, view->request.pages - span);
	layout->view = view;
	return place(v, w, base, layout, f);
}

int tlb_layout_place_dense(struct tlb_view *v, const struct shape *w,
			   bool aligned, struct tlb_layout *layout,
			   struct failure *f)
{
	int error;

	layout->dense = true;
	error = place_in(v, w, aligned, v->narrow, layout, f);
	if (error != -ERANGE)
		return error;
	error = tlb_view_widen(v, f);
	return error ? error : place_in(v, w, aligned, v->wide, layout, f);
}

int tlb_layout_place(struct tlb_view *v, const struct shape *w, bool aligned,
		     struct tlb_layout *layout, struct failure *f)
{
	int error = -ERANGE;

	layout->dense = tlb_layout_fills(v, shape_length(w));
	if (!layout->dense)
		error = place_in(v, w, aligned, v->narrow ? v->narrow : v->wide,
				 layout, f);
	/* Only full lines need more frames than the narrow view has. */
	if (error != -ERANGE || (!layout->dense && shape_span(w) > v->pages))
		return error;
	return tlb_layout_place_dense(v, w, aligned, layout, f);
}

static int lay_words(struct tlb_view *v, uint64_t stride, size_t count,
		     struct tlb_layout *layout, struct failure *f)
{
	const struct shape words = { .inner = 1,
				     .stride = stride,
				     .outer = count };
	int error;

	layout->view = v->narrow;
	layout->dense = true;
	layout->orders = 1;
	if (!v->narrow ||
	    shape_span(&words) > v->narrow->request.frames * v->page_bytes) {
		error = tlb_view_widen(v, f);
		if (error)
			return error;
		layout->view = v->wide;
	}
	if (sequence_place(&layout->s, &words, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(&layout->s, &v->prober->rng);
	return 0;
}

int tlb_layout_words(struct tlb_view *v, size_t count,
		     struct tlb_layout *layout, struct failure *f)
{
	if (count > tlb_view_room(v))
		return -ERANGE;
	return lay_words(v,
			 v->slot_bytes < VIEW_SLOT_BYTES ||
					 tlb_layout_fills(v, count) ?
				 v->slot_bytes :
				 v->line_bytes,
			 count, layout, f);
}

int tlb_layout_apart(const struct tlb_view *v, uint64_t pages,
		     struct tlb_layout *layout)
{
	const struct view_request *r = &layout->view->request;
	uint64_t unit = r->frames < r->pages ? r->frames * v->colors : 1;
	uint64_t away = (pages + unit - 1) / unit * unit, last = 0;

	for (size_t i = 0; i < layout->s.length; i++)
		if (layout->s.offsets[i] / v->page_bytes > last)
			last = layout->s.offsets[i] / v->page_bytes;
	while (away && last + away >= r->pages)
		away -= unit;
	if (!away)
		return -ERANGE;
	for (size_t i = 1; i < layout->s.length; i += 2)
		layout->s.offsets[i] += away * v->page_bytes;
	return 0;
}

int tlb_layout_pieces(struct tlb_view *v, uint64_t piece_bytes, size_t count,
		      struct tlb_layout *layout, struct failure *f)
{
	uint64_t lines = piece_bytes / v->line_bytes, pieces = 1;
	int error;

	while (pieces * piece_bytes < v->way_bytes)
		pieces *= 2;

	if (count > v->page_bytes / piece_bytes)
		return -ERANGE;
	error = lay_words(v, piece_bytes, count, layout, f);
	/*
	 * Spread over the sets of the first cache, in the order of the pieces.
	 */
	for (size_t i = 0; !error && i < count; i++)
		layout->s.offsets[i] += layout->s.offsets[i] / piece_bytes /
					pieces % lines * v->line_bytes;
	return error;
}

int tlb_layout_piece_pairs(struct tlb_view *v, uint64_t piece_bytes,
			   size_t count, bool in_a_row,
			   struct tlb_layout *layout, struct failure *f)
{
	uint64_t lines = piece_bytes / v->line_bytes;
	uint64_t *pairs;
	int error;

	if (lines < LEAST_LINES)
		return -ERANGE;
	error = tlb_layout_pieces(v, piece_bytes, count, layout, f);
	if (error)
		return error;
	pairs = calloc(2 * count, sizeof(*pairs));
	if (!pairs) {
		sequence_free(&layout->s);
		return prober_out_of_memory(f);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t first = layout->s.offsets[i];
		uint64_t piece = first / piece_bytes * piece_bytes;
		uint64_t away = (lines / 2 + 1) * v->line_bytes;

		pairs[in_a_row ? 2 * i : i] = first;
		pairs[in_a_row ? 2 * i + 1 : count + i] =
			piece + (first - piece + away) % piece_bytes;
	}
	free(layout->s.offsets);
	layout->s = (struct sequence){ .offsets = pairs, .length = 2 * count };
	return 0;
}
