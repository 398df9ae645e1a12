/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what inclusion and stores spend on placements and samples: time,
 * no answer.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_TUNING_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_TUNING_H

#include "base/tuned.h"

/** INCLUSION_TRIES - times that inclusion is tested where it was not seen */
#define INCLUSION_TRIES TUNED(2)
/** TRIES_APART_MS - pause between two of them */
#define TRIES_APART_MS TUNED(300)
/** VOTES_FEW - placements that say nothing, beyond those that say so */
#define VOTES_FEW TUNED(12)
/** MISS_PLACES - where what a miss costs is looked for */
#define MISS_PLACES TUNED(8)
/** ALLOCATE_SAMPLES - samples of one walk */
#define ALLOCATE_SAMPLES TUNED(8)
/** SETTLE_LOADS - loads until all lines are there */
#define SETTLE_LOADS TUNED(40000)
/** TIMED_LOADS - loads of a sample, for a coarse clock */
#define TIMED_LOADS TUNED(2000)
/**
 * ALLOCATE_TRIES - tries, as a clock of coarse steps shows too little of few
 * lines now and then, and another thread of the core may work for a second
 */
#define ALLOCATE_TRIES TUNED(8)

/** OWN_AGAIN - looks of a placement at a holder that may lose one line by itself */
#define OWN_AGAIN TUNED(8)

/** MEMORY_SIDE_SAMPLES - of lines of memory, of which the least counts */
#define MEMORY_SIDE_SAMPLES TUNED(5)

/* Thresholds: these decide, and are not scaled. */

/**
 * STRAY_LOOKS - by time: looks at lines that have to hit, until they are near
 * enough. With half as many, and half of PINNED_SAMPLES, inclusion of an L3
 * (Cortex-A76) is left undecided
 */
#define STRAY_LOOKS 4
/**
 * PINNED_SAMPLES - samples of one observation, by which a look is near enough
 */
#define PINNED_SAMPLES 6
/** PINNED_LOST_SHARE - misses of a line that is lost, at least */
#define PINNED_LOST_SHARE 0.5
/**
 * PINNED_ALONE_SAMPLES - of one line, whose mean counts. Where a step of the clock is as
 * long as a miss, two means differ by a quarter of a miss in one case of 200 (2.8
 * standard deviations, where each sample is off by half a step)
 */
#define PINNED_ALONE_SAMPLES 64
/**
 * VOTES_WITHOUT - placements in all where none has said so, until the question
 * ends undecided
 */
#define VOTES_WITHOUT 40
/**
 * VOTES_PLACES - placements in all where some have: each says so by chance one
 * time in two, and pinned_surely() asks for 20 at an error of 1e-6
 */
#define VOTES_PLACES 160

#endif
