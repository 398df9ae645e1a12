// SPDX-License-Identifier: GPL-2.0
#include "base/wilson.h"

#include <math.h>

#define Z95 1.96

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

double rate_most(double hits, double trials)
{
	return (hits + 2 + sqrt(hits)) / trials;
}
