// SPDX-License-Identifier: GPL-2.0
#include "sequence/sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sequence/offset_set.h"

void sequence_free(struct sequence *s)
{
	free(s->offsets);
	s->offsets = NULL;
	s->length = 0;
}

static int allocate(struct sequence *s, size_t length)
{
	s->offsets = calloc(length ? length : 1, sizeof(*s->offsets));
	s->length = s->offsets ? length : 0;
	return s->offsets ? 0 : -ENOMEM;
}

static size_t copies_of(const struct shape *w)
{
	return w->copies ? w->copies : 1;
}

/* How far a row lies off. */
static uint64_t skew_of(const struct shape *w, size_t row)
{
	return w->skews ? row % w->skews * w->skew : 0;
}

size_t shape_columns(const struct shape *w)
{
	return (w->inner * copies_of(w)) << w->folds.count;
}

size_t shape_length(const struct shape *w)
{
	return shape_columns(w) * w->outer;
}

uint64_t shape_reach(const struct shape *w)
{
	return (w->inner - 1) * w->inner_stride;
}

uint64_t shape_span(const struct shape *w)
{
	uint64_t inner = w->scatter ? w->scatter - w->inner_stride :
				      shape_reach(w);

	return w->lead + (w->outer - 1) * w->stride + inner +
	       (copies_of(w) - 1) * w->copy_stride +
	       (w->skews ? (w->skews - 1) * w->skew : 0) + sizeof(uint64_t);
}

int sequence_check(const struct sequence *s)
{
	struct offset_set set = { .slots = NULL };
	int error = offset_set_begin(&set, s->length);

	for (size_t i = 0; !error && i < s->length; i++)
		if (!offset_set_add(&set, s->offsets[i]))
			error = -EEXIST;
	offset_set_free(&set);
	return error;
}

/* @line and its copies. Return: behind them. */
static uint64_t *place_folds(uint64_t *next, const struct shape_folds *folds,
			     uint64_t line)
{
	for (size_t k = 0; k < (size_t)1 << folds->count; k++) {
		uint64_t at = line - folds->origin;

		for (size_t i = 0; i < folds->count; i++)
			if (k >> i & 1)
				at ^= folds->vectors[i];
		*next++ = folds->origin + at;
	}
	return next;
}

int sequence_place(struct sequence *s, const struct shape *w, uint64_t base)
{
	int error = allocate(s, shape_length(w));
	uint64_t *next = s->offsets;

	if (error)
		return error;
	for (size_t i = 0; i < w->outer; i++)
		for (size_t j = 0; j < w->inner; j++)
			for (size_t k = 0; k < copies_of(w); k++)
				next = place_folds(next, &w->folds,
						   base + w->lead +
							   i * w->stride +
							   skew_of(w, i) +
							   j * w->inner_stride +
							   k * w->copy_stride);
	return 0;
}

void sequence_scatter(struct sequence *s, const struct shape *w,
		      struct rng *rng)
{
	uint64_t places = w->scatter / w->inner_stride, left = w->inner;
	size_t chosen = 0;

	/* Each place is taken as often as any other one (Knuth 3.4.2, S). */
	for (uint64_t at = 0; at < places && left; at++) {
		uint64_t moved = (at - chosen) * w->inner_stride;

		if (rng_below(rng, places - at) >= left)
			continue;
		for (size_t i = 0; i < w->outer; i++)
			for (size_t k = 0; k < copies_of(w); k++)
				s->offsets[(i * w->inner + chosen) *
						   copies_of(w) +
					   k] += moved;
		chosen++;
		left--;
	}
}

/**
 * struct visit - an address of a sequence among those of its page
 * @page: its page
 * @at: its position in the sequence
 * @before: number of addresses of its page before it
 * @first: position of the first of these
 * @count: number of addresses of the page; set in the first one
 */
struct visit {
	uint64_t page;
	size_t at;
	size_t before;
	size_t first;
	size_t count;
};

