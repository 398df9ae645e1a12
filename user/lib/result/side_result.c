// SPDX-License-Identifier: GPL-2.0
/* side_result.c - the results of the methods besides X-Ray and AMP. */
#include "result/side_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char unknown[] = "this method does not measure it";

void side_result_begin(struct side_result *r, const char *method)
{
	*r = (struct side_result){ .method = method };
	parameter_unavailable(&r->levels, "%s", unknown);
	parameter_unavailable(&r->memory_latency_cycles, "%s", unknown);
}

struct side_level *side_result_add(struct side_result *r)
{
	struct side_level *level;

	if (r->cache_count == SIDE_LEVELS)
		return NULL;
	level = &r->caches[r->cache_count++];
	parameter_unavailable(&level->capacity_bytes, "%s", unknown);
	parameter_unavailable(&level->line_bytes, "%s", unknown);
	parameter_unavailable(&level->ways, "%s", unknown);
	parameter_unavailable(&level->latency_cycles, "%s", unknown);
	return level;
}

struct side_tlb *side_result_add_tlb(struct side_result *r, uint64_t page_bytes)
{
	struct side_tlb *tlb;

	if (r->tlb_count == SIDE_LEVELS)
		return NULL;
	tlb = &r->tlbs[r->tlb_count++];
	tlb->page_bytes = page_bytes;
	parameter_unavailable(&tlb->reach_bytes, "%s", unknown);
	parameter_unavailable(&tlb->ways, "%s", unknown);
	parameter_unavailable(&tlb->latency_cycles, "%s", unknown);
	return tlb;
}

struct side_curve *side_result_keep(struct side_result *r, enum side_axis axis,
				    size_t count, const char *name, ...)
{
	struct side_curve *curve;
	va_list args;

	if (r->curve_count == SIDE_CURVES)
		return NULL;
	curve = calloc(1, sizeof(*curve));
	if (!curve)
		return NULL;
	curve->points = calloc(count ? count : 1, sizeof(*curve->points));
	if (!curve->points) {
		free(curve);
		return NULL;
	}
	curve->axis = axis;
	curve->count = count;
	va_start(args, name);
	vsnprintf(curve->name, sizeof(curve->name), name, args);
	va_end(args);
	r->curves[r->curve_count++] = curve;
	return curve;
}

void side_result_free(struct side_result *r)
{
	for (size_t i = 0; i < r->curve_count; i++) {
		free(r->curves[i]->points);
		free(r->curves[i]);
	}
	r->curve_count = 0;
}
