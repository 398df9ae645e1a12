/* SPDX-License-Identifier: GPL-2.0 */
/* members.h - more lines of the set of a minimal one. */
#ifndef PROBE_PHYS_METHOD_EVSET_MEMBERS_H
#define PROBE_PHYS_METHOD_EVSET_MEMBERS_H

#include "method/evset/oracle/session.h"

/** evset_collect() - more lines of the set of a minimal one
 * @set: verified
 * @function: what is known of the index: saves questions
 * @lines: (out) those of @set first; room for @most
 * @count: (out) their number, less than @most if the window has no more
 * Return: 0 or the oracle's -errno.
 */
int evset_collect(struct evset_machine *e, const struct evset_set *set,
		  const struct index_function *function, uint64_t *lines,
		  size_t most, size_t *count, struct failure *f);

#endif
