// SPDX-License-Identifier: GPL-2.0
/* compare.c - "probe-phys compare": several methods on one machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "compare_run.h"
#include "model/profile/profile.h"
#include "own_options.h"
#include "report/compare/compare.h"
#include "report/json_out.h"
#include "report/picture/picture.h"

/**
 * struct request - options of the command
 * @options: global options
 * @methods: bits 1 << enum compare_method
 * @picture: file of the picture, or NULL
 */
struct request {
	struct options options;
	unsigned int methods;
	const char *picture;
};

static void set_methods(struct request *r, const char *list,
			struct argp_state *state)
{
	char text[128], *rest = text, *word;

	if (snprintf(text, sizeof(text), "%s", list) >= (int)sizeof(text))
		argp_error(state, "--method: '%.40s...' is too long", list);
	r->methods = 0;
	while ((word = strsep(&rest, ","))) {
		unsigned int bit = 0;

		for (int m = 0; m < COMPARE_METHODS; m++)
			if (!strcmp(word, m == COMPARE_XRAY ?
						  "xray" :
						  compare_method_name(m)))
				bit = 1U << m;
		if (!bit)
			argp_error(
				state,
				"--method: '%s' is none (use a list of xray, amp, cooper-sandoval, breaking-cache, saavedra)",
				word);
		r->methods |= bit;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'M':
		set_methods(r, arg, state);
		return 0;
	case 'P':
		r->picture = arg;
		return 0;
	default:
		return cmd_usual_option(key, arg, state, &r->options);
	}
}

/* --- the truth ------------------------------------------------------------ */

static int read_truth(struct truth *t, struct documented *d,
		      const struct machine *m, const struct options *options,
		      struct failure *f)
{
	struct profile *p;

	if (options->machine != MACHINE_SIM) {
		cmd_read_documents(d, m);
		truth_of_documents(t, d);
		return 0;
	}
	p = profile_load(options->profile, f);
	if (!p)
		return -EINVAL;
	truth_of_profile(t, p);
	profile_free(p);
	return 0;
}

/* --- output --------------------------------------------------------------- */

static int print(const struct compare_report *r, const struct options *options,
		 struct failure *f)
{
	if (options->json)
		return json_out(compare_json(r),
				JSON_INDENT(2) | JSON_REAL_PRECISION(10), f);
	compare_table(r, stdout);
	return cmd_flush(f);
}

static int draw(const struct compare_results *found, const struct machine *m,
		const struct documented *d, const struct request *r,
		struct failure *f)
{
	const struct side_result *methods[COMPARE_SIDES];
	struct picture picture = {
		.machine = d->cpu_model[0] ? d->cpu_model : m->name,
		.seed = r->options.seed,
		.methods = methods,
		.found = found->said.xray,
		.maps = found->maps,
		.map_count = found->map_count,
	};

	for (size_t i = 0; i < COMPARE_SIDES; i++)
		if (found->said.sides[i])
			methods[picture.method_count++] = found->said.sides[i];
	return picture_write(&picture, r->picture, f);
}

/**
 * struct work - data that is too large for the stack
 * @truth: values that results are compared with
 * @documented: documents of a real machine
 * @found: results of the methods
 * @c: the judged results
 */
struct work {
	struct truth truth;
	struct documented documented;
	struct compare_results found;
	struct comparison c;
};

/* Print the table first, so that a failed picture does not lose it. */
static enum exit_status tell(struct work *w, const struct machine *m,
			     const struct request *r, int error, double seconds,
			     struct failure *f)
{
	const bool failed = error && error != -EINTR;
	const struct report base = {
		.machine = machine_describe(m),
		.found = &w->found.xray,
		.documented = w->truth.exact ? NULL : &w->documented,
		.seed = r->options.seed,
		.seconds = seconds,
		.failure = failed ? f : NULL,
	};
	const struct compare_report report = { &w->c, &base };
	struct failure other = { .text = "" };

	w->found.xray.complete = !error;
	compare_make(&w->c, &w->found.said, &w->truth);
	if (failed && !w->c.row_count)
		return cmd_report(f, &r->options);
	if (print(&report, &r->options, &other))
		return cmd_report(&other, &r->options);
	if (failed)
		cmd_say(f);
	if (r->picture && draw(&w->found, m, &w->documented, r, &other))
		return cmd_say(&other);
	return failed ? f->status : error ? STATUS_FAILED : STATUS_DONE;
}

static enum exit_status compare(struct work *w, const struct request *r,
				struct failure *f)
{
	const struct compare_run_request request = {
		.options = &r->options,
		.methods = r->methods,
		.maps = r->picture,
	};
	struct machine *m = cmd_open_machine(&r->options, f);
	enum exit_status status;
	struct progress progress;
	int error;

	if (!m)
		return cmd_report(f, &r->options);
	if (read_truth(&w->truth, &w->documented, m, &r->options, f)) {
		machine_close(m);
		return cmd_report(f, &r->options);
	}
	progress_begin(&progress);
	error = compare_run_all(m, &request, &progress, &w->found, f);
	status = tell(w, m, r, error, progress_seconds(&progress), f);
	compare_results_free(&w->found);
	machine_close(m);
	return status;
}

enum exit_status cmd_compare(int argc, char **argv,
			     const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ "method", 'M', "LIST", 0,
		  "Which methods: some of xray, amp, cooper-sandoval, breaking-cache, saavedra (default: all)",
		  0 },
		{ "picture", 'P', "FILE", 0,
		  "Draw the timed curves into FILE.svg, .png or .pdf", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = "Run several methods on one machine, and judge which of "
		       "their results are right.",
	};
	struct request r = { .options = *options,
			     .methods = (1U << COMPARE_METHODS) - 1 };
	struct failure f = { .text = "" };
	enum exit_status status;
	struct work *work;

	cmd_own_options(&argp, argc, argv, &r);
	if (r.picture && picture_check(r.picture, &f))
		return cmd_report(&f, &r.options);
	work = calloc(1, sizeof(*work));
	if (!work) {
		fail(&f, STATUS_FAILED, ENOMEM,
		     "compare: out of memory (free some)");
		return cmd_report(&f, &r.options);
	}
	status = compare(work, &r, &f);
	free(work);
	return status;
}
