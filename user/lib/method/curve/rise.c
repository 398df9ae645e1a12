// SPDX-License-Identifier: GPL-2.0
/* rise.c - a curve of latency without noise. */
#include "method/curve/parts.h"

#include <math.h>
#include <string.h>

/* The window is as wide as three deviations to each side. */
#define DEVIATION_X (CURVE_WINDOW_X / 6)

/* Merge two adjacent sorted runs. */
static void merge(double *values, size_t first, size_t second, double *room)
{
	size_t i = 0, j = first;

	for (size_t k = 0; k < first + second; k++) {
		bool left = j == first + second ||
			    (i < first && values[i] <= values[j]);

		room[k] = left ? values[i++] : values[j++];
	}
	memcpy(values, room, (first + second) * sizeof(*values));
}

void curve_isotonic(const double *y, size_t count, double *rising,
		    double *scratch, size_t *blocks)
{
	double *values = scratch, *room = scratch + count;
	size_t pools = 0, at = 0;

	for (size_t i = 0; i < count; i++) {
		size_t begin = i, length = 1;

		values[i] = y[i];
		while (pools) {
			size_t before = blocks[pools - 1];
			const double *v = values + begin - before;

			if (v[(before - 1) / 2] <=
			    values[begin + (length - 1) / 2])
				break;
			begin -= before;
			merge(values + begin, before, length, room);
			length += before;
			pools--;
		}
		blocks[pools++] = length;
	}
	for (size_t p = 0; p < pools; at += blocks[p++])
		for (size_t i = 0; i < blocks[p]; i++)
			rising[at + i] = values[at + (blocks[p] - 1) / 2];
}

void curve_smooth(const double *x, const double *y, size_t count,
		  double *smooth)
{
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		double sum = 0, weights = 0;

		while (x[i] - x[first] > CURVE_WINDOW_X / 2)
			first++;
		for (size_t j = first; j < count; j++) {
			double off = (x[j] - x[i]) / DEVIATION_X;
			double weight = exp(-off * off / 2);

			if (x[j] - x[i] > CURVE_WINDOW_X / 2)
				break;
			sum += weight * y[j];
			weights += weight;
		}
		smooth[i] = sum / weights;
	}
}
