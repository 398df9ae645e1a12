/* SPDX-License-Identifier: GPL-2.0 */
/*
 * error.h - one message per failure, handed up to the command that prints it.
 *
 * Functions below main return 0 or -errno; the text that a user needs travels
 * in a struct failure: "what failed: why (what to do)".
 */
#ifndef PROBE_PHYS_BASE_ERROR_H
#define PROBE_PHYS_BASE_ERROR_H

#include <errno.h>

/* Exit status of the tool (contract). */
enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_UNAVAILABLE = 3,
};

/**
 * struct failure - why something did not work
 * @status: what the process should exit with
 * @text: one line of printable ASCII, empty when nothing failed
 */
struct failure {
	enum exit_status status;
	char text[512];
};

/**
 * fail() - record a failure, keeping the first one
 * @f: where; may be NULL
 * @status: exit status that fits
 * @error: positive errno value to return negated
 * @format: printf format of "what failed: why (what to do)"
 * Return: -error.
 */
int fail(struct failure *f, enum exit_status status, int error,
	 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** fail_memory() - fail(): "@what: out of memory". Return: -ENOMEM. */
int fail_memory(struct failure *f, const char *what);

#endif
