// SPDX-License-Identifier: GPL-2.0
/* page_fill.c - lists that give some lines to each set fit or do not. */
#include "method/evset/count/page_offsets.h"
#include "method/evset/count/pages.h"
#include "method/evset/oracle/list_walk.h"

#include <math.h>
#include <stdio.h>

/* Share of a list that misses: of 3 A / 2 lines a third at least, under any
 * policy; where the index is not linear, lines of one set at one offset are of
 * several at another, and of 3 A / 4 lines few miss all the same.
 */
#define FITTING 0.2
#define OVERFULL_TIMES 3
#define OVERFLOWING 0.33
#define OVERFLOWING_MORE 0.3
/* Disturbance only adds. */
#define FILL_ATTEMPTS 3
#define FITS_TRIES 4
/* Of one line in each page, before and after those that seem to fit. */
#define THIN_LOOKS 2
/* Classes that have to agree on whether bits of the offset are folded. */
#define FOLDED_CLASSES 3
#define HOST_PAGE_BYTES 4096

/* Not quite as many as the level has ways fit into every set, twice as many do
 * not, whatever the policy.
 */
static size_t most_fitting(const struct evset_pages *p)
{
	return (3 * p->c.ways + 3) / 4;
}

/* Twice as many do not fit either, though under some policies few miss. */
static size_t fewer_fitting(const struct evset_pages *p)
{
	return (5 * p->c.ways + 7) / 8;
}

static size_t lines_per_class(const struct evset_pages *p, enum evset_filling w)
{
	return w == EVSET_FILL_MOST  ? most_fitting(p) :
	       w == EVSET_FILL_FEWER ? fewer_fitting(p) :
	       w == EVSET_FILL_OVER  ? p->c.ways + p->c.ways / 2 + 1 :
				       2 * p->c.ways;
}

/* One line in each of the same pages, so few of each set that they fit clearly
 * where there are offsets enough.
 */
static int list_thin(struct evset_pages *p, size_t per_class, struct failure *f)
{
	const size_t fewer = fewer_fitting(p);
	const bool enough = fewer * p->offset_count >= per_class;

	return evset_page_list_thin(p, per_class, enough ? fewer : p->c.ways,
				    f);
}

/* Misses of a list that fits, beside those of one that surely does not: what a miss
 * costs may have been measured while somebody slowed it down.
 */
static double fitting(const struct evset_pages *p)
{
	return fmin(evset_fitting(p->e, FITTING), p->overfull / OVERFULL_TIMES);
}

/* The least that list_thin()'s lines have cost since their pages are the same:
 * somebody else's lines make any list look as if it were as cheap as they.
 */
static int fill_thin(struct evset_pages *p, enum evset_filling w, int looks,
		     struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < looks; i++) {
		double m = INFINITY;

		error = list_thin(p, lines_per_class(p, w), f);
		if (!error)
			error = evset_share(p->e, p->lines, p->line_count, &m,
					    f);
		p->thin[w] = fmin(p->thin[w], m);
	}
	return error;
}

static void forget_thin(struct evset_pages *p)
{
	for (int w = 0; w < EVSET_FILLINGS; w++)
		p->thin[w] = INFINITY;
}

/*
 * Misses per load of a list, above those of one line in each of its pages. What
 * translations cost is in both. INFINITY: neither was ever undisturbed, which
 * tells nothing.
 */
static int fill(struct evset_pages *p, enum evset_filling w, uint64_t bit,
		double *misses, struct failure *f)
{
	double all = INFINITY;
	int error = 0;

	for (int i = 0; !error && i < FILL_ATTEMPTS; i++) {
		double m = INFINITY;

		error = fill_thin(p, w, THIN_LOOKS, f);
		if (!error)
			error = evset_page_list(p, lines_per_class(p, w), bit,
						f);
		if (!error)
			error = evset_share(p->e, p->lines, p->line_count, &m,
					    f);
		all = fmin(all, m);
		if (!error && all - p->thin[w] < fitting(p))
			error = fill_thin(p, w, THIN_LOOKS, f);
		*misses = isfinite(all) && isfinite(p->thin[w]) ?
				  all - p->thin[w] :
				  INFINITY;
		if (*misses < fitting(p) ||
		    (isfinite(*misses) && xray_counter(p->e->x)))
			break;
	}
	p->disturbed = !isfinite(*misses);
	return error;
}

/* Sets of one offset with twice as many lines as ways, for fitting(). */
static int fill_overfull(struct evset_pages *p, struct failure *f)
{
	p->overfull = INFINITY;
	for (size_t i = 0; i < p->c.count; i++)
		if (evset_class_lines(&p->c, i) <
		    lines_per_class(p, EVSET_FILL_TWICE))
			return 0;
	p->offset_count = 1;
	p->offsets[0] = 0;
	return fill(p, EVSET_FILL_TWICE, 0, &p->overfull, f);
}

