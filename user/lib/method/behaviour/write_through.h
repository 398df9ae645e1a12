/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_through.h - does the second level see what is stored to the first?
 *
 * Above an inclusive second level a modified line is no other than a clean one
 * to whoever only loads: the second level has both. But a store that is written
 * through is a use of the line there, and the line stays longer; one that stays
 * in the first level is none.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_THROUGH_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_THROUGH_H

#include "method/probe/prober.h"
#include "result/result.h"

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
 * @drawn_before: alpha_drawn of the budget when nothing was drawn for @to
 * @to: (out) measured or undecided
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_back_unseen(struct prober *p, const struct hierarchy *h,
		      double drawn_before, struct parameter *to,
		      struct failure *f);

/**
 * write_back_lost() - write-back of a first level above a second that is neither
 * inclusive nor exclusive
 *
 * A line is used so often that the first level keeps it while lines of the second
 * level's set push it out there. It is stored to, pushed out of the second level
 * once more, in case that the store went through to it, and pushed out of the
 * first by lines of other sets of the second. Is it in the second level then, as a
 * line that is loaded instead is not? A placement counts only where the first
 * level is seen to keep the line all the time (pinned_leak.h): one that drops
 * it has it brought back to the second level by its next use. That the line is
 * not there proves nothing, as the second level may not take what is written
 * back: what is decided so is write-back alone, by a sign test on placements.
 * Lines that push leave the line's sets further down alone, as far as these are
 * known.
 *
 * @h, @drawn_before: as above
 * @to: (out) measured or undecided
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_back_lost(struct prober *p, const struct hierarchy *h,
		    double drawn_before, struct parameter *to,
		    struct failure *f);

/**
 * write_through_seen() - a first level that writes through
 *
 * A line is loaded, stored to, and so modified in a first level that writes
 * back. Others push it out of the second level; in between the first level, which
 * has it, is asked for it once more, by a load or by a store. In a first level
 * that writes back both are the same to the second one. A store that is written
 * through is a use of the line there, and the line stays. Which comes first is
 * tossed: a sign test on placements, numbers of lines drawn as above.
 *
 * @h, @drawn_before: as above; the second level is not exclusive
 * @to: (out) measured as 0, or left as it is
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_through_seen(struct prober *p, const struct hierarchy *h,
		       double drawn_before, struct parameter *to,
		       struct failure *f);

#endif
