/* SPDX-License-Identifier: GPL-2.0 */
/* index.h - the index of a level of a machine, from an eviction set. */
#ifndef PROBE_PHYS_METHOD_EVSET_INDEX_H
#define PROBE_PHYS_METHOD_EVSET_INDEX_H

#include "method/evset/oracle/session.h"

/**
 * index_of_level() - masks and kind of a level's index
 * @set: a verified eviction set
 * @line_bytes: line size
 * @pairs: fresh pairs to predict afterwards, 0: none
 * @found: (out) INDEX_UNKNOWN with a reason if it is undecided, also if no
 *         address is known or too many predictions are wrong
 *
 * In a virtual machine bits above those of a page are not varied: how the host
 * places its pages is unknown.
 * Return: 0 or -errno with @f set.
 */
int index_of_level(struct evset_machine *e, const struct evset_set *set,
		   uint64_t line_bytes, size_t pairs,
		   struct index_function *found, struct failure *f);

#endif
