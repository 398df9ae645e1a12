// SPDX-License-Identifier: GPL-2.0
#include "report/disagreement.h"

#include <string.h>

/**
 * struct twin - one parameter as measured by both methods
 * @name: as in the JSON document
 * @amp: AMP's
 * @other: X-Ray's
 */
struct twin {
	const char *name;
	const struct amp_parameter *amp;
	const struct parameter *other;
};

#define TWINS 6

static const struct cache_result *cache_of(const struct amp_row *row,
					   const struct hierarchy *h)
{
	if (amp_is_code(row))
		return h->instruction.level == row->level ? &h->instruction :
							    NULL;
	for (size_t i = 0; i < h->cache_count; i++)
		if (h->caches[i].level == row->level)
			return &h->caches[i];
	return NULL;
}

static size_t cache_twins(const struct amp_row *row, const struct hierarchy *h,
			  struct twin *twins)
{
	const struct cache_result *c = cache_of(row, h);

	if (!c)
		return 0;
	twins[0] = (struct twin){ "line_bytes", &row->block_bytes,
				  &c->line_bytes };
	twins[1] = (struct twin){ "capacity_bytes", &row->size,
				  &c->capacity_bytes };
	twins[2] = (struct twin){ "ways", &row->ways, &c->ways };
	twins[3] = (struct twin){ "write_allocate", &row->write_allocate,
				  &c->write_allocate };
	twins[4] =
		(struct twin){ "write_back", &row->write_back, &c->write_back };
	twins[5] = (struct twin){ "unified", &row->unified, &c->unified };
	return TWINS;
}

static bool same_side(const char *a, const char *b)
{
	return !strcmp(a, "instruction") == !strcmp(b, "instruction");
}

static size_t tlb_twins(const struct amp_row *row, const struct hierarchy *h,
			struct twin *twins)
{
	static const struct parameter shared = { .status = PARAMETER_MEASURED,
						 .value = 1 };

	for (size_t i = 0; i < h->tlb_count; i++) {
		const struct tlb_result *t = &h->tlbs[i];

		if (t->level != row->level || !same_side(t->type, row->type) ||
		    t->page_bytes != row->mapped_bytes)
			continue;
		twins[0] = (struct twin){ "entries", &row->size, &t->entries };
		twins[1] = (struct twin){ "ways", &row->ways, &t->ways };
		/* X-Ray leaves arrays separate unless it measured that they are
		 * shared.
		 */
		twins[2] = (struct twin){ "unified", &row->unified, &shared };
		return strcmp(t->type, "unified") ? 2 : 3;
	}
	return 0;
}

static bool differ(const struct twin *t)
{
	return parameter_is_measured(&t->amp->p) &&
	       parameter_is_measured(t->other) &&
	       t->amp->p.value != t->other->value;
}

void amp_row_name(const struct amp_row *row, char *text, size_t size)
{
	snprintf(text, size, "L%d %s%s", row->level, row->type,
		 row->mapped_bytes ? " TLB" : "");
}

static void each_row(const struct report *r, const struct amp_row *row,
		     void (*take)(const struct disagreement *d, void *data),
		     void *data)
{
	struct twin twins[TWINS];
	size_t found = row->mapped_bytes ? tlb_twins(row, r->found, twins) :
					   cache_twins(row, r->found, twins);
	char where[48];

	amp_row_name(row, where, sizeof(where));
	for (size_t i = 0; i < found; i++) {
		const struct twin *t = &twins[i];
		const struct disagreement d = { row, where, t->name,
						t->other->value,
						t->amp->p.value };

		if (differ(t))
			take(&d, data);
	}
}

void disagreements_each(const struct report *r,
			void (*take)(const struct disagreement *d, void *data),
			void *data)
{
	if (r->amp_alone)
		return;
	for (size_t i = 0; i < r->amp->cache_count; i++)
		each_row(r, &r->amp->caches[i], take, data);
	for (size_t i = 0; i < r->amp->tlb_count; i++)
		each_row(r, &r->amp->tlbs[i], take, data);
}
