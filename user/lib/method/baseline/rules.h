/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rules.h - the rules by which the program "breaking-cache" evaluates its
 * times, as published, errors included.
 */
#ifndef PROBE_PHYS_METHOD_BASELINE_RULES_H
#define PROBE_PHYS_METHOD_BASELINE_RULES_H

#include "method/curve/curve.h"

/**
 * RULES_MOST_LEVELS - most rises that are levels, the first ones
 * (find_levels())
 */
#define RULES_MOST_LEVELS 3
/** RULES_INT_BYTES - size of an element of the programs */
#define RULES_INT_BYTES 4

/**
 * rules_levels() - sizes of caches (find_levels())
 * @points: x: bytes of an array, ascending; y: time of an update. @count of
 *          them
 * @bytes: (out) the first RULES_MOST_LEVELS sizes: of arrays that take more
 *         than 1.14 times as long as the one before them
 *
 * Below 1 MiB the size is that of the array before the rise, from 1 MiB on that
 * of the array after it. A rise over two arrays is two caches. Rises from or to
 * a time of 0 do not count.
 * Return: number of sizes.
 */
size_t rules_levels(const struct curve_point *points, size_t count,
		    double bytes[RULES_MOST_LEVELS]);

/**
 * rules_steepest() - where time grows most, by ratio, from one point to the
 * next (get_line_size(), find_associativity())
 *
 * There is always such a place: if time never grows, it is where it shrinks
 * least. The first of several equal ones.
 * Return: index of the point after the rise; 0: fewer than two points, or all
 * times are 0.
 */
size_t rules_steepest(const struct curve_point *points, size_t count);

/**
 * rules_line_updates() - number of updates that get_line_size() times at a
 * stride
 * @array_bytes: 8 MiB there
 *
 * 10240 rounds, but at most 2^30 updates. In 8 MiB, strides of 128 bytes and
 * more do fewer than 2^30 updates, each stride half as many as the one before,
 * in the times that are compared: lines longer than 64 bytes are hardly found.
 */
double rules_line_updates(double array_bytes, double stride_bytes);

#endif
