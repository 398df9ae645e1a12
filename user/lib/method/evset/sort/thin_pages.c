// SPDX-License-Identifier: GPL-2.0

#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/minimal.h"
#include "method/evset/sort/sorting.h"

/* A class that overflows misses in at least this many sets: more than all lines
 * of one set and of a neighbour.
 */
#define LEAST_PLACES 16
/* Pages among which members are searched, per overflowing ones: about twice as
 * many members as a set has ways.
 */
#define POOL_TIMES 5
/* Choices of members that also have to overflow with half of their lines, and
 * how many are tried: some pages may be no members.
 */
#define CHOICES 6
#define MOST_CHOICES 24
#define ATTEMPTS 3

/**
 * struct thinning - pages of one class
 * @b: the oracle
 * @set: a minimal set
 * @members: all that were found, @count of them
 * @choices: of as many members as overflow, @choice_count of them
 */
struct thinning {
	struct evset_page_oracle *b;
	struct evset_set set;
	uint64_t *members;
	size_t count;
	struct evset_set choices[CHOICES];
	size_t choice_count;
};

/* The pages of the lines of a set in front of others; or any pages, of which
 * some set overflows.
 */
static size_t begin_list(const struct thinning *t, const struct evset_set *set,
			 const struct evset_classes *c, uint64_t *list)
{
	size_t known = set ? set->count : 0, n = 0;
	size_t most = set ? known + 4 * t->b->o.upper_evictors : c->line_count;

	for (; n < known; n++)
		list[n] = set->lines[n] -
			  set->lines[n] % t->b->e->window.low_bytes;
	for (size_t i = 0; i < c->line_count && n < most; i++)
		if (!evset_holds(list, known, c->lines[i]))
			list[n++] = c->lines[i];
	return n;
}

/* A minimal set of pages, and more pages of its class. */
static int find_class(struct thinning *t, struct sorting *s,
		      const struct evset_set *set, struct failure *f)
{
	const struct evset_classes *c = s->c;
	struct evset_oracle *o = s->o;
	uint64_t *list = calloc(EVSET_MOST_WAYS + 1 + 4 * o->upper_evictors +
					c->line_count,
				sizeof(*list));
	enum verdict verdict = VERDICT_UNDECIDED;
	size_t n;
	int error = 0;

	if (!list)
		return prober_out_of_memory(f);
	n = begin_list(t, set, c, list);
	if (!set)
		error = evset_overflow(o, list, n, o->upper_evictors, &n, f);
	if (!error && n)
		error = evset_ask(o, list, n, false, &verdict, f);
	if (!error && verdict == VERDICT_NON_COMPACT)
		error = evset_reduce(o, list, n, &t->set, f);
	free(list);
	if (!error && t->set.count)
		error = evset_check_minimal(s, &t->set, f);
	if (error || !t->set.count)
		return error;
	return evset_sweep(s, &t->set, t->members, &t->count, f);
}

/* Pages that could not be sorted are thinned once more: then one half of some
 * bits is left out already.
 */
static bool is_left_out(const struct evset_page_oracle *b, uint64_t bit)
{
	size_t with = 0;

	for (size_t i = 0; i < b->lines_per_page; i++)
		with += (b->places[i] & bit) != 0;
	return !with || with == b->lines_per_page;
}

/* Only the places without a bit of the offset, or those with it. */
static void leave_out(struct evset_page_oracle *b, uint64_t bit, uint64_t value)
{
	size_t n = 0;

	for (size_t i = 0; i < b->lines_per_page; i++)
		if ((b->places[i] & bit) == value)
			b->places[n++] = b->places[i];
	b->lines_per_page = n;
	evset_page_oracle_forget(b);
}

