// SPDX-License-Identifier: GPL-2.0
/* reduce.c - from candidates to a minimal set, by last straws. */
#include "method/evset/minimal/minimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Before anything is seen, so many members in such a share of the candidates. */
#define EXPECTED_MEMBERS 2
#define EXPECTED_SHARE 8
/* Wrong answers that a search may take back. */
#define MOST_RETURNS 20
/* Several sets may overflow at once; all but one are left out again. */
#define STRAW_MOST_FOUND 256

/**
 * struct straw_search - members among candidates, beside what is known already
 * @o: the oracle
 * @list: the members found, then candidates, then padding: what is asked for
 * @found: members at its beginning
 * @candidates: @upper of them suffice to be non-compact; @count in all
 * @padding: @padding_count lines beside
 * @returns: answers taken back
 * @begin: where the part ends that is searched now
 * @seen: members known behind @upper since, or expected
 * @among: so many candidates behind @begin are those that were expected
 */
struct straw_search {
	struct evset_oracle *o;
	uint64_t *list;
	uint64_t *found;
	size_t found_count;
	uint64_t *candidates;
	size_t count;
	size_t upper;
	const uint64_t *padding;
	size_t padding_count;
	int returns;
	size_t begin;
	size_t seen;
	size_t among;
};

/* Are the members found and the first @prefix candidates, beside the padding, not
 * compact?
 */
static int straw_ask(struct straw_search *s, size_t prefix, bool *misses,
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

/* @upper candidates are not compact beside what is found; how far from each other
 * members lie is not known.
 */
static void straw_begin(struct straw_search *s, size_t upper)
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

/* Members until they are not compact by themselves. *complete: they are, beside the
 * padding; false: answers contradicted each other too often.
 */
static int straw_find_members(struct straw_search *s, bool *complete,
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

/* The same, where a wrong @doubtful answer would take with it all that has been
 * found: it is asked for again.
 */
static int ask_doubting(struct straw_search *s, size_t prefix, bool doubtful,
			bool *misses, struct failure *f)
{
	int error = straw_ask(s, prefix, misses, f);

	if (!error && *misses == doubtful)
		error = straw_ask(s, prefix, misses, f);
	return error;
}

/* Lines of other sets that overflow, too, or that wrong answers have brought
 * in, can be left out.
 */
static int prune(struct straw_search *s, struct failure *f)
{
	size_t all = s->found_count;
	int error = 0;

	for (size_t i = 0; !error && i < all; i++) {
		uint64_t first = s->found[0];
		bool misses = false;

		s->found_count--;
		memmove(s->found, s->found + 1,
			s->found_count * sizeof(*s->found));
		error = ask_doubting(s, 0, true, &misses, f);
		if (!misses)
			s->found[s->found_count++] = first;
	}
	return error;
}

/* Are the lines found compact beside padding from @from on, @count of it? */
static int ask_part(struct straw_search *s, const struct evset_set *set,
		    size_t from, size_t count, bool *misses, struct failure *f)
{
	s->padding = set->padding + from;
	s->padding_count = count;
	return straw_ask(s, 0, misses, f);
}

/* A line of the padding that is missed belongs to the set. */
static int clean_padding(struct straw_search *s, struct evset_set *set,
			 struct failure *f)
{
	size_t half = set->padding_count / 2;
	bool one = false, other = false;
	int error = ask_part(s, set, 0, half, &one, f);

	if (!error)
		error = ask_part(s, set, half, set->padding_count - half,
				 &other, f);
	if (one && other)
		return error;
	for (size_t i = set->padding_count; !error && i-- > 0;) {
		uint64_t line = set->padding[i];
		bool misses = false;

		/* The last one takes its place while it is tried. */
		set->padding[i] = set->padding[set->padding_count - 1];
		set->padding[set->padding_count - 1] = line;
		s->padding = set->padding;
		s->padding_count = set->padding_count - 1;
		error = ask_doubting(s, 0, false, &misses, f);
		if (error || misses || s->found_count == STRAW_MOST_FOUND)
			continue;
		set->padding_count--;
		s->found[s->found_count++] = line;
	}
	return error;
}

/* What is left of the candidates is hardly of the same set, since each member
 * was needed: now it can be the padding, in place of lines nobody knows.
 */
static int exchange_padding(struct straw_search *s, struct evset_set *set,
			    bool *complete, struct failure *f)
{
	uint64_t *unknown = s->candidates + s->count;
	size_t known = s->count, unknown_count = s->padding_count;
	bool misses = false;
	int error;

	if (known > EVSET_MOST_PADDING)
		known = EVSET_MOST_PADDING;
	if (known > evset_padding(s->o))
		known = evset_padding(s->o);
	memcpy(set->padding, s->candidates + s->count - known,
	       known * sizeof(*set->padding));
	set->padding_count = known;
	memmove(unknown, s->padding, unknown_count * sizeof(*unknown));
	s->candidates = unknown;
	s->count = unknown_count;
	s->padding = set->padding;
	s->padding_count = known;
	error = ask_doubting(s, s->count, false, &misses, f);
	*complete = false;
	if (error || !misses)
		return error;
	straw_begin(s, s->count);
	return straw_find_members(s, complete, f);
}

int evset_reduce(struct evset_oracle *o, uint64_t *lines, size_t count,
		 struct evset_set *set, struct failure *f)
{
	struct straw_search s = { .o = o };
	size_t padding = o->clearing > 1 ? evset_padding(o) : 0;
	bool complete = false;
	int error;

	*set = (struct evset_set){ .count = 0 };
	if (count < 2)
		return 0;
	if (padding > count / 2)
		padding = count / 2;
	s.list = calloc(count + EVSET_MOST_PADDING + 2 * STRAW_MOST_FOUND,
			sizeof(*s.list));
	if (!s.list)
		return prober_out_of_memory(f);
	/* What is asked for lies in front of what is remembered. */
	s.found = s.list + count + EVSET_MOST_PADDING + STRAW_MOST_FOUND;
	s.candidates = lines;
	s.count = count - padding;
	s.padding = lines + s.count;
	s.padding_count = padding;
	straw_begin(&s, s.count);
	error = straw_find_members(&s, &complete, f);
	if (!error && complete && padding)
		error = exchange_padding(&s, set, &complete, f);
	if (!error && complete)
		error = prune(&s, f);
	if (!error && complete && padding)
		error = clean_padding(&s, set, f);
	if (!error && complete && s.found_count <= EVSET_MOST_WAYS + 1) {
		memcpy(set->lines, s.found, s.found_count * sizeof(*s.found));
		set->count = s.found_count;
	}
	free(s.list);
	return error;
}
