// SPDX-License-Identifier: GPL-2.0
#include "own_options.h"

#include <stdio.h>

void cmd_own_options(const struct argp *argp, int argc, char **argv,
		     void *input)
{
	char *word = argv[0];
	char name[64];

	snprintf(name, sizeof(name), "probe-phys %s", word);
	argv[0] = name;
	argp_parse(argp, argc, argv, 0, NULL, input);
	argv[0] = word;
}

error_t cmd_usual_option(int key, char *arg, struct argp_state *state,
			 struct options *options)
{
	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': it takes no arguments (see --help)",
			   arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return cmd_usual_option(key, arg, state, state->input);
}

void cmd_json_option(int argc, char **argv, const char *doc,
		     struct options *options)
{
	static const struct argp_option table[] = {
		{ "json", 'j', NULL, 0, "Print one JSON document", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = {
		.options = table,
		.parser = parse,
		.doc = doc,
	};

	cmd_own_options(&argp, argc, argv, options);
}
