// SPDX-License-Identifier: GPL-2.0
/*
 * exact.c - proves the lab itself, in its guest: known sequences must give
 * known counts of the machine that exact.json describes, through the module's
 * counters and walks. Prints TAP.
 *
 *	exact CPU PMU
 */
#include <sched.h>
#include <stdlib.h>

#include "guest.h"

int main(int argc, char **argv)
{
	cpu_set_t set;
	int cpu, giant;

	if (argc != 3)
		return 2;
	cpu = atoi(argv[1]);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "pinning");
	open_guest(cpu, argv[2]);
	/* Before the model is on: it is a lot to be zeroed. */
	giant = giant_buffer();
	control(true);
	switch_prefetchers(false);
	check_sets();
	check_cycles();
	check_long_lists();
	check_caches();
	check_prefetchers();
	check_fetches();
	check_tlbs(giant);
	check_invlpg();
	control(false);
	plan();
	return 0;
}