/* Disturbance only adds, so that less of it is believed. */
static bool overflows(double misses, double least)
{
	return isfinite(misses) && misses > least;
}

/*
 * Does a bit of the offset lead to other sets, or to the same? To the same only
 * if fewer lines do not fit either, which a moment's disturbance would not do
 * twice.
 */
static int ask_bit(struct evset_pages *p, uint64_t bit, bool *own, bool *same,
		   struct failure *f)
{
	double misses = 0, fewer = 0;
	int error = fill(p, EVSET_FILL_MOST, bit, &misses, f);

	*own = !error && misses < fitting(p);
	*same = false;
	if (error || *own)
		return error;
	/* Where chance overfills some sets, fewer lines tell more. */
	error = fill(p, EVSET_FILL_FEWER, bit, &fewer, f);
	if (misses <= OVERFLOWING)
		*own = !error && fewer < fitting(p);
	else
		*same = !error && overflows(misses, OVERFLOWING) &&
			overflows(fewer, FITTING);
	return error;
}

/* So much of a block is in one piece: a guest's pages may lie anywhere in the host,
 * whose own are no smaller. Bits beyond lead to the same sets because of that.
 */
static uint64_t whole_bytes(const struct evset_pages *p)
{
	return p->e->x->prober->m->virtual_machine ? HOST_PAGE_BYTES :
						     p->e->low_bytes;
}

/* *many: it leads to sets of its own, for whose offsets there is no room. */
static int try_bit(struct evset_pages *p, uint64_t bit, bool *known, bool *many,
		   struct failure *f)
{
	size_t n = p->offset_count;
	bool own = false, same = false;
	int error = ask_bit(p, bit, &own, &same, f);

	*many = own && 2 * n > EVSET_PAGE_OFFSETS;
	*known = (own && !*many) || same;
	p->folded |= same && bit < whole_bytes(p);
	for (size_t i = 0; own && !*many && i < n; i++)
		p->offsets[p->offset_count++] = p->offsets[i] ^ bit;
	if (own)
		forget_thin(p);
	return error;
}

/* Not quite as many as the level has ways fit into every set, twice as many do
 * not.
 */
static int fits(struct evset_pages *p, bool *good, struct failure *f)
{
	double misses = 0;
	int error = fill(p, EVSET_FILL_MOST, 0, &misses, f);

	if (!error && misses >= fitting(p))
		error = fill(p, EVSET_FILL_FEWER, 0, &misses, f);

	*good = !error && misses < fitting(p);
	if (error || !*good)
		return error;
	error = fill(p, EVSET_FILL_OVER, 0, &misses, f);
	*good = !error && overflows(misses, OVERFLOWING_MORE);
	return error;
}

static const char *why(const struct evset_pages *p)
{
	return p->disturbed ? ", as far as can be told (always disturbed)" : "";
}

static void say_bit(const struct evset_pages *p, uint64_t bit, bool many,
		    char *reason, size_t size)
{
	const size_t sets = p->c.count * p->offset_count;

	if (many)
		snprintf(
			reason, size,
			"address bit %d leads to sets of its own, but there is room for no more than %d offsets in a page",
			__builtin_ctzll(bit), EVSET_PAGE_OFFSETS);
	else
		snprintf(
			reason, size,
			"address bit %d leads neither to %zu sets of its own nor to the same ones%s",
			__builtin_ctzll(bit), sets, why(p));
}

/* Each bit of the offset leads to sets of its own, or to the same ones again. */
static int try_bits(struct evset_pages *p, uint64_t line_bytes, bool *known,
		    char *reason, size_t size, struct failure *f)
{
	bool many = false;
	int error = 0;

	*known = true;
	p->offset_count = 1;
	forget_thin(p);
	for (uint64_t bit = line_bytes;
	     !error && *known && bit < p->e->low_bytes; bit *= 2) {
		error = try_bit(p, bit, known, &many, f);
		if (!error && !*known)
			say_bit(p, bit, many, reason, size);
	}
	return error;
}

/* Does a bit that has been heard to lead to the same sets lead to others by what
 * fits? Then nothing is known.
 */
static int deny_bits(struct evset_pages *p, uint64_t line_bytes,
		     struct failure *f)
{
	int error = 0;

