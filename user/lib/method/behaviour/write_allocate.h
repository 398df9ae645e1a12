/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_allocate.h - what a level does with a store.
 *
 * Lines are flushed, stored to, and loaded. In a level that allocates on writes
 * they hit, as lines do that were loaded before they were stored to (positive
 * control); in one that does not they miss, as those do that nobody touched
 * (negative control). (Digest of published methods: "flush x; one store to x;
 * drain; timed or counted load of x".) Of lower levels lines are asked that
 * share sets of the levels above, more than these hold, so that each has left
 * them again when it is loaded: X-Ray's control sequence.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * stores_measure() - write-allocate, of every level that can be told
 *
 * A level allocates when a line that no level had is there after a store to it,
 * once the levels above have let it go again. Decided by the level's counter
 * where it is trusted, else by time. An exclusive level has what it holds from
 * those above: of it is only decided that it has what was stored to. Not
 * decided: other levels below one whose sets are not known by stride.
 *
 * @h: caches with their geometry, latencies and inclusion; write_allocate is
 *     filled in
 * Return: 0; -EINTR; other -errno with @f set.
 */
int stores_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
