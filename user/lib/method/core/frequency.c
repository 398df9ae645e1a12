// SPDX-License-Identifier: GPL-2.0
/* frequency.c - the core clock, by dependent additions of one cycle each. */
#include <stdio.h>

#include "method/core/registers.h"
#include "method/core/tuning.h"
#include "observe/sampler.h"

#define METHOD "integer additions"
/* Turbo and power saving move the clock in steps of 1 % and more. */
#define STEADY 0.01

int frequency_measure(struct prober *p, struct hierarchy *h)
{
	double hz[FREQUENCY_TRIALS], low, high, spread;
	double ticks_per_second = 1e9 * p->m->timer.ticks_per_ns;

	prober_progress(p, "clock frequency");
	for (int i = 0; i < FREQUENCY_TRIALS; i++) {
		double cycle = sampler_add_ticks(p->m, CHAINS, FREQUENCY_ADDS);

		if (prober_stopped(p))
			return -EINTR;
		if (cycle <= 0) {
			parameter_unavailable(
				&h->frequency_hz,
				"this machine cannot time additions");
			return 0;
		}
		hz[i] = ticks_per_second / cycle;
		p->m->ops->pause(p->m, FREQUENCY_PAUSE_MS);
	}
	low = statistics_quantile(hz, FREQUENCY_TRIALS, 0.25);
	high = statistics_quantile(hz, FREQUENCY_TRIALS, 1);
	spread = (high - low) / high;
	if (spread > STEADY) {
		parameter_undecided(
			&h->frequency_hz, METHOD,
			"the clock wandered from %.3f to %.3f GHz while it was measured",
			low / 1e9, high / 1e9);
		return 0;
	}
	parameter_measured(&h->frequency_hz,
			   statistics_quantile(hz, FREQUENCY_TRIALS, 0.75), 0,
			   METHOD);
	snprintf(h->frequency_hz.reason, sizeof(h->frequency_hz.reason),
		 "three quarters of %d trials within %.2f %%", FREQUENCY_TRIALS,
		 100 * spread);
	return 0;
}