	for (uint64_t bit = line_bytes;
	     !error && p->offset_count && bit < p->e->low_bytes; bit *= 2) {
		bool own = false, same = false, heard = false;

		for (size_t i = 0; i < p->offset_count; i++)
			heard |= p->offsets[i] & bit;
		if (heard)
			continue;
		error = ask_bit(p, bit, &own, &same, f);
		if (own)
			p->offset_count = 0;
	}
	return error;
}

/* The same by what each load takes, where that can be told. */
static int hear_offsets(struct evset_pages *p, uint64_t line_bytes,
			struct failure *f)
{
	const struct evset_inside in = { .e = p->e,
					 .c = &p->c,
					 .line_bytes = line_bytes,
					 .page_bytes = p->e->low_bytes };
	int error;

	p->offset_count = 0;
	if (!p->by_each)
		return 0;
	error = evset_offsets(&in, p->offsets, EVSET_PAGE_OFFSETS,
			      &p->offset_count, &p->folded, f);
	return error ? error : deny_bits(p, line_bytes, f);
}

/* Blocks of one class at one offset, beside some of others. */
static void choose_blocks(const struct evset_pages *p, size_t k,
			  struct evset_set *set)
{
	const struct evset_classes *c = &p->c;
	size_t others = c->count - 1;

	*set = (struct evset_set){ .count = c->ways + 1 };
	for (size_t j = 0; j < set->count; j++)
		set->lines[j] = c->lines[c->begin[k] + j];
	for (size_t j = 0; j < 2 * p->e->o.clearing; j++) {
		size_t from = (k + 1 + j % others) % c->count;

		if (j / others < evset_page_lines(p, from, c->ways))
			set->padding[set->padding_count++] =
				c->lines[c->begin[from] + j / others];
	}
}

/*
 * Blocks that meet in all of their sets, at one offset: as many lines of one set
 * as there are blocks, unless they meet at other offsets, because bits of the
 * offset are folded onto others.
 */
static int find_folded(struct evset_pages *p, struct failure *f)
{
	size_t asked = 0, folded = 0;
	int error = 0;

	for (size_t k = 0; !error && p->c.count > 1 && k < p->c.count &&
			   asked < FOLDED_CLASSES;
	     k++) {
		enum verdict verdict = VERDICT_UNDECIDED;
		struct evset_set set;

		if (evset_class_lines(&p->c, k) <= p->c.ways)
			continue;
		choose_blocks(p, k, &set);
		error = evset_ask_set(&p->e->o, &set, set.lines, set.count,
				      true, &verdict, f);
		asked++;
		folded += verdict == VERDICT_COMPACT;
	}
	p->folded = folded == FOLDED_CLASSES &&
		    p->e->low_bytes <= whole_bytes(p);
	return error;
}

_Static_assert(EVSET_BLOCK_LINES <= EVSET_PAGE_OFFSETS,
	       "all places of a block are offsets");

/* Lines of a block are of as many sets as they are. */
static int take_all_offsets(struct evset_pages *p, uint64_t line_bytes,
			    struct failure *f)
{
	p->offset_count = 0;
	for (uint64_t at = 0;
	     at < p->e->low_bytes && p->offset_count < EVSET_PAGE_OFFSETS;
	     at += line_bytes)
		p->offsets[p->offset_count++] = at;
	return find_folded(p, f);
}

int evset_count_page_sets(struct evset_pages *p, uint64_t line_bytes,
			  uint64_t *sets, char *reason, size_t size,
			  struct failure *f)
{
	bool good = true;
	int error;

	if (!p->c.apart) {
		snprintf(
			reason, size,
			"lines of %zu sets at one page offset do not keep apart",
			p->c.count);
		return 0;
	}
	/* One line in each page has to miss in the levels above. */
	if (p->c.count * p->c.ways / 2 < p->e->o.clearing) {
		snprintf(reason, size,
			 "only %zu sets at one page offset: too few to tell",
			 p->c.count);
		return 0;
	}
	forget_thin(p);
	error = fill_overfull(p, f);
	if (error)
		return error;
	error = p->by_blocks ? take_all_offsets(p, line_bytes, f) :
			       hear_offsets(p, line_bytes, f);
	if (!error && !p->offset_count)
		error = try_bits(p, line_bytes, &good, reason, size, f);
	if (error || !good)
		return error;
	/* Sorting again would take longer. */
	good = false;
	for (int i = 0; !error && !good && i < (p->by_each ? FITS_TRIES : 1);
	     i++) {
		if (i)
			evset_pause(&p->e->o);
		error = fits(p, &good, f);
	}
	if (!error && good)
		*sets = p->c.count * p->offset_count;
	else
		snprintf(
			reason, size,
			"%zu sets at one page offset and %zu offsets, but lines for all of them do not fit%s",
			p->c.count, p->offset_count, why(p));
	return error;
}
