/* SPDX-License-Identifier: GPL-2.0 */
/* parse.h - numbers from the command line, strictly. */
#ifndef PROBE_PHYS_PARSE_H
#define PROBE_PHYS_PARSE_H

#include <stdint.h>

/**
 * parse_number() - a decimal, 0x or 0 number
 * @text: not empty, nothing before or behind the number, no sign
 * Return: 0; -EINVAL when it is no number; -ERANGE outside [least, most].
 */
int parse_number(const char *text, uint64_t least, uint64_t most,
		 uint64_t *value);

#endif
