// SPDX-License-Identifier: GPL-2.0
#include "report/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int json_out(json_t *document, size_t flags, struct failure *f)
{
	int error;

	if (!document)
		return fail(
			f, STATUS_FAILED, ENOMEM,
			"output: cannot build the JSON document: out of memory (free some)");
	error = json_dumpf(document, stdout, flags) || putchar('\n') == EOF ||
		fflush(stdout);
	json_decref(document);
	if (error)
		return fail(f, STATUS_FAILED, errno ? errno : EIO,
			    "output: %s (is the disk full?)", strerror(errno));
	return 0;
}

json_t *json_address(uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}
