// SPDX-License-Identifier: GPL-2.0
#include "method/baseline/rules.h"

#include <math.h>

/* The program's: "determined experimentally". */
#define RISE 1.14
#define MIB ((double)(1 << 20))
#define LINE_ROUNDS 10240.0
#define LINE_MOST_UPDATES ((double)(1 << 30))

/* 0: no ratio. */
static double ratio_at(const struct curve_point *points, size_t i)
{
	return points[i - 1].y > 0 ? points[i].y / points[i - 1].y : 0;
}

size_t rules_levels(const struct curve_point *points, size_t count,
		    double bytes[RULES_MOST_LEVELS])
{
	size_t found = 0;

	for (size_t i = 1; i < count && found < RULES_MOST_LEVELS; i++)
		if (ratio_at(points, i) > RISE)
			bytes[found++] =
				points[points[i].x < MIB ? i - 1 : i].x;
	return found;
}

size_t rules_steepest(const struct curve_point *points, size_t count)
{
	double most = 0;
	size_t at = 0;

	for (size_t i = 1; i < count; i++)
		if (ratio_at(points, i) > most) {
			most = ratio_at(points, i);
			at = i;
		}
	return at;
}

double rules_line_updates(double array_bytes, double stride_bytes)
{
	return fmin(LINE_MOST_UPDATES,
		    LINE_ROUNDS * array_bytes / stride_bytes);
}
