// SPDX-License-Identifier: GPL-2.0
/*
 * pages.c - sets of a level in memory of unknown addresses.
 *
 * Whole pages are sorted by the sets that they share: two pages share all of
 * their sets or none. Where that is not so, lines of one offset in their pages
 * are sorted by set; then each bit of the offset either leads to sets of its
 * own or to the same ones again. The result is checked by filling: lists that
 * give some lines to each set fit or do not.
 */
#include "method/evset/count/pages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/evset/count/page_masks.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/per_load.h"
#include "method/level/host_pages.h"
#include "method/probe/time_limit.h"

/* Pool size: this factor times the shortest prefix that overflows some set.
 * Random pages fill sets unevenly, and sets of few ways more so: then pools are
 * larger. Of whole pages SPARE_TIMES as many are kept in reserve: a prefix is
 * short by chance as often as long.
 */
#define POOL_TIMES 4
#define PAGE_TIMES 2
#define PER_LOAD_TIMES 6
#define SPARE_TIMES 3
#define POOL_FEW_WAYS 128
#define MOST_POOL 16384
/* One out of this many places of a part of the window: the pool has lines of
 * far pages, and few translations. Whole pages come from the whole window.
 */
#define POOL_SPARSE 8
#define POOL_EVERYWHERE 65536
/* Budget of one attempt: sorting takes a hundred questions for each class. */
#define SORTING_TESTS 150000
#define SORTING_ACCESSES 60000000
/* A disturbed moment spoils one attempt. */
#define ATTEMPTS 4
#define PAGE_ATTEMPTS 4
#define PER_LOAD_ATTEMPTS 12
/* Of attempts by the time of each load, one out of this many sorts lines. */
#define PER_LOAD_OF 4
/* Time limit of the first sorting by the time of each load, doubled each time:
 * a second where the level is uncontended, a minute beside some tenants.
 */
#define PER_LOAD_NS 2e9
/* All attempts: ten seconds of an uncontended machine. */
#define MOST_TESTS 300000
/* A class of few ways that mixes two sets is found by random choices of A + 1
 * of its lines: of two mixed sets three choices in four fit, and three in eight
 * where a seventh of the lines is of one of them; of one set none fits, but in
 * a disturbed moment. Wald's sequential test, whose error each class draws from the
 * budget. Sets of more ways show it by lists that do not fit.
 */
#define FEW_WAYS 6
#define FIT_OF_TWO 0.375
#define FIT_OF_ONE 0.1
#define SINGLE_ALPHA 1e-6
#define CHOICES_MOST 200

static struct evset_oracle *oracle_of(struct evset_pages *p)
{
	return p->by_pages ? &p->page_oracle.o : &p->e->o;
}

static size_t pool_size(const struct evset_pages *p, size_t prefix)
{
	const size_t ways = evset_count_ways(p->count);
	const size_t times = p->by_pages ? PAGE_TIMES :
			     p->by_load	 ? PER_LOAD_TIMES :
					   POOL_TIMES;

	return prefix * times + prefix * POOL_FEW_WAYS / ways / ways;
}

/* Lines of some offset, or whole pages: @times as many as are enough; none
 * where the memory does not hold them.
 */
static int gather(struct evset_pages *p, size_t times, struct evset_unsorted *u,
		  struct failure *f)
{
	const uint64_t line_bytes = p->count->line_bytes;
	struct evset_machine *e = p->e;
	size_t most = p->by_pages ? EVSET_MOST_PAGES : MOST_POOL;
	size_t sparse = p->by_pages ? POOL_EVERYWHERE : POOL_SPARSE;
	uint64_t at = 0;
	size_t wanted, all, made = 0;
	int error;

	/* Under contention no prefix says much; samples of each line find out
	 * themselves how many lines are enough.
	 */
	if (p->by_load && e->search.pools)
		return evset_gather_pool(e, line_bytes, u, f);
	if (!p->by_pages)
		at = rng_below(&e->x->prober->rng,
			       e->window.low_bytes / line_bytes) *
		     line_bytes;
	error = evset_random_places(e, at, most / 4, sparse, &u->lines, &made,
				    f);
	if (!error && p->by_pages)
		evset_page_oracle_watch(&p->page_oracle, u->lines, made);
	if (!error)
		error = evset_overflow(oracle_of(p), u->lines, made,
				       oracle_of(p)->upper_evictors, &u->prefix,
				       f);
	free(u->lines);
	u->lines = NULL;
	if (error || !u->prefix)
		return error;
	wanted = pool_size(p, u->prefix) * times;
	all = p->by_pages ? SPARE_TIMES * wanted : wanted;
	error = evset_random_places(e, at, all < most ? all : most, sparse,
				    &u->lines, &made, f);
	u->count = made < wanted ? made : wanted;
	u->spare = made - u->count;
	return error;
}

