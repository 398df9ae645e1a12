/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what sharing spends on lines and samples: time and memory, no
 * answer.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_TUNING_H
#define PROBE_PHYS_METHOD_SHARING_TUNING_H

#include "base/tuned.h"

/** SHARING_SAMPLES - samples of one placement */
#define SHARING_SAMPLES TUNED(8)
/** SHARING_LOOKS - looks at own lines that have to hit, until they are near enough */
#define SHARING_LOOKS TUNED(4)
/** SHARING_PAUSES - of a level, until nothing else takes own lines away, in all */
#define SHARING_PAUSES TUNED(40)
/** SHARING_PAUSE_MS - length of one */
#define SHARING_PAUSE_MS TUNED(25)
/** SHARING_TRIES - of a question that is not clear */
#define SHARING_TRIES TUNED(3)
/** SHARING_APART_MS - pause between two of them */
#define SHARING_APART_MS TUNED(300)
/**
 * STRIDED_SPARE - lines that evicting ones are chosen from, times as many, so
 * that the levels below keep their lines
 */
#define STRIDED_SPARE TUNED(8)
/** UNIFIED_ATTEMPTS - attempts at an undisturbed round */
#define UNIFIED_ATTEMPTS TUNED(5)
/** MOST_UNCLEAR - rounds that show neither */
#define MOST_UNCLEAR TUNED(10)
/** UNCLEAR_PAUSE_MS - after one of them: another thread of the core may rest then */
#define UNCLEAR_PAUSE_MS TUNED(25)
/** NOTHING_LOOKS - looks at lines where nothing comes in between */
#define NOTHING_LOOKS TUNED(5)
/** ENOUGH_LINES - lines of some sets that are enough */
#define ENOUGH_LINES TUNED(1024)
/** UNIFIED_LINES - lines that are loaded, at most */
#define UNIFIED_LINES TUNED(32768)

#endif
