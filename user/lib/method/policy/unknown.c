// SPDX-License-Identifier: GPL-2.0
/*
 * unknown.c - no known policy fits: are the contradicting answers repeatable,
 * without contention?
 *
 * Contention makes a cycle miss more often for as long as it lasts, and all
 * answers of that time agree. As many lines as ways always hit, whatever the
 * policy, as the calibration has seen. So such a control comes before and after
 * each answer: it misses as soon as contention brings a line into the set.
 */
#include <math.h>
#include <stdio.h>

#include "method/policy/search.h"
#include "method/policy/tuning.h"

/*
 * Undisturbed answers that each cycle needs, and passes over all cycles: those
 * of one cycle are far apart.
 */
#define CLEAN 3
#define CONTROL_VISITS 2

/**
 * struct confirmation - cycles that are measured again
 * @search: the search that measured them
 * @clean: undisturbed answers of each that are as before
 * @disturbed: controls that missed, of @controls
 * @other: undisturbed cycles that missed otherwise; @before and @again: misses
 *         of the last one
 */
struct confirmation {
	struct policy_search *search;
	unsigned int clean[POLICY_ALL_CYCLES];
	size_t disturbed;
	size_t controls;
	size_t other;
	double before;
	double again;
};

static int ask_control(struct confirmation *c, enum outcome *outcome,
		       struct failure *f)
{
	unsigned int blocks[CONTROL_VISITS * SET_MOST_WAYS];
	struct set_asker *a = &c->search->asker;
	struct cycle lines = { .blocks = blocks };
	double misses = 0;
	int error;

	lines.length = cycle_repeat(blocks, 0, a->oracle->ways, CONTROL_VISITS);
	error = set_ask_once(a, &lines, &misses, f);
	*outcome = outcome_if(
		misses <= a->tolerance + a->stray_high * (double)lines.length,
		OUTCOME_VOID);
	c->controls += !error;
	c->disturbed += !error && *outcome == OUTCOME_VOID;
	return error;
}

static void compare(struct confirmation *c, size_t at, double misses)
{
	const struct set_asker *a = &c->search->asker;
	const struct set_answer *answer = &c->search->answers[at];
	const struct cycle *cycle =
		&c->search->catalogue->cycles[c->search->finding->measured[at]];
	double stray = a->stray_high * (double)cycle->length;

	misses -= a->stray * (double)cycle->length;
	if (misses >= answer->low - a->tolerance - stray &&
	    misses <= answer->high + a->tolerance + stray) {
		c->clean[at]++;
		return;
	}
	c->other++;
	c->before = answer->misses;
	c->again = misses;
}

/* Measure each cycle that needs more answers once, between two controls. */
static int ask_all(struct confirmation *c, enum outcome *outcome,
		   struct failure *f)
{
	const struct policy_finding *found = c->search->finding;
	enum outcome before, after;
	int error = ask_control(c, &before, f);

	*outcome = OUTCOME_DECIDED;
	for (size_t i = found->cycles; !error && !c->other && i--;) {
		double misses = 0;

		if (c->clean[i] >= CLEAN || !c->search->answers[i].agreed)
			continue;
		*outcome = OUTCOME_OPEN;
		error = set_ask_once(
			&c->search->asker,
			&c->search->catalogue->cycles[found->measured[i]],
			&misses, f);
		if (!error)
			error = ask_control(c, &after, f);
		if (!error && before == OUTCOME_DECIDED &&
		    after == OUTCOME_DECIDED)
			compare(c, i, misses);
		before = after;
	}
	return error;
}

/*
 * @outcome: (out) all answers are repeatable; otherwise the finding has a
 *             reason
 */
static int confirm(struct policy_search *s, enum outcome *outcome,
		   struct failure *f)
{
	struct confirmation c = { .search = s };
	int error = 0;

	*outcome = OUTCOME_OPEN;
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED && !c.other &&
			i < UNKNOWN_PASSES;
	     i++)
		error = ask_all(&c, outcome, f);
	if (c.other)
		*outcome = OUTCOME_OPEN;
	if (error || *outcome == OUTCOME_DECIDED)
		return error;
	if (c.other)
		snprintf(
			s->finding->reason, sizeof(s->finding->reason),
			"no known policy explains all answers, but they are not repeatable: a sequence missed %.1f times, and then %.1f (try again when no other program uses the cache)",
			c.before, c.again);
	else
		snprintf(
			s->finding->reason, sizeof(s->finding->reason),
			"no known policy explains all answers, but as many lines as fit miss in %zu of %zu controls in between: contention (try again when no other program uses the cache)",
			c.disturbed, c.controls);
	return 0;
}

/*
 * Sum of the deviations of the answers from a prediction. @cycles: (out) how
 * many deviate
 */
static double contradiction(const struct policy_search *s, size_t hypothesis,
			    size_t *cycles)
{
	const struct policy_finding *found = s->finding;
	double off = 0;

	*cycles = 0;
	for (size_t i = 0; i < found->cycles; i++) {
		const struct prediction *p =
			&s->catalogue
				 ->predictions[hypothesis][found->measured[i]];
		double by = fmax(p->low - s->answers[i].high,
				 s->answers[i].low - p->high);

		if (by <= 0 || !s->answers[i].agreed)
			continue;
		off += by;
		++*cycles;
	}
	return off;
}

/* The nearest hypothesis is the counterexample. */
int policy_search_confirm_unknown(struct policy_search *s, struct failure *f)
{
	struct policy_finding *found = s->finding;
	enum outcome outcome = OUTCOME_OPEN;
	int error;
	size_t nearest = 0, against = 0;
	double least = INFINITY;

	for (size_t i = 0; i < s->catalogue->known.deterministic; i++) {
		double off = contradiction(s, i, &against);

		if (off >= least)
			continue;
		least = off;
		nearest = i;
	}
	for (size_t j = 0; j < found->cycles; j++)
		found->expected[j] =
			s->catalogue->predictions[nearest][found->measured[j]];
	contradiction(s, nearest, &against);
	if (against <= 2 * POLICY_MOST_CONTRARY) {
		snprintf(
			found->reason, sizeof(found->reason),
			"like %s, but %zu of %zu cycles miss otherwise: it may be that, with something in the set that never goes",
			s->catalogue->known.all[nearest].name, against,
			found->cycles);
		return 0;
	}
	error = confirm(s, &outcome, f);
	if (error || outcome != OUTCOME_DECIDED)
		return error;
	found->kind = POLICY_NONE_KNOWN;
	snprintf(found->reason, sizeof(found->reason),
		 "nearest is %s, which is off by %.1f misses in %zu cycles",
		 s->catalogue->known.all[nearest].name, least, found->cycles);
	return 0;
}
