/* SPDX-License-Identifier: GPL-2.0 */
/* pinned_own.h - does the holder lose the one line that is pinned by itself? */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_OWN_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_PINNED_OWN_H

#include "method/behaviour/pinned.h"

/**
 * pinned_own_add() - one line: look for it in its holder after lines that pass by
 *
 * To the levels above, lines that pass are the same as lines that push. One placement
 * shows less than the clock's steps are, all of them do.
 * @passed: after as many lines as the level loses it after
 * @gone: the holder has lost it, the level has not
 * @used: nothing has passed
 * Return: as pinned_fate().
 */
int pinned_own_add(struct pinned *k, const struct pinned_place *at,
		   const struct pinned_act *passed,
		   const struct pinned_act *gone, const struct pinned_act *used,
		   struct failure *f);

/**
 * pinned_own_keeps() - does the holder keep the line when the level loses it?
 *
 * In more than half of the samples, surely: the error is drawn from the budget. Not
 * @alone: true, as pinned_fate() has shown it after each number of lines.
 */
bool pinned_own_keeps(const struct pinned *k);

#endif
