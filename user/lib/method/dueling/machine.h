/* SPDX-License-Identifier: GPL-2.0 */
/* machine.h - the sets of a level of a machine, as an oracle of set dueling. */
#ifndef PROBE_PHYS_METHOD_DUELING_MACHINE_H
#define PROBE_PHYS_METHOD_DUELING_MACHINE_H

#include "method/dueling/dueling.h"
#include "method/set/open_set.h"

/**
 * struct dueling_machine - a level whose index is linear, or one set of another
 * level
 * @oracle: its functions
 * @prober: the machine
 * @levels: geometries down to the level; @count of them
 * @counter: counter of its misses, 1 << enum machine_counter; 0: time
 * @miss_ticks: by time: the time that a miss adds
 * @lines: of the only set that can be read; NULL: all sets can be read
 * @blocks: accesses of a reading, @length of them
 * @order: order in which groups are walked
 */
struct dueling_machine {
	struct dueling_oracle oracle;
	struct prober *prober;
	const struct set_level_geometry *levels;
	size_t count;
	unsigned int counter;
	double miss_ticks;
	const struct set_lines *lines;
	unsigned int *blocks;
	size_t length;
	size_t *order;
};

/**
 * dueling_machine_open() - prepare an oracle
 * @levels: must outlive it
 * @set: an open set: counter and times are taken from it
 * Return: 0; -EDOM: no accesses reach sets of the level past the levels above,
 * or it has more than SET_MOST_WAYS ways; -ERANGE: lines have too few words;
 * -ENOMEM. dueling_machine_close() in any case.
 */
int dueling_machine_open(struct dueling_machine *d, struct prober *p,
			 const struct set_level_geometry *levels, size_t count,
			 const struct set_machine *set);

/**
 * dueling_machine_only() - read one set of a level whose index is not linear
 *
 * As many lines as fill the level are pushed, one way length after the other.
 * They are spread about evenly over the sets, whatever the index is.
 * @lines: of that set; must outlive it
 * @set: (out) a number in the same group
 * Return: 0; -ERANGE: too few lines, too little memory to push, or no level
 * above.
 */
int dueling_machine_only(struct dueling_machine *d,
			 const struct set_lines *lines, uint64_t *set);
void dueling_machine_close(struct dueling_machine *d);

#endif
