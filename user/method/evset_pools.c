// SPDX-License-Identifier: GPL-2.0
#include "evset_pools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evset_each.h"

/* Nearly every try gives a set where nobody disturbs. */
#define TRIES_LEAST 6
#define SELDOM 3
/* Beside somebody each of them takes seconds; sorting takes two or three (a Zen 3
 * guest, 128 classes of 20 lines).
 */
#define SORTING_NS 3e9
#define TRY_NS 1.5e9
/* Sooner nothing is known of how long they take. */
#define SPENT_LEAST_NS 0.5e9
/* The line size is not known yet. */
#define ALIGN_BYTES 1024
/* So many lines clear the levels above for sure, and overflow nothing. */
#define PADDING_TIMES 2
/* Of fewer lines no set is known well. */
#define LEAST_LINES 3
#define CLASSES_LEAST 2
/* A class that is wrong costs a try to find a set in it, and to deal again as much as
 * a hundred of them.
 */
#define MOST_LEFT (2.0 / 3)
/* So many classes in a row that are no sets: they are none of this level's. Arrays
 * for translations have sets, too.
 */
#define MOST_FAILURES 24

/**
 * struct evset_pools - lines by class
 * @lines: those of a class side by side, in random order
 * @begin: of each class, those of the usual length first; begin[count]: the end
 * @count: of classes
 * @next: the class that comes next
 * @failures: classes in a row that gave no verified set
 */
struct evset_pools {
	uint64_t *lines;
	size_t *begin;
	size_t count;
	size_t next;
	size_t failures;
};

/**
 * struct size - lines of a class
 * @class: its number
 * @lines: their number
 * @odd: by how much that differs from what most lines' classes have: chance and
 *       disturbances make large ones as well as small ones
 */
struct size {
	size_t class;
	size_t lines;
	size_t odd;
};

static int compare_lines(const void *a, const void *b)
{
	const struct size *x = a, *y = b;

	return (x->lines > y->lines) - (x->lines < y->lines);
}

static int compare_odd(const void *a, const void *b)
{
	const struct size *x = a, *y = b;

	if (x->odd != y->odd)
		return x->odd > y->odd ? 1 : -1;
	return (x->class > y->class) - (x->class < y->class);
}

/* The usual ones first. */
static void sort_sizes(struct size *sizes, size_t count)
{
	size_t all = 0, seen = 0, usual = 0;

	qsort(sizes, count, sizeof(*sizes), compare_lines);
	for (size_t k = 0; k < count; k++)
		all += sizes[k].lines;
	for (size_t k = 0; k < count && seen < all / 2; k++) {
		seen += sizes[k].lines;
		usual = sizes[k].lines;
	}
	for (size_t k = 0; k < count; k++)
		sizes[k].odd = sizes[k].lines > usual ? sizes[k].lines - usual :
							usual - sizes[k].lines;
	qsort(sizes, count, sizeof(*sizes), compare_odd);
}

/* Classes of dealt lines, those of the usual length first. */
static int arrange(struct evset_machine *e, const struct evset_dealt *d,
		   struct failure *f)
{
	struct evset_pools *p = e->pools;
	struct size *sizes = calloc(d->classes + 1, sizeof(*sizes));
	size_t n = 0;

	p->lines = calloc(d->count + 1, sizeof(*p->lines));
	p->begin = calloc(d->classes + 1, sizeof(*p->begin));
	if (!sizes || !p->lines || !p->begin) {
		free(sizes);
		return prober_out_of_memory(f);
	}
	for (size_t k = 0; k < d->classes; k++)
		sizes[k].class = k;
	for (size_t i = 0; i < d->count; i++)
		if (d->class_of[i] != EVSET_NO_CLASS)
			sizes[d->class_of[i]].lines++;
	sort_sizes(sizes, d->classes);
	for (size_t k = 0; k < d->classes; k++) {
		if (sizes[k].lines < LEAST_LINES)
			continue;
		for (size_t i = 0; i < d->count; i++)
			if (d->class_of[i] == sizes[k].class)
				p->lines[n++] = d->lines[i];
		p->begin[++p->count] = n;
	}
	free(sizes);
	return 0;
}

static int deal(struct evset_machine *e, struct evset_dealt *d, size_t first,
		struct failure *f)
{
	size_t left = 0;
	int error;

