// SPDX-License-Identifier: GPL-2.0
/*
 * rank.c - the number of sets of an index that is linear over GF(2) in each
 * block of contiguous memory: two to the power of its rank.
 *
 * No more: each address bit of a block that is not in the basis is undone by
 * some bits of the basis, shown with lines of its own, and any line shares a
 * set with a combination of the basis. No fewer: A lines in each of that many
 * sets fit, all at once.
 */
#include "method/evset/count/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^14 sets of one class of the levels above are 64 MiB of cache and more. */
#define MOST_HIGH_BITS 14
#define FEW_LINES 256
/* If a bit were wrong, one in two would not be in the set. */
#define NULL_SAMPLES 20
/* With one set more than 2^6 known ones: 1 - (64/65)^60 = 60 %; with twice as
 * many: 1 - 2^-60.
 */
#define COVER_SAMPLES 60
/* Places tried for the evictors of lines that differ in low bits. */
#define MOVES 4

/* The evictors again, moved so that they evict lines that differ from the set
 * in low bits from the levels above; @moved 0: not needed.
 */
static size_t add_moved(const struct linear *l, uint64_t moved, uint64_t *lines,
			size_t count)
{
	const struct evset_set *set = l->set;
	size_t n = count;

	for (size_t i = 0; moved && i < set->evictor_count; i++) {
		lines[n] = evset_move_line(l->e, set->evictors[i], moved);
		n += !evset_holds(lines, count, lines[n]);
	}
	return n;
}

/* Is one of some lines congruent (NON_COMPACT)? The evictors are not.
 * @lines: room for the moved evictors behind them
 */
static int any_congruent(struct linear *l, uint64_t *lines, size_t count,
			 uint64_t moved, bool final, enum verdict *verdict,
			 struct failure *f)
{
	size_t n = 0;

	*verdict = VERDICT_COMPACT;
	for (size_t i = 0; i < count; i++) {
		if (evset_holds(l->set->lines, l->set->count, lines[i]))
			*verdict = VERDICT_NON_COMPACT;
		if (!evset_holds(l->set->evictors, l->set->evictor_count,
				 lines[i]))
			lines[n++] = lines[i];
	}
	if (*verdict == VERDICT_NON_COMPACT || !n)
		return 0;
	n = add_moved(l, moved, lines, n);
	return evset_any_congruent(&l->e->o, l->set, lines, n, final, verdict,
				   f);
}

/* How far to move the evictors for lines @low bytes away; none of them may get
 * into the set. *moved 0: there is no such distance.
 */
static int choose_moved(struct linear *l, uint64_t low, uint64_t *moved,
			struct failure *f)
{
	struct evset_machine *e = l->e;
	uint64_t places = e->window.bytes / e->window.low_bytes;
	uint64_t lines[EVSET_MOST_EVICTORS];
	int error = 0;

	*moved = 0;
	for (int i = 0; !error && low && !*moved && i < MOVES; i++) {
		enum verdict verdict = VERDICT_COMPACT;
		uint64_t by = low ^ rng_below(&e->x->prober->rng, places) *
					    e->window.low_bytes;
		size_t n = add_moved(l, by, lines, 0);

		if (n)
			error = evset_any_congruent(&e->o, l->set, lines, n,
						    true, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			*moved = by;
	}
	return error;
}

/* The first of two halves that has a congruent line, and so on. */
static int bisect(struct linear *l, uint64_t *lines, size_t n, uint64_t moved,
		  uint64_t *line, struct failure *f)
{
	uint64_t *copy = lines + n;
	int error = 0;

	while (!error && n > 1) {
		enum verdict first;

		memcpy(copy, lines, n / 2 * sizeof(*lines));
		error = any_congruent(l, copy, n / 2, moved, false, &first, f);
		if (first != VERDICT_NON_COMPACT)
			lines += n / 2;
		n /= 2;
	}
	*line = *lines;
	return error;
}

/*
 * Does a bit have the effect of a combination of the basis? Then that
 * combination is found, and shown with a line of its own.
 */
static int depends(struct linear *l, uint64_t bit, enum verdict *dependent,
		   uint64_t *like, struct failure *f)
{
	size_t n = evset_span(l->e,
			      evset_move_line(l->e, l->set->lines[0], bit),
			      l->basis, l->basis_count, l->lines);
	uint64_t *copy = l->lines + n, line = 0, moved;
	int error = choose_moved(l, bit % l->e->window.low_bytes, &moved, f);

	*dependent = VERDICT_UNDECIDED;
	memcpy(copy, l->lines, n * sizeof(*copy));
	if (!error)
		error = any_congruent(l, copy, n, moved, n <= FEW_LINES,
				      dependent, f);
	if (!error && *dependent == VERDICT_NON_COMPACT)
		error = bisect(l, l->lines, n, moved, &line, f);
	if (error || *dependent != VERDICT_NON_COMPACT)
		return error;
	*like = (line - l->e->window.begin) ^ l->base ^ bit;
	*copy = line;
	return any_congruent(l, copy, 1, moved, true, dependent, f);
}

/* Every combination that should keep the set does, from any of its lines. */
static int check_null_space(struct linear *l, enum outcome *outcome,
			    struct failure *f)
{
	struct rng *rng = &l->e->x->prober->rng;
	uint64_t lines[1 + EVSET_MOST_EVICTORS], moved;
	int error = 0;

