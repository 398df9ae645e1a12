// SPDX-License-Identifier: GPL-2.0
#include "method/cooper/array.h"

#include <stdlib.h>

#include "sequence/reference_strings.h"

int cooper_arrays_begin(struct cooper_arrays *a, struct cooper *c, size_t room,
			struct failure *f)
{
	struct prober *p = c->p;
	uint64_t pages = p->m->region.bytes / COOPER_PAGE_BYTES;
	bool contiguous = p->m->region.extent_count &&
			  p->m->region.extents[0].bytes >= c->most_bytes;

	*a = (struct cooper_arrays){
		.c = c,
		.line_bytes = c->line_bytes,
		.strings = calloc(room, sizeof(*a->strings)),
		.visits = calloc(room, sizeof(*a->visits)),
		.room = room,
		.mappings = contiguous ? 1 : COOPER_MAPPINGS,
	};
	for (int i = 0; i < COOPER_MAPPINGS; i++)
		a->bases[i] = rng_below(&p->rng, pages) * COOPER_PAGE_BYTES;
	if (contiguous && p->m->region.extent_count)
		a->bases[0] = p->m->region.extents[0].offset;
	return a->strings && a->visits ? 0 : prober_out_of_memory(f);
}

void cooper_arrays_add(struct cooper_arrays *a, uint64_t bytes,
		       unsigned int visits)
{
	bytes -= bytes % a->line_bytes;
	if (!bytes)
		bytes = a->line_bytes;
	if (a->count == a->room ||
	    (a->count && a->strings[a->count - 1].x == (double)bytes &&
	     a->visits[a->count - 1] == visits))
		return;
	a->visits[a->count] = visits;
	a->strings[a->count++].x = (double)bytes;
}

static int make(void *context, size_t which, unsigned int trial,
		struct sequence *s, struct failure *f)
{
	struct cooper_arrays *a = context;
	struct prober *p = a->c->p;
	struct string_array array = {
		.base = a->bases[trial % a->mappings],
		.bytes = (uint64_t)a->strings[which].x,
		.page_bytes = a->c->page_bytes,
		.line_bytes = a->line_bytes,
		.visits = a->visits[which],
	};
	uint64_t last = p->m->region.bytes - array.bytes;

	if (array.base > last)
		array.base = last / COOPER_PAGE_BYTES * COOPER_PAGE_BYTES;
	return string_cache(s, &array, &p->rng) ? prober_out_of_memory(f) : 0;
}

struct cooper_sweep cooper_arrays_sweep(struct cooper_arrays *a,
					const char *what)
{
	return (struct cooper_sweep){ .strings = a->strings,
				      .count = a->count,
				      .make = make,
				      .context = a,
				      .what = what,
				      .mappings = a->mappings };
}

int cooper_arrays_time(struct cooper_arrays *a, const char *what,
		       struct failure *f)
{
	struct cooper_sweep sweep = cooper_arrays_sweep(a, what);

	return cooper_sweep(a->c, &sweep, f);
}

void cooper_arrays_free(struct cooper_arrays *a)
{
	free(a->strings);
	free(a->visits);
}
