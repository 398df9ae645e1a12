// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/column.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "method/accessed/trials.h"
#include "method/accessed/tuning.h"

/* Pages of other sets. No first array has more entries (Golden Cove, code). */
#define CLEARING 256
/* Neighbouring columns whose pages are made ready together. */
#define BLOCK 8
/*
 * Of the looks that show all ways or more, this share shows more at most. On Zen 4 it
 * was 0 to 8 % of loads, and 2 to 35 % of fetches, in whichever set and for seconds.
 * Where another thread leaves each set other numbers of ways, it is larger, but for the
 * largest of these. Half of it would be less than what fetches have shown; a smaller one
 * for loads decides the same, with more looks.
 */
#define MORE_OF_LOADS 0.25
#define MORE_OF_FETCHES 0.5
/* Looks that show the most pages or more, before these count as the most. */
#define MOST_LEAST 8

/**
 * struct column - a set at a time
 * @v: the pages
 * @w: rows whose columns lie in sets of their own
 * @set: pages of the set, in the order of touches
 * @test: in the other direction: what is kept longest is tested first, and the walks of
 *        the others push out none that is still to be tested
 * @clearing: pages of other sets, which the array above is left with
 * @block: pages of this set and the next ones
 * @meanwhile: touch them while bits are cleared
 */
struct column {
	const struct kept_view *v;
	const struct kept_shape *w;
	struct sequence set;
	struct sequence test;
	struct sequence clearing;
	struct sequence block;
	bool meanwhile;
};

static int reserve(struct sequence *s, uint64_t length, struct failure *f)
{
	s->offsets = calloc(length ? length : 1, sizeof(*s->offsets));
	s->length = length;
	return s->offsets ? 0 : prober_out_of_memory(f);
}

static uint64_t offset_of(const struct column *c, uint64_t row, uint64_t column)
{
	return kept_offset(c->v, row * c->w->stride + column, row);
}

static uint64_t block_columns(const struct kept_shape *w)
{
	return w->columns < BLOCK ? w->columns : BLOCK;
}

static void choose_block(struct column *c, uint64_t first)
{
	const uint64_t columns = block_columns(c->w);

	for (uint64_t i = 0; i < c->block.length; i++)
		c->block.offsets[i] =
			offset_of(c, i / columns, first + i % columns);
}

/* Pages of one set, and of others. */
static void choose_set(struct column *c, uint64_t column)
{
	for (uint64_t i = 0; i < c->set.length; i++)
		c->set.offsets[i] = offset_of(c, i, column);
	for (uint64_t i = 0; i < c->clearing.length; i++)
		c->clearing.offsets[i] = kept_other(c->v, c->w, column, i);
}

static int look_once(struct column *c, struct touch_answer *t,
		     struct failure *f)
{
	const struct touch before[] = {
		{ &c->set, c->v->kind, FILL_ROUNDS },
		{ &c->clearing, c->v->kind, FILL_ROUNDS },
	};
	const size_t rows = c->set.length;

	sequence_shuffle(&c->set, &c->v->prober->rng);
	for (size_t i = 0; i < rows; i++)
		c->test.offsets[i] = c->set.offsets[rows - 1 - i];
	return kept_touch(c->v,
			  &(struct touch_plan){ before,
						c->clearing.length ? 2 : 1,
						{ &c->test, c->v->kind, 1 },
						&c->block,
						c->meanwhile },
			  t, f);
}

static unsigned int sum_above(const unsigned int *numbers, unsigned int pages,
			      unsigned int kept)
{
	unsigned int sum = 0;

	for (unsigned int i = kept + 1; i <= pages; i++)
		sum += numbers[i];
	return sum;
}

/* Whether next to no look has shown more pages. */
static bool is_most(const struct column_looks *looks, unsigned int kept)
{
	return sum_above(looks->all, looks->pages, kept) < MOST_LEAST;
}

/* @kept: (out) pages of the set that were kept; @patience: disturbed looks left */
static int look_quietly(struct column *c, unsigned int *kept,
			unsigned int *patience, struct failure *f)
{
	for (;;) {
		struct touch_answer t = { .walked = 0 };
		int error = look_once(c, &t, f);

		if (error)
			return error;
		if (!t.disturbed) {
			*kept = (unsigned int)(c->set.length - t.walked);
			return 0;
		}
		if (!*patience)
			return -EAGAIN;
		--*patience;
	}
}

/* A set, again and again as long as it keeps the most. */
static int look_at_set(struct column *c, struct column_looks *looks,
		       unsigned int *patience, struct failure *f)
{
	for (int i = 0, low = 0; i < MOST_AGAIN && low < LOW_AGAIN; i++) {
		unsigned int kept;
		int error = look_quietly(c, &kept, patience, f);

		if (error)
			return error;
		looks->kept[kept] += !i;
		looks->first[kept] += !i;
		looks->all[kept]++;
		low = is_most(looks, kept) ? 0 : low + 1;
	}
	return 0;
}

/* Blocks of columns in turns, so that all sets are looked at. */
static int look(struct column *c, struct column_looks *looks, struct failure *f)
{
	const uint64_t columns = block_columns(c->w);
	const uint64_t blocks = c->w->columns / columns;
	const uint64_t begin = rng_below(&c->v->prober->rng, blocks);
	unsigned int patience = TRIAL_PATIENCE * COLUMN_LOOKS;
	int error = 0;

	for (uint64_t i = 0; !error && i < COLUMN_LOOKS; i++) {
		const uint64_t first = (begin + i / columns) % blocks * columns;

		if (i % columns == 0)
			choose_block(c, first);
		choose_set(c, first + i % columns);
		error = look_at_set(c, looks, &patience, f);
	}
	return error;
}

