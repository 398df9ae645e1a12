// SPDX-License-Identifier: GPL-2.0
/*
 * hog.c - takes counters of a CPU and keeps them until it is killed, as a
 * profiler or a watchdog would.
 *
 *	hog CPU TYPE CONFIG COUNT
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .pinned = 1 };

	if (argc != 5)
		return 2;
	attr.type = (unsigned int)atoi(argv[2]);
	attr.config = strtoull(argv[3], NULL, 0);
	for (int i = atoi(argv[4]); i > 0; i--) {
		if (syscall(SYS_perf_event_open, &attr, -1, atoi(argv[1]), -1,
			    0) >= 0)
			continue;
		perror("hog");
		return 1;
	}
	puts("taken");
	fflush(stdout);
	for (;;)
		pause();
}
