/* SPDX-License-Identifier: GPL-2.0 */
/*
 * returns.h - rings of mispredicted returns, from slot to slot.
 *
 * An element calls into itself, drops the address that the call has pushed,
 * and returns to the next element of a list instead. The predictor of returns
 * expects the instruction behind the call, so each step costs one misprediction,
 * always the same, and then waits for the fetch of its target: no predictor of
 * jumps is part of it. What is fetched in vain is to be the element's own line. So
 * on x86 it is entered behind the call: by a jump that each step takes, which is
 * known long before. (Without a jump it is the lines behind: on a Zen 5 some six of
 * them, which filled the sets of other elements. A jump to itself, which no step
 * takes, is known or not: steps among lines of one set of a Zen 3 took 37, 44 or 51
 * cycles, for milliseconds each.) The
 * trick is that of retpolines (P. Turner, "Retpoline: a software construct for
 * preventing branch-target-injection", 2018). Room that an element has beyond
 * its code holds instructions that change nothing, one after the other. Called by
 * view_walk.c and mapped_view.c.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_RETURNS_H
#define PROBE_PHYS_MACHINE_NATIVE_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** returns_available() - this architecture's returns are known here, and no
 * shadow stack forbids them to go elsewhere
 */
bool returns_available(void);

/**
 * struct returns - a ring of returns; all zero: none
 * @list: where elements 1, 2, ... and then element 0 are entered, and what the
 *        last element needs
 * @length: number of elements
 */
struct returns {
	const char **list;
	size_t length;
};

/** returns_begin() - room for a ring of @length; 0 or -ENOMEM */
int returns_begin(struct returns *r, size_t length);

/** returns_end() - release it; all zero is allowed */
void returns_end(struct returns *r);

/**
 * returns_write() - write one element
 * @i: its number
 * @write: where it is written
 * @run: the address at which it will be executed
 * @room_bytes: VIEW_SLOT_BYTES to VIEW_CODE_BYTES, all of which is executed, but for what
 *              cannot be reached
 */
void returns_write(struct returns *r, size_t i, char *write, const char *run,
		   size_t room_bytes);

/** returns_first() - where element 0 is entered */
const char *returns_first(const struct returns *r);

/**
 * returns_shake() - go around @rounds times, each time in another order
 *
 * A policy may keep ways from lines that are fetched in one order and give them
 * to the same lines in another one (tree-PLRU: what is not fetched any more
 * stays; on a Zen 5, in one of six orders of 8 lines of a set). No code is
 * written for it, which would take lines out of the cache.
 */
void returns_shake(struct returns *r, uint64_t rounds);

/** returns_run() - go around a ring @rounds times, at least once; all of its
 * elements are written
 */
void returns_run(const struct returns *r, uint64_t rounds);

#endif
