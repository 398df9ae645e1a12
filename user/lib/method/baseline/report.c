// SPDX-License-Identifier: GPL-2.0
#include "method/baseline/report.h"

#include "method/baseline/rules.h"

#define KIB 1024

void baseline_keep(struct side_result *r, enum side_axis axis,
		   const struct curve_point *points, size_t count,
		   const char *name)
{
	struct side_curve *curve =
		count ? side_result_keep(r, axis, count, "%s", name) : NULL;

	for (size_t i = 0; curve && i < count; i++)
		curve->points[i] = points[i];
}

static void count_levels(const struct prober *p,
			 const struct baseline_sizes *sizes, int error,
			 struct side_result *r)
{
	size_t found = r->cache_count;

	if (sizes->timed == sizes->wanted || found == RULES_MOST_LEVELS)
		parameter_measured(&r->levels, (double)found, 0, r->method);
	else if (error)
		parameter_undecided(
			&r->levels, r->method,
			"%zu in the arrays that were timed before it ended",
			found);
	else
		parameter_undecided(
			&r->levels, r->method,
			"%zu in the arrays that fit into the memory of %llu KiB",
			found, (unsigned long long)(p->m->region.bytes / KIB));
}

void baseline_report_levels(const struct prober *p,
			    const struct baseline_sizes *sizes, int error,
			    struct side_result *r)
{
	double bytes[RULES_MOST_LEVELS];
	size_t found = rules_levels(sizes->points, sizes->timed, bytes);

	for (size_t i = 0; i < found; i++) {
		struct side_level *level = side_result_add(r);

		parameter_measured(&level->capacity_bytes, bytes[i], 0,
				   r->method);
		parameter_undecided(&level->line_bytes, r->method,
				    "it ended before that");
		parameter_undecided(&level->ways, r->method,
				    "it ended before that");
	}
	count_levels(p, sizes, error, r);
}

void baseline_report_line(const struct parameter *line, struct side_result *r)
{
	for (size_t i = 0; i < r->cache_count; i++)
		r->caches[i].line_bytes = *line;
}

void baseline_too_small(const struct prober *p, const struct side_result *r,
			uint64_t bytes, struct parameter *result)
{
	parameter_undecided(
		result, r->method,
		"needs an array of %llu KiB, which does not fit into the memory of %llu KiB",
		(unsigned long long)(bytes / KIB),
		(unsigned long long)(p->m->region.bytes / KIB));
}
