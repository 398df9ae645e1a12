// SPDX-License-Identifier: GPL-2.0
/* check_per_load.c - one class that overflows, among others that fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"
#include "method/evset/sort/sorting.h"

/* Lines of each class that has to fit; and so few lines of no class that they
 * fit even if all are of one set.
 */
#define FITTING(ways) ((ways) >= 8 ? (ways) / 4 : (ways) / 2)
#define UNSORTED(ways) ((ways) / 2)
/* Share of missing lines from which on another class is the same set. */
#define SAME 0.75
/* Samples until each line of the class has missed once: a policy keeps some
 * lines of a set that overflows for many rounds, each time others.
 */
#define SAMPLES 12
#define SAMPLES_WITHOUT 2
/* Passes until no line is moved. */
#define PASSES 4
/* Arrays of numbers that a pass needs. */
#define ROOMS 7

/**
 * struct finding - what the samples of a pass show of a line
 * @misfit: it hits where its own class misses, or that is no set
 * @missing_with: other classes that it misses with
 * @class: one of these
 * @shown: it has missed with its own class
 */
struct finding {
	bool misfit;
	size_t missing_with;
	size_t class;
	bool shown;
};

/**
 * struct overfill - the samples of one pass
 * @d: the lines
 * @listed: numbers of the lines of a sample: @own of the class, @count in all
 * @lines: these lines
 * @excess: in the last sample, and as much room for sorting
 * @suspect: by line: of another class or none, and missing in every sample
 * @found: by line: what this pass has shown
 * @same: by class: another one that is the same, or EVSET_NO_CLASS
 * @fitted: by class: room for the number of its lines that were sampled
 * @missing_ones: by class: room for the number of these that missed
 * @pass: passes before this one
 * @number: by class: room for its new number
 * @members: all lines, by class in this pass, those of none last
 * @first: by class, and of none: where its lines begin there; first[classes +
 *         1]: the end
 */
struct overfill {
	struct evset_assignment *d;
	size_t *listed;
	size_t own;
	size_t count;
	uint64_t *lines;
	double *excess;
	bool *suspect;
	struct finding *found;
	size_t *same;
	size_t *fitted;
	size_t *missing_ones;
	size_t pass;
	size_t *number;
	size_t *members;
	size_t *first;
};

/* A line that misses with several classes is of none of them: it needs no more
 * samples.
 */
static bool is_anywhere(const struct overfill *o, size_t line)
{
	return o->found[line].missing_with > 1;
}

static void find_members(struct overfill *o)
{
	const struct evset_assignment *d = o->d;
	size_t n = 0;

	for (size_t k = 0; k <= d->classes; k++) {
		size_t class = k < d->classes ? k : EVSET_NO_CLASS;

		o->first[k] = n;
		for (size_t i = 0; i < d->count; i++)
			if (d->class_of[i] == class)
				o->members[n++] = i;
	}
	o->first[d->classes + 1] = n;
}

/* Some lines of a class, or of none: others in each pass. */
static void list_some(struct overfill *o, size_t class, size_t most)
{
	const size_t *members = o->members + o->first[class];
	size_t of = o->first[class + 1] - o->first[class];

	for (size_t i = 0; i < of; i++)
		if ((i + o->pass * most) % of < most &&
		    !is_anywhere(o, members[i]))
			o->listed[o->count++] = members[i];
}

/* Lines of the class at random; first half of those that have not missed yet,
 * since a policy loses a line that it kept only while that line is not used.
 */
static void list_own(struct overfill *o, struct rng *rng, size_t class)
{
	const struct evset_assignment *d = o->d;
	size_t n = o->first[class + 1] - o->first[class], first = 0;
	size_t most = EVSET_OVERFULL(d->ways);

	memcpy(o->listed, o->members + o->first[class], n * sizeof(*o->listed));
	for (size_t i = 0; i < n; i++) {
		size_t line = o->listed[i], to = i;

		if (!o->found[line].shown && rng_next(rng) & 1)
			to = first++;
		else if (i > first)
			to = first + rng_below(rng, i - first + 1);
		o->listed[i] = o->listed[to];
		o->listed[to] = line;
	}
	o->own = n < most ? n : most;
	o->count = o->own;
}

static void list_all(struct overfill *o, struct rng *rng, size_t class)
{
	const struct evset_assignment *d = o->d;

	list_own(o, rng, class);
	for (size_t k = 0; k < d->classes; k++)
		if (k != class)
			list_some(o, k, FITTING(d->ways));
	list_some(o, d->classes, UNSORTED(d->ways));
	for (size_t i = 0; i < o->count; i++)
		o->lines[i] = d->lines[o->listed[i]];
}

/* Classes whose lines miss with those of @class. */
static void find_same(struct overfill *o, size_t class)
{
	const struct evset_assignment *d = o->d;

	memset(o->fitted, 0, d->classes * sizeof(*o->fitted));
	memset(o->missing_ones, 0, d->classes * sizeof(*o->missing_ones));
	for (size_t i = o->own; i < o->count; i++) {
		size_t k = d->class_of[o->listed[i]];

		if (k == EVSET_NO_CLASS)
			continue;
		o->fitted[k]++;
		o->missing_ones[k] += o->suspect[o->listed[i]];
	}
	for (size_t k = 0; k < d->classes; k++)
		if (o->missing_ones[k] &&
		    (double)o->missing_ones[k] >= SAME * (double)o->fitted[k])
			o->same[k < class ? class : k] = k < class ? k : class;
}

