// SPDX-License-Identifier: GPL-2.0
/* straw.c - members among candidates, the last straw first. */
#include "method/evset/minimal/straw.h"

#include <math.h>
#include <string.h>

/* Before anything is seen, so many members in such a share of the candidates. */
#define EXPECTED_MEMBERS 2
#define EXPECTED_SHARE 8
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

void straw_begin(struct straw_search *s, size_t upper)
{
	s->upper = upper;
	s->begin = upper;
	s->seen = EXPECTED_MEMBERS;
	s->among = upper / EXPECTED_SHARE + 1;
}

/*
 * The prefix of which the one that is looked for is as likely longer as not, if
 * it is longer than @low (-1: it may be none) and no longer than @high.
 *
 * Members lie anywhere, @seen of them among so many candidates behind; how many
 * more there are is not known, all numbers are as likely. Then none of them lies
 * behind x with a chance that goes as (end - x)^-seen.
 */
static ptrdiff_t split(const struct straw_search *s, ptrdiff_t low,
		       ptrdiff_t high)
{
	double end = (double)(s->begin + s->among);
	double behind = end - (double)high, seen = (double)s->seen, share = 0;
	ptrdiff_t at;

	if (low >= 0)
		share = pow(behind / (end - (double)low), seen);
	at = (ptrdiff_t)(end - behind * pow((1 + share) / 2, -1 / seen) + 0.5);
	return at <= low ? low + 1 : at >= high ? high - 1 : at;
}

/* Smallest prefix that is not compact; 0: the members found are not. */
static int last_straw(struct straw_search *s, size_t *prefix, struct failure *f)
{
	ptrdiff_t high = (ptrdiff_t)s->upper, low = -1;
	bool misses = true, confirmed = false;
	int error = 0;

	while (!error && high - low > 1) {
		ptrdiff_t at = split(s, low, high);

		error = straw_ask(s, (size_t)at, &misses, f);
		if (misses) {
			high = at;
			confirmed = true;
		} else {
			low = at;
		}
	}
	*prefix = (size_t)high;
	/* Nothing but what an earlier search has said speaks for it. */
	if (!error && !confirmed) {
		error = straw_ask(s, s->upper, &misses, f);
		if (!misses)
			*prefix = SIZE_MAX;
	}
	return error;
}

/* Back to a longer prefix, which must not be compact. */
static int go_back(struct straw_search *s, bool *possible, struct failure *f)
{
	size_t step = s->count / EXPECTED_SHARE + 1, upper = s->upper;
	bool misses = false;
	int error = 0;

	for (; !error && !misses && upper < s->count; step *= 2) {
		upper = s->count - upper > step ? upper + step : s->count;
		error = straw_ask(s, upper, &misses, f);
	}
	/* What has been found since is none of what is looked for. */
	straw_begin(s, upper);
	s->among = step;
	*possible = misses && s->returns++ < MOST_RETURNS;
	return error;
}

/* The candidate behind that a shorter prefix is compact. */
static void take(struct straw_search *s, size_t prefix)
{
	s->found[s->found_count++] = s->candidates[prefix - 1];
	/* A taken candidate must not come again. */
	memmove(s->candidates + prefix - 1, s->candidates + prefix,
		(s->count - prefix) * sizeof(*s->candidates));
	s->count--;
	s->seen++;
	s->upper = prefix - 1;
}

int straw_find_members(struct straw_search *s, bool *complete,
		       struct failure *f)
{
	bool first = true;

	*complete = false;
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
		take(s, prefix);
		/* How far from the end the first one lay tells nothing. */
		if (first)
			straw_begin(s, s->upper);
		first = false;
	}
	return 0;
}
