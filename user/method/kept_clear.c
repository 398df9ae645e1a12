// SPDX-License-Identifier: GPL-2.0
/*
 * kept_clear.c - room in the sets further down that kept lines may be in.
 *
 * A full level below that takes lines away above loses a kept line to one of
 * those that push it out of the level in question: the line is asked for anew
 * then, and is there again. How often depends on what earlier questions left
 * there (DRRIP that lets few lines in has one place for all of them to fight
 * for). Where its sets are known those lines are chosen from others; else they
 * find room, as nobody else uses the sets.
 */
#include <errno.h>
#include <stdlib.h>

#include "kept_line.h"

#define PAGE_BYTES 4096
/* Lines that are flushed at a time. */
#define PIECE 65536

static bool is_needed(const struct kept *k)
{
	return !k->spares_below && k->level + 1 < k->h->cache_count;
}

static int flush(const struct kept *k, const struct kept_place *at,
		 const struct sequence *lines, struct failure *f)
{
	const struct walk_step step = { STEP_FLUSH, lines, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	struct sequence x = { at->offsets[KEPT_X], 1 };
	struct sample unused;

	if (prober_stopped(k->p))
		return -EINTR;
	return k->p->m->ops->walk(k->p->m, &x, &plan, &unused, f);
}

int kept_clear(const struct kept *k, const struct kept_place *at,
	       struct failure *f)
{
	const uint64_t in_page = at->offsets[KEPT_X][0] % PAGE_BYTES;
	const struct prober *p = k->p;
	const uint64_t end = p->arena_offset + p->arena_bytes;
	struct sequence lines = { .length = 0 };
	int error = 0;

	if (!is_needed(k))
		return 0;
	lines.offsets = calloc(PIECE + KEPT_LINES, sizeof(*lines.offsets));
	if (!lines.offsets)
		return prober_out_of_memory(f);
	for (uint64_t page = p->arena_offset / PAGE_BYTES * PAGE_BYTES;
	     !error && page < end; page += PAGE_BYTES) {
		for (size_t i = 0; i < k->count; i++) {
			uint64_t line = page + (in_page ^ k->apart[i]);

			if (line >= p->arena_offset && line < end)
				lines.offsets[lines.length++] = line;
		}
		if (lines.length < PIECE && page + PAGE_BYTES < end)
			continue;
		if (lines.length)
			error = flush(k, at, &lines, f);
		lines.length = 0;
	}
	sequence_free(&lines);
	return error;
}

int kept_clear_again(const struct kept *k, const struct kept_place *at,
		     struct failure *f)
{
	int error = 0;

	for (int list = 0; !error && is_needed(k) && list < KEPT_LISTS;
	     list++) {
		struct kept_steps s = { .count = 0 };

		if (!at->counts[list])
			continue;
		kept_step(k, at, STEP_FLUSH, (enum kept_list)list, 0,
			  at->counts[list], &s);
		error = s.failed ? prober_out_of_memory(f) :
				   flush(k, at, &s.lines[0], f);
		sequence_free(&s.lines[0]);
	}
	return error;
}
