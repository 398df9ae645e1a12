// SPDX-License-Identifier: GPL-2.0
#include "tlb_lens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../observe/sampler.h"

/* Words of so many bytes of frames are enough for the largest arrays. */
#define FRAME_BYTES (UINT64_C(256) << 10)
/* While the first cache is unknown: no way is longer, no line shorter. */
#define LONGEST_WAY (UINT64_C(64) << 10)
#define SHORTEST_LINE 32
#define SMALLEST_CACHE 8192
/* Fewer pages than this show nothing. */
#define LEAST_PAGES 64

#define LOADS_PER_SAMPLE 2000
/* The timer's steps must be small against a sample. */
#define STEPS_PER_SAMPLE 100
#define LEAST_CYCLES 2
/* Random replacement of a fully associative array needs hundreds of rounds. */
#define WARM_ROUNDS 256
#define WARM_LOADS 16000
#define WARM_ROUNDS_LEAST 3

#define TIME_PLACES 5
/* A sequence is tried at so many places at least, if there is room. */
#define FEW_PLACES 32
#define REPETITIONS 4

static uint64_t way_bytes_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED ||
	    c->ways.status != PARAMETER_MEASURED)
		return LONGEST_WAY;
	return (uint64_t)(c->capacity_bytes.value / c->ways.value);
}

static uint64_t line_bytes_of(const struct cache_result *c)
{
	if (!c || c->line_bytes.status != PARAMETER_MEASURED)
		return SHORTEST_LINE;
	return (uint64_t)c->line_bytes.value;
}

static uint64_t cached_bytes_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED)
		return SMALLEST_CACHE;
	return (uint64_t)c->capacity_bytes.value;
}

static unsigned int loads_of(const struct machine *m)
{
	double loads =
		m->timer.resolution_ticks * STEPS_PER_SAMPLE / LEAST_CYCLES;

	return loads > LOADS_PER_SAMPLE ? (unsigned int)loads :
					  LOADS_PER_SAMPLE;
}

/* As many pages as can be had, and as many frames. */
static int open_view(struct lens *lens, struct view_request *r, uint64_t frames,
		     struct view **view, struct failure *f)
{
	struct machine *m = lens->prober->m;
	struct failure why = { .text = "" };
	int error = -EINVAL;

	for (; r->pages >= LEAST_PAGES; r->pages /= 2) {
		r->frames = frames ? frames : r->pages;
		why.text[0] = '\0';
		error = m->ops->view_open(m, r, view, &why);
		if (!error)
			return 0;
		if (error == -EOPNOTSUPP)
			break;
	}
	return fail(f, why.status, -error, "%s", why.text);
}

int lens_open(struct lens *lens, struct prober *p, uint64_t page_bytes,
	      bool executable, const struct cache_result *cache,
	      uint64_t most_pages, bool contiguous, struct failure *f)
{
	struct view_request r = { .page_bytes = page_bytes,
				  .pages = most_pages,
				  .executable = executable };
	uint64_t frames = 1;
	int error;

	*lens = (struct lens){
		.prober = p,
		.page_bytes = page_bytes,
		.slot_bytes = executable ? VIEW_SLOT_BYTES : sizeof(uint64_t),
		.line_bytes = line_bytes_of(cache),
		.colors = 1,
		.loads = loads_of(p->m),
	};
	lens->way_bytes = way_bytes_of(cache);
	lens->cached = cached_bytes_of(cache) / lens->slot_bytes;
	/* A way that is no power of two long is rounded up. */
	while (lens->colors * page_bytes < way_bytes_of(cache))
		lens->colors *= 2;
	while (frames < lens->colors || frames * page_bytes < FRAME_BYTES)
		frames *= 2;
	error = open_view(lens, &r, contiguous ? 0 : frames, &lens->wide, f);
	lens->pages = r.pages;
	if (!error && !contiguous)
		error = open_view(lens, &r, 1, &lens->narrow, f);
	if (error)
		lens_close(lens);
	return error;
}

void lens_close(struct lens *lens)
{
	const struct machine_ops *ops = lens->prober->m->ops;

	if (lens->narrow)
		ops->view_close(lens->narrow);
	if (lens->wide)
		ops->view_close(lens->wide);
	lens->narrow = NULL;
	lens->wide = NULL;
}

uint64_t lens_room(const struct lens *lens)
{
	return lens->wide->request.frames * lens->page_bytes / lens->slot_bytes;
}

static int out_of_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "measure: out of memory (free some)");
}

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
	struct dealer *dealers =
		calloc(frames * lens->colors, sizeof(*dealers));
	uint64_t *used = calloc(frames, sizeof(*used));
	int error = dealers && used ? 0 : out_of_memory(f);

	for (size_t i = 0; i < laid->s.length && !error; i++) {
		uint64_t page = laid->s.offsets[i], frame = page % frames;
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
		 struct view *view, struct laid *laid, struct failure *f)
{
	int error;

