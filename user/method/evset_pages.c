// SPDX-License-Identifier: GPL-2.0
/*
 * evset_pages.c - sets of a level in memory of unknown addresses.
 *
 * Lines at one offset in their pages are sorted by set; then each bit of the
 * offset either leads to sets of its own or to the same ones again. Both are
 * seen by filling: lists that give some lines to each set fit or do not.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "evset_classes.h"
#include "evset_machine.h"

/* Lines per overflowing one, so that each class has more than it needs; more
 * where sets are filled by chance.
 */
#define POOL_TIMES 4
#define POOL_FEW_WAYS 128
#define MOST_POOL 16384
/* Only one place in so many is taken, so that the pool has seen what far pages
 * are like, and few enough that translations are cheap.
 */
#define POOL_SPARSE 8
/* Sorting asks a hundred questions for each class. */
#define SORTING_TESTS 150000
#define SORTING_ACCESSES 60000000
/* Probability that a class has no more lines than could not be sorted; where
 * slices are no power of two, some sets are met this many times less often.
 */
#define CLASS_MISSED 1e-7
#define RARE 3
#define RARE_MISSED 1e-3
#define MOST_OFFSETS 4096
#define MOST_LINES ((size_t)1 << 21)
/* Share of a list that misses: of 3 A / 2 lines a third at least, under any
 * policy; where the index is not linear, lines of one set at one offset are of
 * several at another, and of 3 A / 4 lines few miss all the same.
 */
#define FITTING 0.2
#define OVERFLOWING 0.33
#define OVERFLOWING_MORE 0.3
/* Disturbance only adds. */
#define FILL_ATTEMPTS 3
/* A disturbed moment spoils one of them; ten seconds of a quiet machine. */
#define ATTEMPTS 4
#define MOST_TESTS 300000

/**
 * struct pages - the classes of one offset, and the offsets that add to them
 * @e: the level
 * @c: its classes
 * @offsets: in the pages, none of whose sets are those of another;
 *           @offset_count of them
 * @folded: some bit of the offset leads to the same sets again
 * @lines: room for a list
 */
struct pages {
	struct evset_machine *e;
	struct evset_classes c;
	uint64_t offsets[MOST_OFFSETS];
	size_t offset_count;
	bool folded;
	uint64_t *lines;
};

/* Random places of the same offset, out of a part of the window. */
static int make_pool(struct evset_machine *e, uint64_t at, size_t count,
		     uint64_t **lines, size_t *made, struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	size_t all = e->window_bytes / e->low_bytes;
	size_t places = count * POOL_SPARSE < all ? count * POOL_SPARSE : all;
	size_t first = rng_below(rng, all - places + 1);
	struct sequence s = { .offsets = calloc(places, sizeof(uint64_t)),
			      .length = places };

	if (!s.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < places; i++)
		s.offsets[i] = e->window + (first + i) * e->low_bytes + at;
	sequence_shuffle(&s, rng);
	*lines = s.offsets;
	*made = places < count ? places : count;
	return 0;
}

/* Lines enough of some offset, @times as many, or none when the memory does not
 * hold them.
 */
static int gather(struct evset_machine *e, size_t ways, uint64_t line_bytes,
		  size_t times, uint64_t **lines, size_t *count, size_t *prefix,
		  struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	uint64_t at = rng_below(rng, e->low_bytes / line_bytes) * line_bytes;
	size_t wanted;
	int error = make_pool(e, at, MOST_POOL / 4, lines, count, f);

	*prefix = 0;
	if (!error)
		error = evset_overflow(&e->o, *lines, *count, e->o.clearing,
				       prefix, f);
	free(*lines);
	*lines = NULL;
	if (error || !*prefix)
		return error;
	wanted = *prefix * POOL_TIMES + *prefix * POOL_FEW_WAYS / ways / ways;
	wanted *= times;
	return make_pool(e, at, wanted < MOST_POOL ? wanted : MOST_POOL, lines,
			 count, f);
}

static size_t lines_of(const struct pages *p, size_t class, size_t most)
{
	size_t count = evset_class_lines(&p->c, class);

	return count < most ? count : most;
}

/* @per_class lines of each class at all offsets, and at those that differ from
 * them in @bit.
 */
