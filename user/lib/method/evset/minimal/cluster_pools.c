// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/cluster_pools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/random_subsets.h"
#include "method/evset/oracle/per_load.h"

/* Tries before found sets count as too few; without contention nearly every try
 * gives a set.
 */
#define TRIES_LEAST 6
#define SELDOM 3
/* Under contention each try takes seconds; to sample and cluster lines takes a
 * third of one (16 classes of 300 lines).
 */
#define SAMPLES_NS 0.9e9
#define TRY_NS 0.5e9
/* Before that the duration of a try is not known. */
#define SPENT_LEAST_NS 0.3e9
/* The line size is not known yet. */
#define ALIGN_BYTES 1024
/* Evictors, as multiples of those that suffice; they overflow nothing. */
#define EVICTOR_TIMES 2
/* Lines that are sampled, as multiples of a subset of which half of the sets
 * overflow: under contention half of the ways are enough for that, and some
 * more lines than ways are wanted. Two lines are together in a third of the
 * subsets that each is in: with this many samples of each line their
 * correlation is sure; with twenty it was not.
 */
#define LINES_TIMES 3
#define SAMPLES_OF_EACH 85
/* Fewer similar lines are no class: three quarters of eight ways. */
#define LEAST_LINES 6
#define CLASSES_LEAST 2
/* If this many classes in a row are no sets, they are those of another
 * structure, such as a TLB.
 */
#define MOST_FAILURES 24

/**
 * struct evset_cluster_pools - samples of lines, and the classes so far
 * @lines: that were sampled, in random order, @samples.lines of them
 * @samples: of these
 * @growth: room for the next class
 * @class_of: of each line, or EVSET_NO_CLASS
 * @of: room for the lines of a class
 * @next: the next class
 * @failures: classes in a row that gave no verified set
 */
struct evset_cluster_pools {
	uint64_t *lines;
	struct evset_samples samples;
	struct evset_clusters growth;
	size_t *class_of;
	uint64_t *of;
	size_t next;
	size_t failures;
};

/* Samples of some of the lines. */
static int take_sample(struct evset_machine *e, const struct evset_unsorted *u,
		       struct failure *f)
{
	struct evset_cluster_pools *p = e->search.pools;
	struct evset_assignment d = { .lines = u->lines,
				      .count = u->count,
				      .class_of = p->class_of };
	size_t *place = calloc(u->count + 1, sizeof(*place));
	struct evset_subsets c = { .d = NULL };
	int error = place ? evset_subsets_begin(&c, &d, f) :
			    prober_out_of_memory(f);

	if (!error) {
		evset_subsets_list(&c);
		error = evset_subsets_size(e, &c, u->prefix, f);
	}
	if (!error && c.count) {
		d.count = fmin(LINES_TIMES * (double)c.count, (double)u->count);
		evset_subsets_list(&c);
		for (size_t i = 0; i < d.count; i++)
			place[i] = i;
		error = evset_subsets_sample(e, &c, SAMPLES_OF_EACH, place,
					     &p->samples, f);
	}
	evset_subsets_end(&c);
	free(place);
	return error;
}

static int begin(struct evset_machine *e, const struct evset_unsorted *u,
		 struct failure *f)
{
	struct evset_cluster_pools *p = e->search.pools;
	int error;

	p->class_of = calloc(u->count + 1, sizeof(*p->class_of));
	p->of = calloc(u->count + 1, sizeof(*p->of));
	error = p->class_of && p->of ? take_sample(e, u, f) :
				       prober_out_of_memory(f);
	if (!error)
		error = evset_clusters_begin(&p->growth, &p->samples, f);
	for (int i = 0; !error && i < CLASSES_LEAST; i++)
		evset_clusters_next(&p->growth, LEAST_LINES, p->class_of);
	return error;
}

static bool are_possible(const struct evset_machine *e)
{
	return e->window.splintered && evset_per_load_possible(e);
}

bool evset_cluster_pools_wanted(const struct evset_machine *e, int found,
				int tried, double spent_ns, double left_ns)
{
	bool seldom = tried >= TRIES_LEAST && found < tried / SELDOM;

	return !e->search.pools && spent_ns >= SPENT_LEAST_NS &&
	       (seldom || left_ns > SAMPLES_NS) && are_possible(e);
}

