// SPDX-License-Identifier: GPL-2.0
/*
 * pages.c - sets of a level in memory of unknown addresses.
 *
 * Whole pages are sorted by the sets that they share, all of them or none. Where
 * that is not how pages meet, lines at one offset in their pages are sorted by
 * set; then each bit of the offset either leads to sets of its own or to the same
 * ones again. What is found is checked by filling: lists that give some lines to
 * each set fit or do not.
 */
#include "method/evset/count/pages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/evset/count/occupancy.h"
#include "method/evset/count/page_masks.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/per_load.h"
#include "method/evset/sort/classify_per_load.h"
#include "method/evset/sort/thin_pages.h"
#include "method/level/host_pages.h"
#include "method/probe/time_limit.h"

/* Lines per overflowing one, so that each class has more than it needs; more
 * where sets are filled by chance.
 */
#define POOL_TIMES 4
#define BLOCK_TIMES 2
#define EACH_TIMES 6
#define SPARE_TIMES 3
#define POOL_FEW_WAYS 128
#define MOST_POOL 16384
/* Only one place in so many is taken, so that the pool has seen what far pages
 * are like, and few enough that translations are cheap.
 */
#define POOL_SPARSE 8
#define POOL_EVERYWHERE 65536
/* Sorting asks a hundred questions for each class. */
#define SORTING_TESTS 150000
#define SORTING_ACCESSES 60000000
/* A disturbed moment spoils one of them; ten seconds of a quiet machine. */
#define ATTEMPTS 4
#define BLOCK_ATTEMPTS 4
#define EACH_ATTEMPTS 12
/* One in so many is to sort lines. */
#define EACH_OF 4
/* A guest's lines, sorted by what each load takes: one second where nobody disturbs,
 * a minute beside some. Twice as long each time.
 */
#define EACH_NS 2e9
#define MOST_TESTS 300000
/* Choices of a class's lines, one more than its ways: of two sets that were taken for
 * one, of few ways, three in four fit, and three in eight where a seventh of the lines is
 * of one of them; of one set none does, but in a disturbed moment. Wald's sequential
 * test, one in 10,000. More ways show by what fits into the cache.
 */
#define FEW_WAYS 6
#define FIT_OF_TWO 0.375
#define FIT_OF_ONE 0.1
#define CERTAINLY 9.2
#define CHOICES_MOST 200

/* Lines enough of some offset, or blocks, @times as many, or none when the memory
 * does not hold them. Of blocks more are kept in reserve: a prefix is short by
 * chance as often as long.
 */
static int gather(struct evset_pages *p, size_t ways, uint64_t line_bytes,
		  size_t times, struct evset_unsorted *u, struct failure *f)
{
	struct evset_machine *e = p->e;
	struct evset_oracle *o = p->by_blocks ? &p->blocks.o : &e->o;
	size_t most = p->by_blocks ? EVSET_MOST_BLOCKS : MOST_POOL;
	size_t sparse = p->by_blocks ? POOL_EVERYWHERE : POOL_SPARSE;
	struct rng *rng = &e->x->prober->rng;
	uint64_t at = 0;
	size_t wanted, all, made = 0;
	int error;

	/* Beside somebody who uses the level no length says much; looks at each
	 * line find out themselves how many are enough.
	 */
	if (p->by_each && e->pools)
		return evset_each_gather(e, line_bytes, u, f);
	if (!p->by_blocks)
		at = rng_below(rng, e->low_bytes / line_bytes) * line_bytes;
	error = evset_random_places(e, at, most / 4, sparse, &u->lines, &made,
				    f);
	if (!error && p->by_blocks)
		evset_blocks_watch(&p->blocks, u->lines, made);
	if (!error)
		error = evset_overflow(o, u->lines, made, o->clearing,
				       &u->prefix, f);
	free(u->lines);
	u->lines = NULL;
	if (error || !u->prefix)
		return error;
	wanted = u->prefix * (p->by_blocks ? BLOCK_TIMES :
			      p->by_each   ? EACH_TIMES :
					     POOL_TIMES) +
		 u->prefix * POOL_FEW_WAYS / ways / ways;
	/* Some classes are met less often. */
	wanted *= times;
	all = p->by_blocks ? SPARE_TIMES * wanted : wanted;
	error = evset_random_places(e, at, all < most ? all : most, sparse,
				    &u->lines, &made, f);
	u->count = made < wanted ? made : wanted;
	u->spare = made - u->count;
	return error;
}

