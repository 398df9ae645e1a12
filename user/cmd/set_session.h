/* SPDX-License-Identifier: GPL-2.0 */
/* set_session.h - a machine measured as far as sets of its caches need it. */
#ifndef PROBE_PHYS_CMD_SET_SESSION_H
#define PROBE_PHYS_CMD_SET_SESSION_H

#include <jansson.h>

#include "method/policy/identify.h"
#include "method/set/open_set.h"
#include "options.h"
#include "result/result.h"

/**
 * struct set_session - what "policy" and "query" work with
 * @m: machine
 * @prober: asks it
 * @found: its levels
 * @levels: geometries, down to the level whose set is or was open
 * @lines: of the set that is open
 * @set: that set
 * @collected: its lines were found by trying: it has no number
 */
struct set_session {
	struct machine *m;
	struct prober prober;
	struct hierarchy found;
	struct level_geometry levels[RESULT_MAX_LEVELS];
	struct level_lines lines;
	struct level_set set;
	bool collected;
};

/**
 * set_session_begin() - open the machine and measure the first @levels levels
 * @pairs: of lines that masks have to predict; 0: as always
 * Return: 0, -EINTR, or another -errno with @f set; set_session_end() always.
 */
int set_session_begin(struct set_session *s, const struct options *options,
		      size_t levels, size_t pairs, struct failure *f);
void set_session_end(struct set_session *s);

/**
 * set_session_finish() - set_session_end(), and the end of the command
 * @error: 0, or -errno with @f set; -EINTR needs no text
 * @command: its word, for the line that says that it was interrupted
 * Return: the exit status of the process; messages are printed.
 */
enum exit_status set_session_finish(struct set_session *s, int error,
				    const char *command,
				    const struct options *options,
				    struct failure *f);

/** set_session_caches() - print the document of a command about @caches
 * Return: 0 or -errno with @f set; @caches is released.
 */
int set_session_caches(json_t *caches, struct failure *f);

/** SET_SESSION_ANY - one of the first sets, at random */
#define SET_SESSION_ANY UINT64_MAX

/**
 * set_session_open() - a set of a level, from 1
 * @set: its number, or SET_SESSION_ANY
 * Return: 0; another -errno with @f set. set_session_close_set() always.
 */
int set_session_open(struct set_session *s, size_t level, uint64_t set,
		     struct failure *f);
void set_session_close_set(struct set_session *s);

#endif
