// SPDX-License-Identifier: GPL-2.0
/* verify.c - what a minimal set has to show before it counts. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/oracle.h"

size_t evset_pad(const struct evset_set *set, const uint64_t *lines,
		 size_t count, uint64_t *list)
{
	memcpy(list, lines, count * sizeof(*list));
	memcpy(list + count, set->padding, set->padding_count * sizeof(*list));
	return count + set->padding_count;
}

/* @lines first, then the padding. */
static int ask_padded(struct evset_oracle *o, const struct evset_set *set,
		      const uint64_t *lines, size_t count, const uint64_t *more,
		      size_t more_count, bool surely, enum verdict *verdict,
		      struct failure *f)
{
	size_t n = count + set->padding_count + more_count;
	uint64_t *list = calloc(n, sizeof(*list));
	int error;

	if (!list)
		return prober_out_of_memory(f);
	n = evset_pad(set, lines, count, list);
	if (more_count)
		memcpy(list + n, more, more_count * sizeof(*list));
	n += more_count;
	o->together = set->padding_count ? count : 0;
	o->in_order = more_count;
	error = evset_ask(o, list, n, surely, verdict, f);
	o->together = 0;
	o->in_order = false;
	free(list);
	return error;
}

int evset_ask_set(struct evset_oracle *o, const struct evset_set *set,
		  const uint64_t *lines, size_t count, bool surely,
		  enum verdict *verdict, struct failure *f)
{
	return ask_padded(o, set, lines, count, NULL, 0, surely, verdict, f);
}

/* All but line @without. */
static int ask_without(struct evset_oracle *o, const struct evset_set *set,
		       size_t without, enum verdict *verdict, struct failure *f)
{
	uint64_t rest[EVSET_MOST_WAYS + 1];
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++)
		if (i != without)
			rest[n++] = set->lines[i];
	return evset_ask_set(o, set, rest, n, true, verdict, f);
}

/* Padding of which a line belonged to the set would count for it. */
static int verify_padding(struct evset_oracle *o, const struct evset_set *set,
			  bool *good, struct failure *f)
{
	size_t half = set->padding_count / 2;
	int error = 0;

	for (int i = 0; !error && *good && half && i < 2; i++) {
		enum verdict verdict = VERDICT_UNDECIDED;
		struct evset_set part = *set;

		part.padding_count = i ? set->padding_count - half : half;
		memmove(part.padding, part.padding + (i ? half : 0),
			part.padding_count * sizeof(*part.padding));
		error = evset_ask_set(o, &part, part.lines, part.count, true,
				      &verdict, f);
		*good = verdict == VERDICT_NON_COMPACT;
	}
	return error;
}

int evset_verify(struct evset_oracle *o, const struct evset_set *set,
		 bool *good, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	*good = false;
	/* Without lines to clear them the levels above may add to the set, as
	 * exclusive ones that have the same sets do.
	 */
	if (!set->count ||
	    (o->clearing > 1 && set->padding_count < o->clearing))
		return 0;
	error = evset_ask_set(o, set, set->lines, set->count, true, &verdict,
			      f);
	*good = verdict == VERDICT_NON_COMPACT;
	for (size_t i = 0; !error && *good && i < set->count; i++) {
		error = ask_without(o, set, i, &verdict, f);
		*good = verdict == VERDICT_COMPACT;
	}
	if (!error && *good)
		error = verify_padding(o, set, good, f);
	*good &= !error;
	return error;
}

int evset_congruent(struct evset_oracle *o, const struct evset_set *set,
		    uint64_t line, bool surely, enum verdict *verdict,
		    struct failure *f)
{
	uint64_t lines[EVSET_MOST_WAYS + 1];

	memcpy(lines, set->lines, set->count * sizeof(*lines));
	lines[set->count - 1] = line;
	return evset_ask_set(o, set, lines, set->count, surely, verdict, f);
}

int evset_any_congruent(struct evset_oracle *o, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool surely,
			enum verdict *verdict, struct failure *f)
{
	return ask_padded(o, set, set->lines, set->count - 1, lines, count,
			  surely, verdict, f);
}
