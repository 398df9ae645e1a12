/* SPDX-License-Identifier: GPL-2.0 */
/* ways_recheck.h - has a level more ways than those of a set that somebody else
 * uses?
 */
#ifndef PROBE_PHYS_METHOD_EVSET_WAYS_RECHECK_H
#define PROBE_PHYS_METHOD_EVSET_WAYS_RECHECK_H

#include "method/evset/oracle/session.h"

/**
 * evset_larger() - a minimal set of more lines, where one that is known is moved in its
 * pages
 * @set: verified
 * @larger: (out) verified; count 0: at none of some places
 *
 * What others keep in a set takes room from it, and never adds any: lines that overflow
 * a set here and fit in another one there say that there are more ways, if some more
 * lines of the same set overflow that one. Where those fit, too, the index may not be
 * linear in a page, and nothing is said.
 * Return: 0 or the oracle's -errno.
 */
int evset_larger(struct evset_machine *e, const struct evset_set *set,
		 struct evset_set *larger, struct failure *f);

#endif
