/* SPDX-License-Identifier: GPL-2.0 */
/*
 * self_conflicts.h - sets out of candidates that overflow them, by the time of
 * each load.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H

#include "method/evset/oracle/session.h"

/**
 * evset_self_conflicts() - a minimal set out of candidates whose sets overflow
 * @lines: @count candidates in random order, all of which share the sets of the
 *         levels above; reordered
 * @set: (out) still to be verified; set->count 0: none
 *
 * Of thousands of random lines chance puts more into some sets than fit. These
 * lines are a thousandth of the list, which hardly shows in its total time; in
 * a walk that times each load they miss every time. Prime+Prune+Probe discards
 * them as self-conflicts (Song & Liu, RAID 2019); here they are all that is
 * wanted: evset_leave_one_out() takes sets out of some dozens of them.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_self_conflicts(struct evset_machine *e, uint64_t *lines, size_t count,
			 struct evset_set *set, struct failure *f);

/** EVSET_LEAVE_ONE_OUT_LEAST - missing lines that can be a set */
#define EVSET_LEAVE_ONE_OUT_LEAST 3
/** EVSET_LEAVE_ONE_OUT_MOST - missing lines of which sets are formed, at most
 */
#define EVSET_LEAVE_ONE_OUT_MOST 160

/**
 * evset_leave_one_out() - a minimal set among missing lines
 * @lines: @others that do not miss, then *@missing that do, all of which share
 *         the sets of the levels above
 * @missing: (in, out) those that still miss in more samples
 * @set: (out) still to be verified; set->count 0: none
 *
 * A set that overflows by one line does not overflow without any one of its
 * lines: then the others stop missing, and nothing else changes. So one sample
 * of all lines but one shows the whole set of that one; each pair of lines is
 * judged twice, and no verdict rests on another one. If no line stops missing
 * without a line, its set overflows by more, and the line is dropped; lines
 * that go together are left out until the rest would fit with one less. Under
 * contention a bisection, of some eighty questions that all need the right
 * answer, seldom comes to its end (two of thirty times in a guest).
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_leave_one_out(struct evset_machine *e, const uint64_t *lines,
			size_t others, size_t *missing, struct evset_set *set,
			struct failure *f);

#endif
