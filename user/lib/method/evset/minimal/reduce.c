// SPDX-License-Identifier: GPL-2.0
/* reduce.c - from candidates to a minimal set, by last straws. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/straw.h"

/* No level has so few lines that it pays to ask for fewer. */
#define FIRST_LIST 16
/* What is looked for begins in so small a share of a list's end. */
#define COARSE 16

int evset_ask(struct evset_oracle *o, const uint64_t *lines, size_t count,
	      bool surely, enum verdict *verdict, struct failure *f)
{
	*verdict = VERDICT_COMPACT;
	if (!count)
		return 0;
	o->tests++;
	o->accesses += count;
	return o->compact(o->context, lines, count, surely, verdict, f);
}

size_t evset_padding(const struct evset_oracle *o)
{
	return (o->more_padding ? 3 : 2) * o->clearing;
}

void evset_pause(const struct evset_oracle *o)
{
	if (o->pause)
		o->pause(o->context);
}

/* Twice as long until one is not compact, then closer to where that begins. */
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
		/* One moment's disturbance is none of the next. */
		if (!error && !again && low < high)
			error = evset_ask(o, lines, high, false, &verdict, f);
		if (again || verdict == VERDICT_NON_COMPACT)
			*length = high;
		else
			low = high;
	}
	return error;
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
