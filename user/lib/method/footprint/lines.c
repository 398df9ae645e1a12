// SPDX-License-Identifier: GPL-2.0
/* lines.c - lines of random pages, and what their translations take. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/footprint/internal.h"
#include "method/footprint/tuning.h"
#include "observe/sampler.h"

/* Pages in a row, whose entries of page tables share lines: those of pages anywhere
 * would not stay in the caches, and make translations longer than words show.
 */
#define BLOCK_PAGES 512

void footprint_shuffle(struct footprint *fp)
{
	size_t blocks = fp->most_pages / BLOCK_PAGES;

	if (!blocks)
		blocks = 1;
	rng_order(&fp->p->rng, fp->pages, blocks);
	/* From the last one on, as each block takes the place of others. */
	for (size_t i = blocks; i-- > 0;) {
		size_t first = fp->pages[i] * BLOCK_PAGES;

		for (size_t j = BLOCK_PAGES; j-- > 0;)
			if (i * BLOCK_PAGES + j < fp->most_pages)
				fp->pages[i * BLOCK_PAGES + j] = first + j;
	}
}

static size_t lines_of_page(const struct footprint *fp)
{
	return FOOTPRINT_PAGE_BYTES / fp->line_bytes;
}

size_t footprint_pages(const struct footprint *fp, uint64_t bytes)
{
	size_t pages = bytes / (lines_of_page(fp) * fp->line_bytes);

	return pages <= fp->most_pages ? pages : 0;
}

/* The lines of a page, in an order of its own. */
static void place_page(const struct footprint *fp, size_t page, uint64_t *lines)
{
	size_t order[FOOTPRINT_PAGE_BYTES / sizeof(uint64_t)];
	size_t count = lines_of_page(fp);

	rng_order(&fp->p->rng, order, count);
	for (size_t i = 0; i < count; i++)
		lines[i] =
			page * FOOTPRINT_PAGE_BYTES + order[i] * fp->line_bytes;
}

int footprint_build(const struct footprint *fp, size_t together, size_t pages,
		    struct sequence *s, struct failure *f)
{
	const size_t of_page = lines_of_page(fp), count = pages * of_page;
	uint64_t *lines = calloc(count, sizeof(*lines));
	size_t *visits = calloc(count / together, sizeof(*visits));

	*s = (struct sequence){ .offsets = calloc(count, sizeof(*lines)),
				.length = count };
	if (lines && visits && s->offsets) {
		for (size_t i = 0; i < pages; i++)
			place_page(fp, fp->pages[i], lines + i * of_page);
		rng_order(&fp->p->rng, visits, count / together);
		for (size_t i = 0; i < count; i++)
			s->offsets[i] = lines[visits[i / together] * together +
					      i % together];
	} else {
		sequence_free(s);
	}
	free(lines);
	free(visits);
	return s->offsets ? 0 : prober_out_of_memory(f);
}

struct walk_plan footprint_plan(const struct footprint *fp,
				unsigned int samples)
{
	return (struct walk_plan){
		.flags = WALK_PLAIN_LOADS | WALK_REFRESHED,
		.warm_rounds = WARM_ROUNDS,
		.loads = prober_loads(fp->p, FOOTPRINT_LOADS, 0),
		.samples = samples,
		.seldom = true,
	};
}

static int time_sequence(const struct footprint *fp, const struct sequence *s,
			 double *ticks, struct failure *f)
{
	const struct walk_plan plan = footprint_plan(fp, FOOTPRINT_SAMPLES);
	struct readings r;
	int error = prober_observe(fp->p, s, &plan, 0, &r, f);

	*ticks = r.count ? statistics_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}

/**
 * struct words - what is loaded instead of lines, to see what translations take
 * @visits: of each page
 * @of_line: words of a line, each for another visit
 * @lines: of a page
 * @packed: they lie in as few pages as have room for them
 */
struct words {
	size_t visits;
	size_t of_line;
	size_t lines;
	bool packed;
};

/* The word of a visit, by its number: those of one page follow each other. */
static uint64_t place_word(const struct footprint *fp, const struct words *w,
			   size_t visit)
{
	size_t page = visit / w->visits, turn = visit % w->visits;
	size_t per_page = (w->visits + w->of_line - 1) / w->of_line;
	size_t line = page * per_page + turn / w->of_line;

	if (w->packed)
		page = line / w->lines;
	return fp->pages[page] * FOOTPRINT_PAGE_BYTES +
	       line % w->lines * fp->line_bytes +
	       turn % w->of_line * fp->p->word_bytes;
}

static int time_words(const struct footprint *fp, const struct words *w,
		      const size_t *order, size_t count, double *ticks,
		      struct failure *f)
{
	struct sequence s = { .offsets = calloc(count, sizeof(*s.offsets)),
			      .length = count };
	int error;

	if (!s.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < count; i++)
		s.offsets[i] = place_word(fp, w, order[i]);
	error = time_sequence(fp, &s, ticks, f);
	sequence_free(&s);
	return error;
}

/* What the first load of a visit waits for: *@ticks not below 0, or NAN. */
static int time_translation(const struct footprint *fp, size_t together,
			    size_t pages, double *ticks, struct failure *f)
{
	struct words w = {
		.visits = lines_of_page(fp) / together,
		.of_line = fp->line_bytes / fp->p->word_bytes,
		.lines = FOOTPRINT_PAGE_BYTES / fp->line_bytes,
	};
	const size_t count = pages * w.visits;
	size_t *order = calloc(count, sizeof(*order));
	double apart = NAN, packed = NAN;
	int error;

	*ticks = NAN;
	if (!order)
		return prober_out_of_memory(f);
	rng_order(&fp->p->rng, order, count);
	error = time_words(fp, &w, order, count, &apart, f);
	w.packed = true;
	if (!error)
		error = time_words(fp, &w, order, count, &packed, f);
	free(order);
	if (!error && isfinite(apart) && isfinite(packed))
		*ticks = fmax(0, apart - packed);
	return error;
}

int footprint_time_alone(const struct footprint *fp, size_t together,
			 size_t pages, double *ticks, struct failure *f)
{
	double translation = NAN;
	struct sequence s;
	int error = footprint_build(fp, together, pages, &s, f);

	*ticks = NAN;
	if (error)
		return error;
	error = time_sequence(fp, &s, ticks, f);
	sequence_free(&s);
	if (!error)
		error = time_translation(fp, together, pages, &translation, f);
	*ticks -= translation / (double)together + fp->p->page_ticks;
	return error;
}
