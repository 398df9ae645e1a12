/* SPDX-License-Identifier: GPL-2.0 */
/* trials.h - trials of what is kept of some pages. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_TRIALS_H
#define PROBE_PHYS_METHOD_ACCESSED_TRIALS_H

#include "method/accessed/kept.h"

/**
 * struct kept_trial - pages that are kept of all, as one trial shows
 * @kept: as the tests have it; the others only where clearing the bits disturbs
 * @still: by a test of its own, after a pause
 * @guide: the same by another test, to choose trials by
 */
struct kept_trial {
	double kept;
	double still;
	double guide;
};

/** kept_try() - do @count trials
 * Return: as kept_estimate()
 */
int kept_try(const struct kept_view *v, const struct kept_shape *w,
	     struct kept_trial *trials, size_t count, struct failure *f);

/** kept_place() - the pages of a shape, row by row; @s is to be freed
 * Return: 0; -ERANGE; or another -errno with @f set.
 */
int kept_place(const struct kept_view *v, const struct kept_shape *w,
	       struct sequence *s, struct failure *f);

/** kept_offset() - of the element of page @page, which is in row @row */
uint64_t kept_offset(const struct kept_view *v, uint64_t page, uint64_t row);

/**
 * kept_other() - page @i of those that lie in other sets than @column
 * @w: rows whose columns lie in sets of their own; one column: all lie in the same set
 *
 * All other columns come in turns, as an array above may have sets, too. Neighbours, which
 * may share an entry, lie in different rows.
 */
uint64_t kept_other(const struct kept_view *v, const struct kept_shape *w,
		    uint64_t column, uint64_t i);

/** kept_touch() - touch as @plan says
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int kept_touch(const struct kept_view *v, const struct touch_plan *plan,
	       struct touch_answer *t, struct failure *f);

#endif
