/* SPDX-License-Identifier: GPL-2.0 */
/*
 * leave_one_out.h - minimal sets by leaving out one line at a time.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_LEAVE_ONE_OUT_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_LEAVE_ONE_OUT_H

#include "method/evset/oracle/session.h"

/** EVSET_LEAVE_ONE_OUT_LEAST - late lines of which sets can be told */
#define EVSET_LEAVE_ONE_OUT_LEAST 3
/** EVSET_LEAVE_ONE_OUT_MOST - of more lines none is told */
#define EVSET_LEAVE_ONE_OUT_MOST 160

/**
 * evset_leave_one_out() - a minimal set among lines that are late
 * @lines: @others that are not late, then *@missing that are, all of which share the sets
 *         of the levels above
 * @missing: (in, out) how many of them still are when they are looked at again
 * @set: (out) still to be verified; set->count 0: none was told
 *
 * A set that overflows by one line only does not without any of its lines: all others
 * of it are not late any more, and nothing else changes. So one look at all lines but
 * one tells that one's whole set; each pair of lines is asked about twice, and no
 * answer rests on another one. A line that nothing goes with is of a set that overflows
 * by more than one, and is left out for good; of lines that go with each other some
 * are left out until those that remain would fit with one less. Beside somebody else on
 * the core a search by last straws, of some eighty questions each of which has to be
 * answered rightly, seldom came to its end (two of thirty times in a Zen 3 guest).
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_leave_one_out(struct evset_machine *e, const uint64_t *lines,
			size_t others, size_t *missing, struct evset_set *set,
			struct failure *f);

#endif
