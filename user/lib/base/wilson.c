// SPDX-License-Identifier: GPL-2.0
#include "base/wilson.h"

#include <math.h>

#define Z95 1.96
/* As exact as a double near 1. */
#define BISECTIONS 53

void wilson_bounds(size_t hits, size_t trials, double *low, double *high)
{
	double n = (double)trials, p, center, spread;

	*low = 0;
	*high = 1;
	if (!trials)
		return;
	p = (double)hits / n;
	center = (p + Z95 * Z95 / (2 * n)) / (1 + Z95 * Z95 / n);
	spread = Z95 / (1 + Z95 * Z95 / n) *
		 sqrt(p * (1 - p) / n + Z95 * Z95 / (4 * n * n));
	*low = fmax(0, center - spread);
	*high = fmin(1, center + spread);
}

/* Relative entropy of two rates. */
static double divergence(double seen, double rate)
{
	double d = seen < 1 ? (1 - seen) * log((1 - seen) / (1 - rate)) : 0;

	return seen > 0 ? d + seen * log(seen / rate) : d;
}

double rate_most(double hits, double trials, double alpha)
{
	const double enough = -log(alpha) / trials, seen = hits / trials;
	double low = seen, high = 1;

	for (int i = 0; i < BISECTIONS; i++) {
		const double middle = (low + high) / 2;

		if (divergence(seen, middle) < enough)
			low = middle;
		else
			high = middle;
	}
	return high;
}
