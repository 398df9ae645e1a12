// SPDX-License-Identifier: GPL-2.0
#include "sequence/reference_strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static int room(struct sequence *s, size_t length)
{
	*s = (struct sequence){ .offsets = calloc(length ? length : 1,
						  sizeof(*s->offsets)) };
	return s->offsets ? 0 : -ENOMEM;
}

static void shuffle(uint64_t *values, size_t count, struct rng *rng)
{
	struct sequence all = { values, count };

	sequence_shuffle(&all, rng);
}

int string_gap(struct sequence *s, uint64_t base, uint64_t n, uint64_t k,
	       uint64_t o, struct rng *rng)
{
	if (room(s, n))
		return -ENOMEM;
	while (s->length < n) {
		s->offsets[s->length] = base + s->length * k;
		s->length++;
	}
	if (n)
		s->offsets[n - 1] += o;
	sequence_shuffle(s, rng);
	return 0;
}

int string_gap_twin(struct sequence *s, uint64_t base, uint64_t n, uint64_t k,
		    uint64_t page_bytes, struct rng *rng)
{
	if (room(s, n))
		return -ENOMEM;
	for (; s->length < n; s->length++) {
		uint64_t page = (base + s->length * k) / page_bytes;
		uint64_t line = s->length * STRING_TWIN_BYTES;

		/* Words of their own, also where lines are used again. */
		s->offsets[s->length] =
			page * page_bytes +
			(line + line / page_bytes * sizeof(uint64_t)) %
				page_bytes;
	}
	sequence_shuffle(s, rng);
	return 0;
}

/* All words of the array, page by page, each page's in random order. */
static void lay_rows(uint64_t *words, size_t length, size_t columns,
		     const struct string_array *a, struct rng *rng)
{
	for (size_t i = 0; i < length; i++)
		words[i] = a->base + i * a->line_bytes;
	for (size_t i = 0; i < length; i += columns)
		shuffle(words + i, i + columns < length ? columns : length - i,
			rng);
}

/* Part @visit of each page's words, the pages in the order of @rows. */
static void visit_rows(struct sequence *s, const uint64_t *words, size_t length,
		       size_t columns, const uint64_t *rows, unsigned int visit,
		       unsigned int visits)
{
	size_t count = (length + columns - 1) / columns;

	for (size_t i = 0; i < count; i++) {
		size_t begin = (size_t)rows[i] * columns;
		size_t row = begin + columns < length ? columns :
							length - begin;
		size_t from = row * visit / visits;
		size_t part = row * (visit + 1) / visits - from;

		memcpy(s->offsets + s->length, words + begin + from,
		       part * sizeof(*words));
		s->length += part;
	}
}

int string_cache(struct sequence *s, const struct string_array *a,
		 struct rng *rng)
{
	size_t columns = a->page_bytes / a->line_bytes;
	size_t length = a->bytes / a->line_bytes;
	size_t count = (length + columns - 1) / columns;
	unsigned int visits = a->visits ? a->visits : 1;
	uint64_t *words = calloc(length ? length : 1, sizeof(*words));
	uint64_t *rows = calloc(count + 1, sizeof(*rows));

	if (!words || !rows || room(s, length)) {
		free(words);
		free(rows);
		return -ENOMEM;
	}
	lay_rows(words, length, columns, a, rng);
	for (size_t i = 0; i < count; i++)
		rows[i] = i;
	shuffle(rows, count, rng);
	for (unsigned int i = 0; i < visits; i++)
		visit_rows(s, words, length, columns, rows, i, visits);
	free(words);
	free(rows);
	return 0;
}

/* Every other stripe of a page, beginning with its first or its second. */
static void lay_pattern(struct sequence *s, uint64_t page, uint64_t page_bytes,
			uint64_t first, uint64_t stripe)
{
	for (uint64_t at = first; at < page_bytes; at += 2 * stripe)
		s->offsets[s->length++] = page + at;
}

int string_stripes(struct sequence *s, const uint64_t *pages, size_t count,
		   uint64_t page_bytes, uint64_t stripe_bytes, struct rng *rng)
{
	size_t per_page = page_bytes / (2 * stripe_bytes), half = count / 2;

	if (room(s, count * per_page))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		lay_pattern(s, pages[i], page_bytes,
			    i < half ? 0 : stripe_bytes, stripe_bytes);
	shuffle(s->offsets, half * per_page, rng);
	shuffle(s->offsets + half * per_page, (count - half) * per_page, rng);
	return 0;
}
