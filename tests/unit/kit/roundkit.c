// SPDX-License-Identifier: GPL-2.0
#include "kit/roundkit.h"

#include <stdlib.h>
#include <string.h>

static void *more(void *old, size_t *room, size_t wanted, size_t size)
{
	void *new = old;

	if (wanted <= *room)
		return old;
	*room = 2 * wanted;
	new = realloc(old, *room * size);
	if (!new)
		abort();
	return new;
}

void rounds_forget(struct rounds *r)
{
	r->begun = r->known = false;
	r->limit = 1;
}

void rounds_note(struct rounds *r, const uint64_t *at, size_t words)
{
	r->notes = more(r->notes, &r->room, r->count + 1, sizeof(*r->notes));
	r->kept =
		more(r->kept, &r->kept_room, r->used + words, sizeof(*r->kept));
	r->notes[r->count++] = (struct round_note){ at, words, r->used };
	memcpy(r->kept + r->used, at, words * sizeof(*at));
	r->used += words;
}

static bool is_as_begun(const struct rounds *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct round_note *n = &r->notes[i];

		if (memcmp(n->at, r->kept + n->kept,
			   n->words * sizeof(*n->at)) != 0)
			return false;
	}
	return true;
}

bool rounds_end(struct rounds *r, uint64_t cycles)
{
	if (r->begun) {
		r->since++;
		r->cycles += cycles;
		r->known = is_as_begun(r);
		if (r->known || r->since < r->limit)
			return false;
		/* As in the model: see there. */
		r->limit *= 8;
	}
	r->begun = true;
	r->generation++;
	r->count = r->used = 0;
	r->since = r->cycles = 0;
	return true;
}

void rounds_free(struct rounds *r)
{
	free(r->notes);
	free(r->kept);
}
