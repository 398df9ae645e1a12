/* SPDX-License-Identifier: GPL-2.0 */
/* fuzz.h - what libFuzzer calls, and what it offers. */
#ifndef PROBE_PHYS_FUZZ_H
#define PROBE_PHYS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* must() - abort unless it holds */
#define must(condition)                                                    \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
				__LINE__, #condition);                     \
			abort();                                           \
		}                                                          \
	} while (0)

/** LLVMFuzzerTestOneInput() - one input; aborts when something is wrong */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** LLVMFuzzerCustomMutator() - change @data in place. Return: its new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned int seed);

/** LLVMFuzzerMutate() - libFuzzer's own changes of bytes */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
