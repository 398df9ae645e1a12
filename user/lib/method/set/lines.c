// SPDX-License-Identifier: GPL-2.0
#include "method/set/lines.h"

#include <errno.h>
#include <stdlib.h>

/* Lines in a set of a level above that leave none of the others there. */
#define CLEAR_PER_WAY 2

/* Lines of the sets of the last level that share the levels above with it. */
static void place_clearing(struct set_lines *l, uint64_t base,
			   const struct set_level_geometry *levels,
			   size_t count)
{
	const struct set_level_geometry *own = &levels[count - 1];
	const struct set_level_geometry *above = &levels[count - 2];

	for (unsigned int i = 0; i < own->ways; i++)
		for (uint64_t at = above->way_bytes; at < own->way_bytes;
		     at += above->way_bytes)
			l->clearing[l->clearing_count++] =
				base + i * own->way_bytes + at;
}

size_t set_lines_between(const struct xray_level *above, size_t count)
{
	size_t between = 0;

	for (size_t i = 0; i < count; i++) {
		size_t clearing = xray_clearing(&above[i]);

		if (clearing < CLEAR_PER_WAY * above[i].ways)
			clearing = CLEAR_PER_WAY * above[i].ways;
		between += clearing;
	}
	return between;
}

static int prepare_clearing(struct set_lines *l,
			    const struct set_level_geometry *levels,
			    size_t count)
{
	const struct set_level_geometry *own = &levels[count - 1];
	const struct set_level_geometry *above = &levels[count - 2];
	uint64_t sets = own->way_bytes / above->way_bytes;

	for (size_t i = 0; i + 1 < count; i++) {
		l->between += CLEAR_PER_WAY * levels[i].ways;
		if (above->way_bytes % levels[i].way_bytes)
			return -EDOM;
	}
	if (own->way_bytes % above->way_bytes || sets < 2 ||
	    (sets - 1) * own->ways < 2 * l->between)
		return -EDOM;
	l->clearing = calloc((sets - 1) * own->ways, sizeof(*l->clearing));
	return l->clearing ? 0 : -ENOMEM;
}

int set_lines_linear(struct set_lines *l, const struct prober *p,
		     const struct set_level_geometry *levels, size_t count,
		     uint64_t set)
{
	const struct set_level_geometry *own = &levels[count - 1];
	uint64_t base, way = own->way_bytes;
	int error = 0;

	*l = (struct set_lines){
		.tested_count = SET_LINES_PER_WAY * (size_t)own->ways,
		.words = own->line_bytes / sizeof(uint64_t),
		.ways = own->ways,
	};
	base = (p->arena_offset + way - 1) / way * way +
	       set * own->line_bytes % way;
	if (base - p->arena_offset + (l->tested_count + 1) * way >
	    p->arena_bytes)
		return -ERANGE;
	l->tested = calloc(l->tested_count, sizeof(*l->tested));
	if (!l->tested)
		return -ENOMEM;
	for (size_t i = 0; i < l->tested_count; i++)
		l->tested[i] = base + i * way;
	if (count < 2)
		return 0;
	error = prepare_clearing(l, levels, count);
	if (!error)
		place_clearing(l, base, levels, count);
	return error;
}

void set_lines_free(struct set_lines *l)
{
	free(l->tested);
	free(l->clearing);
	*l = (struct set_lines){ .tested = NULL };
}
