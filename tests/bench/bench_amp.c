// SPDX-License-Identifier: GPL-2.0
/*
 * bench_amp.c - the cost of AMP's parameters beside X-Ray's on the same
 * simulated machine, both by counters: time, and accesses including warming,
 * controls and votes.
 */
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "bench.h"
#include "costs.h"
#include "machine/sim/sim.h"
#include "method/amp/amp.h"
#include "method/behaviour/behaviour.h"
#include "method/instruction/icache.h"
#include "method/sharing/sharing.h"
#include "method/tlb/measure.h"

#define BYTES (UINT64_C(64) << 20)

static const char text[] =
	"{\"counters\":[\"l1d_miss\",\"l2_miss\",\"l1i_miss\",\"dtlb_miss\","
	"\"stlb_miss\",\"itlb_miss\"],\"caches\":["
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,"
	"\"line_bytes\":64,\"latency_cycles\":4},"
	"{\"level\":1,\"type\":\"instruction\",\"capacity_bytes\":32768,"
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":524288,"
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12}],\"tlbs\":["
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],\"entries\":64,"
	"\"ways\":4,\"latency_cycles\":0},"
	"{\"level\":1,\"type\":\"instruction\",\"page_bytes\":[4096],"
	"\"entries\":64,\"ways\":8,\"latency_cycles\":0},"
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[4096],"
	"\"entries\":1024,\"ways\":8,\"latency_cycles\":7}],"
	"\"walk\":{\"latency_cycles\":30},"
	"\"memory\":{\"latency_cycles\":200}}";

static struct machine *open_machine(struct failure *f)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = BYTES,
						 .seed = 1 };
	struct profile *p = profile_parse(text, sizeof(text) - 1, "bench", f);

	return p ? machine_open_profile(p, &request, f) : NULL;
}

static int measure_by_xray(struct prober *p, struct failure *f)
{
	struct hierarchy h;
	int error = prober_trust_counters(p, f);

	if (!error)
		error = xray_measure(p, &h, f);
	if (!error)
		error = write_allocate_measure(p, &h, f);
	if (!error)
		error = icache_measure(p, &h, f);
	if (!error)
		error = unified_measure(p, &h, f);
	return error ? error : tlb_measure(p, &h, f);
}

static int measure_by_amp(struct prober *p, struct failure *f)
{
	const struct amp_wanted wanted = { .caches = 2, .tlbs = true };
	struct amp_result r;

	return amp_measure(p, &wanted, &r, f);
}

static int measure(struct costs *c, bool amp, struct failure *f)
{
	struct machine *m = open_machine(f);
	struct prober p;
	int error;

	if (!m)
		return -EINVAL;
	costs_begin(c, m, amp ? costs_of_amp : costs_of_xray);
	prober_begin(&p, m, 1);
	p.progress = costs_progress;
	p.progress_context = c;
	error = amp ? measure_by_amp(&p, f) : measure_by_xray(&p, f);
	costs_end(c);
	machine_close(m);
	return error;
}

static void print_pair(const char *name, const struct cost *amp,
		       const struct cost *xray)
{
	printf("%-35s %8.2f", name, (double)amp->accesses / 1e6);
	if (xray->accesses)
		printf(" %8.2f %7.2f", (double)xray->accesses / 1e6,
		       (double)amp->accesses / (double)xray->accesses);
	else
		printf(" %8s %7s", "-", "-");
	printf("  %7.3f", amp->seconds);
	if (xray->accesses)
		printf(" %7.3f %7.2f\n", xray->seconds,
		       amp->seconds / xray->seconds);
	else
		printf(" %7s %7s\n", "-", "-");
}

/* X-Ray's ways and size of TLBs are one search, and AMP's page is its own. */
static void print_row(const struct costs *amp, const struct costs *xray,
		      const char *row)
{
	static const char *const parts[] = { "line",	    "page",
					     "ways",	    "size",
					     "write-alloc", "replacement",
					     "unified" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct cost ours, theirs;
		char name[48];

		snprintf(name, sizeof(name), "%s: %s", row, parts[i]);
		ours = costs_of(amp, name);
		theirs = costs_of(xray, name);
		if (ours.accesses)
			print_pair(ours.name, &ours, &theirs);
	}
}

int bench_amp(struct failure *f)
{
	static const char *const rows[] = {
		"L1 data",     "L2 data",     "L1 instruction",
		"L1 data TLB", "L2 data TLB", "L1 instruction TLB",
	};
	struct costs amp, xray;
	struct cost ours, theirs;
	int error = measure(&amp, true, f);

	if (!error)
		error = measure(&xray, false, f);
	if (error)
		return error;
	printf("\n%-35s %25s  %23s\n%-35s %8s %8s %7s  %7s %7s %7s\n", "",
	       "millions of accesses", "seconds", "a parameter", "amp", "x-ray",
	       "ratio", "amp", "x-ray", "ratio");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_row(&amp, &xray, rows[i]);
	ours = costs_of(&amp, "before");
	theirs = costs_of(&xray, "before");
	print_pair("tests of counters", &ours, &theirs);
	ours = costs_of(&amp, "");
	theirs = costs_of(&xray, "");
	print_pair("all, latencies too", &ours, &theirs);
	return 0;
}
