/* SPDX-License-Identifier: GPL-2.0 */
/*
 * outcome.h - how a test ended that may end undecided.
 */
#ifndef RESULT_OUTCOME_H
#define RESULT_OUTCOME_H

#include <stdbool.h>

/**
 * enum outcome - how a test ended
 * @OUTCOME_OPEN: the samples are valid, but too few or too similar to decide
 * @OUTCOME_DECIDED: the result is wrong with at most the error drawn for it
 * @OUTCOME_VOID: the samples are invalid: a control failed or other load
 *  disturbed them; a repetition may decide
 *
 * Errors of the system (no memory, a machine that fails) are not outcomes:
 * functions return those as -errno.
 */
enum outcome {
	/* What was set to zero and never written is not decided. */
	OUTCOME_OPEN,
	OUTCOME_DECIDED,
	OUTCOME_VOID,
};

/** outcome_if() - OUTCOME_DECIDED where @decided, else @otherwise */
static inline enum outcome outcome_if(bool decided, enum outcome otherwise)
{
	return decided ? OUTCOME_DECIDED : otherwise;
}

#endif
