// SPDX-License-Identifier: GPL-2.0
/* layout.c - where the elements of a sequence of pages lie. */
#include <errno.h>
#include <stdlib.h>

#include "method/tlb/view.h"

/* A sequence is tried at so many places at least, if there is room. */
#define FEW_PLACES 32

/**
 * struct dealer - what a frame has dealt out to pages of one color
 * @slot: next one, modulo the slots of a frame
 * @left: before the line is full
 */
struct dealer {
	uint64_t slot;
	uint64_t left;
};

/* Where a frame begins: elsewhere than others of its color. */
static uint64_t first_line(const struct lens *lens, uint64_t frames,
			   uint64_t frame, uint64_t lines)
{
	uint64_t alike = frames / lens->colors;

	if (alike < 2)
		return 0;
	frame /= lens->colors;
	return alike > lines ? frame % lines : frame * (lines / alike);
}

/*
 * Pages become offsets: lines fill up one after the other, each of them with
 * words of pages of one color, so that a line has one place in the first cache.
 */
static int deal_words(const struct lens *lens, struct laid *laid,
		      struct failure *f)
{
	uint64_t frames = laid->view->request.frames;
	uint64_t slots = lens->page_bytes / lens->slot_bytes;
	uint64_t per_line = lens->line_bytes > lens->slot_bytes ?
				    lens->line_bytes / lens->slot_bytes :
				    1;
	struct dealer *dealers;
	uint64_t *used;
	int error;

	if (per_line > slots)
		return -ERANGE;
	dealers = calloc(frames * lens->colors, sizeof(*dealers));
	used = calloc(frames, sizeof(*used));
	error = dealers && used ? 0 : prober_out_of_memory(f);
	for (size_t i = 0; i < laid->s.length && !error; i++) {
		uint64_t page = laid->s.offsets[i];
		uint64_t frame = view_frame(&laid->view->request, page);
		struct dealer *d =
			&dealers[frame * lens->colors + page % lens->colors];

		if (!d->left) {
			d->slot = first_line(lens, frames, frame,
					     slots / per_line) *
					  per_line +
				  used[frame];
			d->left = per_line;
			used[frame] += per_line;
			error = used[frame] > slots ? -ERANGE : 0;
		}
		laid->s.offsets[i] = page * lens->page_bytes +
				     d->slot % slots * lens->slot_bytes;
		d->slot++;
		d->left--;
	}
	free(dealers);
	free(used);
	return error;
}

/*
 * Pages become offsets: each has a line to itself, and the sets of the first
 * cache are filled evenly.
 */
static int deal_lines(const struct lens *lens, struct laid *laid,
		      struct failure *f)
{
	const struct view_request *r = &laid->view->request;
	uint64_t lines = lens->page_bytes / lens->line_bytes;
	bool *used;
	int error = 0;

	if (lines > 2 * lens->apart)
		lines = 2 * lens->apart;
	/* A cache of one line, or of longer ones than pages, as an emulator's
	 * times may look.
	 */
	if (!lines)
		return -ERANGE;
	used = calloc(r->frames * lines, sizeof(*used));
	if (!used)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < laid->s.length && !error; i++) {
		uint64_t page = laid->s.offsets[i], tried = 0;
		bool *mine = &used[view_frame(r, page) * lines];

		while (tried < lines && mine[(i + tried) % lines])
			tried++;
		error = tried < lines ? 0 : -ERANGE;
		mine[(i + tried) % lines] = true;
		laid->s.offsets[i] = page * lens->page_bytes +
				     (i + tried) % lines * lens->line_bytes;
	}
	free(used);
	return error;
}

static int deal(const struct lens *lens, struct laid *laid, struct failure *f)
{
	return laid->dense ? deal_words(lens, laid, f) :
			     deal_lines(lens, laid, f);
}

bool lens_fills(const struct lens *lens, size_t count)
{
	/* Pages that share no frame share no line. */
	return lens->colors > 1 || (lens->narrow && count > lens->apart);
}

