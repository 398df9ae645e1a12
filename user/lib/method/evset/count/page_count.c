// SPDX-License-Identifier: GPL-2.0
/* page_count.c - which offsets in a page lead to sets of their own? */
#include "method/evset/count/pages.h"

#include <math.h>
#include <stdio.h>

#include "method/evset/count/page_masks.h"

/* Misses per load of a list with 3 A / 2 lines of each set: a third at least,
 * under any policy; some less where chance fills sets unevenly.
 */
#define OVERFLOWING 0.33
#define OVERFLOWING_MORE 0.3
/* The same of a list with 5 A / 4 lines. */
#define OVERFLOWING_FEWER 0.2
/* Sorting again would take longer than these. */
#define FITS_TRIES 4
/* Classes that have to agree on whether bits of the offset are folded. */
#define FOLDED_CLASSES 3
#define HOST_PAGE_BYTES 4096

/* Disturbance only adds misses, so that less than infinitely many are believed.
 */
static bool overflows(double misses, double least)
{
	return isfinite(misses) && misses > least;
}

/*
 * Does a bit of the offset lead to the same sets (NON_COMPACT) or to sets of
 * its own? To the same ones only if fewer lines do not fit either: a moment's
 * disturbance would not cause that twice.
 */
static int try_one_bit(struct evset_pages *p, uint64_t bit,
		       enum verdict *verdict, struct failure *f)
{
	double misses = 0, fewer = 0;
	bool own;
	int error = evset_page_fill(p, EVSET_FILL_MOST, bit, &misses, f);

	*verdict = VERDICT_UNDECIDED;
	if (error)
		return error;
	own = evset_page_fits(p, misses);
	/* Where chance overfills some sets, fewer lines decide. */
	if (!own)
		error = evset_page_fill(p, EVSET_FILL_FEWER, bit, &fewer, f);
	if (!own && misses <= OVERFLOWING)
		own = evset_page_fits(p, fewer);
	else if (!own && overflows(misses, OVERFLOWING) &&
		 overflows(fewer, OVERFLOWING_FEWER))
		*verdict = VERDICT_NON_COMPACT;
	if (own)
		*verdict = VERDICT_COMPACT;
	return error;
}

/* Contiguous bytes of a page: pages of a guest may lie anywhere in the host,
 * whose own pages are no smaller. Bits beyond lead to the same sets because of
 * that.
 */
static uint64_t whole_bytes(const struct evset_pages *p)
{
	return p->e->x->prober->m->virtual_machine ? HOST_PAGE_BYTES :
						     p->e->window.low_bytes;
}

/* OUTCOME_VOID: it leads to sets of its own, for whose offsets there is no room. */
static int try_bit(struct evset_pages *p, uint64_t bit, enum outcome *outcome,
		   struct failure *f)
{
	size_t n = p->offset_count;
	enum verdict verdict;
	int error = try_one_bit(p, bit, &verdict, f);
	const bool own = verdict == VERDICT_COMPACT;

	*outcome = outcome_if(verdict != VERDICT_UNDECIDED, OUTCOME_OPEN);
	if (own && 2 * n > EVSET_PAGE_OFFSETS)
		*outcome = OUTCOME_VOID;
	p->folded |= verdict == VERDICT_NON_COMPACT && bit < whole_bytes(p);
	for (size_t i = 0; own && *outcome == OUTCOME_DECIDED && i < n; i++)
		p->offsets[p->offset_count++] = p->offsets[i] ^ bit;
	if (own)
		evset_page_forget(p);
	return error;
}

static const char *why(const struct evset_pages *p)
{
	return p->disturbed ? " (all samples were disturbed)" : "";
}

static void say_bit(const struct evset_pages *p, uint64_t bit,
		    enum outcome outcome)
{
	struct evset_count *c = p->count;

	if (outcome == OUTCOME_VOID)
		snprintf(
			c->reason, sizeof(c->reason),
			"address bit %d leads to sets of its own, but there is room for no more than %d offsets in a page",
			__builtin_ctzll(bit), EVSET_PAGE_OFFSETS);
	else
		snprintf(
			c->reason, sizeof(c->reason),
			"address bit %d leads neither to %zu sets of its own nor to the same ones%s",
			__builtin_ctzll(bit), p->c.count * p->offset_count,
			why(p));
}

/* Each bit of the offset leads to sets of its own, or to the same ones again.
 */
static int try_bits(struct evset_pages *p, enum outcome *outcome,
		    struct failure *f)
{
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	p->offset_count = 1;
	evset_page_forget(p);
	for (uint64_t bit = p->count->line_bytes;
	     !error && *outcome == OUTCOME_DECIDED &&
	     bit < p->e->window.low_bytes;
	     bit *= 2) {
		error = try_bit(p, bit, outcome, f);
		if (!error && *outcome != OUTCOME_DECIDED)
			say_bit(p, bit, *outcome);
	}
	return error;
}

/* A bit that leads to the same sets by the time of each load, and to others by
 * what fits: then no offset is known.
 */
