// SPDX-License-Identifier: GPL-2.0
/* reuse_lines.c - A + 1 lines of a set, and lines that come between two uses. */
#include "method/stride/reuse_lines.h"

#include <stdlib.h>

#define PAGE_BYTES 4096
#define LONGEST_LINE_BYTES 256
/* Twice the ways of most levels, at each of as many strides at most as a way has
 * bits.
 */
#define LINES_BETWEEN 32
#define MOST_STRIDES 64

uint64_t reuse_stride_above(const struct xray *x)
{
	uint64_t stride = LONGEST_LINE_BYTES;

	for (size_t i = 0; i < x->upper_count; i++)
		if (x->upper[i].way_bytes > stride)
			stride = x->upper[i].way_bytes;
	for (size_t i = 0; i < x->upper_count; i++)
		if (stride % x->upper[i].way_bytes || x->upper[i].masks)
			return 0;
	return stride;
}

/* How far away lines of other sets are from one, @stride apart. Return: how far
 * the last one is, 0: there are none.
 */
static uint64_t choose_others(const struct reuse *a, uint64_t stride,
			      uint64_t *to, size_t count)
{
	const uint64_t way = a->level->way_bytes;
	uint64_t apart = stride;
	size_t n = 0;

	if (stride % way == 0)
		return 0;
	for (; n < count; apart += stride)
		if (apart % way >= LONGEST_LINE_BYTES &&
		    way - apart % way >= LONGEST_LINE_BYTES)
			to[n++] = apart;
		else if (apart % way)
			return 0;
	return apart;
}

/* Sets of a level that has fewer of them are cleared at one of these strides. */
static uint64_t choose_between(struct reuse *a)
{
	const uint64_t most = a->x->prober->arena_bytes / 2;
	uint64_t reach = 0;

	a->between_count = 0;
	for (uint64_t s = a->level->way_bytes / 2;
	     a->row_count && s >= LONGEST_LINE_BYTES; s /= 2) {
		uint64_t *to = a->between + a->between_count;
		uint64_t end = choose_others(a, s, to, LINES_BETWEEN);

		if (!end || end > most)
			continue;
		a->between_count += LINES_BETWEEN;
		if (end > reach)
			reach = end;
	}
	for (size_t i = 0; i < a->above_count; i++)
		a->between[a->between_count++] = a->above[i];
	return reach;
}

static void move(struct prober *p, uint64_t base, uint64_t *offsets,
		 size_t count)
{
	for (size_t i = 0; i < count; i++)
		offsets[i] += base;
	sequence_shuffle(&(struct sequence){ offsets, count }, &p->rng);
}

bool reuse_place(struct reuse *a, uint64_t stride)
{
	struct prober *p = a->x->prober;
	const uint64_t way = a->level->way_bytes;
	uint64_t span = a->count * way, reach, base;

	reach = choose_others(a, stride, a->above, a->above_count);
	if (!reach && a->above_count)
		return false;
	span = reach > span ? reach : span;
	reach = choose_between(a);
	span = (reach > span ? reach : span) + PAGE_BYTES;
	if (span > p->arena_bytes)
		return false;
	base = p->arena_offset +
	       rng_below(&p->rng, (p->arena_bytes - span) / PAGE_BYTES + 1) *
		       PAGE_BYTES;
	for (size_t i = 0; i < a->count; i++)
		a->lines[i] = i * way;
	move(p, base, a->lines, a->count);
	move(p, base, a->above, a->above_count);
	move(p, base, a->between, a->between_count);
	for (size_t i = 0; i < a->row_count; i++)
		a->row[i] = p->arena_offset + (base - p->arena_offset) % way +
			    i * way;
	for (size_t i = 0; i < a->count; i++)
		a->neighbours[i] =
			a->lines[i] + (way < PAGE_BYTES ? way : PAGE_BYTES) / 2;
	return true;
}

int reuse_begin(struct reuse *a, struct failure *f)
{
	/* One array, one list after the other. */
	a->lines = calloc(2 * a->count + 2 * a->above_count + a->row_count +
				  MOST_STRIDES * LINES_BETWEEN,
			  sizeof(*a->lines));
	if (!a->lines)
		return prober_out_of_memory(f);
	a->neighbours = a->lines + a->count;
	a->above = a->neighbours + a->count;
	a->row = a->above + a->above_count;
	a->between = a->row + a->row_count;
	return 0;
}
