/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - the progress line on the terminal during a measurement. */
#ifndef PROBE_PHYS_CMD_PROGRESS_H
#define PROBE_PHYS_CMD_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "method/probe/prober.h"

/**
 * struct progress - progress of a command
 * @started: time at which it began
 * @part: share of the whole command that the current measurement takes; 0 to 1
 * @before: share of the command that is finished
 * @shown: stderr is a terminal
 */
struct progress {
	struct timespec started;
	double part;
	double before;
	bool shown;
};

/** progress_begin() - begin with a single part; the caller may change @part */
void progress_begin(struct progress *progress);

/** progress_of() - let @p print its progress, if stderr is a terminal */
void progress_of(struct progress *progress, struct prober *p);

/** progress_end() - erase the line */
void progress_end(const struct progress *progress);

/** progress_seconds() - seconds since progress_begin() */
double progress_seconds(const struct progress *progress);

#endif
