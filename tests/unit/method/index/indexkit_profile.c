// SPDX-License-Identifier: GPL-2.0
/* indexkit_profile.c - the index of a level of a profile as a truth. */
#include <stdio.h>
#include <stdlib.h>

#include "model/index.h"

/* The names of index kinds in the model are not those of the report. */
uint64_t (*kit_profile(const char *path, int level, const void **model,
		       uint64_t *sets))(const void *model, uint64_t address);
void kit_profile_free(const void *model);

struct level {
	struct profile *profile;
	struct index index;
	unsigned int shift;
};

static uint64_t set_of(const void *model, uint64_t address)
{
	const struct level *l = model;

	return index_set(&l->index, address >> l->shift);
}

uint64_t (*kit_profile(const char *path, int level, const void **model,
		       uint64_t *sets))(const void *model, uint64_t address)
{
	struct failure f = { .text = "" };
	struct level *l = calloc(1, sizeof(*l));

	if (l)
		l->profile = profile_load(path, &f);
	for (size_t i = 0; l && l->profile && i < l->profile->cache_count;
	     i++) {
		const struct profile_cache *c = &l->profile->caches[i];

		if (c->level != level || c->type == PROFILE_INSTRUCTION)
			continue;
		l->shift = (unsigned int)__builtin_ctz(c->line_bytes);
		if (index_init(&l->index, &c->index, c->sets, l->shift))
			break;
		*sets = c->sets;
		*model = l;
		return set_of;
	}
	fprintf(stderr, "%s: level %d: %s\n", path, level, f.text);
	abort();
}

void kit_profile_free(const void *model)
{
	struct level *l = (struct level *)(uintptr_t)model;

	index_free(&l->index);
	profile_free(l->profile);
	free(l);
}
