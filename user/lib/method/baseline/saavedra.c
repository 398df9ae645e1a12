// SPDX-License-Identifier: GPL-2.0
/*
 * saavedra.c - the benchmark of Saavedra and Smith (X-Ray section 2, figure 1):
 * time of an access by size of the array and by stride, both powers of two.
 *
 * The benchmark prints curves; people read numbers off them. Here the rules of
 * breaking-cache do: levels from the column of strides of 256 bytes, the line
 * size from the row of 8 MiB, the ways from the column whose stride is the size
 * of the cache. With powers of two these ways are always 4 or 8.
 *
 * Not kept: the second loop, which times the same without accesses, to be
 * subtracted (times here have no overhead); the divisor in the figure, whose
 * parentheses do not match and which is 0 for the longest stride (here it is
 * the number of accesses); and strides below 64 bytes through arrays of more
 * than 8 MiB, which no rule uses and which would take longer than all others
 * together.
 */
#include "method/baseline/baseline.h"
#include "method/baseline/report.h"
#include "method/baseline/rules.h"
#include "method/baseline/time.h"

#include <stdio.h>

#define METHOD "saavedra"
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
/* CACHE_MIN to CACHE_MAX, ints */
#define LEAST_BYTES (4 * KIB)
#define SIZES 15
#define MOST_BYTES (LEAST_BYTES << (SIZES - 1))
/* Strides from one word to half of the array. */
#define LEAST_STRIDE 8
#define STRIDES 23
#define DENSE_BYTES (8 * MIB)
#define LEAST_SPARSE_STRIDE 64
/* The sizes and strides that the rules of breaking-cache use. */
#define SIZE_STRIDE 256
#define LINE_ARRAY_BYTES (8 * MIB)
#define LEAST_WAYS 4
#define MOST_WAYS 16
#define WAYS_TRIED 3

/**
 * struct table - times that the benchmark prints
 * @p: the measurement
 * @r: (out) results
 * @cycles: of an access, by size of the array and stride; 0: not timed
 * @failed: the failure, if any
 */
struct table {
	struct prober *p;
	struct side_result *r;
	double cycles[SIZES][STRIDES];
	struct failure *failed;
};

static uint64_t size_of(size_t row)
{
	return LEAST_BYTES << row;
}

static uint64_t stride_of(size_t column)
{
	return (uint64_t)LEAST_STRIDE << column;
}

/* Both are powers of two of the table. */
static double cycles_at(const struct table *t, uint64_t bytes, uint64_t stride)
{
	return t->cycles[__builtin_ctzll(bytes / LEAST_BYTES)]
			[__builtin_ctzll(stride / LEAST_STRIDE)];
}

static void keep_row(struct table *t, size_t row)
{
	struct curve_point points[STRIDES];
	char name[48];
	size_t count = 0;

	for (size_t i = 0; i < STRIDES; i++)
		if (t->cycles[row][i] > 0)
			points[count++] = (struct curve_point){
				.x = (double)stride_of(i),
				.y = t->cycles[row][i],
			};
	if (size_of(row) < MIB)
		snprintf(name, sizeof(name), "array of %llu KiB",
			 (unsigned long long)(size_of(row) / KIB));
	else
		snprintf(name, sizeof(name), "array of %llu MiB",
			 (unsigned long long)(size_of(row) / MIB));
	baseline_keep(t->r, SIDE_STRIDE_BYTES, points, count, name);
}

static int time_row(struct table *t, size_t row)
{
	uint64_t bytes = size_of(row);
	int error = 0;

	prober_progress(t->p, METHOD ": array of %llu KiB",
			(unsigned long long)(bytes / KIB));
	for (size_t i = 0; !error && stride_of(i) <= bytes / 2; i++)
		if (bytes <= DENSE_BYTES || stride_of(i) >= LEAST_SPARSE_STRIDE)
			error = baseline_time(t->p, stride_of(i),
					      bytes / stride_of(i), t->r,
					      &t->cycles[row][i], t->failed);
	keep_row(t, row);
	return error;
}

/* Rows that were timed to their end count. */
static int time_table(struct table *t)
{
	struct curve_point column[SIZES];
	size_t timed = 0;
	int error = 0;

	for (; timed < SIZES; timed++) {
		if (size_of(timed) > t->p->m->region.bytes)
			break;
		error = time_row(t, timed);
		if (error)
			break;
		column[timed] = (struct curve_point){
			.x = (double)size_of(timed),
			.y = cycles_at(t, size_of(timed), SIZE_STRIDE),
		};
	}
	baseline_keep(t->r, SIDE_FOOTPRINT_BYTES, column, timed,
		      "stride of 256 bytes");
	baseline_report_levels(t->p,
			       &(struct baseline_sizes){ column, timed, SIZES },
			       error, t->r);
	return error;
}

static int find_line(struct table *t)
{
	struct curve_point points[BASELINE_STRIDES];
	struct parameter line;
	int error;

	if (!(cycles_at(t, LINE_ARRAY_BYTES, LEAST_STRIDE) > 0)) {
		baseline_too_small(t->p, t->r, LINE_ARRAY_BYTES, &line);
		baseline_report_line(&line, t->r);
		return 0;
	}
	for (size_t i = 0; i < BASELINE_STRIDES; i++) {
		uint64_t stride = (uint64_t)RULES_INT_BYTES << i;

		points[i].x = (double)stride;
		if (i)
			points[i].y = cycles_at(t, LINE_ARRAY_BYTES, stride);
	}
	error = baseline_first_stride(t->p, points[1].y, t->r, &points[0].y,
				      t->failed);
	if (error)
		return error;
	parameter_measured(&line,
			   points[rules_steepest(points, BASELINE_STRIDES)].x,
			   0, METHOD);
	baseline_report_line(&line, t->r);
	return 0;
}

static void find_ways(const struct table *t, struct side_level *level)
{
	struct curve_point points[WAYS_TRIED];
	uint64_t stride = (uint64_t)level->capacity_bytes.value;

	if (MOST_WAYS * stride > MOST_BYTES) {
		parameter_undecided(
			&level->ways, METHOD,
			"needs an array of %llu MiB, the largest has %llu MiB",
			(unsigned long long)(MOST_WAYS * stride / MIB),
			(unsigned long long)(MOST_BYTES / MIB));
		return;
	}
	if (MOST_WAYS * stride > t->p->m->region.bytes) {
		baseline_too_small(t->p, t->r, MOST_WAYS * stride,
				   &level->ways);
		return;
	}
	for (size_t i = 0; i < WAYS_TRIED; i++) {
		uint64_t ways = (uint64_t)LEAST_WAYS << i;

		points[i] = (struct curve_point){
			.x = (double)ways,
			.y = cycles_at(t, ways * stride, stride),
		};
	}
	parameter_measured(&level->ways,
			   points[rules_steepest(points, WAYS_TRIED) - 1].x, 0,
			   METHOD);
}

int saavedra_measure(struct prober *p, struct side_result *r, struct failure *f)
{
	struct table t = { .p = p, .r = r, .failed = f };
	int error;

	side_result_begin(r, METHOD);
	error = time_table(&t);
	if (!error && r->cache_count)
		error = find_line(&t);
	for (size_t i = 0; !error && i < r->cache_count; i++)
		find_ways(&t, &r->caches[i]);
	r->complete = !error;
	return error;
}
