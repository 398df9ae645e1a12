/* SPDX-License-Identifier: GPL-2.0 */
/*
 * budget.h - the probability of error that a result may cost.
 *
 * A result that rests on several tests is wrong with no more than the sum of
 * their errors, whatever they depend on. So each test draws its error before it
 * begins, and what was drawn on the way to a result is its error bound: computed,
 * not counted by hand. Drawing is refused where less is left; that result is
 * undecided then. (What time may be spent is a matter of a deadline:
 * method/probe/time_limit.h.)
 */
#ifndef PROBE_PHYS_OBSERVE_BUDGET_H
#define PROBE_PHYS_OBSERVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct budget - what is left, and what was drawn
 * @alpha_left: probability of error that tests may still draw; INFINITY: as
 *              much as they want
 * @alpha_drawn: by all tests so far
 * @drawn: learns of each error that was drawn; NULL: nothing does
 * @context: its first argument
 */
struct budget {
	double alpha_left;
	double alpha_drawn;
	void (*drawn)(void *context, double alpha);
	void *context;
};

/** budget_unlimited() - one that refuses nothing, and still sums what is drawn */
struct budget budget_unlimited(void);

/**
 * budget_draw() - a test takes its error
 * @alpha: of that test, above 0
 * Return: false: less is left, and nothing was drawn.
 */
bool budget_draw(struct budget *b, double alpha);

/**
 * budget_share() - the error of each of several planned tests
 * @tests: that many are to come at most, not 0
 * @most: of one test, where more is left for each
 */
double budget_share(const struct budget *b, size_t tests, double most);

/** BUDGET_RESULT - error that all tests of one published result may draw */
#define BUDGET_RESULT 1e-3

/**
 * struct budget_scope - tests of one result
 * @left: what was left before them
 * @drawn: what was drawn before them
 */
struct budget_scope {
	double left;
	double drawn;
};

/** budget_open() - the tests to come may draw BUDGET_RESULT in all, or what is
 * left where that is less
 */
struct budget_scope budget_open(struct budget *b);

/**
 * budget_close() - no more tests for that result
 * Return: bound on the error of the result.
 */
double budget_close(struct budget *b, const struct budget_scope *scope);

/**
 * budget_bound() - bound on the error of a result
 * @before: @alpha_drawn when its first test had not begun
 */
double budget_bound(const struct budget *b, double before);

#endif
