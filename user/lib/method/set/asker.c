// SPDX-License-Identifier: GPL-2.0
#include "method/set/asker.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/wilson.h"
#include "method/set/tuning.h"
#include "result/policy_finding.h"

/* Answers differ by whole misses: less than half of one is noise. */
#define TOLERANCE 0.3
/* Number of controls. Of as many that are all right the rate is below 6.2 %, so that
 * six answers that agree decide.
 */
#define CONTROLS 144
/* Two lines hit under any policy: no set is smaller. */
#define CONTROL_LINES 2
/* Share of stray misses with which nothing can be compared. */
#define MOST_STRAY 0.1
#define SIGMAS 4.5
/*
 * A spread beyond this, and twice that of the controls, comes from the policy.
 */
#define VARIES 0.15
#define VARIES_TIMES 2
/* The longest control: three times the ways, or each way twice. */
#define CONTROL_LENGTH (4 * SET_MOST_WAYS)

static int ask_once(struct set_asker *a, const struct cycle *c, double *misses,
		    unsigned int *failures, struct failure *f)
{
	int error;

	do {
		struct failure passing = { .text = "" };

		error = a->oracle->misses(a->oracle->context, c, misses,
					  &passing);
		if (error == -EAGAIN && ++*failures <= ASKER_FAILURES)
			continue;
		if (error && f && !f->text[0])
			*f = passing;
	} while (error == -EAGAIN && *failures <= ASKER_FAILURES);
	a->answers += !error;
	return error;
}

/* The answer that most other ones agree with. Return: by how many it leads. */
static int leading(const double *values, unsigned int count, double tolerance,
		   double *value, double *spread)
{
	unsigned int most = 0;

	*spread = 0;
	for (unsigned int i = 0; i < count; i++) {
		double sum = 0, low = values[i], high = values[i];
		unsigned int alike = 0;

		for (unsigned int j = 0; j < count; j++) {
			if (fabs(values[i] - values[j]) > tolerance)
				continue;
			alike++;
			sum += values[j];
			low = fmin(low, values[j]);
			high = fmax(high, values[j]);
		}
		if (alike <= most)
			continue;
		most = alike;
		*value = sum / alike;
		*spread = high - low;
	}
	return (int)(2 * most) - (int)count;
}

static void scattered(struct set_answer *answer, const double *values,
		      unsigned int count)
{
	double sum = 0, squares = 0, error;

	for (unsigned int i = 0; i < count; i++) {
		sum += values[i];
		squares += values[i] * values[i];
	}
	answer->misses = sum / count;
	error = sqrt(
		fmax(squares / count - answer->misses * answer->misses, 0) /
		(count - 1));
	answer->low = answer->misses - SIGMAS * error;
	answer->high = answer->misses + SIGMAS * error;
}

/*
 * Stray misses are added to accesses that hit; of those that miss, as many may
 * have been lost.
 */
static void correct(const struct set_asker *a, const struct cycle *c,
		    struct set_answer *answer)
{
	double length = (double)c->length;

	answer->low = (answer->low - a->stray_high * length) / (1 - a->stray) -
		      a->tolerance;
	answer->high =
		(answer->high - a->stray * length) / (1 - 2 * a->stray_high) +
		a->tolerance;
	answer->misses = (answer->misses - a->stray * length) / (1 - a->stray);
}

int set_ask_once(struct set_asker *a, const struct cycle *c, double *misses,
		 struct failure *f)
{
	unsigned int failures = 0;

	return ask_once(a, c, misses, &failures, f);
}

int set_ask(struct set_asker *a, const struct cycle *c,
	    struct set_answer *answer, struct failure *f)
{
	double values[MOST_ANSWERS], value = 0, spread = 0;
	unsigned int count = 0, failures = 0;

