/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask.h - answers that one can rely on: the same question again and
 * again until one answer leads by so much that chance is no explanation.
 */
#ifndef PROBE_PHYS_METHOD_SET_ASK_H
#define PROBE_PHYS_METHOD_SET_ASK_H

#include "method/set/oracle.h"
#include "observe/budget.h"

/**
 * struct set_asker - an oracle and how reliable it is
 * @oracle: is asked
 * @budget: each answer that agrees draws its error from it; NULL: answers are
 *          only proposals, and what follows from them is tested
 * @tolerance: answers that differ by less than twice as much are the same
 * @stray: misses per access where there are none
 * @stray_high: the most that it may be
 * @lead: answers by which one must lead
 * @wrong: bound on the probability that a single answer is off
 * @spread: how far apart answers are that should be the same, per access
 * @answers: had so far
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
 * struct set_answer - what a cycle misses
 * @misses: of a round
 * @low: least that it may be
 * @high: most
 * @agreed: one answer led; otherwise they are scattered, and @low and @high are
 *          what their mean may be
 * @varies: those that agreed are further apart than the oracle explains
 */
struct set_answer {
	double misses;
	double low;
	double high;
	bool agreed;
	bool varies;
};

/**
 * set_asker_calibrate() - see what the answers are worth
 *
 * Two lines must be there for certain, as many as there are ways must fit, three
 * times as many cannot.
 * @why: (out) in words when the oracle cannot be relied on, else empty
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int set_asker_calibrate(struct set_asker *a, const struct set_oracle *oracle,
			struct budget *budget, char *why, size_t size,
			struct failure *f);

/** SET_ASK_ALPHA - error of one agreed answer: the lead that it takes is chosen
 * such that an answer which is off as often as the controls were leads by so
 * much with no more than this probability
 */
#define SET_ASK_ALPHA 1e-7

/**
 * set_ask() - the misses of a cycle
 *
 * Draws SET_ASK_ALPHA first.
 * Return: as set_asker_calibrate(); -EAGAIN: no answers; -EDQUOT: less error is left
 */
int set_ask(struct set_asker *a, const struct cycle *c,
	    struct set_answer *answer, struct failure *f);

/** set_ask_once() - one answer as it comes. Return: as set_ask() */
int set_ask_once(struct set_asker *a, const struct cycle *c, double *misses,
		 struct failure *f);

#endif
