/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_lines.h - what a walk does to lines one by one, besides following
 * pointers: flush, load, store (struct walk_step).
 *
 * A list of offsets takes room in the caches itself, an eighth of what its lines
 * take where these are of 64 bytes. Most are rows: of runs of equal distances a
 * whole list fits a line, and of the others it is never longer than the offsets
 * were.
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
 * step_lines_take() - do it to each: loads and stores are finished before the next
 * one begins, flushes when all have been asked for
 * @lines: whose
 * @base: address of offset 0; all of them lie in memory that is mapped
 * @kind: what
 */
void step_lines_take(const struct step_lines *lines, char *base,
		     enum step_kind kind);

/** step_flush() - flush the line of an address from all caches, at some time */
void step_flush(const char *address);

/** step_fence() - wait until what was flushed, loaded or stored is done */
void step_fence(void);

#endif
