// SPDX-License-Identifier: GPL-2.0
#include "method/levels/place.h"

#include "method/level/resident_lines.h"

bool place_lines(struct place *at, uint64_t way, bool odd)
{
	struct prober *p = at->p;
	uint64_t rows = p->arena_bytes / way, apart = odd ? 2 : 1;
	uint64_t row, low, left = odd ? rows / 2 : rows - 1;
	size_t n = 0;

	if (rows < 2 || left < at->evicting)
		return false;
	/* An even number of rows: half are at an odd distance. */
	rows = odd ? rows / 2 * 2 : rows;
	row = rng_below(&p->rng, rows);
	low = p->arena_offset +
	      rng_below(&p->rng, way / PLACE_PAGE_BYTES) * PLACE_PAGE_BYTES;
	at->line = low + row * way;
	at->neighbour = at->line + PLACE_PAGE_BYTES / 2;
	for (uint64_t i = 1; n < at->evicting && i < rows; i += apart, left--)
		if (rng_below(&p->rng, left) < at->evicting - n)
			at->evict[n++] = low + (row + i) % rows * way;
	sequence_shuffle(&(struct sequence){ at->evict, n }, &p->rng);
	return n == at->evicting;
}

bool place_next(struct place *at, const struct cache_result *c, int i)
{
	uint64_t way = resident_lines_way_bytes(c);

	return place_lines(at, way, i % 2) || place_lines(at, way, false);
}
