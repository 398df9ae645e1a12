/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time.h - the timing discipline (IV-A "Timing a Reference String", V-A).
 *
 * Each string is timed in many trials, and the least time is kept, because
 * disturbance only adds time. All strings are timed once before any is timed
 * again: so a disturbance affects one trial of several strings, not several
 * trials of one.
 */
#ifndef PROBE_PHYS_METHOD_COOPER_TIME_H
#define PROBE_PHYS_METHOD_COOPER_TIME_H

#include "method/cooper/internal.h"

/** COOPER_PATIENCE - trials in a row without an improvement (IV-A: "a typical
 * value for Trials is 100")
 */
#define COOPER_PATIENCE 100

/**
 * COOPER_MAPPINGS - most mappings of a sweep; an eighth of them suffices for
 * long strings, which spread over more sets
 */
#define COOPER_MAPPINGS 16

/**
 * struct cooper_string - a reference string and its time
 * @x: position on the curve, bytes
 * @view: pages that it is walked in; NULL: the machine's region
 * @cycles: (out) least time per load, in integer additions, rounded to a whole
 *          number, at least 1; INFINITY: never timed undisturbed
 * @trials: (out) number of trials
 * @ticks: least undisturbed time per load, by mapping
 * @idle: trials since the last improvement
 * @left: all its trials are done
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
 * @strings: @count of them, shortest first; @x and @view are set,
 *           cooper_sweep() sets the rest
 * @make: lays string @which out for trial @trial (0, 1, ...), in another order
 *        each time. Return: 0 with @s to be freed by sequence_free(), or -errno
 *        with @f set
 * @context: first argument of @make
 * @what: for the progress
 * @mappings: trials t, t + @mappings, ... use the same pages; each mapping is
 *            timed at least once. The time of a string is the mean over
 *            mappings of the least time of each. 0 and 1: the least time of
 *            all, while pages may change: trials are then samples of mappings,
 *            too, and the best counts (IV-D)
 * @together: all strings are finished together, once none gets faster: each was
 *            timed on the same pages then
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
 * A string is finished after c->patience trials in a row that have not made it
 * faster by one addition (V-A). A long string has fewer trials, and no more for
 * being faster: one of its samples lasts as long as many of a short one, and it
 * determines the total time.
 * Return: 0; -EINTR when stopped, with the least times so far; other -errno
 * with @f set.
 */
int cooper_sweep(struct cooper *c, struct cooper_sweep *sweep,
		 struct failure *f);

/** cooper_exact() - time of a string, not rounded; INFINITY: never timed */
double cooper_exact(const struct cooper *c, const struct cooper_string *s);

/**
 * cooper_keep() - the curve of a sweep, for the analysis and the picture
 *
 * Strings that were never timed undisturbed are left out: a curve without its
 * end shows less, but nothing wrong.
 * Return: NULL: there is no room for one.
 */
struct side_curve *cooper_keep(struct cooper *c,
			       const struct cooper_sweep *sweep,
			       enum side_axis axis, const char *name);

#endif
