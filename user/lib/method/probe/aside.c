// SPDX-License-Identifier: GPL-2.0
#include "method/probe/aside.h"

#include <math.h>
#include <string.h>

/* Lines of a block, for levels that fetch two or more lines at a time. */
#define LINES_TOGETHER 4

void aside_begin(struct aside *a, const struct hierarchy *h, uint64_t line)
{
	double longest = ASIDE_LEAST_BYTES;

	for (size_t i = 0; i < h->cache_count; i++)
		if (parameter_is_measured(&h->caches[i].line_bytes))
			longest = fmax(longest, h->caches[i].line_bytes.value);
	memset(a, 0, sizeof(*a));
	a->page = line - line % ASIDE_PAGE_BYTES;
	a->block_bytes = LINES_TOGETHER * (uint64_t)longest;
}

void aside_use(struct aside *a, uint64_t line)
{
	if (line - line % ASIDE_PAGE_BYTES == a->page)
		a->used[line % ASIDE_PAGE_BYTES / a->block_bytes] = true;
}

void aside_use_all(struct aside *a, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++)
		aside_use(a, s->offsets[i]);
}

bool aside_find(const struct aside *a, uint64_t *line)
{
	const uint64_t blocks = ASIDE_PAGE_BYTES / a->block_bytes;

	for (uint64_t i = 0; i < blocks; i++) {
		if (a->used[i])
			continue;
		*line = a->page + i * a->block_bytes;
		return true;
	}
	return false;
}
