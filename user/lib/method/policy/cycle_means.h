/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cycle_means.h - mean misses of several cycles, measured in turn.
 *
 * One answer for each cycle and one for a control, in random order; then the
 * next of each. Drift affects all of them alike, and no answer begins where the
 * last one to the same cycle has ended.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H
#define PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H

#include "base/rng.h"
#include "method/set/asker.h"

/** CYCLE_MEANS_MOST - most cycles */
#define CYCLE_MEANS_MOST 24
/** CYCLE_MEANS_ANSWERS - most answers for each cycle */
#define CYCLE_MEANS_ANSWERS 96

/**
 * struct cycle_samples - a cycle and its answers
 * @cycle: the cycle
 * @number: its number in the caller's pool
 * @answers: measured misses, @count of them
 */
struct cycle_samples {
	const struct cycle *cycle;
	size_t number;
	double answers[CYCLE_MEANS_ANSWERS];
	unsigned int count;
};

/**
 * struct cycle_means - cycles that are measured in turn
 * @asker: measures them, and counts the answers
 * @rng: of the order
 * @cycles: the cycles, @count of them
 * @stray: sum of the misses per access of all controls; @controls of them
 * @stray_squares: sum of their squares
 */
struct cycle_means {
	struct set_asker *asker;
	struct rng rng;
	struct cycle_samples cycles[CYCLE_MEANS_MOST];
	size_t count;
	double stray;
	double stray_squares;
	unsigned int controls;
};

/**
 * struct cycle_mean - mean misses of a cycle
 * @low: lower limit, without @error
 * @high: upper limit, without @error
 * @error: standard error
 * @freedom: degrees of freedom of @error
 */
struct cycle_mean {
	double low;
	double high;
	double error;
	double freedom;
};

/**
 * cycle_means_ask() - measure until each cycle has @answers answers
 * Return: 0; -EAGAIN: no answers any more; -EINTR; or another -errno with @f
 * set.
 */
int cycle_means_ask(struct cycle_means *p, unsigned int answers,
		    struct failure *f);

/** cycle_means_of() - mean of a cycle with at least two answers */
void cycle_means_of(const struct cycle_means *p, size_t at,
		    struct cycle_mean *mean);

/**
 * cycle_means_are_disturbed() - whether controls miss too often to compare
 * anything
 */
bool cycle_means_are_disturbed(const struct cycle_means *p);

/**
 * cycle_means_drift() - whether the answers of the second half differ from
 * those of the first
 */
bool cycle_means_drift(const struct cycle_means *p);

#endif
