/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - how many lines and tests the search for an index function spends:
 * time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_TUNING_H
#define PROBE_PHYS_METHOD_INDEX_TUNING_H

#include "base/tuned.h"

/**
 * HULL_TRIES - random lines that are tested for one set; 40 slices need far
 * fewer
 */
#define HULL_TRIES TUNED(512 * 64)
/** TRIED_LINES - lines of one test */
#define TRIED_LINES TUNED(64)
/**
 * SHARE_OF_WAYS - lines of different sums in one test: for each set this share
 * of its ways is expected, so that chance seldom fills a set, which costs
 * tests
 */
#define SHARE_OF_WAYS TUNED_REAL(0.25)
/** MOST_SHARES - lines of one test, one in this many of the longest list */
#define MOST_SHARES TUNED(2)
/** MOST_PAIRS - differences that are tried */
#define MOST_PAIRS TUNED(6000)
/** FIRST_PAIRS - differences that are tried until one holds */
#define FIRST_PAIRS TUNED(600)
/** SEQUENCE_HELD_OUT - lines that confirm the function */
#define SEQUENCE_HELD_OUT TUNED(64)
/** NULLSPACE_HELD_OUT - lines of either kind that confirm the function */
#define NULLSPACE_HELD_OUT TUNED(64)
/** DISPUTED - tests that resolve an apparent contradiction */
#define DISPUTED TUNED(12)
/** PICKS - draws of a line that confirms */
#define PICKS TUNED(8)
/** LINEARITY_MEMBERS - lines of the set that are sought */
#define LINEARITY_MEMBERS TUNED(64)
/** MOST_PLACES - places at which a sum of bits is tested */
#define MOST_PLACES TUNED(1024)
/** SUMMED_SETS - eviction sets from which sums are tested */
#define SUMMED_SETS TUNED(4)
/** FIND_ATTEMPTS - attempts, each with higher error rates */
#define FIND_ATTEMPTS TUNED(6)
/** FIND_CONTROLS - tests that confirm a line of the eviction set, at least */
#define FIND_CONTROLS TUNED(8)
/** MOST_QUESTIONS - tests for one bit */
#define MOST_QUESTIONS TUNED(4096)
/** MODULO_TRIED - lines of either kind that are tested */
#define MODULO_TRIED TUNED(64)
/**
 * PATIENCE - a test ends undecided after this multiple of the expected results
 */
#define PATIENCE TUNED(10)
/** MUTE - a test without a first result ends after this number of them */
#define MUTE TUNED(6)
/** SMALL_GROUP - undecided groups are bisected down to this number of lines */
#define SMALL_GROUP TUNED(16)
/** VERIFY_DRAWS - draws of a line of the wanted kind */
#define VERIFY_DRAWS TUNED(10000)

#endif
