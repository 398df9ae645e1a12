/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd.h - the commands of the tool. No command calls another one; only commands
 * print.
 */
#ifndef PROBE_PHYS_CMD_CMD_H
#define PROBE_PHYS_CMD_CMD_H

#include <signal.h>

#include "base/error.h"
#include "options.h"
#include "report/documented.h"

/**
 * struct command - one command, "probe-phys NAME"
 * @name: name of the command
 * @summary: one line for --help
 * @run: run the command; argv[0] is its name, global options are removed.
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
 * cmd_open_machine() - open the machine that --machine, --cpu, --seed and
 * --prefetchers select; signals then interrupt measurements on it
 * Return: a machine or NULL with @f set.
 */
struct machine *cmd_open_machine(const struct options *options,
				 struct failure *f);

/** cmd_begin() - begin a measurement according to --seed, --decide-by and
 * --time-limit
 */
void cmd_begin(struct prober *p, struct machine *m,
	       const struct options *options);

/** cmd_read_documents() - read what this computer documents of @m's CPU */
void cmd_read_documents(struct documented *d, const struct machine *m);

/**
 * cmd_flush() - write all buffered output
 * Return: 0; -errno with @f set if not all could be written.
 */
int cmd_flush(struct failure *f);

/**
 * cmd_say() - flush stdout, then print a failure on stderr
 * Return: f->status.
 */
enum exit_status cmd_say(const struct failure *f);

/**
 * cmd_report() - print a failure in the format of all commands
 *
 * One line "probe-phys: what failed: why (what to do)" on stderr; with --json
 * also {"schema": 1, "error": {...}} on stdout.
 * Return: f->status.
 */
enum exit_status cmd_report(const struct failure *f,
			    const struct options *options);

#endif
