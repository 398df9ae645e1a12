/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder.h - the allocation ladder. Each rung adds runs of page frames to a
 * grant until the grant has all pages or no rung has more to give.
 */
#ifndef PP_LADDER_H
#define PP_LADDER_H

#include "mem/grant.h"

/**
 * pp_ladder_climb() - collect the memory of a buffer
 * @want: the wanted memory
 * @min_pages: fewer pages are a failure
 * @grant: (out) runs zeroed and ordered longest first; @grant->longest also
 *         on error
 *
 * Context: process, sleeps, killable. Return: 0, and the caller has to call
 * pp_grant_release(); or -ENOMEM, -EINTR, -EFAULT, -EINVAL without memory.
 */
int pp_ladder_climb(const struct pp_want *want, unsigned long min_pages,
		    struct pp_grant *grant);

#endif /* PP_LADDER_H */