static int choose(struct thinning *t, struct failure *f)
{
	struct sequence all = { t->members, t->count };
	double misses[CHOICES];
	int error = 0;

	t->choice_count = 0;
	for (int i = 0; !error && i < MOST_CHOICES && t->choice_count < CHOICES;
	     i++) {
		struct evset_set *choice = &t->choices[t->choice_count];
		enum outcome outcome = OUTCOME_OPEN;

		sequence_shuffle(&all, &t->b->e->x->prober->rng);
		*choice = t->set;
		memcpy(choice->lines, t->members,
		       choice->count * sizeof(*choice->lines));
		error = evset_overflows(&t->b->o, choice, false, &outcome, f);
		misses[t->choice_count] = t->b->misses;
		t->choice_count += outcome == OUTCOME_DECIDED;
	}
	if (t->choice_count == CHOICES)
		t->b->typical_misses =
			statistics_quantile(misses, CHOICES, 0.5) /
			(double)t->b->lines_per_page;
	return error;
}

/* If any choice of members overflows with half of the lines of each page,
 * members share sets in the same half of each page.
 */
static int all_overflow(struct thinning *t, enum outcome *outcome,
			struct failure *f)
{
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (size_t i = 0;
	     !error && *outcome == OUTCOME_DECIDED && i < t->choice_count; i++)
		error = evset_overflows(&t->b->o, &t->choices[i], false,
					outcome, f);
	return error;
}

static int try_bits(struct thinning *t, struct failure *f)
{
	struct evset_page_oracle *b = t->b;
	int error = 0;

	for (uint64_t bit = b->e->window.low_bytes / 2;
	     !error && bit >= b->line_bytes && b->lines_per_page > LEAST_PLACES;
	     bit /= 2) {
		uint64_t side = rng_below(&b->e->x->prober->rng, 2) ? bit : 0;
		struct evset_page_oracle before = *b;
		enum outcome outcome = OUTCOME_OPEN;

		if (is_left_out(b, bit))
			continue;
		leave_out(b, bit, side);
		error = all_overflow(t, &outcome, f);
		if (outcome == OUTCOME_DECIDED)
			continue;
		memcpy(b->places, before.places, sizeof(b->places));
		b->lines_per_page = before.lines_per_page;
		evset_page_oracle_forget(b);
	}
	return error;
}

/* The given members share a set at one offset, and perhaps only there; swept
 * members share sets at any offset. If a neighbour holds lines in the sets of
 * the given class, another class may work.
 */
static int find_choices(struct thinning *t, struct sorting *s,
			const struct evset_set *set, struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < ATTEMPTS && t->choice_count < CHOICES;
	     i++) {
		struct sequence all = { s->c->lines, s->c->line_count };

		/* Among other pages now. */
		sequence_shuffle(&all, &t->b->e->x->prober->rng);
		t->count = 0;
		error = find_class(t, s, i % 2 ? NULL : set, f);
		if (!error && t->set.count == set->count &&
		    t->count > set->count)
			error = choose(t, f);
	}
	return error;
}

int evset_thin_pages(struct evset_page_oracle *b, const struct evset_set *set,
		     const uint64_t *pages, size_t count, size_t prefix,
		     enum outcome *outcome, struct failure *f)
{
	struct thinning t = { .b = b };
	struct evset_classes c = { .ways = set->count - 1,
				   .line_count = prefix * POOL_TIMES };
	struct sorting s = { .o = &b->o, .c = &c };
	int error = 0;

	if (c.line_count > count)
		c.line_count = count;
	c.lines = calloc(c.line_count, sizeof(*c.lines));
	t.members = calloc(c.line_count + set->count, sizeof(*t.members));
	if (c.lines && t.members) {
		memcpy(c.lines, pages, c.line_count * sizeof(*c.lines));
		evset_choose_group(&s, prefix);
		error = find_choices(&t, &s, set, f);
	} else {
		error = prober_out_of_memory(f);
	}
	*outcome =
		outcome_if(!error && t.choice_count == CHOICES, OUTCOME_OPEN);
	if (*outcome == OUTCOME_DECIDED)
		error = try_bits(&t, f);
	free(c.lines);
	free(t.members);
	return error;
}
