/* SPDX-License-Identifier: GPL-2.0 */
/* own_options.h - the options behind a command's word. */
#ifndef PROBE_PHYS_CMD_OWN_OPTIONS_H
#define PROBE_PHYS_CMD_OWN_OPTIONS_H

#include <argp.h>

#include "options.h"

/**
 * cmd_own_options() - parse them; messages name "probe-phys COMMAND"
 * @argv: argv[0] is the command's word
 * @input: for the parser of @argp
 *
 * As in options_parse(), a usage error exits with 2 and --help with 0.
 */
void cmd_own_options(const struct argp *argp, int argc, char **argv,
		     void *input);

/**
 * cmd_usual_option() - what an argp parser does with the rest: --json, and no
 * argument without an option
 * @options: json is set where it is given
 */
error_t cmd_usual_option(int key, char *arg, struct argp_state *state,
			 struct options *options);

/**
 * cmd_json_option() - for commands whose only option is --json
 * @doc: what --help says
 * @options: json is set where it is given
 */
void cmd_json_option(int argc, char **argv, const char *doc,
		     struct options *options);

#endif
