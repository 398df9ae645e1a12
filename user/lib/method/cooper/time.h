/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time.h - the timing discipline (IV-A "Timing a Reference String", V-A).
 *
 * Many trials of each string, the least time is kept: others can only make a
 * string slower. All strings are timed once before any of them is timed again,
 * so that what disturbs does so to one trial of several strings, not to several
 * trials of one.
 */
#ifndef PROBE_PHYS_METHOD_COOPER_TIME_H
#define PROBE_PHYS_METHOD_COOPER_TIME_H

#include "method/cooper/internal.h"

/** COOPER_PATIENCE - trials in a row without an improvement (IV-A: "a typical
 * value for Trials is 100")
 */
#define COOPER_PATIENCE 100

/** COOPER_MAPPINGS - most mappings of a sweep; of long strings, which spread over
 * more sets, an eighth of them does
 */
#define COOPER_MAPPINGS 16

/**
 * struct cooper_string - a reference string, and what it takes
 * @x: what the curve is drawn over, bytes
 * @view: pages that it is walked in; NULL: the machine's region
 * @cycles: (out) per load, the least: in integer additions, rounded to a whole
 *          number of them, 1 at least; INFINITY: never timed without a
 *          disturbance
 * @trials: (out) so many
 * @ticks: per load, the least of undisturbed samples, by mapping
 * @idle: trials since the last improvement
 * @left: it has had its trials
 */
struct cooper_string {
	double x;
	struct view *view;
	double cycles;
	unsigned int trials;
	double ticks[COOPER_MAPPINGS];
	unsigned int idle;
	bool left;
};

/**
 * struct cooper_sweep - strings that are timed together
 * @strings: @count of them, shortest first; @x and @view are set, the rest is
 *           begun by cooper_sweep()
 * @make: lays string @which out for trial @trial (0, 1, ...), in another order each
 *        time. Return: 0 with @s to be freed by sequence_free(), or -errno with @f
 *        set.
 * @context: its first argument
 * @what: is measured, for the progress
 * @mappings: trials t, t + @mappings, ... use the same pages, each mapping once at
 *            least. What a string takes
 *            is the mean over mappings of the least time of each. 0 and 1: the
 *            least of all, however its pages change: then trials are samples of
 *            mappings, too, and the best of them counts (IV-D)
 * @together: strings are left together, once none of them gets faster: each has been
 *            on the same pages then
 * @trials: (out) passes over the strings
 * @longest: elements of the longest string so far
 */
struct cooper_sweep {
	struct cooper_string *strings;
	size_t count;
	int (*make)(void *context, size_t which, unsigned int trial,
		    struct sequence *s, struct failure *f);
	void *context;
	const char *what;
	unsigned int mappings;
	bool together;
	unsigned int trials;
	size_t longest;
};

/**
 * cooper_unit() - find c->add_ticks and c->sample_loads
 * Return: 0, or -ENODATA with @f set (STATUS_UNAVAILABLE) where the machine
 * cannot time additions.
 */
int cooper_unit(struct cooper *c, struct failure *f);

/**
 * cooper_sweep() - time strings until no trial makes any of them faster
 *
 * A string is left after c->patience trials in a row that have not made it faster
 * by one addition (V-A). A long one has fewer, and no more for being faster: its
 * sample lasts as long as many of a short one, and it decides how long everything
 * takes.
 * Return: 0; -EINTR when stopped, with the least times so far; other -errno with
 * @f set.
 */
int cooper_sweep(struct cooper *c, struct cooper_sweep *sweep,
		 struct failure *f);

/** cooper_exact() - what a string takes, not rounded; INFINITY: never timed */
double cooper_exact(const struct cooper *c, const struct cooper_string *s);

/**
 * cooper_keep() - the curve of a sweep, for the analysis and the picture
 *
 * Strings that were never timed, or always disturbed, are left out: a curve that
 * lacks its end tells less, but nothing wrong.
 * Return: NULL where there is no room for one.
 */
struct side_curve *cooper_keep(struct cooper *c,
			       const struct cooper_sweep *sweep,
			       enum side_axis axis, const char *name);

#endif
