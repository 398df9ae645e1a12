/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what eviction sets spend on attempts and pauses: time, no answer.
 * The folders below keep theirs.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_TUNING_H
#define PROBE_PHYS_METHOD_EVSET_TUNING_H

#include "base/tuned.h"

/** STAGES_PAUSE_MS - pause between two attempts at a stage, by time */
#define STAGES_PAUSE_MS TUNED(700)
/** FIRST_PAUSE_MS - pause before the second attempt in splintered pages */
#define FIRST_PAUSE_MS TUNED(50)
/** INDEX_SETS - sets that are tried for the index, while one gives no answer */
#define INDEX_SETS TUNED(3)
/** LATER_LOOKS - later looks at a level */
#define LATER_LOOKS TUNED(4)
/** LATER_MS - pause before each */
#define LATER_MS TUNED(300)
/** EVICTOR_TRIES - tries of evictors for a column */
#define EVICTOR_TRIES TUNED(24)
/** COLUMN_GROUP - columns whose evictors are confirmed at once */
#define COLUMN_GROUP TUNED(16)
/** LINE_MEMBERS - members by which the line size is measured */
#define LINE_MEMBERS TUNED(12)
/** WAYS_PAUSE_MS - pause between two sets */
#define WAYS_PAUSE_MS TUNED(15)
/** PENALTY_TRIES - tries of a penalty */
#define PENALTY_TRIES TUNED(5)
/** CHECKS_PAUSE_MS - pause between two checks of the ways */
#define CHECKS_PAUSE_MS TUNED(300)
/** MOMENT_MS - pause between two moments of one check */
#define MOMENT_MS TUNED(30)

#endif
