// SPDX-License-Identifier: GPL-2.0
/* class_table.c - lines of classes side by side, those of none behind them. */
#include "method/evset/sort/sorting.h"

#include <stdlib.h>
#include <string.h>

size_t evset_class_lines(const struct evset_classes *c, size_t i)
{
	return c->begin[i + 1] - c->begin[i];
}

void evset_classes_free(struct evset_classes *c)
{
	free(c->sets);
	c->sets = NULL;
}

int evset_class_add(struct evset_classes *c, size_t k, const uint64_t *members,
		    size_t member_count, struct failure *f)
{
	size_t done = c->begin[c->count], n = 0,
	       behind = done - c->begin[k + 1];
	uint64_t *found = calloc(member_count + 1, sizeof(*found));

	if (!found)
		return prober_out_of_memory(f);
	for (size_t i = done; i < c->line_count && n < member_count; i++) {
		uint64_t line = c->lines[i];

		if (!evset_holds(members, member_count, line))
			continue;
		c->lines[i] = c->lines[done + n];
		c->lines[done + n] = line;
		found[n++] = line;
	}
	memmove(c->lines + c->begin[k + 1] + n, c->lines + c->begin[k + 1],
		behind * sizeof(*c->lines));
	memcpy(c->lines + c->begin[k + 1], found, n * sizeof(*found));
	for (size_t i = k + 1; i <= c->count; i++)
		c->begin[i] += n;
	free(found);
	return 0;
}

void evset_class_drop(struct evset_classes *c, size_t k, size_t n)
{
	size_t end = c->begin[k + 1], done = c->begin[c->count];

	for (size_t i = 0; i < n; i++) {
		uint64_t line = c->lines[end - n];

		memmove(c->lines + end - n, c->lines + end - n + 1,
			(done - end + n - 1) * sizeof(line));
		c->lines[done - 1] = line;
	}
	for (size_t j = k + 1; j <= c->count; j++)
		c->begin[j] -= n;
}

void evset_dissolve(struct evset_classes *c, size_t k)
{
	evset_class_drop(c, k, evset_class_lines(c, k));
	for (size_t j = k; j < c->count; j++)
		c->begin[j] = c->begin[j + 1];
	c->count--;
	memmove(c->sets + k, c->sets + k + 1,
		(c->count - k) * sizeof(*c->sets));
}
