// SPDX-License-Identifier: GPL-2.0
/* say.c - print failures, the same way for every command. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#define UNKNOWN "failed: unknown reason (report this as a bug)"

int cmd_flush(struct failure *f)
{
	int error = 0;

	/* An earlier failed write set the error flag, but its errno is lost. */
	if (ferror(stdout))
		error = EIO;
	if (fflush(stdout))
		error = errno;
	if (!error)
		return 0;
	return fail(f, STATUS_FAILED, error, "output: %s (is the disk full?)",
		    strerror(error));
}

enum exit_status cmd_say(const struct failure *f)
{
	fflush(stdout);
	fprintf(stderr, "probe-phys: %s\n", f->text[0] ? f->text : UNKNOWN);
	return f->text[0] ? f->status : STATUS_FAILED;
}

enum exit_status cmd_report(const struct failure *f,
			    const struct options *options)
{
	enum exit_status status = cmd_say(f);
	const char *text = f->text[0] ? f->text : UNKNOWN;

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
