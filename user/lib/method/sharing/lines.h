/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lines.h - lines for the question of sharing.h: those of a stride, or, of a
 * level whose sets no stride keeps to, those that were collected with its
 * eviction sets.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_LINES_H
#define PROBE_PHYS_METHOD_SHARING_LINES_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * struct sharing_lines - one placement
 * @own: of the CPU that is measured
 * @push: of their sets, more than these hold
 * @beside: as many of other sets
 * @clear: of listed lines: others of their sets of the levels above, more than
 *         these hold, anywhere in the level itself
 * @aside: of the pages of own lines, none that is used: flushed, they translate
 */
struct sharing_lines {
	struct sequence own;
	struct sequence push;
	struct sequence beside;
	struct sequence clear;
	struct sequence aside;
};

/** sharing_lines_free() - release all of them */
void sharing_lines_free(struct sharing_lines *l);

/** sharing_set_aside() - @l->aside, of lines that are placed; -ENOMEM with @f set */
int sharing_set_aside(const struct hierarchy *h, struct sharing_lines *l,
		      struct failure *f);

/** sharing_nothing_lost_below() - is no level below level @k inclusive? */
bool sharing_nothing_lost_below(const struct hierarchy *h, size_t k);

/** sharing_spared_below() - can strided lines be chosen that no level below @k loses? */
bool sharing_spared_below(const struct hierarchy *h, size_t k);

/** sharing_is_listed() - are lines of one set of a level known by a list only? */
bool sharing_is_listed(const struct cache_result *c);

/**
 * sharing_list_usable(), sharing_choose_strided() - can lines be placed?
 * @k: index of the level
 * @own: (out) lines that miss above and hit in the level
 * Return: why not, or NULL
 */
const char *sharing_list_usable(const struct prober *p,
				const struct hierarchy *h, size_t k);
const char *sharing_choose_strided(struct prober *p, const struct hierarchy *h,
				   size_t k, struct shape *own);

/**
 * sharing_place_listed(), sharing_place_strided() - at random, where they can be
 * @l: (out) sharing_lines_free() in any case
 * Return: 0; -ERANGE: levels below leave too few; -ENOMEM with @f set.
 */
int sharing_place_listed(struct prober *p, const struct hierarchy *h, size_t k,
			 struct sharing_lines *l, struct failure *f);
int sharing_place_strided(struct prober *p, const struct hierarchy *h, size_t k,
			  const struct shape *own, struct sharing_lines *l,
			  struct failure *f);

#endif
