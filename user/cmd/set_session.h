/* SPDX-License-Identifier: GPL-2.0 */
/* set_session.h - measure a machine as far as needed to access sets of its
 * caches.
 */
#ifndef PROBE_PHYS_CMD_SET_SESSION_H
#define PROBE_PHYS_CMD_SET_SESSION_H

#include <jansson.h>

#include "method/policy/identify.h"
#include "method/set/open_set.h"
#include "options.h"
#include "result/result.h"

/**
 * struct set_session - state of "policy" and "query"
 * @m: the machine
 * @prober: measures it
 * @found: its levels, as measured
 * @levels: geometries, down to the level whose set is or was open
 * @lines: lines of the open set
 * @set: the open set
 * @collected: conflict tests found its lines, so it has no number
 */
struct set_session {
	struct machine *m;
	struct prober prober;
	struct hierarchy found;
	struct set_level_geometry levels[RESULT_MAX_LEVELS];
	struct set_lines lines;
	struct set_machine set;
	bool collected;
};

/**
 * set_session_begin() - open the machine and measure the first @levels levels
 * @pairs: pairs of lines that masks have to predict; 0: the default
 * Return: 0, -EINTR, or another -errno with @f set; the caller always calls
 * set_session_end().
 */
int set_session_begin(struct set_session *s, const struct options *options,
		      size_t levels, size_t pairs, struct failure *f);
void set_session_end(struct set_session *s);

/**
 * set_session_finish() - set_session_end(), then print the failure, if any
 * @error: 0, or -errno with @f set; -EINTR needs no text
 * @command: name of the command, for the message that it was interrupted
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

/** SET_SESSION_ANY - a random one of the first sets */
#define SET_SESSION_ANY UINT64_MAX

/**
 * set_session_open() - open a set of a level, from 1
 * @set: its number, or SET_SESSION_ANY
 * Return: 0; -errno with @f set. The caller always calls
 * set_session_close_set().
 */
int set_session_open(struct set_session *s, size_t level, uint64_t set,
		     struct failure *f);
void set_session_close_set(struct set_session *s);

#endif
