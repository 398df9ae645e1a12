/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xor_copies.h - X-Ray's sequences below a hashed level whose masks are known:
 * copies of each line, XORed with vectors that keep it in its set there.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_XOR_COPIES_H
#define PROBE_PHYS_METHOD_LEVEL_XOR_COPIES_H

#include "base/gf2.h"
#include "method/level/level.h"

/** xray_is_below_hashed() - is a level above hashed, with masks that are known?
 *
 * Then the arena has to be aligned to its length, in physical addresses.
 */
bool xray_is_below_hashed(const struct xray *x);

/**
 * xray_copies() - copies that stay in their sets of all hashed levels above
 * @stride: copies differ below its lowest bit; 0: anywhere
 * @least: copies wanted
 * @folds: (out)
 * Return: their number, a power of two, which may be less.
 */
size_t xray_copies(const struct xray *x, uint64_t stride, size_t least,
		   struct shape_folds *folds);

/** xray_null_space() - vectors that keep a line in its set of every hashed level above
 * @null: (out) vectors of address bits, of those that their masks are known of
 */
void xray_null_space(const struct xray *x, struct gf2_space *null);

/** xray_least_copied_stride() - the least doubling of a stride that leaves enough copies
 * below its lowest bit
 */
uint64_t xray_least_copied_stride(const struct xray *x, uint64_t stride);

/** xray_copies_in_set() - of the copies of a line those that share its set */
size_t xray_copies_in_set(const struct shape_folds *folds,
			  const struct xray_level *level);

/** xray_copies_suffice() - do copies clear the level right above, without rows?
 *
 * Where they do not, another level lies between the hashed one and this one. An
 * exclusive one hits for what comes last in a row; so all that can be found of
 * what lies below is whether it is much faster than memory.
 */
bool xray_copies_suffice(const struct xray *x);

/** xray_copied_shape() - xray_shape() below a hashed level: each row clears that
 * level by itself
 */
struct shape xray_copied_shape(const struct xray *x, uint64_t stride,
			       size_t count);

/** xray_copied_control() - xray_control() below a hashed level */
struct shape xray_copied_control(const struct xray *x, size_t multiple);

/**
 * xray_copied_reference() - the control of tests with xray_copied_shape()
 *
 * All its lines share a set of each level above, as all lines of those shapes share
 * one of the first levels: as many loads of both miss right after a miss of their
 * set, for which some processors take longer (a Zen 3's L1).
 */
struct shape xray_copied_reference(const struct xray *x);

/**
 * xray_takes_victims() - does a level hold what the level above evicts?
 * @level: its geometry, found with xray_copied_shape()
 * @takes: (out) VERDICT_COMPACT: it does, and only that (exclusive);
 *         VERDICT_NON_COMPACT: it does not
 *
 * What comes last in a row stays in the hashed level above. When rows begin at
 * one part after the other, each line is there now and then, and an exclusive
 * level has room for more rows than it has ways. Any other one sees all of them
 * as before.
 * Return: as xray_find_geometry().
 */
int xray_takes_victims(struct xray *x, const struct xray_level *level,
		       enum verdict *takes, struct failure *f);

/**
 * xray_find_copies_clearing() - xray_find_clearing() of a hashed level
 * @level: clearing is set, a power of two
 * @outcome: (out) OUTCOME_OPEN: too few lines of a set are known, or the policy
 *           keeps some whatever comes
 */
int xray_find_copies_clearing(struct xray *x, struct xray_level *level,
			      enum outcome *outcome, struct failure *f);

#endif
