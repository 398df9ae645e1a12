// SPDX-License-Identifier: GPL-2.0
/* strided.c - lines of a level where a stride keeps to one set. */
#include <errno.h>
#include <stdlib.h>

#include "method/level/resident_lines.h"
#include "method/sharing/lines.h"
#include "method/sharing/tuning.h"

/* Each own line of the first level has a set, and the next sets have none. */
#define LINES_APART 4
#define BASE_ALIGN 4096
/* Lines of a set that evict all others, times the ways. */
#define TIMES_WAYS 3

/**
 * struct strides - where lines lie
 * @h: what is known
 * @k: index of the level
 * @way: bytes of one of its ways
 * @each: lines that evict the others of a set
 * @candidates: lines of a set that these are chosen from
 * @behind: bytes from the first own line to the others, whole ways
 */
struct strides {
	const struct hierarchy *h;
	size_t k;
	uint64_t way;
	size_t each;
	size_t candidates;
	uint64_t behind;
};

/* Lines that it loses are not lost above. */
static bool takes_none_above(const struct cache_result *c)
{
	return c->inclusion == INCLUSION_NINE ||
	       c->inclusion == INCLUSION_EXCLUSIVE;
}

bool sharing_nothing_lost_below(const struct hierarchy *h, size_t k)
{
	for (k++; k < h->cache_count; k++)
		if (!takes_none_above(&h->caches[k]))
			return false;
	return true;
}

static struct strides strides_of(const struct hierarchy *h, size_t k,
				 const struct shape *own)
{
	struct strides s = {
		.h = h,
		.k = k,
		.way = resident_lines_way_bytes(&h->caches[k]),
		.each = TIMES_WAYS * (size_t)h->caches[k].ways.value,
	};

	s.candidates =
		(sharing_nothing_lost_below(h, k) ? 1 : STRIDED_SPARE) * s.each;
	s.behind = (shape_span(own) + s.way - 1) / s.way * s.way;
	return s;
}

static uint64_t span_of(const struct strides *s, const struct shape *own)
{
	return s->behind + (s->candidates + 1) * s->way + shape_span(own);
}

/* Is its set that of a line before it? */
static bool comes_again(const struct sequence *own, size_t i, uint64_t way)
{
	for (size_t j = 0; j < i; j++)
		if (own->offsets[i] % way == own->offsets[j] % way)
			return true;
	return false;
}

/* A level that may be inclusive must not lose any own line itself. Where its sets
 * are not known nothing can be done for that.
 */
static bool spares(const struct strides *s, const struct sequence *own,
		   uint64_t offset)
{
	for (size_t d = s->k + 1; d < s->h->cache_count; d++) {
		const struct cache_result *c = &s->h->caches[d];
		uint64_t way;

		if (takes_none_above(c) || !resident_lines_sets_known(c))
			continue;
		way = resident_lines_way_bytes(c);
		for (size_t i = 0; i < own->length; i++)
			if (own->offsets[i] % way == offset % way)
				return false;
	}
	return true;
}

/* Return: -ERANGE when too few lines are left. */
static int place_others(const struct strides *s, uint64_t base,
			struct sharing_lines *l, struct failure *f)
{
	uint64_t line = (uint64_t)s->h->caches[s->k].line_bytes.value;
	size_t n = 0;

	l->push.offsets = calloc(l->own.length * s->each, sizeof(uint64_t));
	l->beside.offsets = calloc(l->own.length * s->each, sizeof(uint64_t));
	if (!l->push.offsets || !l->beside.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < l->own.length; i++) {
		uint64_t set = (l->own.offsets[i] - base) % s->way;
		size_t wanted = n + s->each;

		if (comes_again(&l->own, i, s->way))
			continue;
		for (size_t j = 0; n < wanted && j < s->candidates; j++) {
			uint64_t at = base + s->behind + set + j * s->way;

			if (!spares(s, &l->own, at) ||
			    !spares(s, &l->own, at + line))
				continue;
			l->push.offsets[n] = at;
			l->beside.offsets[n++] = at + line;
		}
		if (n < wanted)
			return -ERANGE;
	}
	l->push.length = l->beside.length = n;
	return 0;
}

bool sharing_spared_below(const struct hierarchy *h, size_t k)
{
	for (k++; k < h->cache_count; k++)
		if (!takes_none_above(&h->caches[k]) &&
		    !resident_lines_sets_known(&h->caches[k]))
			return false;
	return true;
}

const char *sharing_choose_strided(struct prober *p, const struct hierarchy *h,
				   size_t k, struct shape *own)
{
	const char *why = resident_lines_choose(p, h, k, LINES_APART, own);
	struct strides s;

	if (why)
		return why;
	s = strides_of(h, k, own);
	if (span_of(&s, own) > p->arena_bytes)
		return "too little memory is contiguous";
	return NULL;
}

int sharing_place_strided(struct prober *p, const struct hierarchy *h, size_t k,
			  const struct shape *own, struct sharing_lines *l,
			  struct failure *f)
{
	const struct strides s = strides_of(h, k, own);
	uint64_t span = span_of(&s, own), base = p->arena_offset;
	int error;

	base += rng_below(&p->rng, (p->arena_bytes - span) / BASE_ALIGN + 1) *
		BASE_ALIGN;
	error = prober_build(p, own, base, &l->own, f);
	if (!error)
		error = place_others(&s, base, l, f);
	if (error)
		return error;
	sequence_shuffle(&l->push, &p->rng);
	sequence_shuffle(&l->beside, &p->rng);
	return 0;
}
