/* SPDX-License-Identifier: GPL-2.0 */
/*
 * open_set.h - a set of a cache of a machine, opened for questions.
 *
 * Knows the levels above by level/, eviction sets by evset/; knows no
 * replacement policy and prints nothing. Called by policy/, dueling/ and by
 * cmd/ (query, policy). Functions return 0 or -errno with @f set; -EAGAIN:
 * disturbed, try again.
 *
 * A machine walks cycles of different words, so a line can be visited once per
 * word. For visits to reach a lower level, lines that share the sets of the
 * levels above, but not this one, are walked in between ("clear higher levels",
 * nanoBench).
 */
#ifndef PROBE_PHYS_METHOD_SET_OPEN_SET_H
#define PROBE_PHYS_METHOD_SET_OPEN_SET_H

#include "method/set/lines.h"
#include "method/set/oracle.h"

/**
 * struct set_machine - the oracle of one set
 * @oracle: its functions and limits
 * @prober: the machine, and which counters are believed
 * @lines: the lines it consists of
 * @counter: counter of this level's misses, 1 << enum machine_counter; 0: time
 * @hit_ticks: by time: a load that hits this level
 * @miss_ticks: by time: the time that a miss adds
 * @words_used: visits of each line so far; room for both kinds of lines
 */
struct set_machine {
	struct set_oracle oracle;
	struct prober *prober;
	const struct set_lines *lines;
	unsigned int counter;
	double hit_ticks;
	double miss_ticks;
	size_t *words_used;
};

/**
 * set_machine_open() - calibrate hits and misses of the level
 * @level: its number, from 1, for the counter
 * Return: 0; -EAGAIN with @f set: too disturbed, or misses take hardly longer
 * than hits; another -errno. set_machine_close() in any case.
 */
int set_machine_open(struct set_machine *s, struct prober *p,
		     const struct set_lines *lines, int level,
		     struct failure *f);
void set_machine_close(struct set_machine *s);

/**
 * set_machine_build() - the loads of a cycle, and those that clear the levels
 * above
 * @s: only @lines and @words_used have to be set
 * @c: without flushes
 * @q: (out) sequence_free() in any case
 * Return: 0; -ENOSPC: lines have too few words; -ENOMEM.
 */
int set_machine_build(struct set_machine *s, const struct cycle *c,
		      struct sequence *q);

#endif
