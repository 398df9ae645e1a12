// SPDX-License-Identifier: GPL-2.0
/* profile.c - "probe-phys profile": check, draw and make machine profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd.h"
#include "model/profile/draw.h"
#include "model/profile/generate.h"
#include "own_options.h"
#include "report/json_out.h"

/**
 * struct request - options of the command
 * @options: global options
 * @action: "check" or "generate"
 * @file: the profile to check
 * @svg: file of the picture, or NULL
 */
struct request {
	struct options options;
	const char *action;
	const char *file;
	const char *svg;
};

static error_t add_argument(struct request *r, char *arg,
			    struct argp_state *state)
{
	if (!r->action) {
		r->action = arg;
		if (strcmp(arg, "check") && strcmp(arg, "generate"))
			argp_error(state,
				   "'%s' is no action (use check or generate)",
				   arg);
	} else if (!strcmp(r->action, "check") && !r->file) {
		r->file = arg;
	} else {
		argp_error(state, "'%s': one argument too many (see --help)",
			   arg);
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'j':
		r->options.json = true;
		return 0;
	case 'o':
		r->svg = arg;
		return 0;
	case 's':
		if (parse_number(arg, 0, INT64_MAX, &r->options.seed))
			argp_error(
				state,
				"--seed: '%s' is no number (use 0 to 2^63 - 1)",
				arg);
		return 0;
	case ARGP_KEY_ARG:
		return add_argument(r, arg, state);
	case ARGP_KEY_END:
		if (!r->action)
			argp_error(state,
				   "no action (use check FILE or generate)");
		else if (!strcmp(r->action, "check") && !r->file)
			argp_error(state, "check: no FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_svg(const struct profile *p, const char *path,
		     struct failure *f)
{
	FILE *out = fopen(path, "we");
	int error = 0;

	if (!out)
		return fail(f, STATUS_FAILED, errno,
			    "svg %s: %s (give another file)", path,
			    strerror(errno));
	draw_svg(p, out);
	if (ferror(out))
		error = EIO;
	if (fclose(out))
		error = errno;
	if (error)
		return fail(f, STATUS_FAILED, error,
			    "svg %s: %s (is the disk full?)", path,
			    strerror(error));
	return 0;
}

static int check(const struct request *r, struct failure *f)
{
	struct profile *p = profile_load(r->file, f);
	int error = p ? 0 : -EINVAL;

	if (!error && r->svg)
		error = write_svg(p, r->svg, f);
	if (!error && r->options.json)
		error = json_out(draw_json(p), JSON_INDENT(2), f);
	else if (!error) {
		draw_text(p, stdout);
		error = cmd_flush(f);
	}
	profile_free(p);
	return error;
}

enum exit_status cmd_profile(int argc, char **argv,
			     const struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "check: print one JSON document", 0 },
		{ "svg", 'o', "OUT", 0,
		  "check: also draw the machine into this file", 0 },
		{ "seed", 's', "N", 0, "generate: number of the random machine",
		  0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.args_doc = "check FILE\ngenerate",
		.doc = "Check and draw a machine profile, or make a random valid one.",
	};
	struct request r = { .options = *options };
	struct failure f = { .text = "" };
	int error;

	cmd_own_options(&argp, argc, argv, &r);
	if (!strcmp(r.action, "check"))
		error = check(&r, &f);
	else
		error = json_out(profile_generate(r.options.seed),
				 JSON_INDENT(2) | JSON_REAL_PRECISION(10), &f);
	return error ? cmd_report(&f, &r.options) : STATUS_DONE;
}
