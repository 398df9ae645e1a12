// SPDX-License-Identifier: GPL-2.0
#include "method/sharing/lines.h"

#include <stdlib.h>
#include <string.h>

#include "method/level/resident_lines.h"

/* Own lines, of the ways: other lines that lie in the set by chance have room. */
#define OWN_PART 4
/* Lines of a set that push out all others, or clear it, times the ways. */
#define PUSH_WAYS 2
#define CLEAR_WAYS 3
/* At this distance in lines no prefetcher brings one for the other. */
#define LINES_APART 4

bool sharing_is_listed(const struct cache_result *c)
{
	return !resident_lines_sets_known(c) && c->set_line_count &&
	       parameter_is_measured(&c->ways) && c->ways.value >= 1;
}

static size_t own_count(const struct cache_result *c)
{
	size_t count = (size_t)c->ways.value / OWN_PART;

	return count ? count : 1;
}

static size_t clear_count(const struct hierarchy *h, size_t k)
{
	const struct cache_result *above = &h->caches[k - 1];
	double ways = above->ways.value;

	if (parameter_is_measured(&above->effective_ways) &&
	    above->effective_ways.value > ways)
		ways = above->effective_ways.value;
	return CLEAR_WAYS * (size_t)ways;
}

/* Lines of one set of the level above are of one set of each above that. */
static bool knows_above(const struct hierarchy *h, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (!resident_lines_sets_known(&h->caches[i]) ||
		    resident_lines_way_bytes(&h->caches[k - 1]) %
			    resident_lines_way_bytes(&h->caches[i]))
			return false;
	return true;
}

static uint64_t rows(const struct prober *p, const struct hierarchy *h,
		     size_t k)
{
	return p->arena_bytes / resident_lines_way_bytes(&h->caches[k - 1]);
}

const char *sharing_list_usable(const struct prober *p,
				const struct hierarchy *h, size_t k)
{
	const struct cache_result *c = &h->caches[k];

	if (c->set_line_count <
	    own_count(c) + PUSH_WAYS * (size_t)c->ways.value)
		return "too few lines that share a set are known";
	if (!knows_above(h, k))
		return "lines that are sure to miss the levels above are not known";
	if (k && rows(p, h, k) < clear_count(h, k) + c->set_line_count)
		return "too little memory is contiguous";
	return NULL;
}

static bool is_listed_line(const struct cache_result *c, uint64_t offset)
{
	for (size_t i = 0; i < c->set_line_count; i++)
		if (c->set_lines[i] == offset)
			return true;
	return false;
}

/* Random ones of those that share the sets above, none of them listed. */
static void choose_clear(struct prober *p, const struct hierarchy *h, size_t k,
			 struct sequence *s)
{
	const struct cache_result *c = &h->caches[k];
	uint64_t way = resident_lines_way_bytes(&h->caches[k - 1]);
	uint64_t all = rows(p, h, k), left = all - c->set_line_count;
	uint64_t first =
		p->arena_offset + (c->set_lines[0] - p->arena_offset) % way;
	size_t wanted = clear_count(h, k);

	for (uint64_t i = 0; i < all && s->length < wanted && left; i++) {
		uint64_t offset = first + i * way;

		if (is_listed_line(c, offset))
			continue;
		if (rng_below(&p->rng, left--) < wanted - s->length)
			s->offsets[s->length++] = offset;
	}
	sequence_shuffle(s, &p->rng);
}

int sharing_place_listed(struct prober *p, const struct hierarchy *h, size_t k,
			 struct sharing_lines *l, struct failure *f)
{
	const struct cache_result *c = &h->caches[k];
	uint64_t apart = LINES_APART * (uint64_t)c->line_bytes.value;
	uint64_t lines[RESULT_SET_LINES];
	size_t count = c->set_line_count, own = own_count(c);
	size_t clearing = k ? clear_count(h, k) : 0;

	*l = (struct sharing_lines){ .own = { .offsets = NULL } };
	memcpy(lines, c->set_lines, sizeof(lines));
	sequence_shuffle(&(struct sequence){ lines, count }, &p->rng);
	l->own.offsets = calloc(own, sizeof(*lines));
	l->push.offsets = calloc(count, sizeof(*lines));
	l->beside.offsets = calloc(count, sizeof(*lines));
	l->clear.offsets = calloc(clearing + 1, sizeof(*lines));
	if (!l->own.offsets || !l->push.offsets || !l->beside.offsets ||
	    !l->clear.offsets)
		return prober_out_of_memory(f);
	memcpy(l->own.offsets, lines, own * sizeof(*lines));
	l->own.length = own;
	for (size_t i = own; i < count; i++) {
		l->push.offsets[l->push.length++] = lines[i];
		l->beside.offsets[l->beside.length++] = lines[i] ^ apart;
	}
	if (k)
		choose_clear(p, h, k, &l->clear);
	return 0;
}