static size_t list_all(const struct pages *p, size_t per_class, uint64_t bit,
		       uint64_t *lines)
{
	size_t count = p->offset_count, n = 0;

	for (size_t o = 0; o < count * (bit ? 2 : 1); o++) {
		uint64_t by = o < count ? p->offsets[o] :
					  p->offsets[o - count] ^ bit;

		for (size_t i = 0; i < p->c.count; i++)
			for (size_t j = 0; j < lines_of(p, i, per_class); j++)
				lines[n++] = p->c.lines[p->c.begin[i] + j] ^ by;
	}
	return n;
}

/* One line in each of the same pages, A of each set. */
static size_t list_thin(const struct pages *p, size_t per_class,
			uint64_t *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < p->c.count; i++)
		for (size_t j = 0; j < lines_of(p, i, per_class); j++)
			if (j / p->c.ways < p->offset_count)
				lines[n++] = p->c.lines[p->c.begin[i] + j] ^
					     p->offsets[j / p->c.ways];
	return n;
}

/*
 * Misses per load of a list, above those of one line in each of its pages. What
 * translations cost is in both.
 */
static int fill(struct pages *p, size_t per_class, uint64_t bit, double *misses,
		struct failure *f)
{
	double all = INFINITY, thin = INFINITY;
	int error = 0;

	for (int i = 0; !error && i < FILL_ATTEMPTS; i++) {
		double m = 0;
		size_t n = list_thin(p, per_class, p->lines);

		error = evset_share(p->e, p->lines, n, &m, f);
		thin = fmin(thin, m);
		n = list_all(p, per_class, bit, p->lines);
		if (!error)
			error = evset_share(p->e, p->lines, n, &m, f);
		all = fmin(all, m);
		if (all - thin < FITTING || xray_counter(p->e->x))
			break;
	}
	*misses = all - thin;
	return error;
}

/* Twice as many do not fit, whatever the policy. */
static size_t most_fitting(const struct pages *p)
{
	return (3 * p->c.ways + 3) / 4;
}

/* Twice as many do not fit either, though under some policies few miss. */
static size_t fewer_fitting(const struct pages *p)
{
	return (5 * p->c.ways + 7) / 8;
}

/* Does a bit of the offset lead to other sets, or to the same? */
static int try_bit(struct pages *p, uint64_t bit, bool *known,
		   struct failure *f)
{
	size_t n = p->offset_count, most = most_fitting(p);
	double misses = 0;
	int error;

	*known = false;
	if (2 * n > MOST_OFFSETS || 2 * n * most * p->c.count > MOST_LINES)
		return 0;
	error = fill(p, most, bit, &misses, f);
	/* Where chance overfills some sets, fewer lines tell more. */
	if (!error && misses >= FITTING && misses <= OVERFLOWING)
		error = fill(p, fewer_fitting(p), bit, &misses, f);
	if (error)
		return error;
	*known = misses < FITTING || misses > OVERFLOWING;
	if (misses > OVERFLOWING)
		p->folded = true;
	for (size_t i = 0; misses < FITTING && i < n; i++)
		p->offsets[p->offset_count++] = p->offsets[i] ^ bit;
	return 0;
}

/* Not quite as many as the level has ways fit into every set, twice as many do
 * not.
 */
static int fits(struct pages *p, bool *good, struct failure *f)
{
	double misses = 0;
	int error = fill(p, most_fitting(p), 0, &misses, f);

	if (!error && misses >= FITTING)
		error = fill(p, fewer_fitting(p), 0, &misses, f);

	*good = !error && misses < FITTING;
	if (error || !*good)
		return error;
	error = fill(p, p->c.ways + p->c.ways / 2 + 1, 0, &misses, f);
	*good = !error && misses > OVERFLOWING_MORE;
	return error;
}

/* Of lines that chance deals out, a class would have so few with this
 * probability (Poisson).
 */
static double missed(double mean, size_t few)
{
	double term = exp(-mean), sum = term;

	for (size_t i = 1; i <= few; i++) {
		term *= mean / (double)i;
		sum += term;
	}
	return sum;
}

