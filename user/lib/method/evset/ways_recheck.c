// SPDX-License-Identifier: GPL-2.0
#include "method/evset/ways_recheck.h"

#include "method/evset/minimal/minimal.h"
#include "method/evset/ways_agree.h"

/* Of 64 lines of a page, for each of some sets: what somebody else has of a page is seldom
 * in all of them.
 */
#define PLACES 8

/* *fits: surely. */
static int fits_moved(struct evset_machine *e, const struct evset_set *moved,
		      bool *fits, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = evset_ask_set(&e->o, moved, moved->lines, moved->count,
				  false, &verdict, f);

	if (!error && verdict == VERDICT_COMPACT)
		error = evset_ask_set(&e->o, moved, moved->lines, moved->count,
				      true, &verdict, f);
	*fits = !error && verdict == VERDICT_COMPACT;
	return error;
}

/* As many of the set's other lines, @count of them, as make it overflow where it is moved. */
static int grow(struct evset_machine *e, const uint64_t *more, size_t count,
		uint64_t by, struct evset_set *larger, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	bool good = false;
	int error = 0;

	for (size_t i = 0; !error && verdict == VERDICT_COMPACT && i < count &&
			   larger->count <= EVSET_MOST_WAYS;
	     i++) {
		larger->lines[larger->count++] =
			evset_move_line(e, more[i], by);
		error = evset_ask_set(&e->o, larger, larger->lines,
				      larger->count, true, &verdict, f);
	}
	if (!error && verdict == VERDICT_NON_COMPACT)
		error = evset_verify(&e->o, larger, &good, f);
	if (!good)
		larger->count = 0;
	return error;
}

int evset_larger(struct evset_machine *e, const struct evset_set *set,
		 struct evset_set *larger, struct failure *f)
{
	uint64_t more[EVSET_MORE];
	size_t count = 0;
	bool found = false;
	int error = 0;

	for (int i = 0; !error && !found && i < PLACES; i++) {
		const uint64_t by = evset_draw_move(e);
		bool fits = false;

		evset_move_set(e, set, by, larger);
		error = fits_moved(e, larger, &fits, f);
		if (error || !fits)
			continue;
		/* Once, and only where they are wanted. */
		if (!count)
			error = evset_gather_more(e, set, more, &count, f);
		if (error || !count)
			break;
		error = grow(e, more, count, by, larger, f);
		found = !error && larger->count;
	}
	if (!found)
		larger->count = 0;
	return error;
}
