// SPDX-License-Identifier: GPL-2.0
#include "method/level/resident_lines.h"

#include <math.h>

#include "method/level/level.h"
#include "method/level/tuning.h"

#define ANY_LINE_BYTES 64
/* Pages of lines of the first level: small TLBs have as many entries and some more. */
#define FEW_PAGES 16
/* More are no test of few sets. */
#define MOST_LINES 4000

uint64_t resident_lines_way_bytes(const struct cache_result *c)
{
	return (uint64_t)(c->capacity_bytes.value / c->ways.value);
}

uint64_t resident_lines_evictor(uint64_t way, uint64_t below, size_t i)
{
	const uint64_t per = below / way - 1;

	return (i / per * (per + 1) + i % per + 1) * way;
}

uint64_t resident_lines_first(struct prober *p, uint64_t stride, size_t count)
{
	const uint64_t rows = p->arena_bytes / stride;
	uint64_t first;

	if (rows < count)
		return UINT64_MAX;
	first = rng_below(&p->rng, rows - count + 1) * stride;
	first += rng_below(&p->rng, stride / RESIDENT_LINES_PAGE) *
		 RESIDENT_LINES_PAGE;
	return p->arena_offset + first;
}

bool resident_lines_sets_known(const struct cache_result *c)
{
	return parameter_is_measured(&c->ways) &&
	       parameter_is_measured(&c->capacity_bytes) &&
	       parameter_is_measured(&c->index_decision) &&
	       c->index != INDEX_HASHED;
}

/* What is known of a level above; an exclusive one also holds lines that come
 * from further up.
 */
static struct xray_level upper_of(const struct cache_result *c)
{
	const struct parameter *ways = &c->ways;

	if (parameter_is_measured(&c->effective_ways) &&
	    c->effective_ways.value > ways->value)
		ways = &c->effective_ways;
	return (struct xray_level){
		.ways = (size_t)ways->value,
		.way_bytes = resident_lines_way_bytes(c),
		.line_bytes = parameter_is_measured(&c->line_bytes) ?
				      (uint64_t)c->line_bytes.value :
				      ANY_LINE_BYTES,
		.own = (size_t)c->ways.value,
	};
}

/*
 * Lines of the first level: no two of a page are near enough for a prefetcher to
 * bring one for the other, and each page begins further on, so that all are of
 * different sets where sets suffice. As many pages as lines might miss the
 * first TLB, which costs as much as a hit in the next level.
 */
static struct shape first_lines(const struct cache_result *c, uint64_t apart)
{
	uint64_t line = parameter_is_measured(&c->line_bytes) ?
				(uint64_t)c->line_bytes.value :
				ANY_LINE_BYTES;
	size_t count = RESIDENT_FEW_LINES, each = 1;

	if (resident_lines_sets_known(c) && parameter_is_measured(&c->sets))
		count = (size_t)fmin(c->sets.value / (double)apart,
				     RESIDENT_LINES);
	if (!count)
		count = 1;
	if (count > FEW_PAGES && count * apart * line <= RESIDENT_LINES_PAGE)
		each = count / FEW_PAGES;
	return (struct shape){ .inner_stride = count / each * apart * line,
			       .inner = each,
			       .stride = RESIDENT_LINES_PAGE + apart * line,
			       .outer = count / each };
}

/* Whether they do where the sets are known. */
static bool fits(const struct cache_result *c, const struct sequence *s)
{
	uint64_t way = resident_lines_way_bytes(c);

	for (size_t i = 0; i < s->length; i++) {
		double there = 0;

		for (size_t j = 0; j < s->length; j++)
			there += s->offsets[i] % way == s->offsets[j] % way;
		if (there > c->ways.value)
			return false;
	}
	return true;
}

/* The same in two sets of the one level above, in turn: where each load misses right
 * after a miss of its set, hits take longer here than what was published.
 */
static void take_turns(const struct xray *x, struct shape *w)
{
	uint64_t apart = (w->stride < RESIDENT_LINES_PAGE ?
				  w->stride :
				  RESIDENT_LINES_PAGE) /
			 2;

	if (x->upper_count > 1 || w->inner > 1 || w->folds.count ||
	    apart < 2 * x->upper[0].line_bytes)
		return;
	w->inner = 2;
	w->inner_stride = apart;
}

/* More lines than leave the levels above, but no more than fit here: else those
 * that miss here hide those that hit above.
 */
static bool choose_control(const struct xray *x, const struct cache_result *c,
			   struct shape *shape)
{
	for (size_t multiple = 3; multiple > 1; multiple--) {
		struct sequence s = { .offsets = NULL };
		bool fit;

		*shape = xray_control(x, multiple);
		take_turns(x, shape);
		if (!resident_lines_sets_known(c))
			return true;
		fit = shape_length(shape) <= MOST_LINES &&
		      !sequence_place(&s, shape, 0) && fits(c, &s);
		sequence_free(&s);
		if (fit)
			return true;
	}
	return false;
}

const char *resident_lines_choose(struct prober *p, const struct hierarchy *h,
				  size_t k, uint64_t apart, struct shape *shape)
{
	struct xray_level known[RESULT_MAX_LEVELS];
	const struct xray x = { .prober = p, .upper = known, .upper_count = k };

	if (!k) {
		*shape = first_lines(&h->caches[0], apart);
		return NULL;
	}
	for (size_t j = 0; j < k; j++) {
		if (!resident_lines_sets_known(&h->caches[j]))
			return "lines that are sure to miss the levels above are not known";
		known[j] = upper_of(&h->caches[j]);
	}
	if (!choose_control(&x, &h->caches[k], shape))
		return "lines that are sure to miss the levels above do not fit here";
	return NULL;
}
