// SPDX-License-Identifier: GPL-2.0
/* quiet_cpu.c - the CPU that others use least. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "machine/host/quiet_cpu.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "machine/host/cpu.h"

/* CPUs that are tried, and for how long each. */
#define MOST_CPUS 4
#define TRIAL_NS 20e6
/* More than a first level holds, less than a second one. */
#define LINES 2048
#define LINE_BYTES 64
#define MOST_ROUNDS 8192
/* A round is disturbed from this multiple of the best one on. */
#define LONGER 1.05
/* A CPU is quieter if its share is smaller by this. */
#define CLEARLY 0.05
#define INDEXES 8

struct line {
	struct line *next;
	char rest[LINE_BYTES - sizeof(struct line *)];
};

/* One ring of all lines, in random order (Sattolo). */
static struct line *make_ring(void)
{
	struct line *lines = calloc(LINES, sizeof(*lines));
	struct rng rng = { 1 };

	for (size_t i = 0; lines && i < LINES; i++)
		lines[i].next = &lines[i];
	for (size_t i = LINES - 1; lines && i > 0; i--) {
		size_t other = rng_below(&rng, i);
		struct line *kept = lines[i].next;

		lines[i].next = lines[other].next;
		lines[other].next = kept;
	}
	return lines;
}

double quiet_cpu_share(const double *rounds_ns, size_t count)
{
	double least = INFINITY, all = 0, lost = 0;
	size_t longer = 0;

	for (size_t i = 0; i < count; i++)
		least = fmin(least, rounds_ns[i]);
	for (size_t i = 0; i < count; i++) {
		all += rounds_ns[i];
		if (rounds_ns[i] <= LONGER * least)
			continue;
		longer++;
		lost += rounds_ns[i] - least;
	}
	return all > 0 ? fmax((double)longer / (double)count, lost / all) : 1;
}

static double disturbed_share(struct line *ring)
{
	double rounds[MOST_ROUNDS] = { 0 };
	double begin = cpu_clock_ns();
	struct line *volatile p = ring;
	size_t count = 0;

	while (count < MOST_ROUNDS && cpu_clock_ns() < begin + TRIAL_NS) {
		double before = cpu_clock_ns();

		for (int i = 0; i < LINES; i++)
			p = p->next;
		rounds[count++] = cpu_clock_ns() - before;
	}
	return quiet_cpu_share(rounds, count);
}

/* Sizes of its caches, in the kernel's words. */
static void read_caches(int cpu, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < INDEXES && length + 1 < size; i++) {
		char path[96];
		FILE *file;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cache/index%d/size",
			 cpu, i);
		file = fopen(path, "r");
		if (!file)
			return;
		if (!fgets(text + length, (int)(size - length), file))
			text[length] = '\0';
		length += strlen(text + length);
		fclose(file);
	}
}

/* The highest first; only CPUs like it. */
static size_t list_cpus(const cpu_set_t *allowed, int *cpus)
{
	char first[128] = "", caches[128];
	size_t count = 0;

	for (int i = CPU_SETSIZE; i-- > 0 && count < MOST_CPUS;) {
		if (!CPU_ISSET(i, allowed))
			continue;
		read_caches(i, caches, sizeof(caches));
		if (!count)
			snprintf(first, sizeof(first), "%s", caches);
		if (!strcmp(first, caches))
			cpus[count++] = i;
	}
	return count;
}

int quiet_cpu_choose(void)
{
	struct line *ring = NULL;
	int cpus[MOST_CPUS], best = -1;
	cpu_set_t allowed;
	double least = 1;
	size_t count;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return -1;
	count = list_cpus(&allowed, cpus);
	if (count > 1)
		ring = make_ring();
	for (size_t i = 0; ring && i < count; i++) {
		double share;

		if (!cpu_move_to(cpus[i]))
			continue;
		share = disturbed_share(ring);
		if (best < 0 || share < least - CLEARLY) {
			best = cpus[i];
			least = share;
		}
	}
	free(ring);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return best;
}
