// SPDX-License-Identifier: GPL-2.0
#include "parse.h"

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
