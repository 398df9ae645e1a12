/* SPDX-License-Identifier: GPL-2.0 */
/* options.h - the global options, which stand before the command. */
#ifndef PROBE_PHYS_CMD_OPTIONS_H
#define PROBE_PHYS_CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "method/amp/amp.h"
#include "method/probe/prober.h"

/** enum machine_kind - value of --machine */
enum machine_kind {
	MACHINE_AUTO,
	MACHINE_MODULE,
	MACHINE_HUGEPAGE,
	MACHINE_SIM,
};

/** enum measure_only - bits of the value of --only */
enum measure_only {
	ONLY_L1 = 1 << 0,	 /* the first level of cache */
	ONLY_CACHES = 1 << 1,	 /* all levels of cache */
	ONLY_TLBS = 1 << 2,	 /* TLBs, and the first-level cache that they
				  * need
				  */
	ONLY_REGISTERS = 1 << 3, /* registers and the clock */
	ONLY_EVERYTHING = 0xf,
};

/** enum measure_method - bits of the value of --method */
enum measure_method {
	METHOD_XRAY = 1 << 0,
	METHOD_AMP = 1 << 1,
};

/**
 * struct options - global options
 * @machine: --machine
 * @profile: PROFILE of --machine sim:PROFILE, else NULL
 * @decide_by: --decide-by
 * @methods: --method, bits of enum measure_method
 * @decision: --decision: how AMP decides parameters
 * @prefetch: --prefetchers on: do not switch prefetchers off
 * @only: --only, bits of enum measure_only
 * @limit_s: --time-limit; 0: no limit; -1: not given
 * @json: --json: one JSON document on stdout and nothing else
 * @cpu: --cpu, -1: choose
 * @seed: --seed, or a random one; the report prints it
 * @events: event that the user names for each role; NULL: find one
 * @rest: the command and its arguments
 * @rest_count: number of these words
 */
struct options {
	enum machine_kind machine;
	const char *profile;
	enum prober_by decide_by;
	unsigned int methods;
	enum amp_decision decision;
	bool prefetch;
	unsigned int only;
	int limit_s;
	bool json;
	int cpu;
	uint64_t seed;
	const char *events[MACHINE_COUNTERS];
	char **rest;
	int rest_count;
};

/**
 * options_parse() - parse the options before the command
 * @doc: text of --help
 *
 * On a usage error, argp prints one line and exits with status 2; on --help and
 * --version it prints and exits with 0. Return: 0.
 */
int options_parse(struct options *o, int argc, char **argv, const char *doc);

#endif
