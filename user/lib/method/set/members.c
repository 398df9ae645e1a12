// SPDX-License-Identifier: GPL-2.0
#include "method/set/members.h"
#include "method/set/tuning.h"

#include <stdlib.h>
#include <string.h>

int set_members_confirm(struct set_members *s, uint64_t *lines, size_t *count,
			struct failure *f)
{
	const struct evset_set *set = s->set;
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		enum verdict verdict = VERDICT_NON_COMPACT;
		int error = 0;

		if (evset_holds(set->evictors, set->evictor_count, lines[i]))
			continue;
		if (!evset_holds(set->lines, set->count, lines[i]))
			error = evset_congruent(s->o, set, lines[i], true,
						&verdict, f);
		if (error)
			return error;
		if (verdict == VERDICT_NON_COMPACT)
			lines[kept++] = lines[i];
	}
	*count = kept;
	return 0;
}

static void shuffle(struct set_members *s, size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t j = rng_below(s->rng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

/* @size of the lines from a place of a random order on, going round. */
static int ask_choice(struct set_members *s, const uint64_t *lines,
		      const size_t *order, size_t count, size_t from,
		      size_t size, enum verdict *verdict, struct failure *f)
{
	uint64_t chosen[EVSET_MOST_WAYS + 1];

	for (size_t i = 0; i < size; i++)
		chosen[i] = lines[order[(from + i) % count]];
	return evset_ask_set(s->o, s->set, chosen, size, true, verdict, f);
}

int set_members_check(struct set_members *s, const uint64_t *lines,
		      size_t count, enum outcome *outcome, struct failure *f)
{
	size_t order[SET_MEMBERS_MOST], over = s->set->count;
	enum verdict verdict = VERDICT_UNDECIDED;

	*outcome = outcome_if(count >= over && count <= SET_MEMBERS_MOST,
			      OUTCOME_OPEN);
	for (int i = 0; *outcome == OUTCOME_DECIDED && i < CHOICES; i++) {
		shuffle(s, order, count);
		for (size_t at = 0; *outcome == OUTCOME_DECIDED && at < count;
		     at += over) {
			int error = ask_choice(s, lines, order, count, at, over,
					       &verdict, f);

			*outcome = outcome_if(verdict == VERDICT_NON_COMPACT,
					      OUTCOME_OPEN);
			if (!error && *outcome == OUTCOME_DECIDED) {
				error = ask_choice(s, lines, order, count, at,
						   over - 1, &verdict, f);
				*outcome =
					outcome_if(verdict == VERDICT_COMPACT,
						   OUTCOME_OPEN);
			}
			if (error)
				return error;
		}
	}
	return 0;
}

/**
 * struct clearing - lines that clear, being collected
 * @lines: of them, behind the padding of the set
 * @count: their number
 * @rejected: in a row
 */
struct clearing {
	uint64_t *lines;
	size_t count;
	size_t rejected;
};

/* Add a chunk of candidates if all of it fits; otherwise parts of it. */
static int try_chunk(struct set_members *s, struct clearing *c, size_t *chunk,
		     size_t *taken, struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = evset_any_congruent(s->o, s->set, c->lines,
					c->count + *chunk, false, &verdict, f);

	*taken = *chunk;
	if (error)
		return error;
	if (verdict == VERDICT_COMPACT) {
		c->count += *chunk;
		c->rejected = 0;
		*chunk = *chunk < MOST_CHUNK ? 2 * *chunk : MOST_CHUNK;
	} else if (*chunk > 1) {
		*taken = 0;
		*chunk /= 2;
	} else {
		c->rejected++;
	}
	return 0;
}

static int collect(struct set_members *s, struct clearing *c,
		   const uint64_t *candidates, size_t count, size_t most,
		   struct failure *f)
{
	size_t chunk = FIRST_CHUNK, next = 0;
	int error = 0;

	while (!error && c->count < most && next < count &&
	       c->rejected < MOST_REJECTED) {
		size_t taken = 0;

		if (chunk > most - c->count)
			chunk = most - c->count;
		if (chunk > count - next)
			chunk = count - next;
		memcpy(c->lines + c->count, candidates + next,
		       chunk * sizeof(*candidates));
		error = try_chunk(s, c, &chunk, &taken, f);
		next += taken;
	}
	return error;
}

/*
 * Checked together with other lines of the set each time, by the most reliable
 * test.
 */
static int check_clearing(struct set_members *s, const uint64_t *members,
			  size_t member_count, const struct clearing *c,
			  enum outcome *outcome, struct failure *f)
{
	struct evset_set other = *s->set;

	*outcome = OUTCOME_DECIDED;
	for (int i = 0; *outcome == OUTCOME_DECIDED && i < CLEAR_CHECKS; i++) {
		size_t from = rng_below(s->rng, member_count);
		enum verdict verdict = VERDICT_UNDECIDED;
		int error;

		for (size_t j = 0; j < other.count; j++)
			other.lines[j] = members[(from + j) % member_count];
		error = evset_any_congruent(s->o, &other, c->lines, c->count,
					    true, &verdict, f);
		*outcome = outcome_if(!error && verdict == VERDICT_COMPACT,
				      OUTCOME_OPEN);
		if (error)
			return error;
	}
	return 0;
}

/* Neither lines of the set nor such as clear already. */
static size_t leave_out(const struct set_members *s, const uint64_t *members,
			size_t member_count, const uint64_t *candidates,
			size_t candidate_count, uint64_t *left)
{
	size_t n = 0;

	for (size_t i = 0; i < candidate_count; i++)
		if (!evset_holds(members, member_count, candidates[i]) &&
		    !evset_holds(s->set->lines, s->set->count, candidates[i]) &&
		    !evset_holds(s->set->evictors, s->set->evictor_count,
				 candidates[i]))
			left[n++] = candidates[i];
	return n;
}

int set_members_clear(struct set_members *s, const uint64_t *members,
		      size_t member_count, const uint64_t *candidates,
		      size_t candidate_count, uint64_t *lines, size_t most,
		      size_t *count, struct failure *f)
{
	size_t evictors = s->set->evictor_count, left_count;
	struct clearing c = { .lines = lines + evictors };
	uint64_t *left = calloc(candidate_count + 1, sizeof(*left));
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	*count = 0;
	if (!left)
		return prober_out_of_memory(f);
	memcpy(lines, s->set->evictors, evictors * sizeof(*lines));
	left_count = leave_out(s, members, member_count, candidates,
			       candidate_count, left);
	if (most > evictors)
		error = collect(s, &c, left, left_count, most - evictors, f);
	free(left);
	for (int i = 0; !error && outcome != OUTCOME_DECIDED && i < CLEAR_TRIES;
	     i++) {
		if (i)
			c.count -= c.count / CLEAR_LESS;
		error = check_clearing(s, members, member_count, &c, &outcome,
				       f);
	}
	*count = outcome == OUTCOME_DECIDED ? evictors + c.count : 0;
	return error;
}
