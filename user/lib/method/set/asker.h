/* SPDX-License-Identifier: GPL-2.0 */
/*
 * asker.h - reliable answers: one question is repeated until one answer leads
 * by a number that chance cannot explain.
 */
#ifndef PROBE_PHYS_METHOD_SET_ASKER_H
#define PROBE_PHYS_METHOD_SET_ASKER_H

#include "method/set/oracle.h"
#include "observe/budget.h"

/**
 * struct set_asker - an oracle and how reliable it is
 * @oracle: the set
 * @budget: each agreed answer draws its error from it; NULL: answers only
 *          propose something that is tested afterwards
 * @tolerance: answers that differ by less than twice this are the same
 * @stray: misses per access that has to hit, on average
 * @stray_high: upper limit of @stray
 * @lead: number of answers by which one must lead
 * @wrong: bound on the probability that a single answer is off, which errs with
 *         SET_RATE_ALPHA at most
 * @spread: difference of answers that should be the same, per access
 * @answers: number of answers so far
 */
struct set_asker {
	const struct set_oracle *oracle;
	struct budget *budget;
	double tolerance;
	double stray;
	double stray_high;
	unsigned int lead;
	double wrong;
	double spread;
	unsigned int answers;
};

/**
 * struct set_answer - misses of a cycle
 * @misses: misses of one round
 * @low: lower limit of @misses
 * @high: upper limit of @misses
 * @agreed: one answer led; otherwise they are scattered, and @low and @high
 *          limit their mean
 * @varies: the agreed answers differ by more than the oracle explains
 */
struct set_answer {
	double misses;
	double low;
	double high;
	bool agreed;
	bool varies;
};

/**
 * set_asker_calibrate() - measure how reliable an oracle is
 *
 * Two lines must always hit, as many lines as ways must fit, three times as
 * many cannot. Draws SET_RATE_ALPHA, and SET_ASK_ALPHA for each question.
 * @why: (out) why the oracle is not reliable; empty: it is
 * Return: 0; -EINTR; -EDQUOT: too little error is left in the budget; or another
 * -errno with @f set.
 */
int set_asker_calibrate(struct set_asker *a, const struct set_oracle *oracle,
			struct budget *budget, char *why, size_t size,
			struct failure *f);

/**
 * SET_RATE_ALPHA - probability that single answers are off more often than
 * @wrong, where the answers to controls are independent
 *
 * A tenth of what a result may draw: all of its questions together need less.
 */
#define SET_RATE_ALPHA (BUDGET_RESULT / 10)

/**
 * SET_ASK_ALPHA - error of one agreed answer: the lead is chosen such that
 * answers that are off as often as the controls reach it with at most this
 * probability
 */
#define SET_ASK_ALPHA 1e-7

/**
 * set_ask() - misses of a cycle
 *
 * Draws SET_ASK_ALPHA first.
 * Return: as set_asker_calibrate(); -EAGAIN: no answers; -EDQUOT: too little
 * error is left in the budget.
 */
int set_ask(struct set_asker *a, const struct cycle *c,
	    struct set_answer *answer, struct failure *f);

/** set_ask_once() - a single answer. Return: as set_ask() */
int set_ask_once(struct set_asker *a, const struct cycle *c, double *misses,
		 struct failure *f);

#endif
