/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code.h - the one place that knows instructions: rings of jumps from slot to
 * slot. A ring is all that runs: a loop around it would be one page more, which
 * has its place in a TLB too, always the same one.
 *
 * Pages that are executed are never writable at the same address: code is
 * written through one mapping of the memory and run through another.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CODE_H
#define PROBE_PHYS_MACHINE_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

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

/** code_close_ring() - write the last slot of a ring, at @write */
void code_close_ring(char *write);

/**
 * code_run() - go around a ring @rounds times, at least once
 * @first: its first slot; all are written, code_sync()ed, and serialized
 */
void code_run(const char *first, uint64_t rounds);

/**
 * code_sync() - make written code visible to instruction fetch
 * @run: where it will be executed
 * @bytes: how much of it
 */
void code_sync(char *run, uint64_t bytes);

/** code_serialize() - discard instructions that were fetched before */
void code_serialize(void);

/** code_memfd() - memfd_create() that is content with a file that no execve()
 * would take; mapping it for execution is another matter. Return: a
 * descriptor or -errno.
 */
int code_memfd(const char *name, unsigned int flags);

#endif
