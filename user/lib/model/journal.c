// SPDX-License-Identifier: GPL-2.0
#include "model/journal.h"

#include <stdlib.h>
#include <string.h>

#include "model/cache.h"

/* A row, links, and what its owner keeps. */
#define PARTS (2 + ARRAY_BESIDE)

/** struct part - memory in which a set keeps something */
struct part {
	void *at;
	size_t bytes;
};

static unsigned int parts_of(const struct array *a, uint64_t set,
			     struct part *parts)
{
	size_t line = set * a->ways, bytes = a->ways * sizeof(uint64_t);
	size_t links = (a->ways + (size_t)1) * 2;
	unsigned int count = 0;

	parts[count++] =
		(struct part){ array_row(a, set), a->used * sizeof(uint64_t) };
	if (a->policy.links)
		parts[count++] = (struct part){ a->policy.links + set * links,
						links * sizeof(uint16_t) };
	for (int i = 0; i < ARRAY_BESIDE; i++)
		if (a->beside[i])
			parts[count++] =
				(struct part){ a->beside[i] + line, bytes };
	return count;
}

void journal_free(struct journal *j)
{
	free(j->sets);
	free(j->kept);
	*j = (struct journal){ .count = 0 };
}

void journal_begin(struct journal *j)
{
	j->count = 0;
	j->used = 0;
	j->full = false;
	j->generation++;
}

/* Room for one more element after @used of them. */
static void *more_room(void *old, size_t *room, size_t used, size_t more,
		       size_t size)
{
	size_t wanted = *room ? *room : 1024;
	void *new;

	if (used + more <= *room)
		return old;
	while (wanted < used + more)
		wanted *= 2;
	new = realloc(old, wanted * size);
	if (new)
		*room = wanted;
	return new;
}

static bool level_flush(struct journal *j, size_t bytes)
{
	void *sets = more_room(j->sets, &j->sets_room, j->count, 1,
			       sizeof(*j->sets));
	void *kept;

	if (!sets)
		return false;
	j->sets = sets;
	kept = more_room(j->kept, &j->kept_room, j->used, bytes, 1);
	if (!kept)
		return false;
	j->kept = kept;
	return true;
}

void journal_note(const struct array *a, uint64_t set)
{
	struct journal *j = a->journal;
	struct part parts[PARTS];
	unsigned int count;
	size_t bytes = 0;

	if (j->full)
		return;
	array_row(a, set)[a->used] = j->generation;
	count = parts_of(a, set, parts);
	for (unsigned int i = 0; i < count; i++)
		bytes += parts[i].bytes;
	j->full = !level_flush(j, bytes);
	if (j->full)
		return;
	j->sets[j->count++] = (struct journal_set){ a, set, j->used };
	for (unsigned int i = 0; i < count; i++) {
		memcpy(j->kept + j->used, parts[i].at, parts[i].bytes);
		j->used += parts[i].bytes;
	}
}

bool journal_undone(const struct journal *j)
{
	for (size_t k = 0; k < j->count; k++) {
		const unsigned char *kept = j->kept + j->sets[k].at;
		struct part parts[PARTS];
		unsigned int count =
			parts_of(j->sets[k].array, j->sets[k].set, parts);

		for (unsigned int i = 0; i < count; i++) {
			if (memcmp(kept, parts[i].at, parts[i].bytes) != 0)
				return false;
			kept += parts[i].bytes;
		}
	}
	return !j->full;
}
