/* SPDX-License-Identifier: GPL-2.0 */
/*
 * open_set.h - a set of a cache of a machine, open for questions.
 *
 * A machine walks circles of different words. A line has several, so that it
 * can be visited as often. That visits reach a lower level, lines that share
 * the sets of the levels above, but not this one, are walked in between
 * (algorithms: "clear higher levels", nanoBench).
 */
#ifndef PROBE_PHYS_METHOD_SET_OPEN_SET_H
#define PROBE_PHYS_METHOD_SET_OPEN_SET_H

#include "method/set/lines.h"
#include "method/set/oracle.h"

/**
 * struct level_set - an oracle of a level
 * @oracle: to be asked
 * @prober: the machine, and which counters are believed
 * @lines: what it is made of
 * @counter: of this level's misses, a bit 1 << enum machine_counter; 0: time
 * @hit_ticks: by time: a load that hits this level
 * @miss_ticks: by time: what a miss adds
 * @words_used: how often a line was visited; room for both kinds
 */
struct level_set {
	struct set_oracle oracle;
	struct prober *prober;
	const struct level_lines *lines;
	unsigned int counter;
	double hit_ticks;
	double miss_ticks;
	size_t *words_used;
};

/**
 * level_set_open() - calibrate hits and misses of the level
 * @level: its number, from 1, for the counter
 * Return: 0; -EAGAIN: too disturbed, or hits cannot be told from misses, with
 * @f set; other -errno. level_set_close() in any case.
 */
int level_set_open(struct level_set *s, struct prober *p,
		   const struct level_lines *lines, int level,
		   struct failure *f);
void level_set_close(struct level_set *s);

/**
 * level_set_build() - the loads of a cycle, with those that clear the levels
 * above; needs only @lines and @words_used of the set, and no flushes in @c
 * @q: (out) sequence_free() in any case
 * Return: 0; -ENOSPC: lines have too few words; -ENOMEM.
 */
int level_set_build(struct level_set *s, const struct cycle *c,
		    struct sequence *q);

#endif
