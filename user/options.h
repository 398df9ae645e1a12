/* SPDX-License-Identifier: GPL-2.0 */
/* options.h - what every command is told on the command line. */
#ifndef PROBE_PHYS_OPTIONS_H
#define PROBE_PHYS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/** enum machine_kind - value of --machine */
enum machine_kind {
	MACHINE_AUTO,
	MACHINE_MODULE,
	MACHINE_HUGEPAGE,
	MACHINE_SIM,
};

/** enum decide_by - value of --decide-by */
enum decide_by {
	DECIDE_BY_AUTO,
	DECIDE_BY_COUNTERS,
	DECIDE_BY_TIME,
};

/**
 * struct options - options common to all commands
 * @machine: --machine
 * @profile: of --machine sim:PROFILE, else NULL
 * @decide_by: --decide-by
 * @json: --json: one JSON document on stdout and nothing else
 * @cpu: --cpu, -1: choose
 * @seed: --seed, or a random one that the report names
 * @rest: the command and what follows it
 * @rest_count: its length
 */
struct options {
	enum machine_kind machine;
	const char *profile;
	enum decide_by decide_by;
	bool json;
	int cpu;
	uint64_t seed;
	char **rest;
	int rest_count;
};

/**
 * options_parse() - parse the options before the command
 * @doc: text of --help
 *
 * A usage error prints one line and exits with status 2, --help and --version
 * print and exit with 0, as argp does it. Return: 0.
 */
int options_parse(struct options *o, int argc, char **argv, const char *doc);

#endif
