// SPDX-License-Identifier: GPL-2.0
/* unified_take.c - one undisturbed sample. */
#include <errno.h>

#include "method/sharing/tuning.h"
#include "method/sharing/unified.h"

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