double evset_cluster_pools_try_ns(const struct evset_machine *e)
{
	return !e->search.pools && are_possible(e) ? TRY_NS : INFINITY;
}

int evset_cluster_pools_begin(struct evset_machine *e, struct failure *f)
{
	struct evset_unsorted u = { .lines = NULL };
	int error;

	evset_cluster_pools_end(e);
	if (!are_possible(e))
		return 0;
	prober_progress(e->x->prober, "L%zu: clusters of lines",
			e->x->upper_count + 1);
	e->search.pools = calloc(1, sizeof(*e->search.pools));
	if (!e->search.pools)
		return prober_out_of_memory(f);
	error = evset_gather_pool(e, ALIGN_BYTES, &u, f);
	e->search.pools->lines = u.lines;
	if (!error)
		error = begin(e, &u, f);
	if (error || e->search.pools->growth.count < CLASSES_LEAST)
		evset_cluster_pools_end(e);
	evset_allow(e);
	return error;
}

void evset_cluster_pools_end(struct evset_machine *e)
{
	struct evset_cluster_pools *p = e->search.pools;

	if (!p)
		return;
	evset_clusters_end(&p->growth);
	evset_samples_free(&p->samples);
	free(p->lines);
	free(p->class_of);
	free(p->of);
	free(p);
	e->search.pools = NULL;
}

/* Any lines of no class or of others. */
static void add_evictors(struct evset_machine *e, size_t class,
			 struct evset_set *set)
{
	const struct evset_cluster_pools *p = e->search.pools;
	const size_t wanted = EVICTOR_TIMES * e->o.upper_evictors;
	const size_t count = p->samples.lines;
	size_t first = rng_below(&e->x->prober->rng, count);

	for (size_t i = 0; set->evictor_count < wanted && i < count; i++)
		if (p->class_of[(first + i) % count] != class)
			set->evictors[set->evictor_count++] =
				p->lines[(first + i) % count];
}

/* Lines of a class, into @p->of. */
static size_t list_class(struct evset_cluster_pools *p, size_t class)
{
	size_t n = 0;

	for (size_t i = 0; i < p->samples.lines; i++)
		if (p->class_of[i] == class)
			p->of[n++] = p->lines[i];
	return n;
}

/* A new class; or the first one again, if there are no more. */
static size_t next_class(struct evset_cluster_pools *p)
{
	if (p->next == p->growth.count)
		evset_clusters_next(&p->growth, LEAST_LINES, p->class_of);
	if (p->next == p->growth.count)
		p->next = 0;
	return p->next++;
}

int evset_cluster_pools_find(struct evset_machine *e, struct evset_set *set,
			     struct failure *f)
{
	struct evset_cluster_pools *p = e->search.pools;
	const size_t k = next_class(p);
	struct sequence lines = { p->of, list_class(p, k) };
	enum verdict verdict = VERDICT_COMPACT;
	int error = 0;

	*set = (struct evset_set){ .count = 0 };
	if (e->o.upper_evictors > 1)
		add_evictors(e, k, set);
	/* Other lines than last time. */
	sequence_shuffle(&lines, &e->x->prober->rng);
	for (size_t n = 1; !error && verdict != VERDICT_NON_COMPACT &&
			   n < lines.length && n <= EVSET_MOST_WAYS;
	     n++) {
		memcpy(set->lines, lines.offsets, (n + 1) * sizeof(uint64_t));
		set->count = n + 1;
		error = evset_ask_set(&e->o, set, set->lines, set->count, false,
				      &verdict, f);
	}
	if (verdict != VERDICT_NON_COMPACT)
		set->count = 0;
	return error;
}

void evset_cluster_pools_judge(struct evset_machine *e, bool good)
{
	if (!e->search.pools)
		return;
	e->search.pools->failures = good ? 0 : e->search.pools->failures + 1;
	if (e->search.pools->failures >= MOST_FAILURES)
		evset_cluster_pools_end(e);
}

uint64_t evset_cluster_pools_similar(struct evset_machine *e, uint64_t line)
{
	struct evset_cluster_pools *p = e->search.pools;
	size_t i = 0;

	if (!p)
		return line;
	while (i < p->samples.lines && p->lines[i] != line)
		i++;
	if (i == p->samples.lines || p->class_of[i] == EVSET_NO_CLASS)
		return line;
	return p->of[rng_below(&e->x->prober->rng,
			       list_class(p, p->class_of[i]))];
}
