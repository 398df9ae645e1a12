// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "xray.h"

/* A burst of other people's work lasts longer than one search, so the searches
 * lie apart, and the same answer has to come out several times with no other
 * one in between.
 */
#define ATTEMPTS 8
#define AGREEING 3
#define APART_MS 40

static bool same(const struct xray_level *a, const struct xray_level *b)
{
	return a->ways == b->ways && a->way_bytes == b->way_bytes &&
	       a->own == b->own;
}

static uint64_t bytes_of(const struct xray_level *level)
{
	return level->ways * level->way_bytes;
}

static void disagree(struct xray_geometry *g, const struct xray_level *a,
		     const struct xray_level *b)
{
	g->found = false;
	g->hashed = false;
	g->seen_bytes = bytes_of(bytes_of(a) > bytes_of(b) ? a : b);
	snprintf(
		g->reason, sizeof(g->reason),
		"repetitions disagree: %zu ways of %llu bytes, then %zu ways of %llu bytes (is the CPU shared with other work?)",
		a->ways, (unsigned long long)a->way_bytes, b->ways,
		(unsigned long long)b->way_bytes);
}

/* With so many searches left no answer comes out often enough any more. Pages are as
 * small the next time.
 */
static bool is_open(int found, int hashed, int translated, int left)
{
	if (!found && !hashed && translated == AGREEING)
		return true;
	return found + left < AGREEING + hashed &&
	       (found || hashed + left < AGREEING);
}

int xray_agree_on_geometry(struct xray *x, struct xray_geometry *g,
			   struct failure *f)
{
	struct xray_geometry first = { .found = false }, open = first;
	double begun = x->prober->done;
	int found = 0, hashed = 0, translated = 0;

	for (int i = 0; i < ATTEMPTS; i++) {
		int error;

		if (i)
			x->prober->m->ops->pause(x->prober->m, APART_MS);
		error = xray_find_geometry(x, g, f);
		if (error == -ERANGE) {
			*g = (struct xray_geometry){
				.cramped = true,
				.reason = "not enough contiguous memory"
			};
			return 0;
		}
		if (error)
			return error;
		if (g->found && found && !same(&g->level, &first.level)) {
			disagree(g, &first.level, &g->level);
			return 0;
		}
		if (g->found) {
			first = *g;
			found++;
			/* The way there need not be found again. */
			if (!g->modulo)
				x->begin = g->level.way_bytes / 2;
		} else {
			open = *g;
			hashed += g->hashed;
			translated += g->translation;
		}
		x->prober->done = begun + XRAY_LEVEL_SHARE * (found + hashed) /
						  (AGREEING + 1);
		if (found == AGREEING + hashed ||
		    (!found && hashed == AGREEING) ||
		    is_open(found, hashed, translated, ATTEMPTS - i - 1))
			break;
	}
	/* A hash that some placements do not show is one nevertheless. */
	if (found >= AGREEING + hashed) {
		*g = first;
		return 0;
	}
	*g = open;
	/* Found now and then only: no reason to trust it, nor to say that
	 * the index is anything.
	 */
	if (found) {
		g->hashed = false;
		g->seen_bytes = bytes_of(&first.level);
	}
	return 0;
}