static int deny_bits(struct evset_pages *p, struct failure *f)
{
	int error = 0;

	for (uint64_t bit = p->count->line_bytes;
	     !error && p->offset_count && bit < p->e->window.low_bytes;
	     bit *= 2) {
		enum verdict verdict;
		bool known = false;

		for (size_t i = 0; i < p->offset_count; i++)
			known |= p->offsets[i] & bit;
		if (known)
			continue;
		error = try_one_bit(p, bit, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			p->offset_count = 0;
	}
	return error;
}

/* Offsets by the time of each load, where lines were sorted by that. */
static int find_offsets(struct evset_pages *p, struct failure *f)
{
	const struct evset_sorted_lines in = {
		.e = p->e,
		.c = &p->c,
		.line_bytes = p->count->line_bytes,
		.page_bytes = p->e->window.low_bytes
	};
	int error;

	p->offset_count = 0;
	if (!p->by_load)
		return 0;
	error = evset_page_offsets(&in, p->offsets, EVSET_PAGE_OFFSETS,
				   &p->offset_count, &p->folded, f);
	return error ? error : deny_bits(p, f);
}

/* Pages of one class at one offset, beside some of other classes. */
static void choose_pages(const struct evset_pages *p, size_t k,
			 struct evset_set *set)
{
	const struct evset_classes *c = &p->c;
	size_t others = c->count - 1;

	*set = (struct evset_set){ .count = c->ways + 1 };
	for (size_t j = 0; j < set->count; j++)
		set->lines[j] = c->lines[c->begin[k] + j];
	for (size_t j = 0; j < 2 * p->e->o.upper_evictors; j++) {
		size_t from = (k + 1 + j % others) % c->count;

		if (j / others < evset_page_lines(p, from, c->ways))
			set->evictors[set->evictor_count++] =
				c->lines[c->begin[from] + j / others];
	}
}

/*
 * Pages of one class at one offset are as many lines of one set as there are
 * pages, unless they share sets at other offsets only, because bits of the
 * offset are folded onto others.
 */
static int find_folded(struct evset_pages *p, struct failure *f)
{
	size_t tested = 0, folded = 0;
	int error = 0;

	for (size_t k = 0; !error && p->c.count > 1 && k < p->c.count &&
			   tested < FOLDED_CLASSES;
	     k++) {
		enum verdict verdict = VERDICT_UNDECIDED;
		struct evset_set set;

		if (evset_class_lines(&p->c, k) <= p->c.ways)
			continue;
		choose_pages(p, k, &set);
		error = evset_ask_set(&p->e->o, &set, set.lines, set.count,
				      true, &verdict, f);
		tested++;
		folded += verdict == VERDICT_COMPACT;
	}
	p->folded = folded == FOLDED_CLASSES &&
		    p->e->window.low_bytes <= whole_bytes(p);
	return error;
}

_Static_assert(EVSET_PAGE_LINES <= EVSET_PAGE_OFFSETS,
	       "all lines of a page are offsets");

/* The lines of a page are of as many sets as there are lines. */
static int take_all_offsets(struct evset_pages *p, struct failure *f)
{
	p->offset_count = 0;
	for (uint64_t at = 0; at < p->e->window.low_bytes &&
			      p->offset_count < EVSET_PAGE_OFFSETS;
	     at += p->count->line_bytes)
		p->offsets[p->offset_count++] = at;
	return find_folded(p, f);
}

/* 3 A / 4 lines of each set fit, 3 A / 2 do not. */
static int fits_once(struct evset_pages *p, enum outcome *outcome,
		     struct failure *f)
{
	double misses = 0;
	int error = evset_page_fill(p, EVSET_FILL_MOST, 0, &misses, f);

	if (!error && !evset_page_fits(p, misses))
		error = evset_page_fill(p, EVSET_FILL_FEWER, 0, &misses, f);
	*outcome =
		outcome_if(!error && evset_page_fits(p, misses), OUTCOME_OPEN);
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	error = evset_page_fill(p, EVSET_FILL_OVER, 0, &misses, f);
	*outcome = outcome_if(!error && overflows(misses, OVERFLOWING_MORE),
			      OUTCOME_OPEN);
	return error;
}

static int check_fits(struct evset_pages *p, struct failure *f)
{
	const int tries = p->by_load ? FITS_TRIES : 1;
	struct evset_count *c = p->count;
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	for (int i = 0; !error && outcome != OUTCOME_DECIDED && i < tries;
	     i++) {
		if (i)
			evset_pause(&p->e->o);
		error = fits_once(p, &outcome, f);
	}
	if (!error && outcome == OUTCOME_DECIDED)
		c->sets = p->c.count * p->offset_count;
	else
		snprintf(
			c->reason, sizeof(c->reason),
			"%zu sets at one page offset and %zu offsets, but lines for all of them do not fit%s",
			p->c.count, p->offset_count, why(p));
	return error;
}

static bool can_count(const struct evset_pages *p)
{
	struct evset_count *c = p->count;

	/* One line in each page has to miss in the levels above. */
	const bool few = p->c.count * p->c.ways / 2 < p->e->o.upper_evictors;

	if (!p->c.checked)
		snprintf(
			c->reason, sizeof(c->reason),
			"classes of %zu sets at one page offset failed their controls",
			p->c.count);
	else if (few)
		snprintf(c->reason, sizeof(c->reason),
			 "only %zu sets at one page offset: too few to decide",
			 p->c.count);
	return p->c.checked && !few;
}

int evset_count_page_sets(struct evset_pages *p, struct failure *f)
{
	enum outcome outcome = OUTCOME_DECIDED;
	int error;

	if (!can_count(p))
		return 0;
	error = evset_page_fill_begin(p, f);
	if (!error)
		error = p->by_pages ? take_all_offsets(p, f) :
				      find_offsets(p, f);
	if (!error && !p->offset_count)
		error = try_bits(p, &outcome, f);
	return error || outcome != OUTCOME_DECIDED ? error : check_fits(p, f);
}
