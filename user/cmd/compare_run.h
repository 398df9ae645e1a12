/* SPDX-License-Identifier: GPL-2.0 */
/* compare_run.h - run all methods, one after the other, on an open machine. */
#ifndef PROBE_PHYS_CMD_COMPARE_RUN_H
#define PROBE_PHYS_CMD_COMPARE_RUN_H

#include "method/compact_map.h"
#include "options.h"
#include "progress.h"
#include "report/compare/compare.h"
#include "report/picture/picture.h"

/**
 * struct compare_run_request - what to run
 * @options: global options
 * @methods: bits 1 << enum compare_method
 * @maps: also make the maps of compactness for the picture, if X-Ray runs
 */
struct compare_run_request {
	const struct options *options;
	unsigned int methods;
	bool maps;
};

/**
 * struct compare_results - results of all methods
 * @said: points to the results in the other members
 * @maps: one for each level, nearest first; @map_count of them
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
 * @r: (out) results so far, also on failure; the caller always calls
 *     compare_results_free()
 * @progress: progress of the command, already begun
 *
 * If a method fails, its reason is recorded and the next method runs.
 * Return: 0; -EINTR when stopped; otherwise the -errno of the first method that
 * failed, with @f set.
 */
int compare_run_all(struct machine *m,
		    const struct compare_run_request *request,
		    struct progress *progress, struct compare_results *r,
		    struct failure *f);

/** compare_results_free() - release the curves of the results */
void compare_results_free(struct compare_results *r);

#endif
