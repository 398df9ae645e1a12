/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code.h - the one place that knows instructions: jumps from slot to slot,
 * and the loop around them.
 *
 * Pages that are executed are never writable at the same address: code is
 * written through one mapping of the memory and run through another.
 */
#ifndef PROBE_PHYS_CODE_H
#define PROBE_PHYS_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/**
 * struct code_loop - a function that sends the CPU around a ring of jumps
 * @run: where it is executed, NULL: none
 * @write: the same memory, writable
 */
struct code_loop {
	char *run;
	char *write;
};

/** code_available() - this architecture's jumps are known here */
bool code_available(void);

/**
 * code_jump() - write a jump into a slot of VIEW_SLOT_BYTES
 * @write: the slot, writable
 * @run: the address at which it will be executed
 * @target: where it jumps to
 *
 * One direct jump where @target is near enough, otherwise the address is put
 * into a register first: no data is loaded either way.
 */
void code_jump(char *write, const char *run, const char *target);

/**
 * code_loop_open() - memory for a loop
 * Return: 0, released with code_loop_close(); -EOPNOTSUPP where the
 * architecture is unknown or no memory may be executed, with @f set.
 */
int code_loop_open(struct code_loop *loop, struct failure *f);

/** code_loop_close() - release it; one that was never opened is allowed */
void code_loop_close(struct code_loop *loop);

/**
 * code_loop_enter() - the slot to which the loop jumps in each round
 *
 * To be called when all slots are written: from then on they may be run.
 */
void code_loop_enter(const struct code_loop *loop, const char *first);

/** code_loop_back() - where the last slot of a round has to jump to */
const char *code_loop_back(const struct code_loop *loop);

/** code_loop_run() - go around @rounds times, at least once */
void code_loop_run(const struct code_loop *loop, uint64_t rounds);

/**
 * code_sync() - what was written to these addresses is what will be executed
 * @run: where it will be executed
 * @bytes: how much of it
 */
void code_sync(char *run, uint64_t bytes);

/** code_memfd() - memfd_create() that is content with a file that no execve()
 * would take; mapping it for execution is another matter. Return: a
 * descriptor or -errno.
 */
int code_memfd(const char *name, unsigned int flags);

#endif