/* @missing: the class missed; if not, it says nothing of others. */
static void judge(struct overfill *o, size_t class, bool missing)
{
	for (size_t i = o->first[class]; i < o->first[class + 1]; i++)
		o->found[o->members[i]].misfit |=
			!o->found[o->members[i]].shown;
	if (!missing)
		return;
	find_same(o, class);
	for (size_t i = o->own; i < o->count; i++) {
		struct finding *found = &o->found[o->listed[i]];

		if (!o->suspect[o->listed[i]])
			continue;
		found->missing_with++;
		found->class = class;
	}
}

/* One sample. Return: whether another one may show more. */
static bool note(struct overfill *o, size_t class, double middle)
{
	bool more = false;

	for (size_t i = 0; i < o->count; i++) {
		bool missing = o->excess[i] > middle;
		size_t line = o->listed[i];

		if (i < o->own)
			o->found[line].shown |= missing;
		else
			more |= o->suspect[line] &= missing;
	}
	for (size_t i = o->first[class]; !more && i < o->first[class + 1]; i++)
		more = !o->found[o->members[i]].shown;
	return more;
}

static int overfill_one(struct evset_machine *e, struct overfill *o,
			size_t class, struct failure *f)
{
	bool more = true;
	int error = 0, none = 0;

	for (size_t i = 0; i < o->d->count; i++)
		o->suspect[i] = true;
	for (int k = 0; !error && more && k < SAMPLES && none < SAMPLES_WITHOUT;
	     k++) {
		double at;

		list_all(o, &e->x->prober->rng, class);
		error = evset_sample_overfull(e, o->lines, o->own,
					      o->count - o->own, o->count,
					      o->excess, &at, f);
		if (isinf(at))
			none++;
		else
			more = note(o, class, at);
	}
	if (!error)
		judge(o, class, none < SAMPLES_WITHOUT);
	return error;
}

/* Classes without lines are removed; the others keep their order. */
static void close_up(struct evset_assignment *d, size_t *number)
{
	size_t n = 0;

	for (size_t k = 0; k < d->classes; k++) {
		bool any = false;

		for (size_t i = 0; !any && i < d->count; i++)
			any = d->class_of[i] == k;
		number[k] = any ? n++ : EVSET_NO_CLASS;
	}
	for (size_t i = 0; i < d->count; i++)
		if (d->class_of[i] != EVSET_NO_CLASS)
			d->class_of[i] = number[d->class_of[i]];
	d->classes = n;
}

/* Two classes that are the same set become one. */
static bool join(struct evset_assignment *d, const size_t *same)
{
	bool changed = false;

	for (size_t i = 0; i < d->count; i++) {
		size_t k = d->class_of[i];

		if (k == EVSET_NO_CLASS || same[k] == EVSET_NO_CLASS)
			continue;
		d->class_of[i] = same[k];
		changed = true;
	}
	return changed;
}

/* A line that misses with several classes is of an unknown one. */
static bool move_lines(struct evset_assignment *d, const struct finding *found)
{
	bool changed = false;

	for (size_t i = 0; i < d->count; i++) {
		bool has = d->class_of[i] != EVSET_NO_CLASS;
		bool other = found[i].missing_with == 1 &&
			     (!has || found[i].misfit);

		if (!other &&
		    !(has && (found[i].misfit || found[i].missing_with)))
			continue;
		d->class_of[i] = other ? found[i].class : EVSET_NO_CLASS;
		changed = true;
	}
	return changed;
}

static int pass(struct evset_machine *e, struct overfill *o, bool *changed,
		struct failure *f)
{
	struct evset_assignment *d = o->d;
	int error = 0;

	find_members(o);
	memset(o->found, 0, d->count * sizeof(*o->found));
	for (size_t k = 0; k < d->classes; k++)
		o->same[k] = EVSET_NO_CLASS;
	for (size_t k = 0; !error && k < d->classes; k++)
		error = overfill_one(e, o, k, f);
	*changed = !error && (join(d, o->same) || move_lines(d, o->found));
	if (*changed)
		close_up(d, o->number);
	return error;
}

/* Each array of numbers has room for @n of them. */
static void divide(struct overfill *o, size_t *room, size_t n)
{
	size_t **const arrays[ROOMS] = { &o->listed, &o->same,
					 &o->fitted, &o->missing_ones,
					 &o->number, &o->members,
					 &o->first };

	for (size_t i = 0; i < ROOMS; i++)
		*arrays[i] = room + i * n;
}

int evset_check_per_load(struct evset_machine *e, struct evset_assignment *d,
			 enum outcome *outcome, struct failure *f)
{
	size_t n = d->count + d->classes + 2;
	size_t *room = calloc(ROOMS * n, sizeof(*room));
	struct overfill o = { .d = d,
			      .lines = calloc(n, sizeof(uint64_t)),
			      .excess = calloc(2 * n, sizeof(double)),
			      .suspect = calloc(n, sizeof(bool)),
			      .found = calloc(n, sizeof(*o.found)) };
	/* Other lines than last time, of those that have no class. */
	size_t first = rng_below(&e->x->prober->rng, d->count + 1);
	bool changed = true;
	int error = 0;

	if (!room || !o.lines || !o.excess || !o.suspect || !o.found)
		error = prober_out_of_memory(f);
	else
		divide(&o, room, n);
	for (int i = 0; !error && changed && d->classes > 1 && i < PASSES;
	     i++) {
		o.pass = first + (size_t)i;
		error = pass(e, &o, &changed, f);
	}
	*outcome =
		outcome_if(!error && !changed && d->classes > 1, OUTCOME_OPEN);
	free(room);
	free(o.lines);
	free(o.excess);
	free(o.suspect);
	free(o.found);
	return error;
}