static int sort_lines(struct evset_pages *p, const struct evset_unsorted *u,
		      size_t ways, bool *sorted, char *reason, size_t size,
		      struct failure *f)
{
	struct evset_oracle *o = p->by_blocks ? &p->blocks.o : &p->e->o;
	bool good = true;
	int error = 0;

	*sorted = false;
	if (p->by_blocks)
		error = evset_blocks_thin(&p->blocks, p->set, u->lines,
					  u->count + u->spare, u->prefix, &good,
					  f);
	if (!good)
		snprintf(reason, size,
			 "pages of lines of one set do not share it");
	if (error || !good)
		return error;
	error = p->by_each ? evset_classify_each(p->e, u, ways, &p->c, f) :
			     evset_classify(o, u, ways, &p->c, f);
	*sorted = !error && evset_is_sorted(&p->c, reason, size);
	return error;
}

/* What is known of a guest's index beyond its sets. */
static int find_masks(struct evset_pages *p, uint64_t line_bytes,
		      struct failure *f)
{
	const struct evset_inside in = { .e = p->e,
					 .c = &p->c,
					 .line_bytes = line_bytes,
					 .page_bytes = PIECES_BYTES };

	return evset_inside_masks(&in, p->e->x->prober->mask_pairs,
				  &p->e->inside, f);
}

/* What memory as it comes says of the sets that were counted. */
static int confirm(struct evset_pages *p, size_t ways, uint64_t line_bytes,
		   uint64_t *sets, char *reason, size_t size, struct failure *f)
{
	bool denied = false;
	int error = evset_chance(p->e, *sets, ways, line_bytes, &denied, f);

	/* Sets that nothing confirms are not known. */
	if (error)
		*sets = 0;
	if (error || !denied)
		return error;
	snprintf(
		reason, size,
		"%llu sets of sorted lines, but random pages fill others than so many",
		(unsigned long long)*sets);
	*sets = 0;
	return 0;
}

