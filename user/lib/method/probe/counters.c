// SPDX-License-Identifier: GPL-2.0
/* counters.c - which of a machine's counters may decide. */
#include <stdarg.h>
#include <stdio.h>

#include "method/probe/prober.h"
#include "observe/proof.h"

void prober_distrust(struct prober *p, unsigned int counter, const char *format,
		     ...)
{
	char why[128];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	p->counters &= ~counter;
	p->m->counters &= ~counter;
	machine_note(p->m, "counter %s is not believed: %s",
		     machine_counter_name(
			     (enum machine_counter)__builtin_ctz(counter)),
		     why);
}

static int prove(struct prober *p, enum machine_counter c, struct failure *f)
{
	unsigned int bit = 1U << c;
	struct proof proof;
	int error = proof_of_counter(p->m, p->arena_offset, p->arena_bytes, c,
				     &proof, f);

	if (error)
		return error;
	if (proof.believed)
		p->counters |= bit;
	else if (!proof.answered)
		prober_distrust(p, bit, "no sample was counted undisturbed");
	else
		prober_distrust(
			p, bit,
			"%.2f misses in %d loads that hit, %.1f in %d that miss",
			proof.hot, PROOF_HOT_LOADS, proof.cold,
			PROOF_COLD_LINES);
	return 0;
}

int prober_trust_counters(struct prober *p, struct failure *f)
{
	static const enum machine_counter misses[] = { COUNTER_L1D_MISS,
						       COUNTER_L2_MISS,
						       COUNTER_L3_MISS };
	unsigned int offered = 0;

	p->counters = 0;
	if (p->by == PROBER_BY_TIME)
		return 0;
	for (size_t i = 0; i < sizeof(misses) / sizeof(misses[0]); i++) {
		int error;

		if (!(p->m->counters >> misses[i] & 1))
			continue;
		offered++;
		error = prove(p, misses[i], f);
		/* Too little memory: the measurement is going to say so. */
		if (error)
			return error == -ERANGE ? 0 : error;
	}
	if (p->counters || p->by == PROBER_BY_AUTO)
		return 0;
	if (!offered)
		return fail(
			f, STATUS_UNAVAILABLE, ENOENT,
			"counters: none of this machine counts cache misses (use --decide-by time)");
	return fail(
		f, STATUS_UNAVAILABLE, ENOENT,
		"counters: %u count cache misses, but none counts what it should (use --decide-by time)",
		offered);
}
