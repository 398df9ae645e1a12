// SPDX-License-Identifier: GPL-2.0
/* next_class.c - one more minimal set of lines that are being sorted. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/minimal.h"
#include "method/evset/sort/sorting.h"

#define LEAST_GROUP 2
void evset_choose_group(struct sorting *s, size_t prefix)
{
	s->group = prefix / s->c->ways;
	if (s->group > EVSET_MOST_GROUP)
		s->group = EVSET_MOST_GROUP;
	if (s->group < LEAST_GROUP)
		s->group = LEAST_GROUP;
}

/* Some lines of each known class, behind candidates: then neither the evictors
 * nor what replaces them is of the new set. Early on there are too few of them;
 * then many unknown classes are left to come from.
 */
static size_t add_known(const struct evset_classes *c, size_t wanted,
			uint64_t *lines)
{
	size_t most = c->count * (c->ways * 3 / 4);
	size_t left = c->line_count - c->begin[c->count], n = 0;

	if (wanted > most && left >= wanted)
		return 0;
	for (size_t i = 0; n < wanted && i < most; i++) {
		size_t k = i % c->count, at = i / c->count;

		/* A class that was purified may have few lines left. */
		if (at < evset_class_lines(c, k))
			lines[n++] = c->lines[c->begin[k] + at];
	}
	return n;
}

/*
 * Candidates of which some set overflows: remaining lines in front of known
 * lines, without which few lines would hit above. *count 0: none.
 *
 * For the search of the prefix half as many known lines lie in front: with all
 * of them the first list, twice as long, would be compared with control lines
 * of its own pages; if many lines of the last class remain, those do not fit
 * either.
 */
static int gather(struct sorting *s, uint64_t *lines, size_t *count,
		  struct failure *f)
{
	const struct evset_classes *c = s->c;
	const uint64_t *rest = c->lines + c->begin[c->count];
	size_t left = c->line_count - c->begin[c->count], length = 0;
	size_t least = s->o->upper_evictors > 1 ? s->o->upper_evictors : 1;
	size_t known = least > 1 ? add_known(c, 4 * least, lines) : 0;
	size_t front = known / 2;
	int error = 0;

	*count = 0;
	if (front > least)
		least = front;
	memcpy(lines + front, rest, left * sizeof(*rest));
	if (front + left > least)
		error = evset_overflow(s->o, lines, front + left, least,
				       &length, f);
	if (error || !length)
		return error;
	/* A shortest prefix that is just slow enough may not be slow again. */
	length -= front;
	length += length / 16;
	if (length > left)
		length = left;
	evset_choose_group(s, length);
	memcpy(lines, rest, length * sizeof(*rest));
	*count = length + (known ? add_known(c, known, lines + length) : 0);
	return 0;
}

int evset_next_set(struct sorting *s, struct evset_set *set, bool *overflows,
		   struct failure *f)
{
	const struct evset_classes *c = s->c;
	size_t left = c->line_count - c->begin[c->count], count = 0;
	uint64_t *lines =
		calloc(left + 4 * s->o->upper_evictors + 1, sizeof(*lines));
	int error;

	set->count = 0;
	if (!lines)
		return prober_out_of_memory(f);
	error = gather(s, lines, &count, f);
	*overflows = count;
	if (!error && count)
		error = evset_reduce(s->o, lines, count, set, f);
	free(lines);
	return error ? error : evset_check_minimal(s, set, f);
}
