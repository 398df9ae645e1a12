// SPDX-License-Identifier: GPL-2.0
/* search.c - one test of lines, repeated until it is decided. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/statistics.h"
#include "method/index/search.h"
#include "method/index/tuning.h"

/* Least error rate assumed of an oracle: with 0 one result would decide, and no
 * test would be repeated.
 */
#define LEAST_ERROR 1e-9
/* Number of results of one test from which an error rate is estimated. */
#define TELLING 3
#define SURPRISE 1e-3

int index_open(struct index_search *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof(s->why), format, args);
	va_end(args);
	return INDEX_OPEN;
}

static double at_least(double rate)
{
	return rate > LEAST_ERROR ? rate : LEAST_ERROR;
}

/* Log-likelihood ratio of a result for "yes"; the test is Wald's. */
struct weights {
	double yes;
	double no;
	double enough;
	unsigned int most;
};

static struct weights weigh(const struct index_search *s, double alpha,
			    unsigned int least)
{
	double false_yes = at_least(s->false_yes);
	double false_no = at_least(s->false_no);
	struct weights w = {
		.yes = log((1 - false_no) / false_yes),
		.no = log((1 - false_yes) / false_no),
		/* The slack lets one result of this error rate decide. */
		.enough = log1p(-alpha) - log(alpha) - 1e-3,
	};
	double slowest = fmin((1 - false_no) * w.yes - false_no * w.no,
			      (1 - false_yes) * w.no - false_yes * w.yes);

	w.most = least + PATIENCE * (1 + (unsigned int)(w.enough / slowest));
	return w;
}

static double take(struct index_search *s)
{
	struct budget *budget = s->oracle->budget;
	const double alpha = budget ? budget_take(budget, INDEX_ALPHA) :
				      INDEX_ALPHA;

	s->drawn += alpha;
	return alpha;
}

int index_settle(struct index_search *s, size_t set, const uint64_t *lines,
		 size_t count, unsigned int least, bool *yes)
{
	const double alpha = take(s);
	struct weights w = weigh(s, alpha, least);
	unsigned int said[2] = { 0 }, none = 0;
	double llr = 0;

	if (!(alpha > 0))
		return index_open(
			s,
			"the tests that this needs would be wrong together in more than 1 of 1,000");
	for (unsigned int i = 0; i < w.most && (i < MUTE || said[0] + said[1]);
	     i++) {
		enum verdict verdict = VERDICT_UNDECIDED;
		int error = s->oracle->test(s->oracle->context, set, lines,
					    count, &verdict, s->f);

		if (error)
			return error;
		s->measured++;
		s->checking += s->confirming;
		none += verdict == VERDICT_UNDECIDED;
		if (verdict == VERDICT_UNDECIDED)
			continue;
		said[verdict == VERDICT_NON_COMPACT]++;
		llr += verdict == VERDICT_NON_COMPACT ? w.yes : -w.no;
		if (said[0] + said[1] < least || fabs(llr) < w.enough)
			continue;
		*yes = llr > 0;
		if (said[0] + said[1] >= TELLING) {
			s->answered[*yes][0] += said[0];
			s->answered[*yes][1] += said[1];
		}
		return INDEX_GOES_ON;
	}
	s->unanswered = true;
	return index_open(
		s,
		"whether %zu lines conflict with an eviction set is undecided: %u tests say yes, %u no, %u were undecided",
		count, said[1], said[0], none);
}

int index_is_member(struct index_search *s, uint64_t line, bool *yes)
{
	return index_settle(s, s->set, &line, 1, 1, yes);
}

/* At least one of @lines belongs to the set: bisect to find it. */
static int bisect(struct index_search *s, const uint64_t *lines, size_t count,
		  size_t *which)
{
	size_t first = 0;

	while (count > 1) {
		size_t half = (count + 1) / 2;
		bool yes;
		int end = index_settle(s, s->set, lines + first, half, 1, &yes);

		if (end)
			return end;
		if (!yes)
			first += half;
		count = yes ? half : count - half;
	}
	*which = first;
	return INDEX_GOES_ON;
}

int index_pick_member(struct index_search *s, const uint64_t *lines,
		      size_t count, size_t *which)
{
	size_t some;

	*which = 0;
	for (size_t i = 0; i < count; i += some) {
		bool yes;
		int end;

		some = count - i < s->most_lines ? count - i : s->most_lines;
		end = index_settle(s, s->set, lines + i, some, 1, &yes);
		if (end == INDEX_OPEN && some > SMALL_GROUP) {
			s->most_lines = (some + 1) / 2;
			s->why[0] = 0;
			s->unanswered = false;
			some = 0;
			continue;
		}
		if (!end && yes)
			end = bisect(s, lines + i, some, which);
		if (end || yes) {
			*which += i;
			return end;
		}
	}
	*which = count;
	return INDEX_GOES_ON;
}

static bool surprises(double *rate, uint64_t wrong, uint64_t total)
{
	double seen = ((double)wrong + 1) / ((double)total + 2);

	if (!wrong ||
	    statistics_binomial_tail(wrong, total, at_least(*rate)) > SURPRISE)
		return false;
	*rate = fmax(2 * *rate, 1.5 * seen);
	return true;
}

bool index_errs_more(struct index_search *s)
{
	bool yes = surprises(&s->false_yes, s->answered[0][1],
			     s->answered[0][0] + s->answered[0][1]);
	bool no = surprises(&s->false_no, s->answered[1][0],
			    s->answered[1][0] + s->answered[1][1]);

	/* If one error rate is too low, both are raised. */
	if (yes)
		s->false_no = fmax(s->false_no, s->false_yes / 4);
	if (no)
		s->false_yes = fmax(s->false_yes, s->false_no / 4);
	return yes || no;
}

void index_keep_line(struct index_search *s, uint64_t line)
{
	for (size_t i = 0; i < s->line_count; i++)
		if (s->lines[i] == line)
			return;
	if (s->line_count < INDEX_MOST_LINES)
		s->lines[s->line_count++] = line;
}

uint64_t index_line(struct index_search *s, uint64_t other)
{
	uint64_t line;

	do
		line = s->lines[rng_below(&s->rng, s->line_count)];
	while (line == other && s->line_count > 1);
	return line;
}

uint64_t index_bits(const struct index_oracle *oracle)
{
	uint64_t above = oracle->high_bit >= 63 ?
				 0 :
				 ~UINT64_C(0) << (oracle->high_bit + 1);

	return ~above & ~UINT64_C(0) << oracle->low_bit;
}