static int by_page(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_place(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* In the order of the sequence; NULL: out of memory. */
static struct visit *list_visits(const struct sequence *s, uint64_t page_bytes)
{
	struct visit *v = calloc(s->length ? s->length : 1, sizeof(*v));
	size_t first = 0;

	if (!v)
		return NULL;
	for (size_t i = 0; i < s->length; i++)
		v[i] = (struct visit){ .page = s->offsets[i] / page_bytes,
				       .at = i };
	qsort(v, s->length, sizeof(*v), by_page);
	for (size_t i = 0; i < s->length; i++) {
		if (v[i].page != v[first].page)
			first = i;
		v[i].before = i - first;
		v[i].first = v[first].at;
		v[first].count++;
	}
	qsort(v, s->length, sizeof(*v), by_place);
	return v;
}

int sequence_translation_twin(struct sequence *twin, const struct sequence *of,
			      uint64_t page_bytes, uint64_t line_bytes,
			      uint64_t word_bytes)
{
	struct visit *visits = list_visits(of, page_bytes);
	size_t words = line_bytes / word_bytes, line = 0;
	int error = visits ? allocate(twin, of->length) : -ENOMEM;

	if (error) {
		free(visits);
		return error;
	}
	for (size_t i = 0; i < of->length; i++) {
		const struct visit *v = &visits[i];
		uint64_t place;

		/* The first of a page begins as many lines as all of it needs;
		 * those of the next page come after them.
		 */
		if (v->first == i) {
			twin->offsets[i] = line * line_bytes;
			line += (v->count + words - 1) / words;
			continue;
		}
		place = twin->offsets[v->first] + v->before * word_bytes;
		twin->offsets[i] = v->page * page_bytes + place % page_bytes;
	}
	for (size_t i = 0; i < of->length; i++)
		if (visits[i].first == i)
			twin->offsets[i] = visits[i].page * page_bytes +
					   twin->offsets[i] % page_bytes;
	free(visits);
	return 0;
}

uint64_t sequence_span(const struct sequence *s)
{
	uint64_t span = 0;

	for (size_t i = 0; i < s->length; i++)
		if (s->offsets[i] + sizeof(uint64_t) > span)
			span = s->offsets[i] + sizeof(uint64_t);
	return span;
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t kept = *a;

	*a = *b;
	*b = kept;
}

static void shuffle(uint64_t *values, size_t count, struct rng *rng)
{
	for (size_t i = count; i > 1; i--)
		swap(&values[i - 1], &values[rng_below(rng, i)]);
}

void sequence_shuffle(struct sequence *s, struct rng *rng)
{
	shuffle(s->offsets, s->length, rng);
}

/* Those that have the bit in their number and those that have not, as many. */
static void take_turns(uint64_t *columns, size_t count, unsigned int bit)
{
	for (size_t i = 0; i < count; i++) {
		size_t j = i;

		while (j < count && (columns[j] >> bit & 1) != i % 2)
			j++;
		if (j < count)
			swap(&columns[i], &columns[j]);
	}
}

static int shuffle_columns(struct sequence *s, size_t inner, size_t folds,
			   size_t phases, struct rng *rng)
{
	size_t rows = s->length / inner;
	uint64_t *order = calloc(inner + rows, sizeof(*order));
	uint64_t *columns = order, *row_order;
	struct sequence mixed;

	if (!order || allocate(&mixed, s->length)) {
		free(order);
		return -ENOMEM;
	}
	row_order = order + inner;
	for (size_t j = 0; j < inner; j++)
		columns[j] = j;
	for (size_t i = 0; i < rows; i++)
		row_order[i] = i;
	shuffle(columns, inner, rng);
	if (folds)
		take_turns(columns, inner, (unsigned int)folds - 1);
	shuffle(row_order, rows, rng);
	for (size_t i = 0; i < rows; i++) {
		size_t first = phases ? i % phases * inner / phases : 0;

		for (size_t j = 0; j < inner; j++)
			mixed.offsets[i * inner + j] =
				s->offsets[row_order[i] * inner +
					   columns[(first + j) % inner]];
	}
	free(order);
	sequence_free(s);
	*s = mixed;
	return 0;
}

int sequence_shuffle_columns(struct sequence *s, size_t inner, struct rng *rng)
{
	return shuffle_columns(s, inner, 0, 0, rng);
}

int sequence_shuffle_shape(struct sequence *s, const struct shape *w,
			   struct rng *rng)
{
	size_t columns = shape_columns(w);

	if (columns > 1)
		return shuffle_columns(s, columns, w->folds.count, w->phases,
				       rng);
	sequence_shuffle(s, rng);
	return 0;
}
