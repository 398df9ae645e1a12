// SPDX-License-Identifier: GPL-2.0
#include "machine/host/free_memory.h"

#include <stdio.h>

uint64_t host_free_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	fclose(file);
	return kib * 1024;
}
