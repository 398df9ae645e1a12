// SPDX-License-Identifier: GPL-2.0
#include "compare_run.h"

#include <errno.h>
#include <stdio.h>

#include "cmd.h"
#include "method/amp/amp.h"
#include "method/baseline/baseline.h"
#include "method/cooper/cooper.h"
#include "method/measure.h"

/* The paper's 100 trials without an improvement take many minutes. A comparison
 * uses shorter footprints and a tenth of these trials.
 */
#define COOPER_MOST_BYTES (UINT64_C(64) << 20)
#define COOPER_PATIENT_FOR 10

/**
 * struct job - state of one running method
 * @p: its prober
 * @request: what to run
 * @r: results
 */
struct job {
	struct prober p;
	const struct compare_run_request *request;
	struct compare_results *r;
};

static bool with_tlbs(const struct job *job)
{
	return job->request->options->only & ONLY_TLBS;
}

/* A map needs the level. A level that was not found is no failure. */
static int draw_maps(struct job *job, struct failure *f)
{
	struct compare_results *r = job->r;
	int error = 0;

	while (!error && r->map_count < PICTURE_MAPS &&
	       r->map_count < r->xray.cache_count) {
		prober_progress(&job->p, "L%zu: map of compactness",
				r->map_count + 1);
		error = compact_map_measure(&job->p, &r->xray, r->map_count + 1,
					    0, &r->maps[r->map_count], f);
		r->map_count += !error;
	}
	return error;
}

static int ask_xray(struct job *job, struct failure *f)
{
	unsigned int parts = EVERYTHING_CACHES;

	if (with_tlbs(job))
		parts |= EVERYTHING_TLBS;
	job->r->said.xray = &job->r->xray;
	return measure_everything(&job->p, parts, &job->r->xray, f);
}

static int ask_amp(struct job *job, struct failure *f)
{
	const struct amp_wanted wanted = {
		.caches = RESULT_MAX_LEVELS,
		.tlbs = with_tlbs(job),
		.decision = job->request->options->decision,
	};
	struct compare_run *run = &job->r->said.runs[COMPARE_AMP];
	int error = amp_measure(&job->p, &wanted, &job->r->amp, f);

	job->r->said.amp = &job->r->amp;
	if (!error && !job->r->amp.answered)
		snprintf(
			run->reason, sizeof(run->reason),
			"no miss counter is reliable here (see probe-phys counters)");
	return error;
}

static int ask_side(struct job *job, enum compare_method method,
		    struct failure *f)
{
	const struct cooper_wanted wanted = { .most_bytes = COOPER_MOST_BYTES,
					      .tlbs = with_tlbs(job),
					      .patience = COOPER_PATIENT_FOR };
	struct side_result *side = &job->r->sides[method - COMPARE_COOPER];

	job->r->said.sides[method - COMPARE_COOPER] = side;
	if (method == COMPARE_COOPER)
		return cooper_measure(&job->p, &wanted, side, f);
	if (method == COMPARE_BREAKING)
		return breaking_cache_measure(&job->p, side, f);
	return saavedra_measure(&job->p, side, f);
}

static int ask(struct job *job, enum compare_method method, struct failure *f)
{
	if (method == COMPARE_XRAY)
		return ask_xray(job, f);
	if (method == COMPARE_AMP)
		return ask_amp(job, f);
	return ask_side(job, method, f);
}

/*
 * Each method has its own prober, so that no method uses knowledge of another.
 */
static int run(struct job *job, struct machine *m, struct progress *progress,
	       enum compare_method method, struct failure *f)
{
	struct compare_run *run = &job->r->said.runs[method];
	const uint64_t accesses = m->conditions.accesses;
	const double began = progress_seconds(progress);
	int error;

	cmd_begin(&job->p, m, job->request->options);
	progress_of(progress, &job->p);
	error = ask(job, method, f);
	run->complete = !error;
	run->accesses = (double)(m->conditions.accesses - accesses);
	run->seconds = progress_seconds(progress) - began;
	if (error)
		snprintf(run->reason, sizeof(run->reason), "%s",
			 error == -EINTR ? "interrupted" : f->text);
	else if (method == COMPARE_XRAY && job->request->maps)
		error = draw_maps(job, f);
	if (method >= COMPARE_COOPER) {
		struct side_result *side =
			&job->r->sides[method - COMPARE_COOPER];

		side->loads = run->accesses;
		side->seconds = run->seconds;
	}
	return error;
}

int compare_run_all(struct machine *m,
		    const struct compare_run_request *request,
		    struct progress *progress, struct compare_results *r,
		    struct failure *f)
{
	const int count = __builtin_popcount(request->methods);
	struct job job = { .request = request, .r = r };
	struct failure why = { .text = "" };
	int error = 0, first = 0;

	*r = (struct compare_results){ .map_count = 0 };
	hierarchy_init(&r->xray);
	progress->part = 1.0 / count;
	for (int k = 0; k < COMPARE_METHODS; k++) {
		struct compare_run *entry = &r->said.runs[k];

		if (!(request->methods >> k & 1))
			continue;
		entry->selected = true;
		if (error == -EINTR) {
			snprintf(entry->reason, sizeof(entry->reason),
				 "interrupted before it began");
			continue;
		}
		error = run(&job, m, progress, (enum compare_method)k, &why);
		progress->before += progress->part;
		if (error && error != -EINTR && !first) {
			first = error;
			*f = why;
		}
	}
	progress_end(progress);
	return error == -EINTR ? error : first;
}

void compare_results_free(struct compare_results *r)
{
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		side_result_free(&r->sides[i]);
}
