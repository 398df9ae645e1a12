// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/column.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "method/accessed/trials.h"
#include "method/accessed/tuning.h"

/* Pages of other sets. Only Intel's first arrays of code have more entries: 256. */
#define CLEARING 128
/*
 * Of the looks that show all ways or more, this share shows more at most. On Zen 4 it
 * was 0 to 8 % of loads, and 2 to 35 % of fetches, in whichever set and for seconds.
 * Where another thread leaves each set other numbers of ways, it is larger, but for the
 * largest of these.
 */
#define MORE_OF_LOADS 0.25
#define MORE_OF_FETCHES 0.5

/**
 * struct column - a set at a time
 * @v: the pages
 * @w: rows whose columns lie in sets of their own
 * @set: pages of the set, in the order of touches
 * @test: in the other direction: what is kept longest is tested first, and the walks of
 *        the others push out none that is still to be tested
 * @clearing: pages of other sets, which the array above is left with
 */
struct column {
	const struct kept_view *v;
	const struct kept_shape *w;
	struct sequence set;
	struct sequence test;
	struct sequence clearing;
};

static int reserve(struct sequence *s, uint64_t length, struct failure *f)
{
	s->offsets = calloc(length ? length : 1, sizeof(*s->offsets));
	s->length = length;
	return s->offsets ? 0 : prober_out_of_memory(f);
}

static void choose(struct column *c)
{
	const struct kept_shape *w = c->w;
	struct rng *rng = &c->v->prober->rng;
	const uint64_t column = rng_below(rng, w->columns);
	/* Neighbours may share an entry. */
	const uint64_t step =
		(w->columns - 1) / ((c->clearing.length - 1) / w->rows + 1);

	for (uint64_t i = 0; i < w->rows; i++)
		c->set.offsets[i] =
			kept_offset(c->v, i * w->stride + column, i);
	sequence_shuffle(&c->set, rng);
	for (uint64_t i = 0; i < w->rows; i++)
		c->test.offsets[i] = c->set.offsets[w->rows - 1 - i];
	for (uint64_t i = 0; i < c->clearing.length; i++) {
		uint64_t row = i % w->rows;
		uint64_t other = 1 + i / w->rows * step;

		c->clearing.offsets[i] = kept_offset(
			c->v, row * w->stride + (column + other) % w->columns,
			row);
	}
}

static int look_once(struct column *c, struct touch_answer *t,
		     struct failure *f)
{
	const struct touch before[] = {
		{ &c->set, c->v->kind, FILL_ROUNDS },
		{ &c->clearing, c->v->kind, FILL_ROUNDS },
	};

	choose(c);
	return kept_touch(c->v,
			  &(struct touch_plan){ before,
						c->clearing.length ? 2 : 1,
						{ &c->test, c->v->kind, 1 },
						NULL },
			  t, f);
}

static int look(struct column *c, struct column_looks *looks, struct failure *f)
{
	unsigned int count = 0;

	for (int i = 0; count < COLUMN_LOOKS; i++) {
		struct touch_answer t = { .walked = 0 };
		int error = i < TRIAL_PATIENCE * COLUMN_LOOKS ?
				    look_once(c, &t, f) :
				    -EAGAIN;

		if (error)
			return error;
		if (t.disturbed)
			continue;
		looks->kept[looks->pages - t.walked]++;
		count++;
	}
	return 0;
}

int column_look(const struct kept_view *v, const struct kept_shape *w,
		struct column_looks *looks, struct failure *f)
{
	const uint64_t others = w->rows * (w->columns - 1);
	struct column c = { .v = v, .w = w };
	int error;

	*looks = (struct column_looks){ .pages = (unsigned int)w->rows };
	if (w->rows > COLUMN_PAGES ||
	    (w->rows - 1) * w->stride + w->columns > v->pages)
		return -ERANGE;
	error = reserve(&c.set, w->rows, f);
	if (!error)
		error = reserve(&c.test, w->rows, f);
	if (!error)
		error = reserve(&c.clearing,
				others < CLEARING ? others : CLEARING, f);
	if (!error)
		error = look(&c, looks, f);
	sequence_free(&c.clearing);
	sequence_free(&c.test);
	sequence_free(&c.set);
	return error;
}

static unsigned int count_more(const struct column_looks *looks,
			       unsigned int kept)
{
	unsigned int more = 0;

	for (unsigned int i = kept + 1; i <= looks->pages; i++)
		more += looks->kept[i];
	return more;
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

bool column_allows(const struct column_looks *looks, enum touch_kind kind,
		   unsigned int ways, double alpha)
{
	const double more = kind == TOUCH_FETCHES ? MORE_OF_FETCHES :
						    MORE_OF_LOADS;

	/* Where no page was lost, there may be more ways. */
	return ways && ways < looks->pages &&
	       outnumbers(looks->kept[ways], count_more(looks, ways), 1 - more,
			  alpha) &&
	       outnumbers(looks->kept[ways], looks->kept[ways - 1], 0.5, alpha);
}
