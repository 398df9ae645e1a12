/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what the search for sets that duel spends on readings: time, no
 * answer.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_TUNING_H
#define PROBE_PHYS_METHOD_DUELING_TUNING_H

#include "base/tuned.h"

/** MOST_TRIES - tries of a walk that was disturbed */
#define MOST_TRIES TUNED(8)
/** MOST_PUSHES - pushes until the selector must be on the other side */
#define MOST_PUSHES TUNED(4)
/** MOST_ASKED - readings of one set that are unclear or void */
#define MOST_ASKED TUNED(4)
/**
 * DUELING_SAMPLES - samples of a reading, of which LEAST_SAMPLES have to be
 * undisturbed
 */
#define DUELING_SAMPLES TUNED_FROM(2, 3)
/**
 * CLEARING - clearing lines of the levels above, per line walked between two
 * visits
 */
#define CLEARING TUNED(2)
/** CHUNK - loads of one walk over several groups */
#define CHUNK TUNED(16384)
/**
 * MOST_SETS - sets that are tested in each step; nearly all sets of a cache
 * that duels follow
 */
#define MOST_SETS TUNED(8)
/** LEAVE_GROUPS - one group in this many is left out of a push, at most */
#define LEAVE_GROUPS TUNED(4)

#endif
