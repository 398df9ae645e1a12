// SPDX-License-Identifier: GPL-2.0
#include "machine/host/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a line has at most, and a read of the kernel's. */
#define SMAPS_READ_BYTES 8192

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

int smaps_open(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/smaps", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

uint64_t smaps_huge_bytes(const char *base, uint64_t bytes)
{
	FILE *file = fopen("/proc/self/smaps", "re");
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

/* The range that a mapping lies in; NULL: none. @beyond: (out) all lie below it */
static struct smaps_range *range_of(struct smaps_range *ranges, size_t count,
				    uint64_t start, uint64_t end, bool *beyond)
{
	struct smaps_range *found = NULL;

	*beyond = true;
	for (size_t i = 0; i < count; i++) {
		uint64_t from = (uintptr_t)ranges[i].base;

		*beyond = *beyond && start >= from + ranges[i].bytes;
		if (start >= from && end <= from + ranges[i].bytes)
			found = &ranges[i];
	}
	return found;
}

/* Of the lines of a mapping only the first one and this one count. */
static void take_line(const char *line, struct smaps_range **inside,
		      struct smaps_range *ranges, size_t count, bool *beyond)
{
	static const char key[] = "Referenced:";
	char *end;

	if ((line[0] >= '0' && line[0] <= '9') ||
	    (line[0] >= 'a' && line[0] <= 'f')) {
		uint64_t start = strtoull(line, &end, 16);

		if (*end == '-')
			*inside = range_of(ranges, count, start,
					   strtoull(end + 1, NULL, 16), beyond);
	} else if (*inside && !strncmp(line, key, sizeof(key) - 1)) {
		(*inside)->referenced +=
			strtoull(line + sizeof(key) - 1, NULL, 10) * 1024;
	}
}

/* Each read gives whole mappings, some pages of the kernel's at most. */
int smaps_referenced(int smaps, struct smaps_range *ranges, size_t count)
{
	struct smaps_range *inside = NULL;
	char text[SMAPS_READ_BYTES + 1];
	bool beyond = false;
	size_t kept = 0;
	off_t at = 0;
	ssize_t got;

	for (size_t i = 0; i < count; i++)
		ranges[i].referenced = 0;
	/* Mappings ascend. */
	while (!beyond && (got = pread(smaps, text + kept,
				       SMAPS_READ_BYTES - kept, at)) > 0) {
		char *line = text, *end;

		at += got;
		text[kept + (size_t)got] = '\0';
		for (; (end = strchr(line, '\n')) && !beyond; line = end + 1)
			take_line(line, &inside, ranges, count, &beyond);
		kept = strlen(line);
		memmove(text, line, kept);
	}
	return beyond || !got ? 0 : -errno;
}
