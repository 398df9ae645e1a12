// SPDX-License-Identifier: GPL-2.0
/* main.c - options, then the command. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct command commands[] = {
	{ "measure", "measure everything (the default)", cmd_measure },
	{ "info", "what is available here, and why not what is not", cmd_info },
	{ "buffers", "what the module holds, and for whom", cmd_buffers },
	{ "monitor", "events of the module, as they come", cmd_monitor },
	{ "counters", "which performance counters can be believed",
	  cmd_counters },
	{ "policy", "which replacement policy caches have", cmd_policy },
	{ "query", "what accesses to one cache set miss", cmd_query },
	{ "verify", "whether masks predict fresh lines", cmd_verify },
	{ "compare", "what several methods say of one machine", cmd_compare },
	{ "effective", "what a program gets of each level of cache",
	  cmd_effective },
	{ "profile", "check, draw and make machine profiles", cmd_profile },
};

static const char doc[] =
	"Find out what a machine's caches really are.\n\n"
	"Commands:\n"
	"  measure   measure everything (the default)\n"
	"  info      what is available here, and why not what is not\n"
	"  buffers   what the module holds, and for whom\n"
	"  monitor   events of the module, as they come\n"
	"  counters  which performance counters can be believed\n"
	"  policy    which replacement policy caches have\n"
	"  query     what accesses to one cache set miss\n"
	"  verify    whether masks predict fresh lines\n"
	"  compare   what several methods say of one machine\n"
	"  effective what a program gets of each level of cache\n"
	"  profile   check, draw and make machine profiles\n"
	"\vExit status: 0 done, 1 failed, 2 usage, 3 not available here.\n"
	"A parameter that cannot be told is reported as undecided, with the "
	"reason.";

int main(int argc, char **argv)
{
	char measure[] = "measure";
	char *default_rest[] = { measure, NULL };
	struct options options;

	options_parse(&options, argc, argv, doc);
	if (!options.rest_count) {
		options.rest = default_rest;
		options.rest_count = 1;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(options.rest[0], commands[i].name))
			return (int)commands[i].run(options.rest_count,
						    options.rest, &options);
	fprintf(stderr,
		"probe-phys: command: '%s' is none (see probe-phys --help)\n",
		options.rest[0]);
	return STATUS_USAGE;
}
