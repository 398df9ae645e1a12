/* SPDX-License-Identifier: GPL-2.0 */
/* compact.h - one question of a search by strides: are these lines compact? */
#ifndef PROBE_PHYS_METHOD_STRIDE_COMPACT_H
#define PROBE_PHYS_METHOD_STRIDE_COMPACT_H

#include "method/level/geometry.h"

/** xray_compact_shape() - the same of a shape made by xray_shape() */
int xray_compact_shape(struct xray *x, const struct shape *w,
		       enum verdict *verdict, struct evidence *e,
		       struct failure *f);

/** xray_say_undecided() - the reason for @verdict, in words */
void xray_say_undecided(struct xray_geometry *g, const struct evidence *e,
			uint64_t stride, size_t count);

/**
 * xray_verify() - Theorem 1 around an answer, and the level's own ways
 * @g: found by the search; found, modulo, nested and level.own are set
 *
 * In an exclusive hierarchy A lines of one set are its own ways and those of
 * the sets above; at T / 2 twice its own ways stand against once those above.
 * Return: as xray_find_geometry().
 */
int xray_verify(struct xray *x, struct xray_geometry *g, struct failure *f);

/**
 * xray_count_own() - own ways of a level with more sets than those above
 * @g: found; (out) level.own, and level.ways with what levels above add; or nested: not
 *     known; or found no more
 * @longest: way of a level above
 * Return: as xray_find_geometry().
 */
int xray_count_own(struct xray *x, struct xray_geometry *g, uint64_t longest,
		   struct failure *f);

/**
 * xray_find_shorter_way() - an exclusive level whose way is shorter than those above
 *
 * Lines one of the ways above apart share one set there and one here: they are A of
 * its own and B of those above. At 1/k of that distance they share k sets above, which
 * add k * B, and one here, until its own way is as short.
 * @g: found, with the way of a level above; (out) where such a level explains all
 *     distances down to its way, that way, own ways, and with it those that are added
 * Return: as xray_find_geometry().
 */
int xray_find_shorter_way(struct xray *x, struct xray_geometry *g,
			  struct failure *f);

/**
 * xray_fits() - do most lines of a shape hit? Other load may take some places.
 * @outcome: (out) OUTCOME_DECIDED: they do
 * Return: 0; -EAGAIN: not seen undisturbed; another -errno with @f set.
 */
int xray_fits(struct xray *x, const struct shape *w, enum outcome *outcome,
	      struct failure *f);

/** stride_most_lines() - no more lines are walked at a stride */
size_t stride_most_lines(const struct xray *x);

/**
 * stride_take_off_translations() - misses of a shape without what its pages take
 *
 * By time alone: what the same pages take of loads that stay in L1 is taken off.
 * @misses: (in and out) per load, as of xray_excess()
 * Return: 0, also where that is not known; or as prober_time().
 */
int stride_take_off_translations(struct xray *x, const struct shape *w,
				 double *misses, struct failure *f);

#endif
