/* SPDX-License-Identifier: GPL-2.0 */
/* listed.h - lines for the question of sharing.h about a level no stride
 * keeps to one set of: those that were collected with its eviction sets.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_LISTED_H
#define PROBE_PHYS_METHOD_SHARING_LISTED_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * struct sharing_lines - one placement
 * @own: of the CPU that is measured
 * @push: of their sets, more than these hold
 * @beside: as many of other sets
 * @clear: of listed lines: others of their sets of the levels above, more than
 *         these hold, anywhere in the level itself
 */
struct sharing_lines {
	struct sequence own;
	struct sequence push;
	struct sequence beside;
	struct sequence clear;
};

/** sharing_lines_free() - release all of them */
void sharing_lines_free(struct sharing_lines *l);

/** sharing_is_listed() - are lines of one set of a level known by a list only? */
bool sharing_is_listed(const struct cache_result *c);

/** sharing_list_usable() - Return: why there is no placement, or NULL
 * @k: index of the level
 */
const char *sharing_list_usable(const struct prober *p,
				const struct hierarchy *h, size_t k);

/** sharing_place_listed() - a random placement of a list that is usable
 * @l: (out) sharing_lines_free() in any case
 * Return: 0 or -ENOMEM with @f set.
 */
int sharing_place_listed(struct prober *p, const struct hierarchy *h, size_t k,
			 struct sharing_lines *l, struct failure *f);

#endif
