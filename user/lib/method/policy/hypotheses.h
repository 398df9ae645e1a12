/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hypotheses.h - averages of several cycles, asked in turn.
 *
 * One answer to each cycle and one to a control, in an order that is tossed,
 * then the next of each: what drifts meanwhile drifts for all of them, and no
 * answer begins where the last one to the same cycle has ended.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H
#define PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H

#include "base/rng.h"
#include "method/set/ask.h"

/** PANEL_CYCLES - of a panel, at most */
#define PANEL_CYCLES 24
/** PANEL_ANSWERS - of each cycle, at most */
#define PANEL_ANSWERS 96

/**
 * struct panel_cycle - a cycle and what was answered
 * @cycle: what is asked
 * @number: what the caller knows it by
 * @answers: of it, @count of them
 */
struct panel_cycle {
	const struct cycle *cycle;
	size_t number;
	double answers[PANEL_ANSWERS];
	unsigned int count;
};

/**
 * struct panel - the cycles
 * @asker: asks, and counts the answers
 * @rng: of the order
 * @cycles: of the panel, @count of them
 * @stray: misses per access to lines that fit, of all controls together;
 *         @controls of them
 * @stray_squares: the same, squared
 */
struct panel {
	struct policy_asker *asker;
	struct rng rng;
	struct panel_cycle cycles[PANEL_CYCLES];
	size_t count;
	double stray;
	double stray_squares;
	unsigned int controls;
};

/**
 * struct panel_mean - what a cycle misses on average
 * @low: least that it may be, but for @error
 * @high: most
 * @error: standard error
 * @freedom: degrees of freedom of it
 */
struct panel_mean {
	double low;
	double high;
	double error;
	double freedom;
};

/**
 * panel_ask() - until each cycle has so many answers
 * Return: 0; -EAGAIN: no answers any more; -EINTR; or another -errno with @f
 * set.
 */
int panel_ask(struct panel *p, unsigned int answers, struct failure *f);

/** panel_mean() - of a cycle with two answers at least */
void panel_mean(const struct panel *p, size_t at, struct panel_mean *mean);

/** panel_is_disturbed() - controls miss so often that nothing can be compared */
bool panel_is_disturbed(const struct panel *p);

/** panel_drifts() - the answers of the second half are others than the first's
 */
bool panel_drifts(const struct panel *p);

#endif
