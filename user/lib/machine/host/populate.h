/* SPDX-License-Identifier: GPL-2.0 */
/* populate.h - memory that is there before it is measured. */
#ifndef PROBE_PHYS_MACHINE_HOST_POPULATE_H
#define PROBE_PHYS_MACHINE_HOST_POPULATE_H

#include <stddef.h>
#include <stdint.h>

/**
 * populate() - write to each page, so that the kernel finds and clears it
 * @base: where the memory begins, of pages of @page_bytes
 * @bytes: its length
 * @cpus: CPUs that help the present one, @count of them, a few of which are taken;
 *        one that cannot is left out
 *
 * What has been given back to a host takes a guest the longest: two CPUs wait for
 * it half as long (512 MiB on Zen 4: 1.1 s and 0.6 s). All memory comes from the
 * NUMA node of the present CPU while that has some, whoever writes; where the
 * kernel cannot be told so, nobody helps.
 */
void populate(char *base, uint64_t bytes, uint64_t page_bytes, const int *cpus,
	      size_t count);

#endif
