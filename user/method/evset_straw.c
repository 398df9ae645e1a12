// SPDX-License-Identifier: GPL-2.0
/* evset_straw.c - members among candidates, the last straw first. */
#include "evset_straw.h"

#include <string.h>

/* A first guess of how far apart members are; the search adapts. */
#define FIRST_STEP_SHARE 16
/* Wrong answers that a search may take back. */
#define MOST_RETURNS 20

int straw_ask(struct straw_search *s, size_t prefix, bool *misses,
	      struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	size_t n = s->found_count;
	int error;

	memcpy(s->list, s->found, n * sizeof(*s->list));
	memcpy(s->list + n, s->candidates, prefix * sizeof(*s->list));
	n += prefix;
	if (s->padding_count)
		memcpy(s->list + n, s->padding,
		       s->padding_count * sizeof(*s->list));
	n += s->padding_count;
	error = evset_ask(s->o, s->list, n, false, &verdict, f);
	*misses = verdict == VERDICT_NON_COMPACT;
	return error;
}

/* Smallest prefix that is not compact, from above: members lie about as far
 * apart as those found so far.
 */
static int last_straw(struct straw_search *s, size_t *prefix, struct failure *f)
{
	size_t passed = s->count - s->upper;
	size_t step = s->found_count ? passed / s->found_count + 1 :
				       s->count / FIRST_STEP_SHARE + 1;
	size_t high = s->upper, low = 0;
	bool misses = true, bounded = false, confirmed = false;
	int error = 0;

	while (!error && high && (!bounded || high - low > 1)) {
		size_t at = bounded	? (low + high) / 2 :
			    high > step ? high - step :
					  0;

		error = straw_ask(s, at, &misses, f);
		if (misses) {
			high = at;
			confirmed = true;
		} else {
			low = at;
			bounded = true;
		}
		if (!bounded)
			step *= 2;
	}
	*prefix = high;
	/* Nothing but what an earlier search has said speaks for it. */
	if (!error && high && !confirmed) {
		error = straw_ask(s, high, &misses, f);
		if (!misses)
			*prefix = SIZE_MAX;
	}
	return error;
}

/* Back to a longer prefix, which must not be compact. */
static int go_back(struct straw_search *s, bool *possible, struct failure *f)
{
	bool misses = false;
	int error = 0;

	while (!error && !misses && s->upper < s->count) {
		s->upper += s->count / 4 + 1;
		if (s->upper > s->count)
			s->upper = s->count;
		error = straw_ask(s, s->upper, &misses, f);
	}
	*possible = misses && s->returns++ < MOST_RETURNS;
	return error;
}

int straw_find_members(struct straw_search *s, bool *complete,
		       struct failure *f)
{
	*complete = false;
	s->upper = s->count;
	while (s->found_count < STRAW_MOST_FOUND) {
		bool possible = true;
		size_t prefix = 0;
		int error = last_straw(s, &prefix, f);

		if (!error && !prefix)
			*complete = true;
		if (!error && prefix == SIZE_MAX)
			error = go_back(s, &possible, f);
		if (error || *complete || !possible)
			return error;
		if (prefix == SIZE_MAX)
			continue;
		s->found[s->found_count++] = s->candidates[prefix - 1];
		s->upper = prefix - 1;
		/* A taken candidate must not come again. */
		memmove(s->candidates + prefix - 1, s->candidates + prefix,
			(s->count - prefix) * sizeof(*s->candidates));
		s->count--;
	}
	return 0;
}