	laid->view = view;
	if (sequence_place(&laid->s, w, base))
		return out_of_memory(f);
	if (shape_columns(w) == 1)
		sequence_shuffle(&laid->s, &lens->prober->rng);
	else if (sequence_shuffle_columns(&laid->s, shape_columns(w),
					  &lens->prober->rng)) {
		sequence_free(&laid->s);
		return out_of_memory(f);
	}
	error = deal_words(lens, laid, f);
	if (error)
		sequence_free(&laid->s);
	return error;
}

int lens_place(struct lens *lens, const struct shape *w, bool aligned,
	       struct laid *laid, struct failure *f)
{
	uint64_t span = shape_span(w) - sizeof(uint64_t) + 1, base = 0;
	int error = -ERANGE;

	if (span > lens->pages)
		return -ERANGE;
	if (!aligned)
		base = choose_base(lens, w, lens->pages - span);
	if (lens->narrow && base + span <= lens->narrow->request.pages)
		error = place(lens, w, base, lens->narrow, laid, f);
	return error == -ERANGE ? place(lens, w, base, lens->wide, laid, f) :
				  error;
}

static int lay_words(struct lens *lens, uint64_t stride, size_t count,
		     struct laid *laid, struct failure *f)
{
	const struct shape words = { .inner = 1,
				     .stride = stride,
				     .outer = count };

	laid->view = lens->wide;
	if (sequence_place(&laid->s, &words, 0))
		return out_of_memory(f);
	sequence_shuffle(&laid->s, &lens->prober->rng);
	return 0;
}

int lens_words(struct lens *lens, size_t count, struct laid *laid,
	       struct failure *f)
{
	if (count > lens_room(lens))
		return -ERANGE;
	return lay_words(lens, lens->slot_bytes, count, laid, f);
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

static struct walk_plan plan_for(const struct lens *lens, size_t length,
				 enum machine_counter counter)
{
	size_t warm = WARM_LOADS / length;

	if (warm > WARM_ROUNDS)
		warm = WARM_ROUNDS;
	if (warm < WARM_ROUNDS_LEAST)
		warm = WARM_ROUNDS_LEAST;
	return (struct walk_plan){
		.warm_rounds = (unsigned int)warm,
		.loads = lens->loads,
		.samples = SAMPLES_OF_OBSERVATION,
		.counters = counter < MACHINE_COUNTERS ?
				    1U << counter & lens->prober->m->counters :
				    0,
	};
}

int lens_observe(struct lens *lens, const struct laid *laid,
		 enum machine_counter counter, struct observation *o,
		 struct failure *f)
{
	struct sample samples[SAMPLES_OF_OBSERVATION];
	struct walk_plan plan = plan_for(lens, laid->s.length, counter);
	const struct prober *p = lens->prober;

	o->count = 0;
	o->counted = plan.counters != 0;
	for (int i = 0; i < REPETITIONS && plan.samples; i++) {
		unsigned int taken = plan.samples;
		int error;

		if (p->stop && *p->stop)
			return -EINTR;
		error = p->m->ops->view_walk(laid->view, &laid->s, &plan,
					     samples, f);
		if (error)
			return error;
		for (unsigned int j = 0; j < taken; j++) {
			double loads = (double)samples[j].loads;

			if (samples[j].disturbed || !samples[j].loads)
				continue;
			if (o->counted && samples[j].counted & plan.counters)
				o->misses[o->count] =
					samples[j].counts[counter] / loads;
			else
				o->counted = false;
			o->ticks[o->count++] = samples[j].ticks / loads;
			plan.samples--;
		}
	}
	return 0;
}

int lens_time_laid(struct lens *lens, const struct laid *laid, double *ticks,
		   struct failure *f)
{
	struct observation o;
	int error = lens_observe(lens, laid, MACHINE_COUNTERS, &o, f);

	if (!error)
		*ticks = sampler_quantile(o.ticks, o.count, 0.25);
	return error;
}

int lens_time(struct lens *lens, const struct shape *w, size_t words,
	      double *ticks, struct failure *f)
{
	double quiet[TIME_PLACES];
	size_t places = 0;

	for (int i = 0; i < TIME_PLACES; i++) {
		struct laid laid;
		int error = w ? lens_place(lens, w, false, &laid, f) :
				lens_words(lens, words, &laid, f);

		if (error)
			return error;
		error = lens_time_laid(lens, &laid, &quiet[places], f);
		sequence_free(&laid.s);
		if (error)
			return error;
		places += quiet[places] > 0;
	}
	if (!places)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	*ticks = sampler_quantile(quiet, places, 0.5);
	return 0;
}