static int reserve_all(struct column *c, struct failure *f)
{
	const struct kept_shape *w = c->w;
	const uint64_t others = w->rows * (w->columns - 1);
	int error;

	if (w->rows > COLUMN_PAGES || !w->rows || !w->columns ||
	    (w->rows - 1) * w->stride + w->columns > c->v->pages)
		return -ERANGE;
	error = reserve(&c->set, w->rows, f);
	if (!error)
		error = reserve(&c->test, w->rows, f);
	if (!error)
		error = reserve(&c->clearing,
				others < CLEARING ? others : CLEARING, f);
	if (!error)
		error = reserve(&c->block, w->rows * block_columns(w), f);
	return error;
}

static void free_all(struct column *c)
{
	sequence_free(&c->block);
	sequence_free(&c->clearing);
	sequence_free(&c->test);
	sequence_free(&c->set);
}

int column_look(const struct kept_view *v, const struct kept_shape *w,
		struct column_looks *looks, struct failure *f)
{
	struct column c = { .v = v, .w = w };
	int error = reserve_all(&c, f);

	if (looks->pages != w->rows)
		*looks =
			(struct column_looks){ .pages = (unsigned int)w->rows };
	memset(looks->kept, 0, sizeof(looks->kept));
	if (!error)
		error = look(&c, looks, f);
	free_all(&c);
	return error;
}

/* Others that are away from a set stay away for a while. */
static int count_fits(struct column *c, unsigned int *fit,
		      unsigned int *patience, struct failure *f)
{
	for (int i = 0; i < FIT_AGAIN; i++) {
		unsigned int kept;
		int error = look_quietly(c, &kept, patience, f);

		if (error || kept < c->w->rows)
			return error;
		++*fit;
	}
	return 0;
}

int column_fit(const struct kept_view *v, const struct kept_shape *w,
	       unsigned int *fit, struct failure *f)
{
	const uint64_t columns = block_columns(w),
		       blocks = w->columns / columns;
	unsigned int patience = TRIAL_PATIENCE * FIT_LOOKS;
	struct column c = { .v = v, .w = w, .meanwhile = true };
	const uint64_t begin = rng_below(&v->prober->rng, blocks);
	int error = reserve_all(&c, f);

	for (uint64_t i = 0; !error && i < FIT_LOOKS; i++) {
		const uint64_t block = (begin + i / columns) % blocks;

		if (i % columns == 0)
			choose_block(&c, block * columns);
		choose_set(&c, block * columns + i % columns);
		error = count_fits(&c, fit, &patience, f);
	}
	free_all(&c);
	return error;
}

static unsigned int count_more(const struct column_looks *looks,
			       unsigned int kept)
{
	return sum_above(looks->kept, looks->pages, kept);
}

void column_describe(const struct column_looks *looks, char *text, size_t size)
{
	unsigned int mode = 0;

	for (unsigned int i = 1; i <= looks->pages; i++)
		if (looks->kept[i] > looks->kept[mode])
			mode = i;
	text[0] = '\0';
	if (looks->kept[mode])
		snprintf(text, size,
			 ", single ones keep %u (%u looks, %u more)", mode,
			 looks->kept[mode], count_more(looks, mode));
}

/* Whether @likely looks are a larger share than @share of all, @others among them. */
static bool outnumbers(unsigned int likely, unsigned int others, double share,
		       double alpha)
{
	return statistics_binomial_tail(likely, likely + others, share) <=
	       alpha;
}

static double most_more(enum touch_kind kind)
{
	return kind == TOUCH_FETCHES ? MORE_OF_FETCHES : MORE_OF_LOADS;
}

bool column_allows(const struct column_looks *looks, enum touch_kind kind,
		   unsigned int ways, double alpha)
{
	/* Where no page was lost, there may be more ways. */
	return ways && ways < looks->pages &&
	       outnumbers(looks->kept[ways], count_more(looks, ways),
			  1 - most_more(kind), alpha) &&
	       outnumbers(looks->kept[ways], looks->kept[ways - 1], 0.5, alpha);
}

bool column_exceeds(const struct column_looks *looks, enum touch_kind kind,
		    unsigned int ways, double alpha)
{
	return ways < looks->pages &&
	       outnumbers(sum_above(looks->first, looks->pages, ways),
			  looks->first[ways], most_more(kind), alpha);
}

bool column_ends(const struct column_looks *looks, enum touch_kind kind,
		 unsigned int ways, double alpha)
{
	return ways && ways < looks->pages &&
	       outnumbers(looks->all[ways],
			  sum_above(looks->all, looks->pages, ways),
			  1 - most_more(kind), alpha);
}

bool column_is_more(unsigned int more, unsigned int fewer, enum touch_kind kind,
		    double alpha)
{
	return outnumbers(more, fewer, most_more(kind), alpha);
}

bool column_is_most(unsigned int fewer, unsigned int more, enum touch_kind kind,
		    double alpha)
{
	return outnumbers(fewer, more, 1 - most_more(kind), alpha);
}

bool column_lacks(const struct column_looks *looks, unsigned int ways,
		  double share, double alpha)
{
	return outnumbers(looks->first[ways],
			  sum_above(looks->first, looks->pages, ways),
			  1 - share, alpha);
}

struct column_spread column_spread(const struct column_looks *looks)
{
	struct column_spread spread = { .mean = 0 };
	double sum = 0, squares = 0, count = 0;

	for (unsigned int i = 0; i <= looks->pages; i++) {
		const double n = looks->first[i];

		count += n;
		sum += n * i;
		squares += n * i * i;
	}
	spread.mean = sum / count;
	spread.variance = squares / count - spread.mean * spread.mean;
	return spread;
}
