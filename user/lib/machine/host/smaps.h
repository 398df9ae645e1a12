/* SPDX-License-Identifier: GPL-2.0 */
/* smaps.h - page sizes of memory of this process, by /proc/self/smaps. */
#ifndef PROBE_PHYS_MACHINE_HOST_SMAPS_H
#define PROBE_PHYS_MACHINE_HOST_SMAPS_H

#include <stdint.h>

/**
 * smaps_huge_bytes() - bytes of a range that huge page-table entries map
 * @base: start of the range
 * @bytes: its length
 *
 * Mappings that reach beyond the range count only if all of them is huge.
 * Return: bytes, at most @bytes; 0 also when the file cannot be read.
 */
uint64_t smaps_huge_bytes(const char *base, uint64_t bytes);

#endif
