// SPDX-License-Identifier: GPL-2.0
/* pinned_votes.c - votes of placements, and how often they may be chance. */
#include <math.h>

#include "method/behaviour/pinned.h"
#include "method/behaviour/tuning.h"
#include "method/level/flush_lines.h"

#define LEAST_PAGE_BYTES 4096

static bool needs_room(const struct pinned *k)
{
	return k->clears_below && !k->spares_below &&
	       k->level + 1 < k->h->cache_count;
}

/* In the sets further down that lines of any placement may be in: lines that
 * earlier questions left there would keep new ones out.
 */
static int clear_below_all(const struct pinned *k,
			   const struct pinned_place *at, struct failure *f)
{
	const uint64_t in_page = at->offsets[PINNED_X][0] % LEAST_PAGE_BYTES;
	const struct prober *p = k->p;
	uint64_t lines[PINNED_LINES];
	const struct room room = {
		.from = p->arena_offset - p->arena_offset % LEAST_PAGE_BYTES,
		.to = p->arena_offset + p->arena_bytes,
		.step = LEAST_PAGE_BYTES,
		.lines = lines,
		.count = k->count,
	};

	for (size_t i = 0; i < k->count; i++)
		lines[i] = in_page ^ k->apart[i];
	return level_flush(p, &room, f);
}

/* Where a placement was, likewise. */
static int clear_below(const struct pinned *k, const struct pinned_place *at,
		       struct failure *f)
{
	int error = 0;

	for (int list = 0; !error && list < PINNED_LISTS; list++) {
		struct pinned_steps s = { .count = 0 };

		pinned_step_all(k, at, STEP_FLUSH, (enum pinned_list)list, &s);
		error = s.failed ? prober_out_of_memory(f) :
				   level_flush_sequence(k->p, &s.lines[0], f);
		sequence_free(&s.lines[0]);
	}
	return error;
}

void pinned_count(const enum pinned_fate *fates, struct pinned_votes *votes)
{
	if (fates[0] == PINNED_THERE && fates[1] == PINNED_LOST)
		votes->for_it++;
	else if (fates[0] == PINNED_LOST && fates[1] == PINNED_THERE)
		votes->against++;
	else
		votes->nothing++;
}

bool pinned_surely(const struct pinned *k, const struct pinned_votes *votes)
{
	return !votes->against &&
	       exp2(-(double)votes->for_it) <= k->p->rules.alpha;
}

static bool goes_on(const struct pinned *k, const struct pinned_votes *votes,
		    size_t places)
{
	return !pinned_surely(k, votes) && !votes->against &&
	       votes->nothing < VOTES_FEW + votes->for_it &&
	       places < (votes->for_it ? VOTES_PLACES : VOTES_WITHOUT);
}

static int take_place(struct pinned *k, bool first, pinned_vote vote,
		      void *context, struct pinned_votes *votes,
		      struct failure *f)
{
	struct pinned_place at;
	int error = pinned_place(k, &at, f);

	if (!error && first && needs_room(k))
		error = clear_below_all(k, &at, f);
	if (!error)
		error = pinned_calibrate(k, &at, f);
	if (!error)
		error = vote(context, &at, votes, f);
	if (!error && needs_room(k))
		error = clear_below(k, &at, f);
	pinned_release(&at);
	return error;
}

int pinned_decide(struct pinned *k, pinned_vote vote, void *context,
		  struct pinned_votes *votes, struct failure *f)
{
	const bool may = budget_draw(&k->p->budget, k->p->rules.alpha);
	int error = 0;

	*votes = (struct pinned_votes){ .for_it = 0 };
	for (size_t i = 0; !error && may && goes_on(k, votes, i); i++)
		error = take_place(k, !i, vote, context, votes, f);
	k->p->tests++;
	return error;
}
