// SPDX-License-Identifier: GPL-2.0
#include "method/evset/control.h"

#include <errno.h>

#include "method/evset/oracle/list_walk.h"
#include "method/evset/report.h"

/* Two lines that share a way miss, both; in so many of those looks. */
#define FASTER_MISSES (-1.9)
#define LOOKS (4 * EVSET_AGREED)
#define FASTER_LOOKS EVSET_AGREED

int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 bool *late, struct failure *f)
{
	uint64_t lines[EVSET_MOST_WAYS + 1 + EVSET_MOST_PADDING];
	const size_t kept = e->o.together;
	int error = 0, faster = 0;

	for (int i = 0; !error && i < LOOKS; i++) {
		const struct evset_set *s = &sets[i % EVSET_AGREED];
		const size_t n = evset_pad(s, s->lines, s->count / 2, lines);
		double misses = 0, hit = 0;

		e->o.together = s->count / 2;
		error = evset_misses(e, lines, n, EVSET_BESIDE, &misses, &hit,
				     f);
		faster += !error && misses < FASTER_MISSES;
		/* A disturbed look tells nothing, the next one may. */
		if (error == -EAGAIN) {
			f->text[0] = '\0';
			error = 0;
		}
	}
	e->o.together = kept;
	*late = !error && faster >= FASTER_LOOKS;
	return error;
}