/* Every class fills its set, and no class more can be among the lines left. */
static bool is_sorted(const struct evset_classes *c, char *reason, size_t size)
{
	size_t stray = c->line_count - c->begin[c->count];
	double mean = (double)c->line_count / (double)(c->count + 1);

	if (c->count == EVSET_MOST_CLASSES || !c->count ||
	    missed(mean, stray) > CLASS_MISSED ||
	    missed(mean / RARE, stray) > RARE_MISSED) {
		snprintf(
			reason, size,
			"%zu of %zu lines could not be sorted by set: %zu sets were told apart",
			stray, c->line_count, c->count);
		return false;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (evset_class_lines(c, i) >= c->ways)
			continue;
		snprintf(
			reason, size,
			"of %zu lines sorted into %zu sets only %zu are of one of them",
			c->line_count, c->count, evset_class_lines(c, i));
		return false;
	}
	return true;
}

/* From classes that are sorted to the number of sets. */
static int count_sets(struct pages *p, uint64_t line_bytes, uint64_t *sets,
		      char *reason, size_t size, struct failure *f)
{
	bool good = false;
	int error = 0;

	if (!p->c.apart) {
		snprintf(
			reason, size,
			"lines of %zu sets at one page offset do not keep apart",
			p->c.count);
		return 0;
	}
	p->offset_count = 1;
	/* One line in each page has to miss in the levels above. */
	if (p->c.count * p->c.ways / 2 < p->e->o.clearing) {
		snprintf(reason, size,
			 "only %zu sets at one page offset: too few to tell",
			 p->c.count);
		return 0;
	}
	for (uint64_t bit = line_bytes; bit < p->e->low_bytes; bit *= 2) {
		error = try_bit(p, bit, &good, f);
		if (!error && good)
			continue;
		snprintf(
			reason, size,
			"address bit %d leads neither to %zu sets of its own nor to the same ones",
			__builtin_ctzll(bit), p->c.count * p->offset_count);
		return error;
	}
	error = fits(p, &good, f);
	if (!error && good)
		*sets = p->c.count * p->offset_count;
	else
		snprintf(
			reason, size,
			"%zu sets at one page offset and %zu offsets, but lines for all of them do not fit",
			p->c.count, p->offset_count);
	return error;
}

/* Sorted and counted once. */
static int try_pages(struct pages *p, size_t ways, size_t times,
		     uint64_t line_bytes, uint64_t *sets, char *reason,
		     size_t size, struct failure *f)
{
	uint64_t *lines = NULL;
	size_t count = 0, prefix = 0;
	int error = gather(p->e, ways, line_bytes, times, &lines, &count,
			   &prefix, f);

	p->folded = false;
	if (!error && !prefix)
		snprintf(reason, size,
			 "too little memory to sort lines by set");
	if (!error && prefix)
		error = evset_classify(&p->e->o, lines, count, prefix, ways,
				       &p->c, f);
	if (!error && prefix && is_sorted(&p->c, reason, size))
		error = count_sets(p, line_bytes, sets, reason, size, f);
	evset_classes_free(&p->c);
	free(lines);
	return error;
}

int evset_page_sets(struct evset_machine *e, const struct evset_set *set,
		    uint64_t line_bytes, uint64_t *sets, enum index_kind *index,
		    char *reason, size_t size, struct failure *f)
{
	struct pages p = { .e = e, .lines = calloc(MOST_LINES, 8) };
	int error = 0;

	*sets = 0;
	*index = INDEX_UNKNOWN;
	if (!p.lines)
		return prober_out_of_memory(f);
	for (size_t i = 0;
	     !error && !*sets && i < ATTEMPTS && e->o.tests < MOST_TESTS; i++) {
		e->most_tests = e->o.tests + SORTING_TESTS;
		e->most_accesses = e->o.accesses + SORTING_ACCESSES;
		prober_progress(e->x->prober, "L%zu: sorting lines by set",
				e->x->upper_count + 1);
		/* Some sets may be seldom met, some be used by others: next time
		 * more lines, at another offset.
		 */
		error = try_pages(&p, set->count - 1, i % 2 + 1, line_bytes,
				  sets, reason, size, f);
		if (error == -EAGAIN) {
			snprintf(reason, size,
				 "too noisy to sort lines by set");
			error = 0;
		}
	}
	/* Bits alone select a set by a power of two, each to sets of its own. */
	if (*sets && p.folded && !(*sets & (*sets - 1)))
		*index = INDEX_HASHED;
	free(p.lines);
	return error;
}
