// SPDX-License-Identifier: GPL-2.0
/*
 * bench_growth.c - the cost of measuring a level as it grows: loads against the
 * least possible number, on simulated machines.
 *
 * The least possible are the decisive sequences alone, each walked once to warm
 * up and once to count: A and A + 1 lines for the ways, two halves of A + 1
 * lines apart and together for the line, one line for the latency. A ratio
 * above one buys certainty: warming, controls, placements, repetitions.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "method/levels/levels.h"
#include "bench.h"
#include "counting.h"
#include "machine/sim/sim.h"

#define KIB UINT64_C(1024)
#define WAYS 8
#define LEAST_BYTES (32 * KIB)
#define MOST_BYTES (1024 * 1024 * KIB)
#define STEP 8
/* Simulated memory costs nothing; strides are tried upwards. */
#define ROOM 1024
/* Size of the first level when the second one is measured. */
#define ABOVE_BYTES (8 * KIB)
/*
 * The search for a stride may try a few strides more or less, each with a
 * bounded number of lines. Capacities differ by a factor of thousands.
 */
#define FLAT 4.0

static struct machine *open_level(uint64_t bytes, unsigned int level,
				  struct failure *f)
{
	const struct machine_request request = {
		.cpu = -1,
		.bytes = ROOM * bytes,
		.seed = 1,
	};
	struct profile *p;
	char text[600], above[200] = "";

	if (level == 2)
		snprintf(
			above, sizeof(above),
			"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":%llu,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":3},",
			(unsigned long long)ABOVE_BYTES);
	snprintf(
		text, sizeof(text),
		"{\"caches\":[%s{\"level\":%u,\"type\":\"unified\",\"capacity_bytes\":%llu,\"ways\":%d,\"line_bytes\":64,\"latency_cycles\":12}],\"phys_bits\":44,\"memory\":{\"latency_cycles\":200}}",
		above, level, (unsigned long long)bytes, WAYS);
	p = profile_parse(text, strlen(text), "bench", f);
	return p ? machine_open_profile(p, &request, f) : NULL;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_cell(uint64_t loads, unsigned int least)
{
	printf(" %9.2f %8.0f", (double)loads / 1e6, (double)loads / least);
}

/* Return: loads for the ways, 0 if the ways were not found. */
static uint64_t measure(uint64_t bytes, unsigned int level, struct failure *f)
{
	struct machine *m = open_level(bytes, level, f);
	struct counting c;
	struct hierarchy h;
	struct prober p;
	const uint64_t *loads;
	double begun = seconds();
	bool found;

	if (!m)
		return 0;
	counting_begin(&c, m);
	loads = c.loads[level];
	prober_begin(&p, &c.machine, 1);
	p.progress = counting_progress;
	p.progress_context = &c;
	found = !xray_measure(&p, &h, f) && h.cache_count >= level &&
		h.caches[level - 1].ways.status == PARAMETER_MEASURED &&
		h.caches[level - 1].ways.value == WAYS;
	printf("L%u %8llu KiB", level, (unsigned long long)(bytes / KIB));
	print_cell(loads[COUNTING_WAYS], 2 * (2 * WAYS + 1));
	print_cell(loads[COUNTING_LINE], 2 * 2 * (WAYS + 1));
	print_cell(loads[COUNTING_LATENCY], 2);
	printf(" %9.2f %7.1f%s\n", (double)loads[COUNTING_CAPACITY] / 1e6,
	       seconds() - begun, found ? "" : "  ways not found");
	machine_close(m);
	if (!found)
		printf("   %s\n", h.cache_count < level ?
					  "no such level was found" :
					  h.caches[level - 1].ways.reason);
	return found ? loads[COUNTING_WAYS] : 0;
}

int bench_growth(struct failure *f)
{
	bool flat = true;

	printf("\nmillions of loads, and loads / least possible, of a level of %d ways\n%-15s %18s %18s %18s %9s %7s\n",
	       WAYS, "level", "ways", "line", "latency", "capacity", "seconds");
	for (unsigned int level = 1; level <= 2; level++) {
		uint64_t first = 0, last = 0;

		for (uint64_t b = LEAST_BYTES; b <= MOST_BYTES; b *= STEP) {
			uint64_t loads = measure(b, level, f);

			if (!first)
				first = loads;
			if (loads)
				last = loads;
		}
		if (!first)
			continue;
		printf("L%u ways, loads of the largest / of the smallest      %6.2f\n",
		       level, (double)last / (double)first);
		flat &= (double)last <= FLAT * (double)first;
	}
	if (!flat)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: loads for the ways of a linear level grow with its capacity (they must not)");
	return 0;
}
