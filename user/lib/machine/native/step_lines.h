/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_lines.h - lists of lines that a walk flushes, loads or stores to one by
 * one (struct walk_step).
 *
 * A list of offsets occupies cache itself, an eighth of its lines where these
 * have 64 bytes. As runs of equal distances, most lists fit one line, and none
 * is longer than the offsets.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_STEP_LINES_H
#define PROBE_PHYS_MACHINE_NATIVE_STEP_LINES_H

#include "machine/machine.h"

/**
 * struct step_run - words at equal distances
 * @first: number of the first one; offset / 8
 * @distance: to the next, in words
 * @count: how many, not 0
 */
struct step_run {
	uint32_t first;
	int32_t distance;
	uint32_t count;
};

/**
 * struct step_lines - a list of lines, to be gone through in order
 * @runs: @count of them
 * @length: lines
 */
struct step_lines {
	struct step_run *runs;
	size_t count;
	size_t length;
};

/**
 * step_lines_make() - the runs of a list of offsets
 * @lines: (out) released by step_lines_free(); empty on error
 * @s: multiples of 8
 *
 * Return: 0, -ENOMEM; -ERANGE: an offset is beyond 32 GiB; with @f set.
 */
int step_lines_make(struct step_lines *lines, const struct sequence *s,
		    struct failure *f);

/** step_lines_free() - release it; one of zeros is allowed */
void step_lines_free(struct step_lines *lines);

/**
 * step_lines_take() - load, store or flush each line
 * @base: address of offset 0; all lines lie in mapped memory
 * @kind: the action; a load or store is finished before the next one begins,
 *        flushes are finished at the end
 */
void step_lines_take(const struct step_lines *lines, char *base,
		     enum step_kind kind);

/** step_flush() - flush the line of an address from all caches; complete after
 * step_fence()
 */
void step_flush(const char *address);

/** step_fence() - wait until all flushes, loads and stores are done */
void step_fence(void);

#endif