static int sort_lines(struct evset_pages *p, const struct evset_unsorted *u,
		      enum outcome *outcome, struct failure *f)
{
	const size_t ways = evset_count_ways(p->count);
	struct evset_count *c = p->count;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	if (p->by_pages)
		error = evset_thin_pages(&p->page_oracle, c->set, u->lines,
					 u->count + u->spare, u->prefix,
					 outcome, f);
	if (*outcome != OUTCOME_DECIDED)
		snprintf(c->reason, sizeof(c->reason),
			 "pages of lines of one set do not share it");
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	error = p->by_load ? evset_sort_per_load(p->e, u, ways, &p->c, f) :
			     evset_classify(oracle_of(p), u, ways, &p->c, f);
	*outcome = outcome_if(!error && evset_is_sorted(&p->c, c->reason,
							sizeof(c->reason)),
			      OUTCOME_OPEN);
	return error;
}

/* What is known of a guest's index beyond its sets. */
static int find_masks(struct evset_pages *p, struct failure *f)
{
	const struct evset_sorted_lines in = { .e = p->e,
					       .c = &p->c,
					       .line_bytes =
						       p->count->line_bytes,
					       .page_bytes = HOST_PAGES_BYTES };

	return evset_page_masks(&in, p->e->x->prober->mask_pairs,
				&p->count->page_masks, f);
}

/* Random pages may contradict the number. One that nothing confirms is not
 * known.
 */
static int confirm(struct evset_pages *p, struct failure *f)
{
	struct evset_count *c = p->count;
	enum outcome outcome;
	int error = evset_occupancy(p->e, c->sets, evset_count_ways(c),
				    c->line_bytes, &outcome, f);

	if (!error && outcome != OUTCOME_DECIDED)
		snprintf(
			c->reason, sizeof(c->reason),
			"%llu sets of sorted lines, but random pages contradict that number",
			(unsigned long long)c->sets);
	if (error || outcome != OUTCOME_DECIDED)
		c->sets = 0;
	return error;
}

/* OUTCOME_DECIDED: any choice of @count lines of class @k overflows. */
static int decide_single(struct evset_pages *p, size_t k, size_t count,
			 enum outcome *outcome, struct failure *f)
{
	struct evset_oracle *o = oracle_of(p);
	struct sequence all = { p->c.lines + p->c.begin[k],
				evset_class_lines(&p->c, k) };
	const double certainly =
		-log(budget_take(&p->e->x->prober->budget, SINGLE_ALPHA));
	double likely = 0;
	int error = 0;

	for (int i = 0; !error && isfinite(certainly) &&
			fabs(likely) < certainly && i < CHOICES_MOST;
	     i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		sequence_shuffle(&all, &p->e->x->prober->rng);
		/* The first level needs nothing that evicts from levels above.
		 */
		error = p->e->x->upper_count ?
				evset_ask_set(o, &p->c.sets[k], all.offsets,
					      count, true, &verdict, f) :
				evset_ask(o, all.offsets, count, true, &verdict,
					  f);
		if (verdict == VERDICT_NON_COMPACT)
			likely += log((1 - FIT_OF_ONE) / (1 - FIT_OF_TWO));
		else if (verdict == VERDICT_COMPACT)
			likely += log(FIT_OF_ONE / FIT_OF_TWO);
	}
	*outcome = outcome_if(!error && likely >= certainly, OUTCOME_OPEN);
	return error;
}

/* Is each class of one set? Classes without minimal sets have been overfilled.
 */
static int are_single(struct evset_pages *p, enum outcome *outcome,
		      struct failure *f)
{
	const size_t ways = p->c.ways;
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (size_t k = 0; !error && *outcome == OUTCOME_DECIDED && p->c.sets &&
			   ways < FEW_WAYS && k < p->c.count;
	     k++)
		if (evset_class_lines(&p->c, k) > ways)
			error = decide_single(p, k, ways + 1, outcome, f);
	if (!error && *outcome != OUTCOME_DECIDED)
		snprintf(
			p->count->reason, sizeof(p->count->reason),
			"lines were sorted into %zu sets, but %zu of one of them fit too often: it may be more than one",
			p->c.count, ways + 1);
	return error;
}

