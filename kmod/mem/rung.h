/* SPDX-License-Identifier: GPL-2.0 */
/* rung.h - the rungs of the ladder, each one source of page frames. */
#ifndef PP_RUNG_H
#define PP_RUNG_H

#include "mem/grant.h"

/*
 * Each returns 0 also when it had nothing to give, -EINTR on a fatal signal.
 * The import rung, which no other rung can follow, returns any error. The
 * ladder releases what is in the grant after an error.
 */
int pp_rung_contig(const struct pp_want *want, struct pp_grant *grant);
int pp_rung_buddy(const struct pp_want *want, struct pp_grant *grant);
int pp_rung_import(const struct pp_want *want, struct pp_grant *grant);

#endif /* PP_RUNG_H */
