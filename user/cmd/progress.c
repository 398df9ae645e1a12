// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *progress)
{
	*progress =
		(struct progress){ .part = 1, .shown = isatty(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &progress->started);
}

double progress_seconds(const struct progress *progress)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - progress->started.tv_sec) +
	       1e-9 * (double)(now.tv_nsec - progress->started.tv_nsec);
}

/* Print part, share and the remaining time, which is extrapolated and therefore
 * rough.
 */
static void show(void *context, const char *what, double done)
{
	const struct progress *progress = context;
	double seconds = progress_seconds(progress);

	done = progress->before + progress->part * done;
	fprintf(stderr, "\r\033[K%3.0f %%  %.1f s", 100 * done, seconds);
	if (done > 0)
		fprintf(stderr, ", about %.0f s left",
			ceil(seconds * (1 - done) / done));
	fprintf(stderr, "  %s", what);
}

void progress_of(struct progress *progress, struct prober *p)
{
	if (!progress->shown)
		return;
	p->progress = show;
	p->progress_context = progress;
}

void progress_end(const struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
