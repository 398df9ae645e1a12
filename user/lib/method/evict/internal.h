/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of this folder share: walks, placements, trials. */
#ifndef PROBE_PHYS_METHOD_EVICT_INTERNAL_H
#define PROBE_PHYS_METHOD_EVICT_INTERNAL_H

#include <stdlib.h>

#include "method/evict/evict.h"

/** EVICT_METHOD - of parameters */
#define EVICT_METHOD "x-ray, lines pushed out"
/** EVICT_PAGE_BYTES - of translations and prefetchers */
#define EVICT_PAGE_BYTES 4096
/** EVICT_SPACED - loads for each timed line of a walk that is spaced */
#define EVICT_SPACED 2

/** evict_room() - begin a sequence of at most @length. Return: false: no memory. */
static inline bool evict_room(struct sequence *s, size_t length)
{
	s->length = 0;
	s->offsets = calloc(length + 1, sizeof(*s->offsets));
	return s->offsets;
}

/** evict_load() - append a load of a line; evict_room() has made room for it */
static inline void evict_load(struct sequence *s, uint64_t line)
{
	s->offsets[s->length++] = line;
}

/**
 * evict_draw() - draw the vectors @evict and @clear anew, for a placement
 *
 * Where the level below is hashed, too, an evicting line may share a set with
 * another line under test. Vectors that last would mislead all placements alike.
 * Return: false: too few were found; the vectors of before stay.
 */
bool evict_draw(struct evictor *ev);

/**
 * struct evict_rows - lines that may share a set
 * @stride: bytes from one to the next, a power of two
 * @count: their number, EVICT_LINES at most
 * @shift: every second one lies that number of bytes further; less than a page
 * @anywhere: random multiples of the stride instead of consecutive ones
 */
struct evict_rows {
	uint64_t stride;
	size_t count;
	uint64_t shift;
	bool anywhere;
};

/** evict_place() - a placement of rows, and of as many lines of the same pages
 * that share no set
 * Return: false: too little memory.
 */
bool evict_place(struct evictor *ev, const struct evict_rows *rows,
		 uint64_t *test, uint64_t *control);

/**
 * struct evict_walk - what is done before lines are timed
 * @lines: @count lines that are evicted, in several rounds
 * @kept_count: the first lines of these come back then and stay in the hashed level
 * @time_kept: the kept lines are timed, and nothing else; otherwise all but these
 * @added: @added_count lines that are evicted after that
 * @touch: translations of all of them are there
 * @spaced: each timed line is followed by one of its page that hits in the first
 *          level, so that no line misses there right after another of its set
 * @rounds: their number
 */
struct evict_walk {
	const uint64_t *lines;
	size_t count;
	size_t kept_count;
	bool time_kept;
	const uint64_t *added;
	size_t added_count;
	bool touch;
	bool spaced;
	unsigned int rounds;
};

/** evict_observe() - ticks per load, one value per undisturbed sample */
int evict_observe(struct evictor *ev, const struct evict_walk *w,
		  struct readings *r, struct failure *f);

/** evict_flush_sets() - flush the lines of the window that share a set with one of
 * these, where ways are not much shorter than the window
 */
int evict_flush_sets(struct evictor *ev, const uint64_t *lines, size_t count,
		     struct failure *f);

/** evict_spares() - does evicting @line leave the hashed level's set of @other
 * alone?
 */
bool evict_spares(const struct evictor *ev, uint64_t line, uint64_t other);

/** evict_find_penalty() - what a miss costs at least: ev->penalty_ticks */
int evict_find_penalty(struct evictor *ev, struct failure *f);

/** evict_trial() - a trial on @lines timed lines, spaced */
struct trial evict_trial(struct evictor *ev, const struct trial_ops *ops,
			 void *context, size_t lines);

/** evict_compact() - do all lines of these rows stay in the level below?
 * @e: (out)
 */
int evict_compact(struct evictor *ev, const struct evict_rows *rows,
		  enum verdict *verdict, struct evidence *e, struct failure *f);

#endif