	d->class_of = calloc(d->count + 1, sizeof(*d->class_of));
	e->pools = calloc(1, sizeof(*e->pools));
	error = d->class_of && e->pools ? 0 : prober_out_of_memory(f);
	if (!error)
		error = evset_deal(e, d, first, &left, f);
	if (!error && (double)left <= MOST_LEFT * (double)d->count)
		error = arrange(e, d, f);
	if (!e->pools)
		return error;
	if (error || e->pools->count < CLASSES_LEAST ||
	    e->pools->count >= EVSET_MOST_CLASSES)
		evset_pools_end(e);
	return error;
}

static bool are_possible(const struct evset_machine *e)
{
	return e->pieces && evset_each_possible(e);
}

bool evset_pools_wanted(const struct evset_machine *e, int found, int tried,
			double spent_ns, double left_ns)
{
	bool seldom = tried >= TRIES_LEAST && found < tried / SELDOM;

	return !e->pools && spent_ns >= SPENT_LEAST_NS &&
	       (seldom || left_ns > SORTING_NS) && are_possible(e);
}

double evset_pools_try_ns(const struct evset_machine *e)
{
	return !e->pools && are_possible(e) ? TRY_NS : INFINITY;
}

int evset_pools_begin(struct evset_machine *e, struct failure *f)
{
	struct evset_unsorted u = { .lines = NULL };
	struct evset_dealt d = { .count = 0 };
	int error;

	evset_pools_end(e);
	if (!are_possible(e))
		return 0;
	prober_progress(e->x->prober, "L%zu: sorting lines by set",
			e->x->upper_count + 1);
	error = evset_each_gather(e, ALIGN_BYTES, &u, f);
	d.lines = u.lines;
	d.count = u.count;
	if (!error)
		error = deal(e, &d, u.prefix, f);
	free(d.class_of);
	free(u.lines);
	evset_allow(e);
	return error;
}

void evset_pools_end(struct evset_machine *e)
{
	if (!e->pools)
		return;
	free(e->pools->lines);
	free(e->pools->begin);
	free(e->pools);
	e->pools = NULL;
}

/* One of each other class, or some more where those are few. */
static void add_padding(struct evset_machine *e, size_t class,
			struct evset_set *set)
{
	const struct evset_pools *p = e->pools;
	const size_t wanted = PADDING_TIMES * e->o.clearing;
	size_t first = rng_below(&e->x->prober->rng, p->count);

	for (size_t i = 0;
	     set->padding_count < wanted && i < p->begin[p->count]; i++) {
		size_t k = (first + i) % p->count, of = i / p->count;

		if (k != class && of < p->begin[k + 1] - p->begin[k])
			set->padding[set->padding_count++] =
				p->lines[p->begin[k] + of];
	}
}

int evset_pools_find(struct evset_machine *e, struct evset_set *set,
		     struct failure *f)
{
	struct evset_pools *p = e->pools;
	const size_t k = p->next++ % p->count;
	const size_t of = p->begin[k + 1] - p->begin[k];
	struct sequence lines = { p->lines + p->begin[k], of };
	enum verdict verdict = VERDICT_COMPACT;
	int error = 0;

	*set = (struct evset_set){ .count = 0 };
	if (e->o.clearing > 1)
		add_padding(e, k, set);
	/* Other ones than last time. */
	sequence_shuffle(&lines, &e->x->prober->rng);
	for (size_t n = 1; !error && verdict != VERDICT_NON_COMPACT && n < of &&
			   n <= EVSET_MOST_WAYS;
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

void evset_pools_judge(struct evset_machine *e, bool good)
{
	if (!e->pools)
		return;
	e->pools->failures = good ? 0 : e->pools->failures + 1;
	if (e->pools->failures >= MOST_FAILURES)
		evset_pools_end(e);
}

uint64_t evset_pools_alike(struct evset_machine *e, uint64_t line)
{
	const struct evset_pools *p = e->pools;
	size_t k = 0, i = 0;

	if (!p)
		return line;
	while (i < p->begin[p->count] && p->lines[i] != line)
		i++;
	if (i == p->begin[p->count])
		return line;
	while (p->begin[k + 1] <= i)
		k++;
	return p->lines[p->begin[k] + rng_below(&e->x->prober->rng,
						p->begin[k + 1] - p->begin[k])];
}
