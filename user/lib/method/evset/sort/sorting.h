/* SPDX-License-Identifier: GPL-2.0 */
/* sorting.h - lines being sorted by set: what the files of this folder share.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_SORTING_H
#define PROBE_PHYS_METHOD_EVSET_SORT_SORTING_H

#include "method/evset/sort/classes.h"

/**
 * struct sorting - the classes so far, and the remaining lines
 * @o: the oracle
 * @c: the classes, whose lines begin @c->lines
 * @group: lines of one question
 * @failures: tries in a row that gave no minimal set
 */
struct sorting {
	struct evset_oracle *o;
	struct evset_classes *c;
	size_t group;
	int failures;
};

/** EVSET_MOST_GROUP - lines of one question, at most */
#define EVSET_MOST_GROUP 64

/**
 * evset_choose_group() - the number of lines of one test with which one in two
 * groups has a line of some set: a set overflows when it has some more lines than half
 * of its ways, on average
 * @prefix: number of lines of which some set overflows
 */
void evset_choose_group(struct sorting *s, size_t prefix);

/**
 * evset_next_set() - a minimal set of remaining lines
 * @set: (out) count 0: none
 * @overflows: (out) some set of them does
 * Return: 0 or the oracle's -errno.
 */
int evset_next_set(struct sorting *s, struct evset_set *set, bool *overflows,
		   struct failure *f);

/**
 * evset_sweep() - all remaining lines of the set of a minimal one
 * @members: (out) behind @member_count of them; without its own lines
 * Return: 0 or the oracle's -errno.
 */
int evset_sweep(struct sorting *s, const struct evset_set *set,
		uint64_t *members, size_t *member_count, struct failure *f);

/** evset_check_minimal() - controls of a set by which lines are to be sorted
 * @set: (in, out) count 0: it fails, or all of its lines have a class
 * Return: 0 or the oracle's -errno.
 */
int evset_check_minimal(struct sorting *s, struct evset_set *set,
			struct failure *f);

/** evset_taken_ways() - ways that a neighbour may hold all the time */
static inline size_t evset_taken_ways(size_t ways)
{
	return ways / 6;
}

/** evset_steadily_minimal() - does a set stay minimal under contention?
 * @set: of ways + 1 lines, or fewer if a neighbour holds some ways
 * @outcome: (out) OUTCOME_DECIDED: several times not compact, but compact without
 *           its last line
 * Return: 0 or the oracle's -errno.
 */
int evset_steadily_minimal(struct evset_oracle *o, const struct evset_set *set,
			   enum outcome *outcome, struct failure *f);

/** evset_needs_all() - does a set fit without any one of its lines? A foreign
 * line would make no room.
 * @set: its lines are reordered
 * @outcome: (out) OUTCOME_DECIDED: it does
 * Return: 0 or the oracle's -errno.
 */
int evset_needs_all(struct evset_oracle *o, struct evset_set *set,
		    enum outcome *outcome, struct failure *f);

/** evset_class_add() - move remaining lines into a class
 * @members: of class @k, @member_count of them
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_class_add(struct evset_classes *c, size_t k, const uint64_t *members,
		    size_t member_count, struct failure *f);

/** evset_class_drop() - the last @n lines of a class remain again */
void evset_class_drop(struct evset_classes *c, size_t k, size_t n);

/** EVSET_UNCLEAR_CLASS - answers contradict each other */
#define EVSET_UNCLEAR_CLASS SIZE_MAX

/** evset_find_class() - the class that a set belongs to
 * @k: (out) c->count: it is a new one; EVSET_UNCLEAR_CLASS
 * Return: 0 or the oracle's -errno.
 */
int evset_find_class(struct sorting *s, const struct evset_set *set, size_t *k,
		     struct failure *f);

/** evset_dissolve() - remove a class; its lines remain */
void evset_dissolve(struct evset_classes *c, size_t k);

/**
 * evset_purify() - drop foreign lines, which a disturbed moment added to
 * classes
 * @dropped: (out) lines that remain again
 * Return: 0 or the oracle's -errno.
 */
int evset_purify(struct sorting *s, size_t *dropped, struct failure *f);

/**
 * evset_check_per_load() - is each class one set, and none of the others?
 * @d: (in, out) lines of another class, or of none, are moved there; a class
 *     that does not overflow alone is removed
 * @outcome: (out) OUTCOME_DECIDED: no line was moved any more
 *
 * All lines of one class are walked with some of each other class that fit:
 * then its own lines miss, and no others.
 * Return: as evset_sample_each().
 */
int evset_check_per_load(struct evset_machine *e, struct evset_assignment *d,
			 enum outcome *outcome, struct failure *f);

#endif
