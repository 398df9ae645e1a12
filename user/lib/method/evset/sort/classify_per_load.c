// SPDX-License-Identifier: GPL-2.0
/* classify_per_load.c - samples of random subsets, until their lines can be
 * clustered.
 */

#include <stdlib.h>
#include <string.h>

#include "method/evset/sort/sorting.h"

/* Of more lines two would seldom be in one subset. Each line is in this many.
 */
#define LINES_TIMES 3
#define SAMPLES_OF_EACH 85
/* Lines per class, as multiples of the ways: at least, and what is aimed at if
 * there are fewer. Under contention subsets are short, and classes that never
 * overflow are not found.
 */
#define LINES_LEAST 2.25
#define LINES_AIM 2.75
#define ATTEMPTS 6
/* Part of all lines that may remain after the first time. */
#define MOST_LEFT 3
/* Remaining lines that may be one class that was not found, as a multiple of
 * the ways.
 */
#define FEW_LEFT 4
/* A class has some more lines than its set has ways. */
#define LEAST_LINES 3
#define TYPICAL_WAYS 8

/* Classes among the remaining lines, behind those that there are. */
static int sort_left(struct evset_machine *e, struct evset_subsets *c,
		     struct failure *f)
{
	struct evset_assignment *d = c->d;
	size_t ways = d->ways ? d->ways : TYPICAL_WAYS;
	size_t least = ways * 3 / 4 > LEAST_LINES ? ways * 3 / 4 : LEAST_LINES;
	struct evset_samples l = { .lines = 0 };
	size_t *place = calloc(d->count + 1, sizeof(*place)), found = 0;
	int error = place ? 0 : prober_out_of_memory(f);

	for (size_t i = 0; !error && i < c->left; i++)
		place[c->all[i]] = i;
	if (!error)
		error = evset_subsets_sample(e, c, SAMPLES_OF_EACH, place, &l,
					     f);
	if (!error)
		error = evset_cluster(&l, least, c->class_of, &found, f);
	for (size_t i = 0; !error && i < c->left; i++) {
		size_t line = c->all[i], class = c->class_of[place[line]];

		if (class != EVSET_NO_CLASS)
			d->class_of[line] = d->classes + class;
	}
	d->classes += found;
	evset_samples_free(&l);
	free(place);
	return error;
}

/* Lines of a class side by side, those of none last. */
static void arrange(const struct evset_assignment *d, uint64_t *lines,
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

/* Classes of the first @lines lines. */
static int sort_all(struct evset_machine *e, struct evset_subsets *c,
		    double lines, size_t most, struct failure *f)
{
	struct evset_assignment *d = c->d;

	d->count = lines < (double)most ? (size_t)lines : most;
	d->classes = 0;
	for (size_t i = 0; i < d->count; i++)
		d->class_of[i] = EVSET_NO_CLASS;
	evset_subsets_list(c);
	return sort_left(e, c, f);
}

/* All lines that are wanted; more, if they are few for the number of classes.
 */
static int sort_first(struct evset_machine *e, struct evset_subsets *c,
		      struct failure *f)
{
	struct evset_assignment *d = c->d;
	const size_t most = d->count;
	double ways = (double)(d->ways ? d->ways : TYPICAL_WAYS), classes;
	int error = sort_all(e, c, LINES_TIMES * (double)c->count, most, f);

	classes = (double)d->classes;
	if (!error && d->count < most &&
	    (double)d->count < LINES_LEAST * ways * classes)
		error = sort_all(e, c, LINES_AIM * ways * classes, most, f);
	return error;
}

/* Of all lines the first time, of the remaining ones later. A few that form no
 * cluster may be one class.
 */
static int sort_once(struct evset_machine *e, struct evset_subsets *c,
		     size_t first, bool all, struct failure *f)
{
	struct evset_assignment *d = c->d;
	size_t before = d->classes;
	int error = evset_subsets_size(e, c, first, f);

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

/* A class that is too weak among all lines is strong among the remaining ones.
 */
static int classify(struct evset_machine *e, const struct evset_unsorted *u,
		    struct evset_subsets *c, enum outcome *outcome,
		    struct failure *f)
{
	struct evset_assignment *d = c->d;
	int error = 0;

	for (int i = 0; !error && i < ATTEMPTS; i++) {
		evset_subsets_list(c);
		if (*outcome == OUTCOME_DECIDED && c->left <= d->ways / 2)
			break;
		error = sort_once(e, c, i ? c->left / 4 + 1 : u->prefix, !i, f);
		if (d->classes >= EVSET_MOST_CLASSES)
			break;
		evset_subsets_list(c);
		/* The level was contended all the time: another time, then. */
		if (!i && c->left > d->count / MOST_LEFT)
			break;
		if (!error)
			error = evset_check_per_load(e, d, outcome, f);
	}
	return error;
}

int evset_sort_per_load(struct evset_machine *e, const struct evset_unsorted *u,
			size_t ways, struct evset_classes *c, struct failure *f)
{
	struct evset_assignment d = { .lines = u->lines,
				      .count = u->count,
				      .ways = ways,
				      .class_of = calloc(u->count + 1,
							 sizeof(size_t)) };
	struct evset_subsets ch = { .d = NULL };
	enum outcome outcome = OUTCOME_OPEN;
	int error = d.class_of ? evset_subsets_begin(&ch, &d, f) :
				 prober_out_of_memory(f);

	*c = (struct evset_classes){ .ways = ways, .lines = u->lines };
	if (!error)
		error = classify(e, u, &ch, &outcome, f);
	if (!error && d.classes < EVSET_MOST_CLASSES) {
		arrange(&d, u->lines, ch.lines, c);
		c->checked = outcome == OUTCOME_DECIDED;
	}
	evset_subsets_end(&ch);
	free(d.class_of);
	return error;
}
