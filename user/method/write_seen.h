/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_seen.h - does the second level see what is stored to the first?
 *
 * Above an inclusive second level a modified line is no other than a clean one
 * to whoever only loads: the second level has both. But a store that is written
 * through is a use of the line there, and the line stays longer; one that stays
 * in the first level is none.
 */
#ifndef PROBE_PHYS_WRITE_SEEN_H
#define PROBE_PHYS_WRITE_SEEN_H

#include "../report/result.h"
#include "prober.h"

/**
 * write_back_unseen() - write-back of a first level above an inclusive second
 *
 * Lines of the second level's set push a line out of it, and so out of the
 * first. Meanwhile it is loaded from the first level once (and lost in spite of
 * that), or the first level loses it and it is stored to, which the second one
 * sees (and it is there in the end), or it is stored to in the first level: is it
 * lost like the one, or there like the other? How many push before and after is
 * drawn anew for each placement, and those count where the first two part. That
 * it is lost is a sign test on placements; that it is there may have other
 * reasons, so what is decided is write-back alone.
 *
 * @h: caches with their geometry, latencies and inclusion
 * @to: (out) measured or undecided
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_back_unseen(struct prober *p, const struct hierarchy *h,
		      struct parameter *to, struct failure *f);

/**
 * write_back_below() - of a first level above a second that is neither inclusive
 * nor exclusive, where others push lines out of one that is further down
 *
 * As in write_back.h, but what pushes leaves the line's sets further down alone,
 * as far as these are known.
 */
int write_back_below(struct prober *p, const struct hierarchy *h,
		     struct parameter *to, struct failure *f);

#endif
