/* SPDX-License-Identifier: GPL-2.0 */
/* own_options.h - the options of a command, which follow its name. */
#ifndef PROBE_PHYS_CMD_OWN_OPTIONS_H
#define PROBE_PHYS_CMD_OWN_OPTIONS_H

#include <argp.h>

#include "options.h"

/**
 * cmd_own_options() - parse them; messages begin with "probe-phys COMMAND"
 * @argv: argv[0] is the name of the command
 * @input: input of the parser of @argp
 *
 * As in options_parse(), a usage error exits with 2 and --help with 0.
 */
void cmd_own_options(const struct argp *argp, int argc, char **argv,
		     void *input);

/**
 * cmd_usual_option() - the default of an argp parser: accept --json, refuse
 * arguments without an option
 * @options: --json sets json
 */
error_t cmd_usual_option(int key, char *arg, struct argp_state *state,
			 struct options *options);

/**
 * cmd_json_option() - parse the options of a command that has only --json
 * @doc: text of --help
 * @options: --json sets json
 */
void cmd_json_option(int argc, char **argv, const char *doc,
		     struct options *options);

#endif
