// SPDX-License-Identifier: GPL-2.0
#include "set_query.h"

#include <errno.h>
#include <stdlib.h>

#include "policy_ask.h"

/* Answers by which one must lead. */
#define LEAD 3
#define TOLERANCE 0.2
/* Other lines that make a set forget, in ways. */
#define FORGET_PER_WAY 2

static int check(const struct set_oracle *o, const struct query *q,
		 unsigned int others, struct failure *f)
{
	for (size_t i = 0; i < q->length; i++)
		if (q->accesses[i].flush)
			return fail(
				f, STATUS_UNAVAILABLE, EOPNOTSUPP,
				"query: access %zu: single lines cannot be flushed on the way (leave out !)",
				i + 1);
	if (q->lines + others > o->blocks)
		return fail(
			f, STATUS_FAILED, ENOSPC,
			"query: %u lines and %u more to forget: only %u can be had (use fewer names)",
			q->lines, others, o->blocks);
	if (q->length + others > o->most_accesses)
		return fail(
			f, STATUS_FAILED, ENOSPC,
			"query: %zu accesses: at most %zu can be walked here (make it shorter)",
			q->length, o->most_accesses - others);
	return 0;
}

static int ask(struct policy_asker *a, const struct cycle *c, double *misses,
	       struct failure *f)
{
	struct policy_answer answer;
	int error = policy_ask(a, c, &answer, f);

	if (error == -EAGAIN)
		fail(f, STATUS_FAILED, EAGAIN,
		     "query: no undisturbed answer (the CPU is too busy: choose another with --cpu)");
	*misses = answer.misses;
	return error;
}

int set_query_run(const struct set_oracle *oracle, const struct query *q,
		  double *misses, struct failure *f)
{
	unsigned int others = FORGET_PER_WAY * oracle->ways;
	struct policy_asker asker = { .oracle = oracle,
				      .tolerance = TOLERANCE,
				      .lead = LEAD };
	unsigned int *blocks = calloc(q->length + others, sizeof(*blocks));
	struct cycle c = { .blocks = blocks };
	int error = check(oracle, q, others, f);

	if (!blocks)
		error = fail(f, STATUS_FAILED, ENOMEM,
			     "query: out of memory (free some)");
	for (unsigned int i = 0; !error && i < others; i++)
		blocks[c.length++] = q->lines + i;
	for (size_t i = 0; !error && i < q->length; i++) {
		double before = 0, after = 0;

		if (q->accesses[i].measured)
			error = ask(&asker, &c, &before, f);
		blocks[c.length++] = q->accesses[i].line;
		if (error || !q->accesses[i].measured)
			continue;
		error = ask(&asker, &c, &after, f);
		*misses++ = after - before;
	}
	free(blocks);
	return error;
}
