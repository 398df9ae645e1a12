/* SPDX-License-Identifier: GPL-2.0 */
/* list_walk.h - lists of lines, walked on a machine. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_WALK_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_WALK_H

#include "method/evset/oracle/session.h"

/** evset_has_control_lines() - can a list be compared with lines of its own pages?
 * It has to be long, and its lines in two sets of the levels above at most.
 */
bool evset_has_control_lines(const struct evset_machine *e,
			     const uint64_t *lines, size_t count);

/**
 * evset_control_lines() - lines of the same pages, in the same order, that hit
 * @list: for which evset_has_control_lines() is true
 * @together: as many lines at its beginning may share a set
 * @s: (out) the caller frees
 * Return: 0 or -ENOMEM.
 */
int evset_control_lines(struct evset_machine *e, const struct sequence *list,
			size_t together, struct sequence *s);

/** enum evset_control - hits that a quick look is compared with */
enum evset_control {
	EVSET_CONTROL_RECENT, /* of lists of that length, lately; after few rounds */
	EVSET_CONTROL_PAGES_BRIEFLY, /* of the same pages, now; after few rounds */
	EVSET_CONTROL_PAGES,	     /* of the same pages, now */
	EVSET_CONTROL_SHORT,	     /* of few lines: the level's control */
};

/**
 * evset_sample_list() - misses of a round of a list, looked at once
 * @misses: (out) quartile of a few samples
 * @hit: (out) ticks per load of what hits
 * Return: 0, -EAGAIN when nothing was undisturbed, other -errno with @f set.
 */
int evset_sample_list(struct evset_machine *e, const uint64_t *lines,
		      size_t count, enum evset_control control, double *misses,
		      double *hit, struct failure *f);

/**
 * evset_list_decide() - is a list compact, surely?
 * @longer: it has more time to settle
 * @misses: (out) of a round, least of all blocks
 * Return: 0 or -errno with @f set.
 */
int evset_list_decide(struct evset_machine *e, const uint64_t *lines,
		      size_t count, bool longer, enum verdict *verdict,
		      double *misses, struct failure *f);

/**
 * evset_list_misses() - misses per load of a list, the least of some attempts
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int evset_list_misses(struct evset_machine *e, const uint64_t *lines,
		      size_t count, size_t together, double *misses,
		      struct failure *f);

/** evset_list_misses_once() - misses per load of a list, looked at once, above what hits
 * of few lines cost: with what its translations cost
 * @misses: (out) INFINITY: nothing was undisturbed
 */
int evset_list_misses_once(struct evset_machine *e, const uint64_t *lines,
			   size_t count, double *misses, struct failure *f);

/**
 * evset_fitting_misses() - misses per load of which a list that fits has fewer
 * @share: that many where a miss costs what lines of one set are late
 *
 * By time those may come from far away, where an inclusive level has lost them,
 * and more lines than fit from the level below: they are no hits for that. Guests
 * have neighbours who disturb as much.
 */
double evset_fitting_misses(const struct evset_machine *e, double share);

#endif
