// SPDX-License-Identifier: GPL-2.0
/*
 * after_flush.c - policies that never forget, measured in a flushed set.
 *
 * A tree of 16 leaves over 12 ways never evicts from three of them: lines there
 * stay until they are flushed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/policy/search.h"

/* Cycles that it must have predicted exactly. */
#define LEAST_EXACT 8

/*
 * Return: 1: as predicted; 0: the prediction is not exact; -EDOM: not as
 * predicted; or another -errno.
 */
static int compare(struct policy_search *s, size_t hypothesis,
		   const struct cycle *c, struct failure *f)
{
	const struct policy_catalogue *b = s->catalogue;
	struct set_answer answer;
	struct prediction p;
	int error = hypothesis_predict_alone(&b->known.all[hypothesis],
					     b->known.ways, c, b->seed, &p);

	if (error)
		return fail(f, STATUS_FAILED, -error,
			    "policy: out of memory (free some)");
	if (!prediction_is_exact(&p))
		return 0;
	error = set_ask(&s->asker, c, &answer, f);
	if (error)
		return error;
	return answer.agreed && prediction_allows(&p, answer.low, answer.high) ?
		       1 :
		       -EDOM;
}

static void say(struct policy_search *s, size_t hypothesis)
{
	struct policy_finding *found = s->finding;

	found->kind = POLICY_KNOWN;
	found->name_count = found->more_names = 0;
	policy_search_name(found, s->catalogue->known.all[hypothesis].name);
	snprintf(
		found->reason, sizeof(found->reason),
		"its misses depend on the initial state of the set: it was measured after flushes");
}

int policy_search_after_flush(struct policy_search *s, size_t hypothesis,
			      struct failure *f)
{
	const struct set_oracle *o = s->asker.oracle;
	const struct policy_catalogue *b = s->catalogue;
	struct cycle_flush *flushes;
	size_t told = 0;
	int same = 0;

	if (!o->flushes_lines || s->left != 1)
		return 0;
	flushes = calloc(o->blocks, sizeof(*flushes));
	if (!flushes)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "policy: out of memory (free some)");
	for (unsigned int i = 0; i < o->blocks; i++)
		flushes[i] = (struct cycle_flush){ .at = 0, .block = i };
	for (size_t i = POLICY_CYCLES; same >= 0 && i < b->cycle_count; i++) {
		struct cycle c = b->cycles[i];

		c.cold = false;
		c.flushes = flushes;
		c.flush_count = o->blocks;
		same = compare(s, hypothesis, &c, f);
		told += same == 1;
	}
	free(flushes);
	if (same >= 0 && told >= LEAST_EXACT)
		say(s, hypothesis);
	return same < 0 && same != -EDOM ? same : 0;
}
