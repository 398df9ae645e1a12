// SPDX-License-Identifier: GPL-2.0
/* report.c - how every command prints a failure. */
#include <jansson.h>
#include <stdio.h>

#include "cmd.h"

enum exit_status cmd_report(const struct failure *f,
			    const struct options *options)
{
	enum exit_status status = f->text[0] ? f->status : STATUS_FAILED;
	const char *text =
		f->text[0] ? f->text :
			     "failed: unknown reason (report this as a bug)";

	fflush(stdout);
	fprintf(stderr, "probe-phys: %s\n", text);
	if (options->json) {
		json_t *root = json_pack("{s:i, s:{s:s, s:i}}", "schema", 1,
					 "error", "message", text,
					 "exit_status", (int)status);

		json_dumpf(root, stdout, JSON_INDENT(2));
		fputc('\n', stdout);
		json_decref(root);
	}
	return status;
}