/* Sorted and counted once; of @times as many lines as are enough. */
static int try_pages(struct evset_pages *p, size_t times, struct failure *f)
{
	struct evset_unsorted u = { .lines = NULL };
	struct evset_count *c = p->count;
	enum outcome sorted = OUTCOME_OPEN;
	int error = gather(p, times, &u, f);

	p->folded = false;
	if (!error && !u.prefix)
		snprintf(c->reason, sizeof(c->reason),
			 "too little memory to sort lines by set");
	if (!error && u.prefix)
		error = sort_lines(p, &u, &sorted, f);
	if (!error && sorted == OUTCOME_DECIDED)
		error = are_single(p, &sorted, f);
	if (!error && sorted == OUTCOME_DECIDED)
		error = evset_count_page_sets(p, f);
	if (!error && c->sets)
		error = confirm(p, f);
	if (!error && c->sets && p->by_load)
		error = find_masks(p, f);
	evset_classes_free(&p->c);
	free(u.lines);
	return error;
}

static int sort_pages(struct evset_pages *p, size_t attempts, struct failure *f)
{
	struct evset_machine *e = p->e;
	struct evset_count *c = p->count;
	int error = 0;

	for (size_t i = 0;
	     !error && !c->sets && i < attempts && e->o.tests < MOST_TESTS;
	     i++) {
		e->budget.most_tests = e->o.tests + SORTING_TESTS;
		e->budget.most_accesses = e->o.accesses + SORTING_ACCESSES;
		evset_page_oracle_allow(&p->page_oracle);
		prober_progress(e->x->prober, "L%zu: sorting %s by set",
				e->x->upper_count + 1,
				p->by_pages ? "pages" : "lines");
		/* Chance may have missed some sets, neighbours may use some:
		 * next time more lines, at another offset.
		 */
		error = try_pages(p, p->by_load ? 1 : i % 2 + 1, f);
		if (error == -EAGAIN) {
			snprintf(c->reason, sizeof(c->reason),
				 "too noisy to sort lines by set");
			error = 0;
		}
	}
	return error;
}

/* Sorted once, within a time limit. */
static int sort_within(struct evset_pages *p, double ns, struct failure *f)
{
	struct prober *prober = p->e->x->prober;
	struct evset_count *c = p->count;
	struct time_limit before;
	int error;

	time_limit_set(prober, ns, &before);
	error = sort_pages(p, 1, f);
	if (!time_limit_ended(prober, &before, error))
		return error;
	c->sets = 0;
	snprintf(c->reason, sizeof(c->reason),
		 "lines are not sorted by set within %.3g s", ns * 1e-9);
	return 0;
}

/* By the time of each load: sorting is exact where the level is uncontended;
 * the congruence rate of random lines works under contention, too. It is tried
 * three times as often, and first where lines have been clustered or sets were
 * costly.
 */
static int sets_by_load(struct evset_pages *p, struct failure *f)
{
	const bool rates_first = p->e->search.pools || p->count->costly;
	double ns = PER_LOAD_NS;
	int error = 0;

	p->by_load = evset_per_load_possible(p->e);
	for (size_t i = 0;
	     p->by_load && !error && !p->count->sets && i < PER_LOAD_ATTEMPTS;
	     i++) {
		if ((i + rates_first) % PER_LOAD_OF) {
			error = evset_rate_sets(p->e, p->count, &p->folded, f);
			continue;
		}
		error = sort_within(p, ns, f);
		ns *= 2;
	}
	p->by_load = false;
	return error;
}

/* Each splinter of a page has a translation of its own, and neighbours of its
 * own in the host: whole pages are disturbed too often. Single lines first.
 */
static int sets_of_splinters(struct evset_pages *p, struct failure *f)
{
	const size_t attempts = evset_per_load_possible(p->e) ? 1 : ATTEMPTS;
	int error = sets_by_load(p, f);

	if (!error && !p->count->sets)
		error = sort_pages(p, attempts, f);
	return error;
}

int evset_page_sets(struct evset_machine *e, struct evset_count *c,
		    struct failure *f)
{
	struct evset_pages p = { .e = e, .count = c };
	/* A counter sees a single line among many. */
	const bool pages =
		evset_page_oracle_begin(&p.page_oracle, e, c->line_bytes) &&
		!xray_counter(e->x);
	int error = 0;

	c->sets = 0;
	c->index = INDEX_UNKNOWN;
	if (pages && e->window.splintered)
		error = sets_of_splinters(&p, f);
	p.by_pages = pages;
	if (!error && !c->sets && pages)
		error = sort_pages(&p, PAGE_ATTEMPTS, f);
	p.by_pages = false;
	if (!error && !c->sets && !(pages && e->window.splintered))
		error = sort_pages(&p, pages ? 1 : ATTEMPTS, f);
	/* An index of single bits has 2^n sets, and each bit leads to sets of
	 * its own.
	 */
	if (c->sets && p.folded && !(c->sets & (c->sets - 1)))
		c->index = INDEX_HASHED;
	free(p.lines);
	return error;
}
