/* SPDX-License-Identifier: GPL-2.0 */
/* tuning.h - what survivors spend on looks: time, no answer. */
#ifndef PROBE_PHYS_METHOD_SURVIVORS_TUNING_H
#define PROBE_PHYS_METHOD_SURVIVORS_TUNING_H

#include "base/tuned.h"

/** PUSH_ROUNDS - of three times as many lines as ways, which push others out of the
 * level above: by random replacement, of 16 ways, one stays there in 1,000 looks
 */
#define PUSH_ROUNDS TUNED_FROM(2, 3)
/** SCALE_LOOKS - at hits, and at lines of memory */
#define SCALE_LOOKS TUNED(16)
/** MEMBER_LOOKS - at lines that may be of the set of the level above */
#define MEMBER_LOOKS TUNED_FROM(2, 4)
/** SHARE_LOOKS - at random subsets of one share of the lines */
#define SHARE_LOOKS TUNED(48)
/** SORTING_LOOKS - at subsets, before each time that lines are dropped */
#define SORTING_LOOKS TUNED(5000)
/** FINAL_LOOKS - at subsets of the lines that are left, at a time */
#define FINAL_LOOKS TUNED(4000)
/** FINAL_ROUNDS - of these, while lines are not apart */
#define FINAL_ROUNDS TUNED(6)
/** ATTEMPTS - with all lines that there are, while other load hides what they evict */
#define ATTEMPTS TUNED(3)
/** ATTEMPTS_APART_MS - pause between two of them */
#define ATTEMPTS_APART_MS TUNED(50)
/** COUNT_FEW - looks at lines of a set, of each number, that come first: lines that
 * stay are seen to in these already
 */
#define COUNT_FEW TUNED(16)
/** COUNT_LOOKS - at lines of a set, of each number, that follow; of fewer than 160, none in which
 * they stay would not decide that they do not
 */
#define COUNT_LOOKS TUNED_FROM(160, 256)
/** COUNT_ROUNDS - of these, while a number is not decided */
#define COUNT_ROUNDS TUNED(3)
/** FILL_PASSES - through lines of a set before they are timed: lines of others that a
 * pass pushes out leave their ways to the next one
 */
#define FILL_PASSES TUNED_FROM(1, 3)
/** STRAY_LOOKS - at each line of a set, whether the others push it out */
#define STRAY_LOOKS TUNED(16)

#endif
