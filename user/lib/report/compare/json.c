// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "report/compare/compare.h"
#include "report/json_value.h"

static json_t *number_or_null(double value)
{
	return isnan(value) ? json_null() : json_number(value);
}

/* --- methods -------------------------------------------------------------- */

static json_t *points(const struct side_curve *curve)
{
	json_t *array = json_array();

	for (size_t i = 0; i < curve->count; i++)
		json_array_append_new(array,
				      json_pack("[f, f]", curve->points[i].x,
						curve->points[i].y));
	return array;
}

static json_t *steps(const struct curve_result *found)
{
	json_t *array = json_array();

	for (size_t i = 0; i < found->step_count; i++)
		json_array_append_new(
			array,
			json_pack("{s:f, s:f}", "end", found->steps[i].end,
				  "latency_cycles", found->steps[i].latency));
	return array;
}

/* List each curve with its levels, or why it has none. */
static json_t *curves(const struct side_result *s)
{
	static const char *const axes[] = {
		[SIDE_FOOTPRINT_BYTES] = "footprint_bytes",
		[SIDE_STRIDE_BYTES] = "stride_bytes",
		[SIDE_REACH_BYTES] = "reach_bytes",
	};
	json_t *array = json_array();

	for (size_t i = 0; i < s->curve_count; i++) {
		const struct side_curve *curve = s->curves[i];
		json_t *o = json_object();

		json_set(o, "name", json_string(curve->name));
		json_set(o, "axis", json_string(axes[curve->axis]));
		json_set(o, "points", points(curve));
		if (curve->analysed && curve->found.decided)
			json_set(o, "levels", steps(&curve->found));
		else if (curve->analysed)
			json_set(o, "reason", json_string(curve->found.reason));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *counts(const unsigned int *all)
{
	json_t *o = json_object();

	for (int v = 0; v < COMPARE_VERDICTS; v++)
		json_set(o, compare_verdict_name((enum compare_verdict)v),
			 json_integer(all[v]));
	return o;
}

static json_t *methods(const struct comparison *c)
{
	json_t *array = json_array();

	for (int m = 0; m < COMPARE_METHODS; m++) {
		const struct compare_run *run = &c->said->runs[m];
		json_t *o = json_object();

		if (!run->selected) {
			json_decref(o);
			continue;
		}
		json_set(o, "name",
			 json_string(
				 compare_method_name((enum compare_method)m)));
		json_set(o, "complete", json_boolean(run->complete));
		if (run->reason[0])
			json_set(o, "reason", json_string(run->reason));
		json_set(o, "accesses", number_or_null(run->accesses));
		json_set(o, "seconds", json_real(run->seconds));
		json_set(o, "verdicts", counts(c->counts[m]));
		if (m >= COMPARE_COOPER && c->said->sides[m - COMPARE_COOPER])
			json_set(o, "curves",
				 curves(c->said->sides[m - COMPARE_COOPER]));
		json_array_append_new(array, o);
	}
	return array;
}

/* --- parameters ----------------------------------------------------------- */

static json_t *cell(const struct compare_cell *cell, enum compare_method m)
{
	json_t *o = json_parameter(&cell->p);

	json_set(o, "method", json_string(compare_method_name(m)));
	json_set(o, "verdict",
		 json_string(compare_verdict_name(cell->verdict)));
	return o;
}

static json_t *consensus(const struct compare_row *row)
{
	if (isnan(row->consensus))
		return json_null();
	return json_pack("{s:o, s:i, s:i}", "value",
			 number_or_null(row->consensus), "voices",
			 (int)row->agreeing, "of", (int)row->voices);
}

static json_t *parameter(const struct comparison *c,
			 const struct compare_row *row)
{
	static const char *const of[] = {
		[COMPARE_HIERARCHY] = "caches",
		[COMPARE_CACHE] = "cache",
		[COMPARE_MEMORY] = "memory",
		[COMPARE_TLB] = "tlb",
	};
	json_t *o = json_object(), *cells = json_array();

	json_set(o, "of", json_string(of[row->where]));
	if (row->level)
		json_set(o, "level", json_integer(row->level));
	if (row->page_bytes)
		json_set(o, "page_bytes",
			 json_integer((json_int_t)row->page_bytes));
	json_set(o, "parameter",
		 json_string(compare_parameter_name(row->parameter)));
	json_set(o, c->truth->exact ? "truth" : "documented",
		 number_or_null(row->truth));
	json_set(o, "absent", json_boolean(row->absent));
	if (!c->truth->exact)
		json_set(o, "consensus", consensus(row));
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (c->said->runs[m].selected)
			json_array_append_new(cells,
					      cell(&row->cells[m],
						   (enum compare_method)m));
	json_set(o, "values", cells);
	return o;
}

json_t *compare_json(const struct compare_report *r)
{
	json_t *root = json_head(r->r), *array = json_array();

	json_set(root, "compared_with",
		 json_string(r->c->truth->exact ? "truth" : "documented"));
	json_set(root, "methods", methods(r->c));
	for (size_t i = 0; i < r->c->row_count; i++)
		json_array_append_new(array, parameter(r->c, &r->c->rows[i]));
	json_set(root, "parameters", array);
	json_set(root, "documented", json_documented(r->r->documented));
	return root;
}
