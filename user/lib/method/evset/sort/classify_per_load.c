// SPDX-License-Identifier: GPL-2.0
/* classify_per_load.c - looks at each line of random choices, until they can be
 * sorted.
 */
#include "method/evset/sort/classify_per_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/random_subsets.h"
#include "method/evset/oracle/whole_pages.h"
#include "observe/sampler.h"

#define WARM_ROUNDS 3
#define TRIES 2
/* An interrupt is a thousand misses long. */
#define MOST_MISSES 4
#define MOST_STEPS 2
/* All lines of a set that overflows clearly are later than others by so much. */
#define OVERFULL_PENALTIES 0.2
/* Of more lines two would seldom take part in the same choice. Each is in so many. */
#define LINES_TIMES 3
#define LOOKS_AT_EACH 85
/* Of each class so many sets' ways, at least; else so many. Who leaves little room
 * makes choices short, and classes that never overflow are none.
 */
#define LINES_LEAST 2.25
#define LINES_AIM 2.75
#define ATTEMPTS 6
/* All sets are met often, in pages of a part of the window. */
#define MOST_LINES 8192
#define SPARSE 8
#define FIRST_TIMES 4
/* Of all lines after the first time. */
#define MOST_LEFT 3
/* Of a class that was not seen, times its ways. */
#define FEW_LEFT 4
/* A class has to have some more lines than its set has ways. */
#define LEAST_LINES 3
#define USUAL_WAYS 8
/* The timer's steps may be so many misses long: their mean tells all the same. What is
 * taken for a step is as long as a reading, some steps in truth.
 */
#define COARSE 8

bool evset_each_possible(const struct evset_machine *e)
{
	const struct machine *m = e->x->prober->m;

	return m->times_each && !xray_counter(e->x) && e->penalty > 0 &&
	       m->timer.resolution_ticks < COARSE * e->penalty;
}

/* Of so many rounds somebody else spoils few: one that is always disturbed tells
 * all the same.
 */
static int take(struct evset_machine *e, const struct sequence *s,
		const bool *timed, unsigned int rounds, double *ticks,
		struct failure *f)
{
	struct prober *p = e->x->prober;
	const struct walk_each each = {
		.timed = timed,
		.ticks = ticks,
		.most_ticks = p->m->timer.overhead_ticks + e->x->hit_ticks +
			      MOST_MISSES * e->penalty +
			      MOST_STEPS * p->m->timer.resolution_ticks,
	};
	const struct walk_plan plan = {
		.warm_rounds = WARM_ROUNDS,
		.loads = rounds * (unsigned int)s->length,
		.samples = 1,
		.seldom = true,
		.each = &each,
	};

	for (int i = 0; i < TRIES; i++) {
		struct sample sample = { .loads = 0 };
		int error;

		if (prober_stopped(p))
			return -EINTR;
		error = p->m->ops->walk(p->m, s, &plan, &sample, f);
		e->o.accesses += sample.loads;
		p->tests++;
		if (error || !sample.disturbed)
			return error;
	}
	return 0;
}

/* What belongs to the first places of a list, in another order. */
static void put_back(const size_t *order, const double *from, size_t count,
		     size_t timed, double *to)
{
	for (size_t i = 0; i < count; i++)
		if (order[i] < timed)
			to[order[i]] = from[i];
}

