// SPDX-License-Identifier: GPL-2.0
/* rate_masks.c - more lines of a few sets, and the masks inside a page from
 * these.
 */
#include <stdlib.h>
#include <string.h>

#include "method/evset/count/page_masks.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/oracle/per_load.h"
#include "method/level/host_pages.h"

/* Classes, of lines that overflow clearly and some to be moved. */
#define CLASSES 4
/* Groups of which one should be congruent. */
#define DRAWS 64
/* Failures before the search for members ends. */
#define MISSES_MOST 4
/* Undecided groups in a row: the set is contended. */
#define UNCLEAR_MOST 5

/* The half of a group that overflows the set, until one line is left. */
static int halve(struct evset_rate *r, uint64_t *lines, size_t count,
		 enum outcome *outcome, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	while (!error && count > 1) {
		const size_t half = count / 2;

		error = evset_rate_ask(r, lines, half, false, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			memmove(lines, lines + half,
				(count - half) * sizeof(*lines));
		count = verdict == VERDICT_COMPACT ? count - half : half;
	}
	if (!error)
		error = evset_rate_ask(r, lines, 1, false, &verdict, f);
	*outcome = outcome_if(!error && verdict == VERDICT_NON_COMPACT,
			      OUTCOME_OPEN);
	return error;
}

/*
 * One more line of the set, out of random ones. Nothing is drawn: a wrong line
 * is one that masks do not predict, and more lines overflow than are needed.
 */
static int find_member(struct evset_rate *r, uint64_t *line,
		       enum outcome *outcome, int *unclear, struct failure *f)
{
	uint64_t lines[EVSET_RATE_GROUP];
	int error = 0;

	*outcome = OUTCOME_OPEN;
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED && i < DRAWS &&
			*unclear < UNCLEAR_MOST;
	     i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		evset_rate_draw(r, 0, lines);
		error = evset_rate_ask(r, lines, r->group, false, &verdict, f);
		*unclear = verdict == VERDICT_UNDECIDED ? *unclear + 1 : 0;
		if (!error && verdict == VERDICT_NON_COMPACT)
			error = halve(r, lines, r->group, outcome, f);
	}
	if (*outcome == OUTCOME_DECIDED)
		*line = lines[0];
	return error;
}

int evset_rate_members(struct evset_rate *r, size_t wanted, uint64_t *lines,
		       size_t *count, struct failure *f)
{
	int error = 0, misses = 0, unclear = 0;

	*count = r->moved.count;
	memcpy(lines, r->moved.lines, *count * sizeof(*lines));
	while (!error && *count < wanted && misses < MISSES_MOST &&
	       unclear < UNCLEAR_MOST) {
		uint64_t line = 0;
		enum outcome outcome = OUTCOME_OPEN;

		error = find_member(r, &line, &outcome, &unclear, f);
		if (outcome == OUTCOME_DECIDED &&
		    !evset_holds(lines, *count, line))
			lines[(*count)++] = line;
		else
			misses++;
	}
	return error;
}

static int add_classes(struct evset_rate *each, size_t count,
		       struct evset_classes *c, size_t wanted,
		       struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < count && c->count < CLASSES; k++) {
		const size_t begin = c->begin[c->count];
		size_t lines = 0;

		/* The set has become contended. */
		if (each[k].wrong)
			continue;
		error = evset_rate_members(&each[k], wanted, c->lines + begin,
					   &lines, f);
		if (error || lines < wanted)
			continue;
		c->sets[c->count++] = each[k].moved;
		c->begin[c->count] = begin + lines;
	}
	c->line_count = c->begin[c->count];
	return error;
}

int evset_rate_masks(struct evset_machine *e, struct evset_rate *each,
		     size_t count, uint64_t line_bytes,
		     struct index_function *found, struct failure *f)
{
	const size_t ways = each[0].moved.count - 1;
	const size_t wanted = EVSET_OVERFULL(ways) + EVSET_MOVED_LINES;
	struct evset_classes c = {
		.ways = ways,
		.lines = calloc(CLASSES * wanted, sizeof(*c.lines)),
		.sets = calloc(CLASSES, sizeof(*c.sets)),
	};
	const struct evset_sorted_lines in = {
		.e = e,
		.c = &c,
		.line_bytes = line_bytes,
		.page_bytes = HOST_PAGES_BYTES,
	};
	uint64_t *lines = c.lines;
	int error = lines && c.sets ? 0 : prober_out_of_memory(f);

	if (!error)
		error = add_classes(each, count, &c, wanted, f);
	if (!error)
		error = evset_page_masks(&in, e->x->prober->mask_pairs, found,
					 f);
	evset_classes_free(&c);
	free(lines);
	return error;
}
