// SPDX-License-Identifier: GPL-2.0
#include "machine/host/smaps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The mapping whose lines are being read, as far as it lies in the range. */
struct entry {
	uint64_t bytes;
	uint64_t inside;
};

static uint64_t overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
	uint64_t from = a > b ? a : b, to = a_end < b_end ? a_end : b_end;

	return from < to ? to - from : 0;
}

static uint64_t huge_inside(const struct entry *e, uint64_t huge)
{
	if (e->inside == e->bytes)
		return huge;
	return huge == e->bytes ? e->inside : 0;
}

static FILE *open_smaps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/smaps", (long)pid);
	return fopen(path, "re");
}

uint64_t smaps_huge_bytes(const char *base, uint64_t bytes)
{
	return smaps_huge_bytes_of(getpid(), base, bytes);
}

uint64_t smaps_huge_bytes_of(pid_t pid, const char *base, uint64_t bytes)
{
	FILE *file = open_smaps(pid);
	uint64_t start = (uintptr_t)base, sum = 0;
	struct entry e = { 0 };
	char line[512];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		unsigned long long a, b;

		if (sscanf(line, "%llx-%llx ", &a, &b) == 2) {
			e.bytes = b - a;
			e.inside = overlap(a, b, start, start + bytes);
		} else if (e.inside &&
			   sscanf(line, "AnonHugePages: %llu kB", &a) == 1) {
			sum += huge_inside(&e, a * 1024);
		}
	}
	fclose(file);
	return sum;
}

int smaps_referenced_bytes(pid_t pid, const char *base, uint64_t bytes,
			   uint64_t *found)
{
	uint64_t start = (uintptr_t)base;
	bool inside = false;
	char line[512];
	FILE *file;

	*found = 0;
	file = open_smaps(pid);
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		unsigned long long a, b;

		if (sscanf(line, "%llx-%llx ", &a, &b) == 2)
			inside = a >= start && b <= start + bytes;
		else if (inside && sscanf(line, "Referenced: %llu kB", &a) == 1)
			*found += a * 1024;
	}
	fclose(file);
	return 0;
}
