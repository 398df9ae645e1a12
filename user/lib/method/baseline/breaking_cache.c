// SPDX-License-Identifier: GPL-2.0
/*
 * breaking_cache.c - the student program "breaking-cache", as published.
 *
 * Its function names stand in parentheses. rules.h and time.h say which of its
 * rules and times are kept. One more difference: initialize_array2() writes 120
 * MiB into an array of 32, and find_associativity() leaves its array of 120 MiB
 * for caches larger than 6 MiB; here arrays are as long as needed, if there is
 * memory.
 */
#include "method/baseline/baseline.h"
#include "method/baseline/report.h"
#include "method/baseline/rules.h"
#include "method/baseline/time.h"

#define METHOD "breaking-cache"
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
/* Arrays of get_size(): MIN and on to MAX (32 MiB), every 64th int of them */
#define LEAST_BYTES (8 * KIB)
#define SIZES 28
#define SIZE_STRIDE 256
/* get_line_size(): MAX / 4, ints at strides of 1 to 128 */
#define LINE_ARRAY_BYTES (8 * MIB)
/* find_associativity(): number of strides in an array */
#define LEAST_WAYS 4
#define MOST_WAYS 20

/**
 * struct breaking - the program under way
 * @p: the measurement
 * @r: (out) results
 * @sizes: time of an update by size of the array; @timed of them
 * @failed: the failure, if any
 */
struct breaking {
	struct prober *p;
	struct side_result *r;
	struct curve_point sizes[SIZES];
	size_t timed;
	struct failure *failed;
};

/* Doubled up to 1 MiB, then 1 MiB more up to 10 MiB, then 2 MiB more. */
static uint64_t next_size(uint64_t bytes)
{
	if (bytes <= MIB)
		return 2 * bytes;
	return bytes + (bytes < 10 * MIB ? MIB : 2 * MIB);
}

static int time_array(struct breaking *b, uint64_t stride, uint64_t count,
		      struct curve_point *point)
{
	return baseline_time(b->p, stride, count, b->r, &point->y, b->failed);
}

static int time_sizes(struct breaking *b)
{
	uint64_t bytes = LEAST_BYTES;
	int error = 0;

	for (; b->timed < SIZES; bytes = next_size(bytes)) {
		struct curve_point *point = &b->sizes[b->timed];

		point->x = (double)bytes;
		prober_progress(b->p, METHOD ": array of %llu KiB",
				(unsigned long long)(bytes / KIB));
		error = time_array(b, SIZE_STRIDE, bytes / SIZE_STRIDE, point);
		if (error)
			break;
		b->timed++;
	}
	error = error == -ERANGE ? 0 : error;
	baseline_keep(b->r, SIDE_FOOTPRINT_BYTES, b->sizes, b->timed,
		      "stride of 256 bytes");
	baseline_report_levels(
		b->p, &(struct baseline_sizes){ b->sizes, b->timed, SIZES },
		error, b->r);
	return error;
}

static int time_strides(struct breaking *b, struct curve_point *points)
{
	int error = 0;

	points[0].x = RULES_INT_BYTES;
	for (size_t i = 1; !error && i < BASELINE_STRIDES; i++) {
		uint64_t stride = (uint64_t)RULES_INT_BYTES << i;

		points[i].x = (double)stride;
		error = time_array(b, stride, LINE_ARRAY_BYTES / stride,
				   &points[i]);
	}
	if (error)
		return error;
	baseline_keep(b->r, SIDE_STRIDE_BYTES, points + 1, BASELINE_STRIDES - 1,
		      "array of 8 MiB");
	return baseline_first_stride(b->p, points[1].y, b->r, &points[0].y,
				     b->failed);
}

/* One line size for all levels. */
static int find_line(struct breaking *b)
{
	struct curve_point points[BASELINE_STRIDES];
	struct parameter line;
	int error;

	prober_progress(b->p, METHOD ": line size");
	error = time_strides(b, points);
	if (error && error != -ERANGE)
		return error;
	for (size_t i = 0; !error && i < BASELINE_STRIDES; i++)
		points[i].y *= rules_line_updates((double)LINE_ARRAY_BYTES,
						  points[i].x);
	if (error)
		baseline_too_small(b->p, b->r, LINE_ARRAY_BYTES, &line);
	else
		parameter_measured(
			&line,
			points[rules_steepest(points, BASELINE_STRIDES)].x, 0,
			METHOD);
	baseline_report_line(&line, b->r);
	return 0;
}

/*
 * The index returns to 0 only when it exceeds the size of the array. So one
 * element more is updated than the array has strides, and the result is one way
 * too few if there are more than four.
 */
static int find_ways(struct breaking *b, struct side_level *level)
{
	struct curve_point points[MOST_WAYS - LEAST_WAYS + 1];
	uint64_t stride = (uint64_t)level->capacity_bytes.value;
	size_t count = 0;

	for (uint64_t n = LEAST_WAYS; n <= MOST_WAYS; n++, count++) {
		int error = time_array(b, stride, n + 1, &points[count]);

		points[count].x = (double)n;
		if (error != -ERANGE && error)
			return error;
		if (!error)
			continue;
		baseline_too_small(b->p, b->r, MOST_WAYS * stride,
				   &level->ways);
		return 0;
	}
	parameter_measured(&level->ways,
			   points[rules_steepest(points, count) - 1].x, 0,
			   METHOD);
	return 0;
}

int breaking_cache_measure(struct prober *p, struct side_result *r,
			   struct failure *f)
{
	struct breaking b = { .p = p, .r = r, .failed = f };
	int error;

	side_result_begin(r, METHOD);
	error = time_sizes(&b);
	if (!error && r->cache_count)
		error = find_line(&b);
	for (size_t i = 0; !error && i < r->cache_count; i++) {
		prober_progress(p, METHOD ": ways of L%zu", i + 1);
		error = find_ways(&b, &r->caches[i]);
	}
	r->complete = !error;
	return error;
}
