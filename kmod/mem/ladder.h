/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder.h - the allocation ladder. Each rung adds runs of page frames to a
 * grant until the grant has all pages or no rung has more to give.
 */
#ifndef PP_LADDER_H
#define PP_LADDER_H

#include "mem/grant.h"

/**
 * pp_ladder_climb() - fulfil a wish
 * @want: the wish
 * @min_pages: with less the climb has failed
 * @grant: (out) runs zeroed and ordered longest first; @grant->longest also
 *         on error
 *
 * Context: process, sleeps, killable. Return: 0, then pp_grant_release() is
 * owed; or -ENOMEM, -EINTR, -EFAULT, -EINVAL, and nothing is held.
 */
int pp_ladder_climb(const struct pp_want *want, unsigned long min_pages,
		    struct pp_grant *grant);

#endif /* PP_LADDER_H */
