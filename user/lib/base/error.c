// SPDX-License-Identifier: GPL-2.0
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* File names and quoted input hold anything; a message is one line that a
 * terminal and JSON take.
 */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

int fail(struct failure *f, enum exit_status status, int error,
	 const char *format, ...)
{
	va_list args;

	if (f && !f->text[0]) {
		f->status = status;
		va_start(args, format);
		vsnprintf(f->text, sizeof(f->text), format, args);
		va_end(args);
		make_printable(f->text);
	}
	return -error;
}

int fail_memory(struct failure *f, const char *what)
{
	return fail(f, STATUS_FAILED, ENOMEM, "%s: out of memory (free some)",
		    what);
}
