/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd.h - the commands. Commands never call one another; they alone print.
 */
#ifndef PROBE_PHYS_CMD_CMD_H
#define PROBE_PHYS_CMD_CMD_H

#include <signal.h>

#include "base/error.h"
#include "options.h"
#include "report/documented.h"

/**
 * struct command - a word after "probe-phys"
 * @name: the word
 * @summary: one line for --help
 * @run: does it; argv[0] is the word, global options are taken out already.
 *       Return: the exit status of the process; messages are printed.
 */
struct command {
	const char *name;
	const char *summary;
	enum exit_status (*run)(int argc, char **argv,
				const struct options *options);
};

enum exit_status cmd_measure(int argc, char **argv,
			     const struct options *options);
enum exit_status cmd_info(int argc, char **argv, const struct options *options);
enum exit_status cmd_buffers(int argc, char **argv,
			     const struct options *options);
enum exit_status cmd_monitor(int argc, char **argv,
			     const struct options *options);
enum exit_status cmd_counters(int argc, char **argv,
			      const struct options *options);
enum exit_status cmd_policy(int argc, char **argv,
			    const struct options *options);
enum exit_status cmd_query(int argc, char **argv,
			   const struct options *options);
enum exit_status cmd_verify(int argc, char **argv,
			    const struct options *options);
enum exit_status cmd_compare(int argc, char **argv,
			     const struct options *options);
enum exit_status cmd_effective(int argc, char **argv,
			       const struct options *options);
enum exit_status cmd_profile(int argc, char **argv,
			     const struct options *options);

/**
 * cmd_open_machine() - the machine that --machine, --cpu, --seed and
 * --prefetchers ask for; from now on signals interrupt what is measured on it
 * Return: a machine or NULL with @f set.
 */
struct machine *cmd_open_machine(const struct options *options,
				 struct failure *f);

/** cmd_begin() - a measurement on it, as --seed, --decide-by and --time-limit want it */
void cmd_begin(struct prober *p, struct machine *m,
	       const struct options *options);

/** cmd_read_documents() - what this computer says of @m's CPU */
void cmd_read_documents(struct documented *d, const struct machine *m);

/**
 * cmd_flush() - what was printed is there
 * Return: 0; -errno with @f set where it could not all be written.
 */
int cmd_flush(struct failure *f);

/**
 * cmd_say() - the line of a failure on stderr, after what is on stdout
 * Return: f->status.
 */
enum exit_status cmd_say(const struct failure *f);

/**
 * cmd_report() - print a failure the way that every command does
 *
 * One line "probe-phys: what failed: why (what to do)" on stderr; with --json
 * also {"schema": 1, "error": {...}} on stdout.
 * Return: f->status.
 */
enum exit_status cmd_report(const struct failure *f,
			    const struct options *options);

#endif
