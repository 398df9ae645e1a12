// SPDX-License-Identifier: GPL-2.0
/* steps.c - the step function that is nearest to a curve. */
#include "method/curve/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * struct table - costs of the best steps up to each point
 * @sums: prefix sums of the values, and of their squares
 * @costs: of the previous row and of this one
 * @from: for each row and point, where the last step begins
 */
struct table {
	const double *y;
	size_t count;
	double *sums;
	double *squares;
	double *before;
	double *costs;
	size_t *from;
};

/* Points @first to @last as one step as high as the last one. */
static double cost(const struct table *t, size_t first, size_t last)
{
	double n = (double)(last - first + 1);
	double high = t->y[last] - t->y[0];
	double sum = t->sums[last + 1] - t->sums[first];
	double squares = t->squares[last + 1] - t->squares[first];

	return fmax(0, squares - 2 * high * sum + n * high * high);
}

static int begin(struct table *t, const double *y, size_t count, size_t steps)
{
	*t = (struct table){ .y = y, .count = count };
	t->sums = malloc((count + 1) * sizeof(*t->sums));
	t->squares = malloc((count + 1) * sizeof(*t->squares));
	t->before = malloc(count * sizeof(*t->before));
	t->costs = malloc(count * sizeof(*t->costs));
	t->from = calloc(steps * count, sizeof(*t->from));
	if (!t->sums || !t->squares || !t->before || !t->costs || !t->from)
		return -ENOMEM;
	t->sums[0] = 0;
	t->squares[0] = 0;
	for (size_t i = 0; i < count; i++) {
		double off = y[i] - y[0];

		t->sums[i + 1] = t->sums[i] + off;
		t->squares[i + 1] = t->squares[i] + off * off;
	}
	return 0;
}

static void end(struct table *t)
{
	free(t->sums);
	free(t->squares);
	free(t->before);
	free(t->costs);
	free(t->from);
}

/*
 * The first @row steps end before each point: cost of one more step up to it.
 */
static void fill_row(struct table *t, size_t row, const struct curve_band *band)
{
	double *swap = t->before;
	size_t *from = t->from + row * t->count;

	t->before = t->costs;
	t->costs = swap;
	for (size_t last = 0; last < t->count; last++) {
		t->costs[last] = INFINITY;
		if (band && (t->y[last] < band->low || t->y[last] > band->high))
			continue;
		if (!row) {
			t->costs[last] = cost(t, 0, last);
			continue;
		}
		for (size_t i = 1; i <= last; i++) {
			double whole = t->before[i - 1] + cost(t, i, last);

			if (whole < t->costs[last]) {
				t->costs[last] = whole;
				from[last] = i;
			}
		}
	}
}

int curve_fit_steps(const double *y, size_t count,
		    const struct curve_band *bands, size_t steps, size_t *ends)
{
	struct table t;
	int error = begin(&t, y, count, steps);

	for (size_t row = 0; !error && row < steps; row++)
		fill_row(&t, row, row + 1 < steps ? &bands[row] : NULL);
	if (!error && isinf(t.costs[count - 1]))
		error = -ENOENT;
	if (!error) {
		size_t last = count - 1;

		for (size_t row = steps; row--;) {
			ends[row] = last;
			if (row)
				last = t.from[row * count + last] - 1;
		}
	}
	end(&t);
	return error;
}
