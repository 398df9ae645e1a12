/* SPDX-License-Identifier: GPL-2.0 */
/*
 * last.h - last arrays by accessed bits as results. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_TLB_LAST_H
#define PROBE_PHYS_METHOD_TLB_LAST_H

#include "method/accessed/policy.h"
#include "method/tlb/survey.h"
#include "result/result.h"

/** TLB_LAST_METHOD - method of these results */
#define TLB_LAST_METHOD "accessed-bits"

/**
 * tlb_last_give() - give an array that was found to its result
 *
 * Where both are decided, and differently, one of them is wrong: undecided.
 * @policy: of the array, where its ways were found
 */
void tlb_last_give(struct tlb_result *t, const struct accessed_array *a,
		   const struct policy_finding *policy);

/** tlb_last_leave() - all parameters undecided for one reason */
void tlb_last_leave(struct tlb_result *t, const char *reason);

/**
 * tlb_last_doubt() - an array that time alone has found, where accessed bits were
 * disturbed: what takes entries of a last array makes it look smaller by time as well
 */
void tlb_last_doubt(struct tlb_result *t, const struct accessed_array *a);

/**
 * tlb_last_ask_time() - withdraw an array of loads whose ways were found, if time shows
 * that it has more
 *
 * Only where clearing the accessed bits takes entries. A row of a page more per set than
 * ways has to be slower than one of half as many, by more than the least share that must
 * miss. Each of several trials that shows less counts against it; an array that is as
 * large is withdrawn with prober.rules.alpha, of the budget.
 * @of: its pages
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int tlb_last_ask_time(const struct tlb_survey *s, const struct kept_view *of,
		      struct accessed_array *a, struct failure *f);

/**
 * tlb_last_add_reason() - why an array was not found, where its result is undecided
 * @t: NULL: there is none
 */
void tlb_last_add_reason(struct tlb_result *t, const struct accessed_array *a);

#endif
