// SPDX-License-Identifier: GPL-2.0
/* coverage.c - do the sorted lines fall into every set? */
#include <math.h>
#include <stdio.h>

#include "method/evset/sort/classes.h"

/* Probability that a class has no more lines than remain; if slices are no
 * power of two, lines fall RARE times less often into some sets.
 */
#define CLASS_MISSED 1e-7
#define RARE 3
#define RARE_MISSED 1e-3
/* Parts of the lines by which they grow, until they are enough. */
#define STEP 32
#define FEW_STEP 8
/* If many lines remain they may be of unknown classes. */
#define MOST_STEP 4
/* Classes that overflow with this many lines per way leave only lines that the
 * controls have to find.
 */
#define FEW_TIMES 3
#define MOST_UNSORTED 1

/* Probability of at most @few lines in a class (Poisson). */
static double missed(double mean, size_t few)
{
	double term = exp(-mean), sum = term;

	for (size_t i = 1; i <= few; i++) {
		term *= mean / (double)i;
		sum += term;
	}
	return sum;
}

/* Can no class more be among the remaining lines, of @count? */
static bool are_all_met(const struct evset_classes *c, size_t count)
{
	size_t unsorted = c->line_count - c->begin[c->count];
	double mean = (double)count / (double)(c->count + 1);

	return missed(mean, unsorted) <= CLASS_MISSED &&
	       missed(mean / RARE, unsorted) <= RARE_MISSED;
}

/* A class of at most @most lines; c->count: none. */
static size_t find_small(const struct evset_classes *c, size_t most)
{
	size_t i = 0;

	while (i < c->count && evset_class_lines(c, i) > most)
		i++;
	return i;
}

size_t evset_lines_wanted(const struct evset_classes *c)
{
	size_t wanted = c->line_count;
	size_t some = wanted / MOST_STEP + 1;
	size_t most = wanted + (some < c->spare ? some : c->spare);
	bool helps = wanted < FEW_TIMES * c->ways * (c->count + 1) ||
		     wanted - c->begin[c->count] <= MOST_UNSORTED;

	/* Controls need one line more than the ways of each class. */
	if (!c->count || find_small(c, c->ways) < c->count)
		wanted += wanted / FEW_STEP + 1;
	while (helps && wanted < most && c->count && !are_all_met(c, wanted))
		wanted += wanted / STEP + 1;
	return wanted < most ? wanted : most;
}

bool evset_is_sorted(const struct evset_classes *c, char *reason, size_t size)
{
	size_t small = find_small(c, c->ways - 1);

	if (c->count == EVSET_MOST_CLASSES || !c->count ||
	    !are_all_met(c, c->line_count))
		snprintf(
			reason, size,
			"%zu of %zu lines could not be sorted by set: %zu sets were found",
			c->line_count - c->begin[c->count], c->line_count,
			c->count);
	else if (small < c->count)
		snprintf(
			reason, size,
			"of %zu lines sorted into %zu sets only %zu are of one of them",
			c->line_count, c->count, evset_class_lines(c, small));
	else
		return true;
	return false;
}
