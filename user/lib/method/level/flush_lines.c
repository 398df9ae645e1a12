// SPDX-License-Identifier: GPL-2.0
#include "method/level/flush_lines.h"
#include "method/level/tuning.h"

#include <errno.h>
#include <stdlib.h>

int level_flush_sequence(const struct prober *p, const struct sequence *lines,
			 struct failure *f)
{
	const struct walk_step step = { STEP_FLUSH, lines, 0 };
	const struct walk_plan plan = { .samples = 1,
					.steps = &step,
					.step_count = 1 };
	const struct sequence one = { lines->offsets, 1 };
	struct sample unused;

	if (!lines->length)
		return 0;
	if (prober_stopped(p))
		return -EINTR;
	return p->m->ops->walk(p->m, &one, &plan, &unused, f);
}

int level_flush(const struct prober *p, const struct room *r, struct failure *f)
{
	struct sequence s = { .length = 0 };
	int error = 0;

	s.offsets = calloc(FLUSH_PIECE + r->count, sizeof(*s.offsets));
	if (!s.offsets)
		return prober_out_of_memory(f);
	for (uint64_t at = r->from; !error && at < r->to; at += r->step) {
		for (size_t i = 0; i < r->count; i++)
			if (at + r->lines[i] < r->to)
				s.offsets[s.length++] = at + r->lines[i];
		if (s.length < FLUSH_PIECE)
			continue;
		error = level_flush_sequence(p, &s, f);
		s.length = 0;
	}
	if (!error)
		error = level_flush_sequence(p, &s, f);
	sequence_free(&s);
	return error;
}
