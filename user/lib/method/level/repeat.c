// SPDX-License-Identifier: GPL-2.0
/* repeat.c - a search for a geometry, repeated until it is reproduced. */
#include "method/level/repeat.h"

#include <stdio.h>

#include "method/level/host_pages.h"
#include "method/level/tuning.h"

/* A burst of other people's work lasts longer than one search, so the searches
 * lie apart, and the same answer has to come out several times with no other
 * one in between.
 */
#define AGREEING 3

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

/**
 * struct answers - searches, by what they said
 * @first: the geometry, if @found of them found one
 * @open: why not, of the last one that did not
 * @hashed: of those that did not, no stride thrashes it
 * @translated: searches that missed translations
 * @scattered: pages lie anywhere: no stride is one, the next time neither
 */
struct answers {
	struct xray_geometry first;
	struct xray_geometry open;
	int found;
	int hashed;
	int translated;
	bool scattered;
};

/* With @left searches left no answer comes out often enough any more. Pages are as
 * small the next time.
 */
static bool is_open(const struct answers *a, int left)
{
	if (!a->found && !a->hashed &&
	    (a->scattered || a->translated == AGREEING))
		return true;
	return a->found + left < AGREEING + a->hashed &&
	       (a->found || a->hashed + left < AGREEING);
}

static bool is_answered(const struct answers *a)
{
	return a->found == AGREEING + a->hashed ||
	       (!a->found && a->hashed == AGREEING);
}

/* Below the first level eviction sets come next, which need no strides. */
static int ask_scattered(struct xray *x, const struct geometry_search *by,
			 struct answers *a, struct failure *f)
{
	int error;

	if (!x->upper_count || !by->needs_contiguous || xray_counter(x) ||
	    a->found || a->hashed)
		return 0;
	error = host_pages_measure(x->prober, &x->upper[0], f);
	a->scattered = x->prober->pieces == VERDICT_NON_COMPACT;
	return error;
}

static int count_answer(struct xray *x, const struct geometry_search *by,
			struct answers *a, const struct xray_geometry *g,
			struct failure *f)
{
	if (g->found) {
		a->first = *g;
		a->found++;
		/* The way there need not be found again. */
		if (!g->modulo)
			x->begin = g->level.way_bytes / 2;
		return 0;
	}
	a->open = *g;
	a->hashed += g->hashed;
	a->translated += g->translation;
	return g->unclear || g->cramped ? ask_scattered(x, by, a, f) : 0;
}

static void conclude(const struct answers *a, struct xray_geometry *g)
{
	/* A hash that some placements do not show is one nevertheless. */
	if (a->found >= AGREEING + a->hashed) {
		*g = a->first;
		return;
	}
	*g = a->open;
	/* Found now and then only: no reason to trust it, nor to say that
	 * the index is anything.
	 */
	if (a->found) {
		g->hashed = false;
		g->seen_bytes = bytes_of(&a->first.level);
	}
}

int geometry_repeat(struct xray *x, const struct geometry_search *by,
		    struct xray_geometry *g, struct failure *f)
{
	struct answers a = { .found = 0 };
	double begun = x->prober->done;

	for (int i = 0; i < REPEAT_ATTEMPTS; i++) {
		int error;

		if (i)
			x->prober->m->ops->pause(x->prober->m, REPEAT_APART_MS);
		error = by->find(by->context, x, g, f);
		if (error == -ERANGE) {
			*g = (struct xray_geometry){
				.cramped = true,
				.reason = "not enough contiguous memory"
			};
			return 0;
		}
		if (error)
			return error;
		if (g->found && a.found && !same(&g->level, &a.first.level)) {
			disagree(g, &a.first.level, &g->level);
			return 0;
		}
		error = count_answer(x, by, &a, g, f);
		if (error)
			return error;
		x->prober->done = begun + XRAY_LEVEL_SHARE *
						  (a.found + a.hashed) /
						  (AGREEING + 1);
		if (is_answered(&a) || is_open(&a, REPEAT_ATTEMPTS - i - 1))
			break;
	}
	conclude(&a, g);
	return 0;
}
