/* SPDX-License-Identifier: GPL-2.0 */
/*
 * budget.h - the probability of error that a result may cost.
 *
 * A result that rests on several tests is wrong with no more than the sum of
 * their errors, whatever they depend on. So each test draws its error before it
 * begins, and what was drawn on the way to a result is its error bound: computed,
 * not counted by hand. No budget is without end: a result has BUDGET_RESULT, and
 * the tests that belong to no result, as those of a later look, which can only
 * deny, have as much together. A search that does not know how many tests it needs
 * takes a small part of what is left for each (budget_take()): later tests err
 * less, which costs them the logarithm of that in looks, and no test is refused.
 * Where a test cannot err less it is refused (budget_draw()), and its result is
 * undecided. (What time may be spent is a matter of a deadline:
 * method/probe/time_limit.h.)
 */
#ifndef PROBE_PHYS_OBSERVE_BUDGET_H
#define PROBE_PHYS_OBSERVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/** BUDGET_RESULT - error that all tests of one published result may draw */
#define BUDGET_RESULT 1e-3

/**
 * BUDGET_TESTS - tests for which what is left has to be enough, whenever one begins
 *
 * Tuning. The first 500 tests of a result have 1e-6 each, the 5,000th 1e-10; of half
 * as many the first 750 and the 3,000th have.
 */
#define BUDGET_TESTS 500

/**
 * struct budget - what is left, and what was drawn
 * @alpha_left: probability of error that tests of the open result may still draw,
 *              or tests of none
 * @alpha_result: what the tests of each result may draw
 * @open: a result is open, budget_open()
 * @alpha_drawn: by all tests so far
 * @drawn: learns of each error that was drawn; NULL: nothing does
 * @context: its first argument
 */
struct budget {
	double alpha_left;
	double alpha_result;
	bool open;
	double alpha_drawn;
	void (*drawn)(void *context, double alpha);
	void *context;
};

/** budget_begin() - BUDGET_RESULT for each result, and nothing drawn */
struct budget budget_begin(void);

/**
 * budget_draw() - a test takes its error
 * @alpha: of that test, above 0
 * Return: false: less is left, and nothing was drawn.
 */
bool budget_draw(struct budget *b, double alpha);

/**
 * budget_take() - the error of one of an unknown number of tests, which is drawn
 * @most: more than this is not drawn
 * Return: the error that the test may have: @most, or one part in BUDGET_TESTS of
 * what is left; 0: nothing is left.
 */
double budget_take(struct budget *b, double most);

/**
 * struct budget_scope - tests of one result
 * @left: what was left before them
 * @drawn: what was drawn before them
 * @inner: another result rests on this one, and is open
 */
struct budget_scope {
	double left;
	double drawn;
	bool inner;
};

/** budget_open() - the tests to come are of one result: they may draw
 * @alpha_result in all, or what is left of another result that rests on it
 */
struct budget_scope budget_open(struct budget *b);

/**
 * budget_resume() - budget_open() for a result whose earlier tests count, too
 * @drawn: by these. What budget_close() returns contains it
 */
struct budget_scope budget_resume(struct budget *b, double drawn);

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