/* *single: any choice of so many lines of class @k overflows. */
static int tell_single(struct evset_pages *p, size_t k, size_t count,
		       bool *single, struct failure *f)
{
	struct evset_oracle *o = p->by_blocks ? &p->blocks.o : &p->e->o;
	struct rng *rng = &p->e->x->prober->rng;
	struct sequence all = { p->c.lines + p->c.begin[k],
				evset_class_lines(&p->c, k) };
	const bool may = budget_draw(&p->e->x->prober->budget, exp(-CERTAINLY));
	double likely = 0;
	int error = 0;

	for (int i = 0;
	     !error && may && fabs(likely) < CERTAINLY && i < CHOICES_MOST;
	     i++) {
		enum verdict verdict = VERDICT_UNDECIDED;

		sequence_shuffle(&all, rng);
		/* Nothing has to clear levels above where there are none. */
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
	*single = !error && likely >= CERTAINLY;
	return error;
}

/* Is each class of one set? Classes without minimal sets have been overfilled. */
static int are_single(struct evset_pages *p, bool *single, char *reason,
		      size_t size, struct failure *f)
{
	const size_t ways = p->c.ways;
	int error = 0;

	*single = true;
	for (size_t k = 0; !error && *single && p->c.sets && ways < FEW_WAYS &&
			   k < p->c.count;
	     k++)
		if (evset_class_lines(&p->c, k) > ways)
			error = tell_single(p, k, ways + 1, single, f);
	if (!error && !*single)
		snprintf(
			reason, size,
			"lines were sorted into %zu sets, but %zu of one of them fit too often: it may be more than one",
			p->c.count, ways + 1);
	return error;
}

/* Sorted and counted once. */
static int try_pages(struct evset_pages *p, size_t ways, size_t times,
		     uint64_t line_bytes, uint64_t *sets, char *reason,
		     size_t size, struct failure *f)
{
	struct evset_unsorted u = { .lines = NULL };
	bool sorted = false;
	int error = gather(p, ways, line_bytes, times, &u, f);

	p->folded = false;
	if (!error && !u.prefix)
		snprintf(reason, size,
			 "too little memory to sort lines by set");
	if (!error && u.prefix)
		error = sort_lines(p, &u, ways, &sorted, reason, size, f);
	if (!error && sorted)
		error = are_single(p, &sorted, reason, size, f);
	if (!error && sorted)
		error = evset_count_page_sets(p, line_bytes, sets, reason, size,
					      f);
	if (!error && *sets)
		error = confirm(p, ways, line_bytes, sets, reason, size, f);
	if (!error && *sets && p->by_each)
		error = find_masks(p, line_bytes, f);
	evset_classes_free(&p->c);
	free(u.lines);
	return error;
}

/* By blocks or by lines, a few times. */
static int sort_pages(struct evset_pages *p, size_t ways, uint64_t line_bytes,
		      size_t attempts, uint64_t *sets, char *reason,
		      size_t size, struct failure *f)
{
	struct evset_machine *e = p->e;
	int error = 0;

	for (size_t i = 0;
	     !error && !*sets && i < attempts && e->o.tests < MOST_TESTS; i++) {
		e->most_tests = e->o.tests + SORTING_TESTS;
		e->most_accesses = e->o.accesses + SORTING_ACCESSES;
		evset_blocks_allow(&p->blocks);
		prober_progress(e->x->prober, "L%zu: sorting %s by set",
				e->x->upper_count + 1,
				p->by_blocks ? "pages" : "lines");
		/* Some sets may be seldom met, some be used by others: next time
		 * more lines, at another offset.
		 */
		error = try_pages(p, ways, p->by_each ? 1 : i % 2 + 1,
				  line_bytes, sets, reason, size, f);
		if (error == -EAGAIN) {
			snprintf(reason, size,
				 "too noisy to sort lines by set");
			error = 0;
		}
	}
	return error;
}

/* Sorted once, within so long. */
static int sort_within(struct evset_pages *p, double ns, uint64_t line_bytes,
		       uint64_t *sets, char *reason, size_t size,
		       struct failure *f)
{
	struct prober *prober = p->e->x->prober;
	struct time_limit before;
	int error;

	time_limit_set(prober, ns, &before);
	error = sort_pages(p, p->set->count - 1, line_bytes, 1, sets, reason,
			   size, f);
	if (!time_limit_ended(prober, &before, error))
		return error;
	*sets = 0;
	snprintf(reason, size, "lines are not sorted by set within %.3g s",
		 ns * 1e-9);
	return 0;
}

/* By what each load takes: sorting tells exactly where somebody lets it; what part
 * of lines is of a set is told beside others, too, comes three times as often, and
 * first where lines have been looked at already, or sets were dear.
 */
static int sets_by_each(struct evset_pages *p, uint64_t line_bytes,
			uint64_t *sets, char *reason, size_t size,
			struct failure *f)
{
	const bool dear = p->e->pools || p->e->dear;
	double ns = EACH_NS;
	int error = 0;

	p->by_each = evset_each_possible(p->e);
	for (size_t i = 0; p->by_each && !error && !*sets && i < EACH_ATTEMPTS;
	     i++) {
		if ((i + dear) % EACH_OF) {
			error = evset_rates_sets(p->e, line_bytes, sets,
						 &p->folded, reason, size, f);
			continue;
		}
		error = sort_within(p, ns, line_bytes, sets, reason, size, f);
		ns *= 2;
	}
	p->by_each = false;
	return error;
}

int evset_page_sets(struct evset_machine *e, const struct evset_set *set,
		    uint64_t line_bytes, uint64_t *sets, enum index_kind *index,
		    char *reason, size_t size, struct failure *f)
{
	struct evset_pages p = { .e = e, .set = set };
	size_t attempts = ATTEMPTS;
	int error = 0;

	*sets = 0;
	*index = INDEX_UNKNOWN;
	/* A counter sees a single line among many. */
	p.by_blocks = evset_blocks_begin(&p.blocks, e, line_bytes) &&
		      !xray_counter(e->x);
	/* Each piece of a page has a translation of its own, and neighbours of its
	 * own in the host: whole ones are disturbed too often.
	 */
	if (p.by_blocks && e->pieces) {
		p.by_blocks = false;
		if (evset_each_possible(e))
			attempts = 1;
		error = sets_by_each(&p, line_bytes, sets, reason, size, f);
		if (!error && !*sets)
			error = sort_pages(&p, set->count - 1, line_bytes,
					   attempts, sets, reason, size, f);
		p.by_blocks = true;
		attempts = 0;
	}
	if (!error && !*sets && p.by_blocks) {
		error = sort_pages(&p, set->count - 1, line_bytes,
				   BLOCK_ATTEMPTS, sets, reason, size, f);
		attempts = attempts ? 1 : 0;
	}
	p.by_blocks = false;
	if (!error && !*sets)
		error = sort_pages(&p, set->count - 1, line_bytes, attempts,
				   sets, reason, size, f);
	/* Bits alone select a set by a power of two, each to sets of its own. */
	if (*sets && p.folded && !(*sets & (*sets - 1)))
		*index = INDEX_HASHED;
	free(p.lines);
	return error;
}