int evset_look_first(struct evset_machine *e, const uint64_t *lines,
		     size_t timed, size_t count, unsigned int rounds,
		     double *ticks, struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	struct sequence s = { .offsets = calloc(count + 1, sizeof(uint64_t)),
			      .length = count };
	size_t *order = calloc(count + 1, sizeof(*order));
	double *took = calloc(count + 1, sizeof(*took));
	bool *is_timed = calloc(count + 1, sizeof(*is_timed));
	int error = s.offsets && order && took && is_timed ?
			    0 :
			    prober_out_of_memory(f);

	for (size_t i = 0; !error && i < count; i++) {
		size_t j = rng_below(rng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; !error && i < count; i++) {
		s.offsets[i] = lines[order[i]];
		is_timed[i] = order[i] < timed;
	}
	if (!error)
		error = take(e, &s, is_timed, rounds, took, f);
	if (!error)
		put_back(order, took, count, timed, ticks);
	free(s.offsets);
	free(order);
	free(took);
	free(is_timed);
	return error;
}

int evset_look_each(struct evset_machine *e, const uint64_t *lines,
		    size_t count, unsigned int rounds, double *late,
		    struct failure *f)
{
	double sum = 0;
	int error = evset_look_first(e, lines, count, count, rounds, late, f);

	for (size_t i = 0; !error && i < count; i++)
		sum += late[i];
	for (size_t i = 0; !error && i < count; i++)
		late[i] -= sum / (double)count;
	return error;
}

double evset_middle(const struct evset_machine *e, const double *late,
		    size_t own, size_t count, double *sorted)
{
	double overfull, others;

	memcpy(sorted, late, count * sizeof(*late));
	overfull = sampler_quantile(sorted, own, 0.5);
	others = sampler_quantile(sorted + own, count - own, 0.5);
	return overfull - others < OVERFULL_PENALTIES * e->penalty ?
		       INFINITY :
		       (overfull + others) / 2;
}

/* Classes among the lines that have none, behind those that there are. */
static int sort_left(struct evset_machine *e, struct evset_choice *c,
		     struct failure *f)
{
	struct evset_dealt *d = c->d;
	size_t ways = d->ways ? d->ways : USUAL_WAYS;
	size_t least = ways * 3 / 4 > LEAST_LINES ? ways * 3 / 4 : LEAST_LINES;
	struct evset_looks l = { .lines = 0 };
	size_t *place = calloc(d->count + 1, sizeof(*place)), found = 0;
	int error = place ? 0 : prober_out_of_memory(f);

	for (size_t i = 0; !error && i < c->left; i++)
		place[c->all[i]] = i;
	if (!error)
		error = evset_choice_looks(e, c, LOOKS_AT_EACH, place, &l, f);
	if (!error)
		error = evset_alike(&l, least, c->class_of, &found, f);
	for (size_t i = 0; !error && i < c->left; i++) {
		size_t line = c->all[i], class = c->class_of[place[line]];

		if (class != EVSET_NO_CLASS)
			d->class_of[line] = d->classes + class;
	}
	d->classes += found;
	evset_looks_free(&l);
	free(place);
	return error;
}

/* Those of a class side by side, those of none last. */
static void arrange(const struct evset_dealt *d, uint64_t *lines,
		    uint64_t *room, struct evset_classes *c)
{
	size_t n = 0;

	c->count = d->classes;
	for (size_t k = 0; k < d->classes; k++) {
		c->begin[k] = n;
		for (size_t i = 0; i < d->count; i++)
			if (d->class_of[i] == k)
				room[n++] = d->lines[i];
	}
	c->begin[d->classes] = n;
	for (size_t i = 0; i < d->count; i++)
		if (d->class_of[i] == EVSET_NO_CLASS)
			room[n++] = d->lines[i];
	memcpy(lines, room, n * sizeof(*lines));
	c->line_count = n;
}

/* Classes of so many lines of all. */
static int sort_all(struct evset_machine *e, struct evset_choice *c,
		    double lines, size_t most, struct failure *f)
{
	struct evset_dealt *d = c->d;

	d->count = lines < (double)most ? (size_t)lines : most;
	d->classes = 0;
	for (size_t i = 0; i < d->count; i++)
		d->class_of[i] = EVSET_NO_CLASS;
	evset_choice_list(c);
	return sort_left(e, c, f);
}

/* All lines that are wanted; more of them, where those are few for the classes that
 * there are.
 */
static int sort_first(struct evset_machine *e, struct evset_choice *c,
		      struct failure *f)
{
	struct evset_dealt *d = c->d;
	const size_t most = d->count;
	double ways = (double)(d->ways ? d->ways : USUAL_WAYS), classes;
	int error = sort_all(e, c, LINES_TIMES * (double)c->count, most, f);

	classes = (double)d->classes;
	if (!error && d->count < most &&
	    (double)d->count < LINES_LEAST * ways * classes)
		error = sort_all(e, c, LINES_AIM * ways * classes, most, f);
	return error;
}

/* Of all lines in the first place, of those that are left later. Few of them that
 * do not fall into classes may be one.
 */
static int sort_once(struct evset_machine *e, struct evset_choice *c,
		     size_t first, bool all, struct failure *f)
{
	struct evset_dealt *d = c->d;
	size_t before = d->classes;
	int error = evset_choice_count(e, c, first, f);

	if (!error && c->count)
		error = all ? sort_first(e, c, f) : sort_left(e, c, f);
	if (error || all || d->classes > before || c->left <= d->ways ||
	    c->left > FEW_LEFT * d->ways)
		return error;
	for (size_t i = 0; i < c->left; i++)
		d->class_of[c->all[i]] = d->classes;
	d->classes++;
	return 0;
}

/* What was too weak to be seen among all lines is strong among those left. */
static int classify(struct evset_machine *e, const struct evset_unsorted *u,
		    struct evset_choice *c, bool *good, struct failure *f)
{
	struct evset_dealt *d = c->d;
	int error = 0;

	for (int i = 0; !error && i < ATTEMPTS; i++) {
		evset_choice_list(c);
		if (*good && c->left <= d->ways / 2)
			break;
		error = sort_once(e, c, i ? c->left / 4 + 1 : u->prefix, !i, f);
		if (d->classes >= EVSET_MOST_CLASSES)
			break;
		evset_choice_list(c);
		/* Somebody used the level all the time: another time, then. */
		if (!i && c->left > d->count / MOST_LEFT)
			break;
		if (!error)
			error = evset_overfill(e, d, good, f);
	}
	return error;
}

int evset_each_gather(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f)
{
	uint64_t at =
		rng_below(&e->x->prober->rng, e->low_bytes / align_bytes) *
		align_bytes;

	u->prefix = FIRST_TIMES * e->o.clearing + 1;
	return evset_random_places(e, at, MOST_LINES, SPARSE, &u->lines,
				   &u->count, f);
}

int evset_classify_each(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c, struct failure *f)
{
	struct evset_dealt d = { .lines = u->lines,
				 .count = u->count,
				 .ways = ways,
				 .class_of =
					 calloc(u->count + 1, sizeof(size_t)) };
	struct evset_choice ch = { .d = NULL };
	bool good = false;
	int error = d.class_of ? evset_choice_begin(&ch, &d, f) :
				 prober_out_of_memory(f);

	*c = (struct evset_classes){ .ways = ways, .lines = u->lines };
	if (!error)
		error = classify(e, u, &ch, &good, f);
	if (!error && d.classes < EVSET_MOST_CLASSES) {
		arrange(&d, u->lines, ch.lines, c);
		c->apart = good;
	}
	evset_choice_end(&ch);
	free(d.class_of);
	return error;
}
