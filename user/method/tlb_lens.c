// SPDX-License-Identifier: GPL-2.0
#include "tlb_lens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../observe/sampler.h"

/* Words of so many bytes of frames are enough for the largest arrays. */
#define FRAME_BYTES (UINT64_C(64) << 10)
/* While the first cache is unknown: no way is longer, no line shorter. */
#define LONGEST_WAY (UINT64_C(64) << 10)
#define SHORTEST_LINE 32
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

static unsigned int loads_of(const struct machine *m)
{
	double loads =
		m->timer.resolution_ticks * STEPS_PER_SAMPLE / LEAST_CYCLES;

	return loads > LOADS_PER_SAMPLE ? (unsigned int)loads :
					  LOADS_PER_SAMPLE;
}

int lens_open(struct lens *lens, struct prober *p, uint64_t page_bytes,
	      bool executable, const struct cache_result *cache,
	      uint64_t most_pages, bool contiguous, struct failure *f)
{
	struct view_request r = { .page_bytes = page_bytes,
				  .executable = executable };
	struct failure why = { .text = "" };
	int error = -EOPNOTSUPP;

	*lens = (struct lens){
		.prober = p,
		.page_bytes = page_bytes,
		.slot_bytes = executable ? VIEW_SLOT_BYTES : sizeof(uint64_t),
		.line_bytes = line_bytes_of(cache),
		.colors = 1,
		.frames = 1,
		.loads = loads_of(p->m),
	};
	/* A way that is no power of two long is rounded up. */
	while (lens->colors * page_bytes < way_bytes_of(cache))
		lens->colors *= 2;
	while (lens->frames < lens->colors ||
	       lens->frames * page_bytes < FRAME_BYTES)
		lens->frames *= 2;
	for (uint64_t n = most_pages; n >= LEAST_PAGES; n /= 2) {
		r.pages = n;
		r.frames = contiguous ? n : lens->frames;
		why.text[0] = '\0';
		error = p->m->ops->view_open(p->m, &r, &lens->view, &why);
		if (!error || error == -EOPNOTSUPP)
			break;
	}
	if (error)
		return fail(f, why.status, -error, "%s", why.text);
	lens->pages = lens->view->request.pages;
	lens->frames = lens->view->request.frames;
	return 0;
}

void lens_close(struct lens *lens)
{
	if (lens->view)
		lens->prober->m->ops->view_close(lens->view);
	lens->view = NULL;
}

static int out_of_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "measure: out of memory (free some)");
}

/* Pages become offsets: each frame deals out its slots in a row, so that lines
 * fill up, but begins elsewhere than the other frames of its color.
 */
static int deal_words(struct lens *lens, struct sequence *s, struct failure *f)
{
	uint64_t slots = lens->page_bytes / lens->slot_bytes;
	uint64_t per_line = lens->line_bytes / lens->slot_bytes;
	uint64_t lines = slots / (per_line ? per_line : 1);
	uint64_t rounds = lens->frames / lens->colors;
	uint32_t *used = calloc(lens->frames, sizeof(*used));
	int error = 0;

	if (!used)
		return out_of_memory(f);
	for (size_t i = 0; i < s->length && !error; i++) {
		uint64_t frame = s->offsets[i] % lens->frames;
		uint64_t first = rounds > lines ? frame / lens->colors % lines :
						  frame / lens->colors *
							  (lines / rounds);
		uint64_t slot = (first * per_line + used[frame]) % slots;

		if (used[frame]++ == slots)
			error = -ERANGE;
		s->offsets[i] = s->offsets[i] * lens->page_bytes +
				slot * lens->slot_bytes;
	}
	free(used);
	return error;
}

int lens_place(struct lens *lens, const struct shape *w, bool aligned,
	       struct sequence *s, struct failure *f)
{
	uint64_t span = shape_span(w) - sizeof(uint64_t) + 1, base = 0;
	int error;

	if (span > lens->pages)
		return -ERANGE;
	if (!aligned)
		base = rng_below(&lens->prober->rng, lens->pages - span + 1);
	if (sequence_place(s, w, base))
		return out_of_memory(f);
	if (shape_columns(w) == 1)
		sequence_shuffle(s, &lens->prober->rng);
	else if (sequence_shuffle_columns(s, shape_columns(w),
					  &lens->prober->rng)) {
		sequence_free(s);
		return out_of_memory(f);
	}
	error = deal_words(lens, s, f);
	if (error)
		sequence_free(s);
	return error;
}

int lens_words(struct lens *lens, size_t count, struct sequence *s,
	       struct failure *f)
{
	const struct shape words = { .inner = 1,
				     .stride = lens->slot_bytes,
				     .outer = count };

	if (count * lens->slot_bytes > lens->frames * lens->page_bytes)
		return -ERANGE;
	if (sequence_place(s, &words, 0))
		return out_of_memory(f);
	sequence_shuffle(s, &lens->prober->rng);
	return 0;
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

int lens_observe(struct lens *lens, const struct sequence *s,
		 enum machine_counter counter, struct observation *o,
		 struct failure *f)
{
	struct sample samples[SAMPLES_OF_OBSERVATION];
	struct walk_plan plan = plan_for(lens, s->length, counter);
	const struct prober *p = lens->prober;

	o->count = 0;
	o->counted = plan.counters != 0;
	for (int i = 0; i < REPETITIONS && plan.samples; i++) {
		unsigned int taken = plan.samples;
		int error;

		if (p->stop && *p->stop)
			return -EINTR;
		error = p->m->ops->view_walk(lens->view, s, &plan, samples, f);
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

int lens_time(struct lens *lens, const struct shape *w, size_t words,
	      double *ticks, struct failure *f)
{
	double quiet[TIME_PLACES];
	size_t places = 0;

	for (int i = 0; i < TIME_PLACES; i++) {
		struct observation o;
		struct sequence s;
		int error = w ? lens_place(lens, w, false, &s, f) :
				lens_words(lens, words, &s, f);

		if (error)
			return error;
		error = lens_observe(lens, &s, MACHINE_COUNTERS, &o, f);
		sequence_free(&s);
		if (error)
			return error;
		if (o.count)
			quiet[places++] =
				sampler_quantile(o.ticks, o.count, 0.25);
	}
	if (!places)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	*ticks = sampler_quantile(quiet, places, 0.5);
	return 0;
}
