/* SPDX-License-Identifier: GPL-2.0 */
/* compare_run.h - all methods, one after the other, on one open machine. */
#ifndef PROBE_PHYS_CMD_COMPARE_RUN_H
#define PROBE_PHYS_CMD_COMPARE_RUN_H

#include "method/compact_map.h"
#include "options.h"
#include "progress.h"
#include "report/compare/compare.h"
#include "report/picture/picture.h"

/**
 * struct compare_run_request - what to run
 * @options: common ones
 * @methods: bits 1 << enum compare_method
 * @maps: for the picture: maps of compactness, too, where X-Ray is run
 */
struct compare_run_request {
	const struct options *options;
	unsigned int methods;
	bool maps;
};

/**
 * struct compare_results - what came of it
 * @said: what methods said, which the other members hold
 * @maps: nearest level first; @map_count of them
 */
struct compare_results {
	struct compare_said said;
	struct hierarchy xray;
	struct amp_result amp;
	struct side_result sides[COMPARE_SIDES];
	struct compactness_map maps[PICTURE_MAPS];
	size_t map_count;
};

/**
 * compare_run_all() - run the methods
 * @r: (out) results so far, also when it ends early; to be freed by
 *     compare_results_free() in any case
 * @progress: has begun
 *
 * One that fails leaves a reason, and the next one is run.
 * Return: 0; -EINTR when stopped; otherwise the -errno of the first that failed,
 * with @f set.
 */
int compare_run_all(struct machine *m,
		    const struct compare_run_request *request,
		    struct progress *progress, struct compare_results *r,
		    struct failure *f);

/** compare_results_free() - its curves */
void compare_results_free(struct compare_results *r);

#endif
