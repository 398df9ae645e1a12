/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rules.h - what the program "breaking-cache" reads off its times: the
 * rules alone, as published, warts included.
 */
#ifndef PROBE_PHYS_METHOD_BASELINE_RULES_H
#define PROBE_PHYS_METHOD_BASELINE_RULES_H

#include "method/curve/curve.h"

/** RULES_MOST_LEVELS - the first so many rises are levels (find_levels()) */
#define RULES_MOST_LEVELS 3
/** RULES_INT_BYTES - what the programs call an element */
#define RULES_INT_BYTES 4

/**
 * rules_levels() - sizes of caches (find_levels())
 * @points: x: bytes of an array, ascending; y: time of an update. @count of them
 * @bytes: (out) the first RULES_MOST_LEVELS, by arrays that take more than 1.14
 *         times as long as the one before them
 *
 * Below 1 MiB a cache has the size of the array before the rise, from 1 MiB on
 * that of the array after it. A rise that takes two arrays is two caches. One to
 * which a time of 0 belongs is none.
 * Return: how many.
 */
size_t rules_levels(const struct curve_point *points, size_t count,
		    double bytes[RULES_MOST_LEVELS]);

/**
 * rules_steepest() - where time grows most, by ratio, from one point to the next
 * (get_line_size(), find_associativity())
 *
 * There is always such a place: if time never grows, where it shrinks least. The
 * first of several alike.
 * Return: the number of the point after the rise; 0: fewer than two points, or no
 * time at all.
 */
size_t rules_steepest(const struct curve_point *points, size_t count);

/**
 * rules_line_updates() - how many updates get_line_size() times at a stride
 * @array_bytes: 8 MiB there
 *
 * 10240 rounds, but no more than 2^30 updates. In 8 MiB from strides of 128 bytes
 * on the rounds are over before that, so that each stride does half of the updates
 * of the one before it in the time that it compares: hardly a line is found to be
 * longer than 64 bytes.
 */
double rules_line_updates(double array_bytes, double stride_bytes);

#endif
