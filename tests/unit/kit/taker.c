// SPDX-License-Identifier: GPL-2.0
#include "kit/taker.h"

#include "kit/disturber.h"

static struct taker *taker;

static void take(const struct sequence *s, const struct walk_plan *plan,
		 struct sample *samples)
{
	size_t beyond;

	(void)s;
	if (!plan->counters)
		return;
	if (taker->walks++ < taker->after)
		return;
	beyond = taker->walks - taker->after;
	for (unsigned int i = 0; i < plan->samples; i++)
		if (!taker->every || !(beyond % taker->every))
			samples[i].counted = 0;
}

void taker_begin(struct taker *t, struct machine *m)
{
	taker = t;
	after_walks(m, take);
}
