// SPDX-License-Identifier: GPL-2.0
/* marks.c - collect the marks of levels from results. */
#include "report/picture/marks.h"

#include <stdio.h>

#include "report/picture/axis.h"

const char *marks_source(const struct picture *picture, size_t source)
{
	return source ? picture->methods[source - 1]->method : "x-ray";
}

/* Return: NULL: the axis cannot show it, or there is no room. */
static struct mark *add(struct marks *m, size_t source, double value)
{
	if (!axis_shows(value))
		return NULL;
	if (m->count == FLAGS_MOST) {
		m->hidden++;
		return NULL;
	}
	m->marks[m->count] = (struct mark){ .value = value, .source = source };
	return &m->marks[m->count++];
}

static void name_level(struct mark *mark, size_t level,
		       const struct parameter *cycles)
{
	char bytes[AXIS_LABEL];
	size_t used;

	if (!mark)
		return;
	axis_label(bytes, AXIS_BYTES, mark->value);
	snprintf(mark->brief, sizeof(mark->brief), "L%zu %.20s", level, bytes);
	used = (size_t)snprintf(mark->text, sizeof(mark->text), "L%zu %.20s",
				level, bytes);
	if (cycles && parameter_is_measured(cycles))
		snprintf(mark->text + used, sizeof(mark->text) - used,
			 ", %.3g cycles", cycles->value);
}

static void name_line(struct marks *m, size_t source, double value)
{
	char bytes[AXIS_LABEL];
	struct mark *mark;

	for (size_t i = 0; i < m->count; i++)
		if (m->marks[i].source == source && m->marks[i].value == value)
			return;
	mark = add(m, source, value);
	if (!mark)
		return;
	axis_label(bytes, AXIS_BYTES, value);
	snprintf(mark->text, sizeof(mark->text), "line %s", bytes);
	snprintf(mark->brief, sizeof(mark->brief), "%.20s", bytes);
}

static void take_xray(struct marks *m, const struct hierarchy *h,
		      enum side_axis axis)
{
	for (size_t i = 0; i < h->cache_count; i++) {
		const struct cache_result *c = &h->caches[i];

		if (axis == SIDE_FOOTPRINT_BYTES &&
		    parameter_is_measured(&c->capacity_bytes))
			name_level(add(m, 0, c->capacity_bytes.value),
				   (size_t)c->level, &c->latency_cycles);
		if (axis == SIDE_STRIDE_BYTES &&
		    parameter_is_measured(&c->line_bytes))
			name_line(m, 0, c->line_bytes.value);
	}
	/* Reaches have no latency: results have only the added cost of a
	 * translation.
	 */
	for (size_t i = 0; axis == SIDE_REACH_BYTES && i < h->tlb_count; i++) {
		const struct tlb_result *t = &h->tlbs[i];

		if (parameter_is_measured(&t->entries) && t->type[0] != 'i')
			name_level(
				add(m, 0,
				    t->entries.value * (double)t->page_bytes),
				(size_t)t->level, NULL);
	}
}

static void take_steps(struct marks *m, const struct side_result *r,
		       size_t source, enum side_axis axis)
{
	for (size_t i = 0; i < r->curve_count; i++) {
		const struct curve_result *found = &r->curves[i]->found;
		struct parameter cycles;

		if (r->curves[i]->axis != axis || !r->curves[i]->analysed ||
		    !found->decided)
			continue;
		for (size_t k = 0; k + 1 < found->step_count; k++) {
			parameter_measured(&cycles, found->steps[k].latency, 0,
					   r->method);
			name_level(add(m, source, found->steps[k].end), k + 1,
				   &cycles);
		}
		return;
	}
}

static void take_caches(struct marks *m, const struct side_result *r,
			size_t source)
{
	size_t before = m->count;

	for (size_t i = 0; i < r->cache_count; i++)
		if (parameter_is_measured(&r->caches[i].capacity_bytes))
			name_level(add(m, source,
				       r->caches[i].capacity_bytes.value),
				   i + 1, &r->caches[i].latency_cycles);
	if (m->count == before)
		take_steps(m, r, source, SIDE_FOOTPRINT_BYTES);
}

static void take_tlbs(struct marks *m, const struct side_result *r,
		      size_t source)
{
	size_t before = m->count;

	for (size_t i = 0; i < r->tlb_count; i++)
		if (parameter_is_measured(&r->tlbs[i].reach_bytes))
			name_level(add(m, source, r->tlbs[i].reach_bytes.value),
				   i + 1, NULL);
	if (m->count == before)
		take_steps(m, r, source, SIDE_REACH_BYTES);
}

void marks_collect(struct marks *m, const struct picture *picture,
		   enum side_axis axis)
{
	m->count = m->hidden = 0;
	if (picture->found)
		take_xray(m, picture->found, axis);
	for (size_t i = 0; i < picture->method_count; i++) {
		const struct side_result *r = picture->methods[i];

		if (axis == SIDE_FOOTPRINT_BYTES)
			take_caches(m, r, i + 1);
		else if (axis == SIDE_REACH_BYTES)
			take_tlbs(m, r, i + 1);
		for (size_t k = 0;
		     axis == SIDE_STRIDE_BYTES && k < r->cache_count; k++)
			if (parameter_is_measured(&r->caches[k].line_bytes))
				name_line(m, i + 1,
					  r->caches[k].line_bytes.value);
	}
}
