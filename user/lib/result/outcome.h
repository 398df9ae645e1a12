/* SPDX-License-Identifier: GPL-2.0 */
/*
 * outcome.h - how a question ended that may end without an answer.
 */
#ifndef RESULT_OUTCOME_H
#define RESULT_OUTCOME_H

/**
 * enum outcome - how a question ended
 * @OUTCOME_DECIDED: the answer holds, within the error that was drawn for it
 * @OUTCOME_OPEN: the samples are valid, but too few or too much alike to decide
 * @OUTCOME_VOID: the samples say nothing: a control failed, or load from elsewhere
 *	disturbed them; another try may decide
 *
 * Errors of the system (no memory, a machine that fails) are not outcomes:
 * functions return those as -errno.
 */
enum outcome {
	OUTCOME_DECIDED,
	OUTCOME_OPEN,
	OUTCOME_VOID,
};

#endif
