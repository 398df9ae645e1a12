/* SPDX-License-Identifier: GPL-2.0 */
/* smaps.h - page sizes and accessed bits of memory of processes, by /proc/PID/smaps. */
#ifndef PROBE_PHYS_MACHINE_HOST_SMAPS_H
#define PROBE_PHYS_MACHINE_HOST_SMAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * smaps_huge_bytes() - bytes of a range of this process that huge page-table entries
 * map
 * @base: start of the range
 * @bytes: its length
 *
 * Mappings that reach beyond the range count only if all of them is huge.
 * Return: bytes, at most @bytes; 0 also when the file cannot be read.
 */
uint64_t smaps_huge_bytes(const char *base, uint64_t bytes);

/**
 * struct smaps_range - memory of a process
 * @base: its start
 * @bytes: its length
 * @referenced: (out) bytes whose accessed bits are set, in mappings that do not reach
 *              beyond the range
 */
struct smaps_range {
	const char *base;
	uint64_t bytes;
	uint64_t referenced;
};

/** smaps_open() - the file of a process, for smaps_referenced(); or -errno */
int smaps_open(pid_t pid);

/**
 * smaps_referenced() - read accessed bits of @count ranges
 * @smaps: of smaps_open(); what lies above the ranges is not read
 * Return: 0, or -errno when the file cannot be read.
 */
int smaps_referenced(int smaps, struct smaps_range *ranges, size_t count);

#endif
