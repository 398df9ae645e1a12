// SPDX-License-Identifier: GPL-2.0
#include "sequence/page_reference_string.h"

#include <errno.h>
#include <stdlib.h>

#include "base/rng.h"

/* Most pages of one way of a first-level cache, a power of two: pages whose
 * numbers are equal modulo its pages compete for its sets.
 */
#define COLOR_BITS 6
#define COLORS (1U << COLOR_BITS)

static uint64_t page_at(const struct page_string *w, size_t i)
{
	return w->pages ? w->pages[i] : i;
}

/* Colors with the same low bits become neighbours. */
static unsigned int rank_of(uint64_t page)
{
	unsigned int rank = 0;

	for (unsigned int i = 0; i < COLOR_BITS; i++)
		rank = rank << 1 | (page >> i & 1);
	return rank;
}

/* The line of each page: those of one color get successive ones. */
static void choose_lines(const struct page_string *w, size_t *line_of,
			 struct rng *rng)
{
	size_t lines = w->page_bytes / w->line_bytes;
	size_t next[COLORS + 1] = { 0 };

	for (size_t i = 0; i < w->count; i++)
		next[rank_of(page_at(w, i)) + 1]++;
	next[0] = rng_below(rng, lines);
	for (size_t rank = 0; rank < COLORS; rank++)
		next[rank + 1] += next[rank];
	for (size_t i = 0; i < w->count; i++)
		line_of[i] = next[rank_of(page_at(w, i))]++ % lines;
}

static void shuffle(size_t *order, size_t count, struct rng *rng)
{
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t other = rng_below(rng, i), kept = order[i - 1];

		order[i - 1] = order[other];
		order[other] = kept;
	}
}

int page_string_place(struct sequence *s, const struct page_string *w,
		      struct rng *rng)
{
	size_t lines = w->page_bytes / w->line_bytes;
	size_t *order = calloc(w->count, sizeof(*order));
	size_t *line_of = calloc(w->count, sizeof(*line_of));

	s->length = w->count * w->lines;
	s->offsets = calloc(s->length, sizeof(*s->offsets));
	if (!order || !line_of || !s->offsets) {
		free(order);
		free(line_of);
		sequence_free(s);
		return -ENOMEM;
	}
	choose_lines(w, line_of, rng);
	shuffle(order, w->count, rng);
	for (size_t j = 0; j < w->lines; j++)
		for (size_t i = 0; i < w->count; i++) {
			size_t at = order[i];
			size_t line = line_of[at] + j * lines / w->lines;

			s->offsets[j * w->count + i] =
				page_at(w, at) * w->page_bytes +
				line % lines * w->line_bytes;
		}
	free(order);
	free(line_of);
	return 0;
}
