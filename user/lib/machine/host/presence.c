// SPDX-License-Identifier: GPL-2.0
#include "machine/host/presence.h"

#include <sched.h>
#include <sys/resource.h>

struct presence presence_now(void)
{
	struct rusage usage;
	struct presence now = { .cpu = sched_getcpu() };

	getrusage(RUSAGE_THREAD, &usage);
	now.switches = usage.ru_nivcsw;
	return now;
}

static bool undisturbed(const struct presence *a, const struct presence *b,
			int cpu)
{
	return a->cpu == cpu && b->cpu == cpu && a->switches == b->switches;
}

void presence_mark(int cpu, const struct presence *before,
		   struct sample *samples, unsigned int count)
{
	const struct presence after = presence_now();

	for (unsigned int i = 0; i < count; i++)
		samples[i].disturbed |= !undisturbed(before, &after, cpu);
}
