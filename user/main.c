// SPDX-License-Identifier: GPL-2.0
/* main.c - parse the global options, then run the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command commands[] = {
	{ "measure", "measure everything (the default)", cmd_measure },
	{ "info", "show what this computer supports, and what is missing",
	  cmd_info },
	{ "buffers", "list the objects that the module holds", cmd_buffers },
	{ "monitor", "print the module's events as they arrive", cmd_monitor },
	{ "counters", "test which performance counters are reliable",
	  cmd_counters },
	{ "policy", "identify the replacement policies of caches", cmd_policy },
	{ "query", "show which accesses to one cache set miss", cmd_query },
	{ "verify", "count how often masks predict fresh lines wrongly",
	  cmd_verify },
	{ "compare", "compare several methods on one machine", cmd_compare },
	{ "effective", "measure the cache capacity that a program can use",
	  cmd_effective },
	{ "profile", "check, draw and make machine profiles", cmd_profile },
};

static const char help_begin[] = "Measure the caches and TLBs of a machine.\n\n"
				 "Commands:\n";
static const char help_end[] =
	"\vExit status: 0 done, 1 failed, 2 usage, 3 not available here.\n"
	"A parameter that the samples do not decide is reported as undecided, "
	"with the reason.";

/* Return: the text of --help, with a line for each command; NULL: no memory. */
static char *make_help(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fputs(help_begin, out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s  %s\n", commands[i].name,
			commands[i].summary);
	fputs(help_end, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int main(int argc, char **argv)
{
	char measure[] = "measure";
	char *default_rest[] = { measure, NULL };
	struct options options;
	char *help;

	help = make_help();
	options_parse(&options, argc, argv, help ? help : "");
	free(help);
	if (!options.rest_count) {
		options.rest = default_rest;
		options.rest_count = 1;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(options.rest[0], commands[i].name))
			return (int)commands[i].run(options.rest_count,
						    options.rest, &options);
	fprintf(stderr,
		"probe-phys: command: '%s' is none (see probe-phys --help)\n",
		options.rest[0]);
	return STATUS_USAGE;
}
