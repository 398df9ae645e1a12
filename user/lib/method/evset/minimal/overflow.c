// SPDX-License-Identifier: GPL-2.0
/* overflow.c - how many candidates make some set overflow. */
#include "method/evset/minimal/minimal.h"

/* Every level has more lines. */
#define FIRST_LIST 16
/* The prefix is longer than the shortest one by this part, at most. */
#define COARSE 16

/* Twice as long until a list is not compact, then closer to the shortest one.
 */
static int approach(struct evset_oracle *o, const uint64_t *lines, size_t count,
		    size_t *low, size_t *high, bool *again, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	int error = 0;

	while (!error && verdict != VERDICT_NON_COMPACT && *low < count) {
		*high = 2 * *low > FIRST_LIST ? 2 * *low : FIRST_LIST;
		if (*high > count)
			*high = count;
		error = evset_ask(o, lines, *high, false, &verdict, f);
		if (verdict != VERDICT_NON_COMPACT)
			*low = *high;
	}
	*again = false;
	while (!error && *high - *low > *high / COARSE + 1) {
		size_t middle = *low + (*high - *low) / 2;

		error = evset_ask(o, lines, middle, false, &verdict, f);
		if (verdict == VERDICT_NON_COMPACT) {
			*high = middle;
			*again = true;
		} else {
			*low = middle;
		}
	}
	return error;
}

int evset_overflow(struct evset_oracle *o, const uint64_t *lines, size_t count,
		   size_t least, size_t *length, struct failure *f)
{
	size_t low = least;
	int error = 0;

	*length = 0;
	while (!error && !*length && low < count) {
		enum verdict verdict = VERDICT_COMPACT;
		size_t high = low;
		bool again = false;

		error = approach(o, lines, count, &low, &high, &again, f);
		/* A disturbance of one moment is over in the next one. */
		if (!error && !again && low < high)
			error = evset_ask(o, lines, high, false, &verdict, f);
		if (again || verdict == VERDICT_NON_COMPACT)
			*length = high;
		else
			low = high;
	}
	return error;
}
