// SPDX-License-Identifier: GPL-2.0
#include "result/amp_result.h"

#include <math.h>
#include <string.h>

void amp_parameters(struct amp_row *row,
		    struct amp_parameter *all[AMP_PARAMETERS])
{
	struct amp_parameter *const here[AMP_PARAMETERS] = {
		&row->block_bytes,    &row->size,	&row->ways,
		&row->write_allocate, &row->write_back, &row->replacement,
		&row->unified
	};

	for (int i = 0; i < AMP_PARAMETERS; i++)
		all[i] = here[i];
}

struct amp_row *amp_add_row(struct amp_result *r, int level, const char *type,
			    uint64_t mapped_bytes)
{
	size_t *count = mapped_bytes ? &r->tlb_count : &r->cache_count;
	struct amp_row *rows = mapped_bytes ? r->tlbs : r->caches;
	struct amp_parameter *all[AMP_PARAMETERS];
	struct amp_row *row;

	if (*count == AMP_MOST_ROWS)
		return NULL;
	row = &rows[(*count)++];
	*row = (struct amp_row){ .level = level,
				 .type = type,
				 .mapped_bytes = mapped_bytes };
	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++)
		parameter_unavailable(&all[i]->p, AMP_NOT_MEASURED);
	return row;
}

static void fill_sets(struct parameter *sets, const struct parameter *size,
		      const struct parameter *ways, double unit)
{
	*sets = parameter_is_measured(size) ? *ways : *size;
	if (parameter_is_measured(size) && parameter_is_measured(ways))
		/* Ways and capacity come from the same tests, so they share one
		 * bound.
		 */
		parameter_measured(sets, size->value / ways->value / unit,
				   fmax(size->error_bound, ways->error_bound),
				   size->method);
}

bool amp_is_code(const struct amp_row *row)
{
	return !strcmp(row->type, "instruction");
}

static void fill_cache(const struct amp_row *row, struct cache_result *c)
{
	c->ways = row->ways.p;
	c->capacity_bytes = row->size.p;
	c->line_bytes = row->block_bytes.p;
	c->write_allocate = row->write_allocate.p;
	c->write_back = row->write_back.p;
	if (parameter_is_measured(&row->block_bytes.p))
		fill_sets(&c->sets, &row->size.p, &row->ways.p,
			  row->block_bytes.p.value);
	else
		c->sets = row->block_bytes.p;
}

static void fill_tlb(const struct amp_row *row, struct tlb_result *t)
{
	t->entries = row->size.p;
	t->ways = row->ways.p;
	fill_sets(&t->sets, &row->size.p, &row->ways.p, 1);
}

void amp_fill_hierarchy(const struct amp_result *r, struct hierarchy *h)
{
	for (size_t i = 0; i < r->cache_count; i++) {
		const struct amp_row *row = &r->caches[i];
		struct cache_result *c = amp_is_code(row) ?
						 hierarchy_add_instruction(h) :
						 hierarchy_add(h);

		if (c)
			fill_cache(row, c);
	}
	for (size_t i = 0; i < r->tlb_count; i++) {
		const struct amp_row *row = &r->tlbs[i];
		struct tlb_result *t = hierarchy_add_tlb(
			h, row->level, row->type, row->mapped_bytes);

		if (t)
			fill_tlb(row, t);
	}
}
