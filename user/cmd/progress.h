/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - the line on the terminal while something is measured. */
#ifndef PROBE_PHYS_CMD_PROGRESS_H
#define PROBE_PHYS_CMD_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "method/probe/prober.h"

/**
 * struct progress - how far a command is
 * @started: when it began
 * @part: what is being measured is so much of it, from @before on; 0 to 1
 * @before: what is behind
 * @shown: stderr is a terminal
 */
struct progress {
	struct timespec started;
	double part;
	double before;
	bool shown;
};

/** progress_begin() - of a command whose only part this is, until told
 * otherwise
 */
void progress_begin(struct progress *progress);

/** progress_of() - have @p tell, where stderr is a terminal */
void progress_of(struct progress *progress, struct prober *p);

/** progress_end() - the line goes */
void progress_end(const struct progress *progress);

/** progress_seconds() - since the beginning */
double progress_seconds(const struct progress *progress);

#endif
