// SPDX-License-Identifier: GPL-2.0
/* lines.c - what lines of any level have in common. */
#include "method/sharing/lines.h"

#include <stdlib.h>

#include "method/probe/aside.h"

void sharing_lines_free(struct sharing_lines *l)
{
	sequence_free(&l->own);
	sequence_free(&l->push);
	sequence_free(&l->beside);
	sequence_free(&l->clear);
	sequence_free(&l->aside);
}

int sharing_set_aside(const struct hierarchy *h, struct sharing_lines *l,
		      struct failure *f)
{
	l->aside.offsets = calloc(l->own.length, sizeof(*l->aside.offsets));
	if (!l->aside.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < l->own.length; i++) {
		struct aside a;

		aside_begin(&a, h, l->own.offsets[i]);
		aside_use_all(&a, &l->own);
		aside_use_all(&a, &l->push);
		aside_use_all(&a, &l->beside);
		aside_use_all(&a, &l->clear);
		if (aside_find(&a, &l->aside.offsets[l->aside.length]))
			l->aside.length++;
	}
	return 0;
}
