// SPDX-License-Identifier: GPL-2.0
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int parse_number(const char *text, uint64_t least, uint64_t most,
		 uint64_t *value)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (*end)
		return -EINVAL;
	if (errno || number < least || number > most)
		return -ERANGE;
	*value = number;
	return 0;
}

/* A number at the beginning of the rest. */
static int next_cpu(const char **text, int *cpu)
{
	long number = 0;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); ++*text) {
		number = 10 * number + (**text - '0');
		if (number > PARSE_MOST_CPU)
			return -ERANGE;
	}
	*cpu = (int)number;
	return 0;
}

int parse_cpus(const char *text, int *cpus, size_t most, size_t *count)
{
	int first, last, error;

	*count = 0;
	do {
		error = next_cpu(&text, &first);
		last = first;
		if (!error && *text == '-') {
			text++;
			error = next_cpu(&text, &last);
		}
		if (error)
			return error;
		if (last < first)
			return -EINVAL;
		for (int cpu = first; cpu <= last; cpu++) {
			if (*count == most)
				return -E2BIG;
			cpus[(*count)++] = cpu;
		}
	} while (*text == ',' && *++text);
	/* A comma at the end is no list. */
	return *text || text[-1] == ',' ? -EINVAL : 0;
}