	*outcome = outcome_if(l->null_count > 0, OUTCOME_OPEN);
	for (int i = 0;
	     !error && *outcome == OUTCOME_DECIDED && i < NULL_SAMPLES; i++) {
		enum verdict any = VERDICT_UNDECIDED;
		uint64_t by = 0;

		for (size_t j = 0; j < l->null_count; j++)
			if (rng_below(rng, 2))
				by ^= l->null[j];
		lines[0] = evset_move_line(
			l->e, l->set->lines[rng_below(rng, l->set->count)], by);
		error = choose_moved(l, by % l->e->window.low_bytes, &moved, f);
		if (!error)
			error = any_congruent(l, lines, 1, moved, true, &any,
					      f);
		*outcome = outcome_if(any == VERDICT_NON_COMPACT, OUTCOME_OPEN);
	}
	return error;
}

/* Any line of the window can be moved into the set. */
static int check_cover(struct linear *l, enum outcome *outcome,
		       struct failure *f)
{
	struct evset_machine *e = l->e;
	uint64_t places = e->window.bytes / e->window.low_bytes;
	int error = 0;

	for (int i = 0;
	     !error && *outcome == OUTCOME_DECIDED && i < COVER_SAMPLES; i++) {
		enum verdict any;
		uint64_t line = e->window.begin +
				l->base % e->window.low_bytes +
				rng_below(&e->x->prober->rng, places) *
					e->window.low_bytes;
		size_t n = evset_span(l->e, line, l->basis, l->high_count,
				      l->lines);

		error = any_congruent(l, l->lines, n, 0, n <= FEW_LINES, &any,
				      f);
		*outcome = outcome_if(any == VERDICT_NON_COMPACT, OUTCOME_OPEN);
	}
	return error;
}

/* Each address bit distinguishes sets, or other bits undo it. */
static int sort_bit(struct linear *l, uint64_t bit, bool *hashed,
		    struct failure *f)
{
	enum verdict verdict;
	uint64_t like = 0;
	int error = depends(l, bit, &verdict, &like, f);
	const bool dependent = verdict == VERDICT_NON_COMPACT;

	if (error)
		return error;
	*hashed |= dependent && like;
	if (dependent && l->null_count < LINEAR_VECTORS)
		l->null[l->null_count++] = bit ^ like;
	else if (!dependent && l->basis_count < LINEAR_VECTORS)
		l->basis[l->basis_count++] = bit;
	return 0;
}

static int sort_bits(struct linear *l, uint64_t line_bytes, bool *hashed,
		     struct failure *f)
{
	uint64_t low[LINEAR_VECTORS] = { 0 };
	size_t low_count = 0;
	int error = 0;

	for (uint64_t b = l->e->window.low_bytes;
	     !error && b < l->block_bytes && l->basis_count < MOST_HIGH_BITS;
	     b *= 2)
		error = sort_bit(l, b, hashed, f);
	/* Lines that differ in low bits do not share sets above: the few that
	 * share the set are found among those that differ in high bits.
	 */
	l->high_count = l->basis_count;
	for (uint64_t b = line_bytes; !error && b < l->e->window.low_bytes;
	     b *= 2) {
		error = sort_bit(l, b, hashed, f);
		if (l->basis_count > l->high_count)
			low[low_count++] = b;
		l->basis_count = l->high_count;
	}
	for (size_t i = 0; i < low_count && l->basis_count < LINEAR_VECTORS;
	     i++)
		l->basis[l->basis_count++] = low[i];
	return error;
}

static void say_why(const struct linear *l, enum outcome linear,
		    enum outcome covered, struct evset_count *c)
{
	if (linear != OUTCOME_DECIDED)
		snprintf(
			c->reason, sizeof(c->reason),
			"the index is no linear function of address bits up to %llu KiB",
			(unsigned long long)l->block_bytes / 1024);
	else if (covered != OUTCOME_DECIDED)
		snprintf(
			c->reason, sizeof(c->reason),
			"some lines share a set with none of those that differ in %zu address bits",
			l->high_count);
	else
		snprintf(
			c->reason, sizeof(c->reason),
			"%zu address bits distinguish sets, but lines that differ in them %s",
			l->basis_count,
			linear_is_long(l) ? "are more than are walked at once" :
					    "do not fit");
}

static int count_sets(struct linear *l, struct evset_count *c,
		      struct failure *f)
{
	enum outcome known = OUTCOME_OPEN, linear = known, covered;
	bool hashed = false;
	int error = sort_bits(l, c->line_bytes, &hashed, f);

	if (!error)
		error = check_null_space(l, &linear, f);
	covered = linear;
	if (!error && linear == OUTCOME_DECIDED)
		error = check_cover(l, &covered, f);
	if (!error && covered == OUTCOME_DECIDED)
		error = linear_fits(l, &known, f);
	if (!error && known == OUTCOME_DECIDED) {
		c->sets = (uint64_t)1 << l->basis_count;
		c->index = hashed ? INDEX_HASHED : INDEX_LINEAR;
	} else if (!error) {
		say_why(l, linear, covered, c);
	}
	return error;
}

int evset_linear_sets(struct evset_machine *e, struct evset_count *c,
		      struct failure *f)
{
	struct linear l = { .e = e,
			    .set = c->set,
			    .base = c->set->lines[0] - e->window.begin,
			    .block_bytes = e->window.block_bytes,
			    .lines = calloc(2 * LINEAR_MOST_LINES,
					    sizeof(*l.lines)) };
	int error;

	c->sets = 0;
	c->index = INDEX_UNKNOWN;
	error = l.lines ? count_sets(&l, c, f) : prober_out_of_memory(f);
	free(l.lines);
	return error;
}
