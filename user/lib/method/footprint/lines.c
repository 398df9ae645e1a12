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
/*
 * Prefetchers bring the lines beside one that misses into the level above: 12 % of
 * loads in a random order hit there (Zen 4, next line). So lines beside it are loaded
 * in other rounds, all pages before them: three of eight later, and three sooner, the
 * most that both can be where the visits of a page are a power of two.
 */
#define ROUND_STEP 3

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

static size_t visits_of_page(const struct footprint *fp)
{
	return lines_of_page(fp) / FOOTPRINT_TOGETHER;
}

/* The line of a visit: those of one are as far apart as others lie between. */
static uint64_t place_line(const struct footprint *fp, size_t page,
			   size_t visit, size_t line)
{
	const size_t of_visit = ROUND_STEP * visit % visits_of_page(fp);

	return fp->pages[page] * FOOTPRINT_PAGE_BYTES +
	       (line * visits_of_page(fp) + of_visit) * fp->line_bytes;
}

/* The lines of a visit, in an order of their own. */
static void place_visit(const struct footprint *fp, size_t page, size_t visit,
			uint64_t *lines)
{
	size_t order[FOOTPRINT_TOGETHER];

	rng_order(&fp->p->rng, order, FOOTPRINT_TOGETHER);
	for (size_t i = 0; i < FOOTPRINT_TOGETHER; i++)
		lines[i] = place_line(fp, page, visit, order[i]);
}

/* Visits of each page, by page and visit: all pages in each round, in an order of its
 * own. In the same one a level by DRRIP does not take in the footprint in one walk.
 */
static size_t *order_visits(const struct footprint *fp, size_t pages)
{
	const size_t visits = visits_of_page(fp);
	size_t *order = calloc(pages * visits, sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < visits; i++) {
		size_t *round = order + i * pages;

		rng_order(&fp->p->rng, round, pages);
		for (size_t j = 0; j < pages; j++)
			round[j] = round[j] * visits + i;
	}
	return order;
}

int footprint_build(const struct footprint *fp, size_t pages,
		    struct sequence *s, struct failure *f)
{
	const size_t visits = visits_of_page(fp);
	const size_t count = pages * visits;
	size_t *order = order_visits(fp, pages);

	*s = (struct sequence){ .length = count * FOOTPRINT_TOGETHER };
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	for (size_t i = 0; order && s->offsets && i < count; i++)
		place_visit(fp, order[i] / visits, order[i] % visits,
			    s->offsets + i * FOOTPRINT_TOGETHER);
	if (!order)
		sequence_free(s);
	free(order);
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
static int time_translation(const struct footprint *fp, size_t pages,
			    double *ticks, struct failure *f)
{
	struct words w = {
		.visits = visits_of_page(fp),
		.of_line = fp->line_bytes / fp->p->word_bytes,
		.lines = FOOTPRINT_PAGE_BYTES / fp->line_bytes,
	};
	size_t *order = order_visits(fp, pages);
	double apart = NAN, packed = NAN;
	int error;

	*ticks = NAN;
	if (!order)
		return prober_out_of_memory(f);
	error = time_words(fp, &w, order, pages * w.visits, &apart, f);
	w.packed = true;
	if (!error)
		error = time_words(fp, &w, order, pages * w.visits, &packed, f);
	free(order);
	if (!error && isfinite(apart) && isfinite(packed))
		*ticks = fmax(0, apart - packed);
	return error;
}

int footprint_time_alone(const struct footprint *fp, size_t pages,
			 double *ticks, struct failure *f)
{
	double translation = NAN;
	struct sequence s;
	int error = footprint_build(fp, pages, &s, f);

	*ticks = NAN;
	if (error)
		return error;
	error = time_sequence(fp, &s, ticks, f);
	sequence_free(&s);
	if (!error)
		error = time_translation(fp, pages, &translation, f);
	*ticks -= translation / FOOTPRINT_TOGETHER + fp->p->page_ticks;
	return error;
}