/* Pages in a row begin where a hash takes them as it takes the view. */
static uint64_t choose_base(struct lens *lens, const struct shape *w,
			    uint64_t room)
{
	uint64_t row = w->inner > 1 ? w->inner * w->inner_stride :
				      w->outer * w->stride;
	uint64_t unit = 1;

	while (unit < row && unit < room / FEW_PLACES)
		unit *= 2;
	return rng_below(&lens->prober->rng, room / unit + 1) * unit;
}

static int place(struct lens *lens, const struct shape *w, uint64_t base,
		 struct laid *laid, struct failure *f)
{
	int error;

	if (sequence_place(&laid->s, w, base))
		return prober_out_of_memory(f);
	error = sequence_shuffle_shape(&laid->s, w, &lens->prober->rng);
	error = error ? prober_out_of_memory(f) : deal(lens, laid, f);
	if (error)
		sequence_free(&laid->s);
	return error;
}

static int place_in(struct lens *lens, const struct shape *w, bool aligned,
		    struct view *view, struct laid *laid, struct failure *f)
{
	uint64_t span = shape_span(w) - sizeof(uint64_t) + 1, base = 0;

	if (!view || span > view->request.pages)
		return -ERANGE;
	if (!aligned)
		base = choose_base(lens, w, view->request.pages - span);
	laid->view = view;
	return place(lens, w, base, laid, f);
}

int lens_place_dense(struct lens *lens, const struct shape *w, bool aligned,
		     struct laid *laid, struct failure *f)
{
	int error;

	laid->dense = true;
	error = place_in(lens, w, aligned, lens->narrow, laid, f);
	if (error != -ERANGE)
		return error;
	error = lens_widen(lens, f);
	return error ? error : place_in(lens, w, aligned, lens->wide, laid, f);
}

int lens_place(struct lens *lens, const struct shape *w, bool aligned,
	       struct laid *laid, struct failure *f)
{
	int error = -ERANGE;

	laid->dense = lens_fills(lens, shape_length(w));
	if (!laid->dense)
		error = place_in(lens, w, aligned,
				 lens->narrow ? lens->narrow : lens->wide, laid,
				 f);
	/* Only full lines need more frames than there are at first. */
	if (error != -ERANGE || (!laid->dense && shape_span(w) > lens->pages))
		return error;
	return lens_place_dense(lens, w, aligned, laid, f);
}

static int lay_words(struct lens *lens, uint64_t stride, size_t count,
		     struct laid *laid, struct failure *f)
{
	const struct shape words = { .inner = 1,
				     .stride = stride,
				     .outer = count };
	int error;

	laid->view = lens->narrow;
	laid->dense = true;
	if (!lens->narrow || shape_span(&words) > lens->narrow->request.frames *
							  lens->page_bytes) {
		error = lens_widen(lens, f);
		if (error)
			return error;
		laid->view = lens->wide;
	}
	if (sequence_place(&laid->s, &words, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(&laid->s, &lens->prober->rng);
	return 0;
}

int lens_words(struct lens *lens, size_t count, struct laid *laid,
	       struct failure *f)
{
	if (count > lens_room(lens))
		return -ERANGE;
	return lay_words(lens,
			 lens->slot_bytes < VIEW_SLOT_BYTES ||
					 lens_fills(lens, count) ?
				 lens->slot_bytes :
				 lens->line_bytes,
			 count, laid, f);
}

int lens_pieces(struct lens *lens, uint64_t piece_bytes, size_t count,
		struct laid *laid, struct failure *f)
{
	uint64_t lines = piece_bytes / lens->line_bytes, pieces = 1;
	int error;

	while (pieces * piece_bytes < lens->way_bytes)
		pieces *= 2;

	if (count > lens->page_bytes / piece_bytes)
		return -ERANGE;
	error = lay_words(lens, piece_bytes, count, laid, f);
	/* Spread over the first cache, in the order of the pieces. */
	for (size_t i = 0; !error && i < count; i++)
		laid->s.offsets[i] += laid->s.offsets[i] / piece_bytes /
				      pieces % lines * lens->line_bytes;
	return error;
}
