/* SPDX-License-Identifier: GPL-2.0 */
/* parse.h - numbers from the command line, strictly. */
#ifndef PROBE_PHYS_BASE_PARSE_H
#define PROBE_PHYS_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

/**
 * parse_number() - a decimal, 0x or 0 number
 * @text: not empty, nothing before or behind the number, no sign
 * Return: 0; -EINVAL when it is no number; -ERANGE outside [least, most].
 */
int parse_number(const char *text, uint64_t least, uint64_t most,
		 uint64_t *value);

/** PARSE_MOST_CPU - the largest number of a CPU */
#define PARSE_MOST_CPU 65535

/**
 * parse_cpus() - a list of CPUs as the kernel writes it: "0-3,8"
 * @cpus: (out) in the order of the list; @count of them, @most at most
 * Return: 0; -EINVAL when it is none, or a range runs backwards; -ERANGE for a
 * number above PARSE_MOST_CPU; -E2BIG when there are more than @most.
 */
int parse_cpus(const char *text, int *cpus, size_t most, size_t *count);

#endif
