/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.h - chains of additions of a given number of variables, compiled
 * beforehand, and the time of one addition (X-Ray section 7).
 *
 * Knows a timer, but no machine. Called by native.c. Returns ticks; 0 where the
 * processor has no such registers.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_REGISTERS_REGISTERS_H
#define PROBE_PHYS_MACHINE_NATIVE_REGISTERS_REGISTERS_H

#include "machine/machine.h"
#include "machine/native/timer.h"

/** REGISTERS_MOST - variables of the longest chain */
#define REGISTERS_MOST 40

/**
 * struct register_code - the chain of one number of variables
 * @run: do the chain @times times, not 0
 * @operations: additions of one chain
 */
struct register_code {
	void (*run)(unsigned int times);
	unsigned int operations;
};

/** REGISTERS_NEON - whether 128-bit vectors are NEON's */
#ifdef __aarch64__
#define REGISTERS_NEON true
#else
#define REGISTERS_NEON false
#endif

#define REGISTER_CODE(name) \
	extern const struct register_code name[REGISTERS_MOST]

REGISTER_CODE(registers_int);
REGISTER_CODE(registers_double);
REGISTER_CODE(registers_mmx);
REGISTER_CODE(registers_sse);
REGISTER_CODE(registers_avx);
REGISTER_CODE(registers_avx512);

/**
 * registers_chain() - struct machine_ops.register_chain of real machines
 *
 * The calling thread is pinned. Return: ticks of one operation; 0 where the
 * processor has no such registers, or for more than REGISTERS_MOST variables.
 */
double registers_chain(const struct timer *timer, enum register_type type,
		       unsigned int variables);

#endif
