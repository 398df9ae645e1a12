// SPDX-License-Identifier: GPL-2.0
/* rate_masks.c - what a few sets tell of the bits inside a page. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/count/congruence_rate.h"
#include "method/evset/count/page_masks.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/oracle/per_load.h"
#include "method/level/host_pages.h"

/* So many classes, of lines that overflow clearly and some to be moved. */
#define CLASSES 4

static int add_classes(struct evset_rate *each, size_t count,
		       struct evset_classes *c, size_t wanted,
		       struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < count && c->count < CLASSES; k++) {
		const size_t begin = c->begin[c->count];
		size_t lines = 0;

		/* Somebody uses it, as of late. */
		if (each[k].wrong)
			continue;
		error = evset_rate_members(&each[k], wanted, c->lines + begin,
					   &lines, f);
		if (error || lines < wanted)
			continue;
		c->sets[c->count++] = each[k].moved;
		c->begin[c->count] = begin + lines;
	}
	c->line_count = c->begin[c->count];
	return error;
}

int evset_rates_masks(struct evset_machine *e, struct evset_rate *each,
		      size_t count, uint64_t line_bytes, struct failure *f)
{
	const size_t ways = each[0].moved.count - 1;
	const size_t wanted = EVSET_OVERFULL(ways) + EVSET_INSIDE_MOVED;
	struct evset_classes c = {
		.ways = ways,
		.lines = calloc(CLASSES * wanted, sizeof(*c.lines)),
		.sets = calloc(CLASSES, sizeof(*c.sets)),
	};
	const struct evset_inside in = {
		.e = e,
		.c = &c,
		.line_bytes = line_bytes,
		.page_bytes = PIECES_BYTES,
	};
	uint64_t *lines = c.lines;
	int error = lines && c.sets ? 0 : prober_out_of_memory(f);

	if (!error)
		error = add_classes(each, count, &c, wanted, f);
	if (!error)
		error = evset_inside_masks(&in, e->x->prober->mask_pairs,
					   &e->inside, f);
	evset_classes_free(&c);
	free(lines);
	return error;
}
