// SPDX-License-Identifier: GPL-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "machine/host/cpu.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "base/parse.h"
#include "base/text.h"

/* No core has more. */
#define MOST_THREADS 64
#define LIST_BYTES 256

bool cpu_move_to(int cpu)
{
	cpu_set_t wanted;

	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	return !sched_setaffinity(0, sizeof(wanted), &wanted);
}

int cpu_of_another_core(int cpu, const int *others, size_t count)
{
	int threads[MOST_THREADS];
	char list[LIST_BYTES];
	size_t own = 0;

	if (text_read_at(
		    list, sizeof(list),
		    "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		    cpu) ||
	    parse_cpus(list, threads, MOST_THREADS, &own))
		return -1;
	for (size_t i = 0; i < count; i++) {
		bool same = false;

		for (size_t j = 0; j < own; j++)
			same |= threads[j] == others[i];
		if (!same)
			return others[i];
	}
	return -1;
}

static int start(pthread_t *thread, int cpu, void *(*run)(void *),
		 void *context)
{
	pthread_attr_t attributes;
	cpu_set_t wanted;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	error = pthread_attr_setaffinity_np(&attributes, sizeof(wanted),
					    &wanted);
	if (!error)
		error = pthread_create(thread, &attributes, run, context);
	pthread_attr_destroy(&attributes);
	return error;
}

int cpu_start_thread(pthread_t *thread, int cpu, void *(*run)(void *),
		     void *context)
{
	sigset_t all, before;
	int error;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return EINVAL;
	sigfillset(&all);
	error = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (error)
		return error;
	error = start(thread, cpu, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

double cpu_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
