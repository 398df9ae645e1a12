// SPDX-License-Identifier: GPL-2.0
/* unified_take.c - one undisturbed sample, and what translations add to it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/sharing/tuning.h"
#include "method/sharing/unified.h"

/* Pages of a host may be as small. */
#define LEAST_PAGE 4096
/* Of what is loaded: lines that are there again before the others are timed. Where four
 * lines of each page are used, code still pushes out most of what is timed.
 */
#define MOST_TOUCHED 0.3

size_t unified_fill(const struct unified *q, struct walk_step *steps)
{
	size_t n = 0;

	/* What is used twice stays here whatever the policy. */
	steps[n++] = (struct walk_step){ STEP_LOAD, &q->fill, 0 };
	steps[n++] = (struct walk_step){ STEP_LOAD, &q->fill, 0 };
	if (q->sweep.length)
		steps[n++] = (struct walk_step){ STEP_LOAD, &q->sweep, 0 };
	return n;
}

int unified_place_touch(struct unified *q, struct failure *f)
{
	const uint64_t page = q->p->m->region.page_bytes;
	struct sequence *s = &q->touch;
	bool *used = calloc(q->p->m->region.bytes / page + 1, sizeof(*used));
	size_t n = 0;

	s->offsets = calloc(q->loaded.length + 1, sizeof(*s->offsets));
	if (!used || !s->offsets) {
		free(used);
		return prober_out_of_memory(f);
	}
	for (size_t i = 0; i < q->loaded.length; i++) {
		const uint64_t at = q->loaded.offsets[i];

		if (!used[at / page])
			s->offsets[n++] = at;
		used[at / page] = true;
	}
	free(used);
	s->length = n;
	return (double)n > MOST_TOUCHED * (double)q->loaded.length ? -ERANGE :
								     0;
}

int unified_take(struct unified *q, const struct sequence *lines,
		 const struct walk_plan *plan, unsigned int counter,
		 double *value, struct failure *f)
{
	struct machine *m = q->p->m;
	struct sample s;

	for (int i = 0; i < UNIFIED_ATTEMPTS; i++) {
		int error;

		if (prober_stopped(q->p))
			return -EINTR;
		error = m->ops->walk(m, lines, plan, &s, f);
		if (error)
			return error;
		if (s.disturbed || (s.counted & counter) != counter)
			continue;
		*value = counter ? s.counts[__builtin_ctz(counter)] : s.ticks;
		*value /= (double)s.loads;
		return 0;
	}
	return -EAGAIN;
}

/* The first level has room for words of half as many lines, wherever they lie. */
int unified_find_translation(struct unified *q, struct failure *f)
{
	struct reference r = { .page_bytes = LEAST_PAGE };
	const struct cache_result *first;
	double ticks = NAN;
	int error;

	q->translation = 0;
	if (q->counter)
		return 0;
	first = &q->h->caches[0];
	if (!parameter_is_measured(&first->capacity_bytes) ||
	    !parameter_is_measured(&first->line_bytes))
		return 0;
	r.line_bytes = (uint64_t)first->line_bytes.value;
	r.twin_lines = (size_t)(first->capacity_bytes.value / 2 /
				first->line_bytes.value);
	error = prober_translation(q->p, &q->loaded, &r, &ticks, f);
	if (!error && ticks > 0)
		q->translation = ticks;
	return error;
}
