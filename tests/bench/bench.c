// SPDX-License-Identifier: GPL-2.0
/*
 * bench.c - the cost of decisions beside the cost of the loads that they need,
 * as ratios within one run, so that a busy computer changes both sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "method/levels/levels.h"
#include "bench.h"
#include "machine/hugepage/hugepage.h"
#include "observe/sampler.h"

#define BYTES (UINT64_C(64) << 20)
#define TRIALS 31
#define LOADS 1000000

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double per_load_bare(void **ring, size_t length)
{
	void *volatile *p = ring;
	double begun;

	for (size_t i = 0; i < length; i++)
		ring[i * 8] = &ring[(i + 1) % length * 8];
	begun = now_ns();
	for (int i = 0; i < LOADS; i++)
		p = *p;
	return (now_ns() - begun) / LOADS;
}

static double per_load_walk(struct machine *m, struct failure *f)
{
	const struct shape w = { .inner = 1, .stride = 64, .outer = 64 };
	const struct walk_plan plan = { .warm_rounds = 4,
					.loads = LOADS,
					.samples = 1 };
	struct sample sample;
	struct sequence s;

	if (sequence_place(&s, &w, 0))
		return 0;
	if (m->ops->walk(m, &s, &plan, &sample, f))
		sample = (struct sample){ .loads = 1 };
	sequence_free(&s);
	return sample.ticks / m->timer.ticks_per_ns / (double)sample.loads;
}

/* Loads themselves, in a plain loop and through the sampler. */
static void bench_walk(struct machine *m, struct failure *f)
{
	static void *ring[64 * 8];
	double ratios[TRIALS];

	for (int i = 0; i < TRIALS; i++) {
		double bare = per_load_bare(ring, 64);

		ratios[i] = per_load_walk(m, f) / bare;
	}
	printf("a load in a walk / a load in a plain pointer loop    %6.2f\n",
	       statistics_quantile(ratios, TRIALS, 0.5));
}

/* A verdict on 64 lines of one stretch: everything against its loads alone. */
static void bench_decision(struct machine *m, struct failure *f)
{
	const struct shape w = { .inner = 1, .stride = 64, .outer = 64 };
	const struct reference r = { .control = w, .penalty_ticks = 1e9 };
	double ratios[TRIALS];

	for (int i = 0; i < TRIALS; i++) {
		uint64_t before = m->conditions.samples;
		double bare = per_load_walk(m, f), begun = now_ns();
		enum verdict verdict;
		struct prober p;

		prober_begin(&p, m, (uint64_t)i);
		if (prober_compact(&p, &w, &r, &verdict, NULL, f))
			return;
		ratios[i] = (now_ns() - begun) /
			    ((double)(m->conditions.samples - before) * 2000 *
			     bare);
	}
	printf("a verdict / its measured loads alone                 %6.2f\n",
	       statistics_quantile(ratios, TRIALS, 0.5));
}

/* The whole first level and memory, in verdicts. */
static void bench_measurement(struct machine *m, struct failure *f)
{
	struct hierarchy found;
	struct prober p;

	prober_begin(&p, m, 1);
	if (xray_measure(&p, &found, f))
		return;
	printf("verdicts of a whole measurement / levels found       %6.2f\n",
	       (double)found.tests /
		       (double)(found.cache_count ? found.cache_count : 1));
	printf("samples of a whole measurement / verdicts            %6.2f\n",
	       (double)m->conditions.samples /
		       (double)(found.tests ? found.tests : 1));
}

int main(void)
{
	const struct machine_request request = { .cpu = -1, .bytes = BYTES };
	struct failure f = { .text = "" };
	struct machine *m;

	if (bench_amp(&f) || bench_evset(&f)) {
		fprintf(stderr, "probe-phys: %s\n", f.text);
		return (int)f.status;
	}
	fflush(stdout);
	bench_model();
	m = machine_open_hugepage(&request, &f);
	if (m) {
		bench_walk(m, &f);
		bench_decision(m, &f);
		m->conditions.samples = 0;
		bench_measurement(m, &f);
		machine_close(m);
	} else
		fprintf(stderr, "probe-phys: %s\n", f.text);
	f.text[0] = '\0';
	if (!bench_index(&f))
		bench_growth(&f);
	if (f.text[0])
		fprintf(stderr, "probe-phys: %s\n", f.text);
	return f.text[0] ? (int)f.status : EXIT_SUCCESS;
}
