// SPDX-License-Identifier: GPL-2.0
/*
 * bench_amp.c - what AMP's parameters cost beside X-Ray's on the same simulated
 * machine, both by counters: accesses, warming, controls and votes included.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "counting.h"
#include "machine/sim.h"
#include "method/amp.h"
#include "method/xray.h"

#define BYTES (UINT64_C(64) << 20)
#define LEVELS 2

static const char text[] =
	"{\"counters\":[\"l1d_miss\",\"l2_miss\"],\"caches\":["
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,"
	"\"line_bytes\":64,\"latency_cycles\":4},"
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":524288,"
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12}],"
	"\"memory\":{\"latency_cycles\":200}}";

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct machine *open_machine(struct failure *f)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = BYTES,
						 .seed = 1 };
	struct profile *p = profile_parse(text, sizeof(text) - 1, "bench", f);

	return p ? machine_open_profile(p, &request, f) : NULL;
}

/* @took: (out) seconds. Return: 0 or -errno. */
static int by_xray(struct counting *c, double *took, struct failure *f)
{
	struct machine *m = open_machine(f);
	struct hierarchy h;
	struct prober p;
	double begun = seconds();
	int error = m ? 0 : -EINVAL;

	if (error)
		return error;
	counting_begin(c, m);
	prober_begin(&p, &c->machine, 1);
	p.progress = counting_progress;
	p.progress_context = c;
	error = prober_trust_counters(&p, f);
	if (!error)
		error = xray_measure(&p, &h, f);
	*took = seconds() - begun;
	machine_close(m);
	return error;
}

static int by_amp(struct amp_result *r, double *took, struct failure *f)
{
	const struct amp_wanted wanted = { .caches = LEVELS };
	struct machine *m = open_machine(f);
	struct prober p;
	double begun = seconds();
	int error = m ? 0 : -EINVAL;

	if (error)
		return error;
	prober_begin(&p, m, 1);
	error = amp_measure(&p, &wanted, r, f);
	*took = seconds() - begun;
	machine_close(m);
	return error;
}

static void print_row(unsigned int level, const char *name, uint64_t amp,
		      uint64_t xray)
{
	printf("L%u %-10s %9.2f %9.2f %8.2f\n", level, name, (double)amp / 1e6,
	       (double)xray / 1e6, (double)amp / (double)(xray ? xray : 1));
}

int bench_amp(struct failure *f)
{
	double amp_took = 0, xray_took = 0;
	struct amp_result r;
	struct counting c;
	int error = by_amp(&r, &amp_took, f);

	if (!error)
		error = by_xray(&c, &xray_took, f);
	if (error)
		return error;
	printf("\nmillions of accesses of a parameter\n%-13s %9s %9s %8s\n", "",
	       "amp", "x-ray", "ratio");
	for (unsigned int level = 1; level <= r.cache_count; level++) {
		const struct amp_row *row = &r.caches[level - 1];
		const uint64_t *loads = c.loads[level];

		print_row(level, "line", row->block_bytes.accesses,
			  loads[COUNTING_LINE]);
		print_row(level, "geometry",
			  row->size.accesses + row->ways.accesses,
			  loads[COUNTING_WAYS] + loads[COUNTING_CAPACITY]);
	}
	printf("time of AMP / of X-Ray                               %6.2f\n",
	       amp_took / xray_took);
	return 0;
}
