// SPDX-License-Identifier: GPL-2.0
/* level.c - what is known of a level, from data alone. */
#include "method/level/level.h"

size_t xray_clearing(const struct xray_level *level)
{
	return level->clearing ? level->clearing : level->ways + 1;
}

uint64_t xray_level_bytes(const struct xray_level *level)
{
	return level->bytes ? level->bytes : level->ways * level->way_bytes;
}

/* A level that has the same sets as the one above it counts for both. */
static size_t adds(const struct xray_level *upper)
{
	return upper->own ? upper->own : upper->ways;
}

size_t xray_added_ways(const struct xray *x)
{
	size_t sum = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		sum += adds(&x->upper[j]);
	return sum;
}

/* Sets of a level that lines @stride apart fall to: a whole number, or 0. */
static size_t sets_of(const struct xray_level *upper, uint64_t stride)
{
	if (upper->masks || upper->bytes || stride >= upper->way_bytes)
		return 1;
	return upper->way_bytes % stride ? 0 : upper->way_bytes / stride;
}

size_t xray_added_lines(const struct xray *x, uint64_t stride)
{
	size_t sum = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		sum += adds(&x->upper[j]) * sets_of(&x->upper[j], stride);
	return sum;
}

uint64_t xray_effective_bytes(const struct xray *x,
			      const struct xray_level *level)
{
	size_t left = level->ways - level->own;
	uint64_t bytes = level->own * level->way_bytes;

	for (size_t j = x->upper_count; left && j-- > 0;) {
		size_t ways = adds(&x->upper[j]);
		size_t lines = ways * sets_of(&x->upper[j], level->way_bytes);

		if (lines > left)
			return 0;
		left -= lines;
		bytes += ways * xray_level_bytes(&x->upper[j]) /
			 x->upper[j].ways;
	}
	return left ? 0 : bytes;
}

size_t xray_adding_levels(const struct xray *x, const struct xray_level *level)
{
	size_t left = level->own ? level->ways - level->own : 0, count = 0;

	while (left && count < x->upper_count) {
		size_t ways = adds(&x->upper[x->upper_count - 1 - count]);

		if (ways > left)
			return 0;
		left -= ways;
		count++;
	}
	return left ? 0 : count;
}