	*answer = (struct set_answer){ .agreed = false };
	if (a->budget && !budget_draw(a->budget, SET_ASK_ALPHA))
		return -EDQUOT;
	while (count < MOST_ANSWERS && !answer->agreed) {
		int error = ask_once(a, c, &values[count], &failures, f);

		if (error)
			return error;
		count++;
		answer->agreed = leading(values, count, a->tolerance, &value,
					 &spread) >= (int)a->lead;
	}
	if (answer->agreed)
		answer->misses = answer->low = answer->high = value;
	else
		scattered(answer, values, count);
	answer->varies = spread >
			 VARIES + VARIES_TIMES * a->spread * (double)c->length;
	correct(a, c, answer);
	return 0;
}

/* How often an answer is off where no access misses. */
static int count_wrong(struct set_asker *a, const struct cycle *c,
		       double *usual, struct failure *f)
{
	double values[CONTROLS], value = 0, spread = 0;
	unsigned int failures = 0, wrong = 0;

	for (unsigned int i = 0; i < CONTROLS; i++) {
		int error = ask_once(a, c, &values[i], &failures, f);

		if (error)
			return error;
	}
	leading(values, CONTROLS, a->tolerance, &value, &spread);
	a->spread = spread / (double)c->length;
	for (unsigned int i = 0; i < CONTROLS; i++)
		wrong += fabs(values[i] - value) > a->tolerance;
	*usual = value;
	a->wrong = rate_most(wrong, CONTROLS, SET_RATE_ALPHA);
	return 0;
}

static unsigned int lead_for(double wrong)
{
	double odds = wrong / (1 - wrong);

	if (odds > 0.5)
		odds = 0.5;
	return 1 + (unsigned int)(log(SET_ASK_ALPHA) / log(odds));
}

static int try_ways(struct set_asker *a, char *why, size_t size,
		    struct failure *f)
{
	unsigned int blocks[CONTROL_LENGTH], ways = a->oracle->ways;
	struct set_answer answer;
	struct cycle c = { .blocks = blocks };
	unsigned int most = 3 * ways;
	int error;

	c.length = cycle_repeat(blocks, 0, ways, 2);
	error = set_ask(a, &c, &answer, f);
	if (error)
		return error;
	if (answer.low > 0) {
		snprintf(
			why, size,
			"%u lines of one set miss %.1f times a round: not all of them fit",
			ways, answer.misses);
		return 0;
	}
	if (most > a->oracle->blocks)
		most = a->oracle->blocks;
	c.length = cycle_repeat(blocks, 0, most, 1);
	error = set_ask(a, &c, &answer, f);
	if (!error && answer.high < most - ways)
		snprintf(
			why, size,
			"%u lines of one set miss %.1f times a round, which %u ways cannot do: misses are overlooked, or the lines are not of one set",
			most, answer.misses, ways);
	return error;
}

int set_asker_calibrate(struct set_asker *a, const struct set_oracle *oracle,
			struct budget *budget, char *why, size_t size,
			struct failure *f)
{
	unsigned int blocks[CONTROL_LENGTH];
	struct cycle c = { .blocks = blocks };
	double usual = 0;
	int error;

	*a = (struct set_asker){ .oracle = oracle,
				 .budget = budget,
				 .tolerance = TOLERANCE };
	why[0] = '\0';
	if (budget && !budget_draw(budget, SET_RATE_ALPHA))
		return -EDQUOT;
	c.length = cycle_repeat(blocks, 0, CONTROL_LINES, 4);
	error = count_wrong(a, &c, &usual, f);
	if (error)
		return error;
	a->stray = fmax(usual, 0) / (double)c.length;
	if (a->stray * (double)c.length < TOLERANCE / 4)
		a->stray = 0;
	a->stray_high = 1.5 * a->stray;
	a->lead = lead_for(a->wrong);
	if (a->stray > MOST_STRAY || a->lead > MOST_ANSWERS / 2) {
		snprintf(
			why, size,
			"two lines miss %.2f times a round, and %.0f %% of the answers are off: too disturbed",
			usual, 100 * a->wrong);
		return 0;
	}
	return try_ways(a, why, size, f);
}
