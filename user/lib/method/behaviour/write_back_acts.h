/* SPDX-License-Identifier: GPL-2.0 */
/* write_back_acts.h - what is done to a line before it is known what became of it. */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_BACK_ACTS_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_BACK_ACTS_H

#include "method/behaviour/pinned.h"

/** enum act - what happens to the line in the middle */
enum act {
	ACT_LOADED, /* in the first level */
	ACT_STORED, /* there as well */
	ACT_SEEN,   /* stored to where only the second level has it */
	ACT_USED,   /* loaded there */
};

/** write_back_lay_lost() - only what is written back is in the second level then */
void write_back_lay_lost(const struct pinned *k, const struct pinned_place *at,
			 const struct pinned_act *act, struct pinned_steps *s);

/** write_back_lay_unseen() - between lines that push, with the first level's line or
 * without it
 */
void write_back_lay_unseen(const struct pinned *k,
			   const struct pinned_place *at,
			   const struct pinned_act *act,
			   struct pinned_steps *s);

/** write_back_lay_apart() - the same; the second level leaves the first one its lines,
 * which loses them in the end
 */
void write_back_lay_apart(const struct pinned *k, const struct pinned_place *at,
			  const struct pinned_act *act, struct pinned_steps *s);

/** write_back_lay_before() - right before something happens to the line */
void write_back_lay_before(const struct pinned *k,
			   const struct pinned_place *at,
			   const struct pinned_act *act,
			   struct pinned_steps *s);

/**
 * write_back_lay_through() - a line that was stored to is used once more
 *
 * It is modified in the first level, if that keeps what is stored to: a second store is
 * as silent as a load then. In the end it leaves the first level, modified or not in both
 * acts alike.
 */
void write_back_lay_through(const struct pinned *k,
			    const struct pinned_place *at,
			    const struct pinned_act *act,
			    struct pinned_steps *s);

#endif
