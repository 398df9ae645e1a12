/* SPDX-License-Identifier: GPL-2.0 */
/* list_walk.h - lists of lines, walked on a machine beside lines that hit. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_WALK_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_WALK_H

#include "method/evset/oracle/session.h"

/** evset_has_control_lines() - are there control lines in the pages of a list?
 * It has to be long, and its lines in at most two sets of the levels above.
 */
bool evset_has_control_lines(const struct evset_machine *e,
			     const uint64_t *lines, size_t count);

/**
 * evset_control_lines() - lines of the same pages, in the same order, that hit
 * @list: for which evset_has_control_lines() is true
 * @together: lines at its beginning that may share a set
 * @s: (out) the caller frees
 * Return: 0 or -ENOMEM.
 */
int evset_control_lines(struct evset_machine *e, const struct sequence *list,
			size_t together, struct sequence *s);

/** enum evset_control - the hits that a sample of a list is compared with */
enum evset_control {
	EVSET_CONTROL_RECENT, /* recent hit time of that length; few rounds */
	EVSET_CONTROL_PAGES_BRIEFLY, /* lines of the same pages; few rounds */
	EVSET_CONTROL_PAGES,	     /* lines of the same pages */
	EVSET_CONTROL_SHORT,	     /* the level's control, of few lines */
};

/**
 * evset_sample_list() - misses of a round of a list, by one sample
 * @misses: (out) mean of the fast readings
 * @hit: (out) ticks per load of the control
 * Return: 0, -EAGAIN when no reading was undisturbed, other -errno with @f set.
 */
int evset_sample_list(struct evset_machine *e, const uint64_t *lines,
		      size_t count, enum evset_control control, double *misses,
		      double *hit, struct failure *f);

/**
 * evset_list_decide() - is a list compact, by a trial that draws its error?
 * @longer: the list has more time to settle
 * @misses: (out) of a round, fewest of all blocks
 * Return: 0 or -errno with @f set.
 */
int evset_list_decide(struct evset_machine *e, const uint64_t *lines,
		      size_t count, bool longer, enum verdict *verdict,
		      double *misses, struct failure *f);

/**
 * evset_list_misses() - misses per load of a list, fewest of some attempts
 * @together: lines at its beginning that are walked in a row
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int evset_list_misses(struct evset_machine *e, const uint64_t *lines,
		      size_t count, size_t together, double *misses,
		      struct failure *f);

/** evset_list_misses_once() - misses per load of a list by one sample, above
 * hits of the level's control: its translations count as misses
 * @misses: (out) INFINITY: no reading was undisturbed
 */
int evset_list_misses_once(struct evset_machine *e, const uint64_t *lines,
			   size_t count, double *misses, struct failure *f);

/**
 * evset_fitting_misses() - misses per load below which a list fits
 * @share: this limit, if a miss costs what missing lines of one set take
 *
 * By time, missing lines of one set may come from memory, where an inclusive
 * level lost them, but lines of a list that overflows the whole level from the
 * next level: then the limit is a part of a hit. In a guest contention disturbs
 * by as much.
 */
double evset_fitting_misses(const struct evset_machine *e, double share);

/** evset_compact() - the callback of struct evset_oracle; @context: a struct
 * evset_machine
 */
int evset_compact(void *context, const uint64_t *lines, size_t count,
		  bool final, enum verdict *verdict, struct failure *f);

/** evset_machine_pause() - some milliseconds, in which contention may end;
 * @context: the same
 */
void evset_machine_pause(void *context);

/** evset_whole_pages_fit() - has the window room for @count pages, and are they
 * enough?
 */
bool evset_whole_pages_fit(const struct evset_machine *e, size_t count,
			   uint64_t line_bytes);

/**
 * evset_whole_pages() - do @count pages of e->window.low_bytes fit?
 * @count: of pages, other ones each time
 * @sparse: as of evset_random_places(); 1: consecutive pages
 * @line_bytes: of the level
 * @misses: (out) per load of all of their lines, above those of few lines in
 *          each page; in ticks while e->scale.penalty is 1. Not finite: too few
 *          pages for the levels above, too many for the window, or always
 *          disturbed
 *
 * Few lines of each page fit, need as many translations and miss as often
 * above.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_whole_pages(struct evset_machine *e, size_t count, size_t sparse,
		      uint64_t line_bytes, double *misses, struct failure *f);

#endif
