/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal.h - contents of sets before they could change: so it is seen that
 * accesses have brought everything back to where it was.
 */
#ifndef PROBE_PHYS_MODEL_JOURNAL_H
#define PROBE_PHYS_MODEL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;

/** struct journal_set - a set of an array; what it held begins at @at */
struct journal_set {
	const struct array *array;
	uint64_t set;
	size_t at;
};

/**
 * struct journal - sets that have been looked at since it was begun
 * @sets: each once, @count of them
 * @kept: what they held then, @used bytes
 * @generation: how often it was begun; rows of arrays have it for what is in
 *              @sets
 * @full: out of memory: some are missing
 */
struct journal {
	struct journal_set *sets;
	size_t count;
	size_t sets_room;
	unsigned char *kept;
	size_t used;
	size_t kept_room;
	uint64_t generation;
	bool full;
};

void journal_free(struct journal *j);

/** journal_begin() - nothing is noted */
void journal_begin(struct journal *j);

/** journal_note() - @set of @a, of an array with a journal, may change now; it
 * has not been noted yet
 */
void journal_note(const struct array *a, uint64_t set);

/** journal_undone() - whether every set is as it was when it was noted */
bool journal_undone(const struct journal *j);

#endif
