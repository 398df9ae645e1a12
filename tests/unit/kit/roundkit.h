/* SPDX-License-Identifier: GPL-2.0 */
/*
 * roundkit.h - whether rounds of accesses repeat themselves. One that leaves
 * all words as they were some rounds before need not be done again.
 */
#ifndef PROBE_PHYS_UNIT_KIT_ROUNDKIT_H
#define PROBE_PHYS_UNIT_KIT_ROUNDKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct round_note - words, and where those that were there then are kept */
struct round_note {
	const uint64_t *at;
	size_t words;
	size_t kept;
};

/**
 * struct rounds - what was there at a beginning
 * @generation: number of the beginning
 * @notes: what may have changed since, @count of them
 * @kept: what it was then
 * @since, @cycles: rounds since then, and what they took
 * @limit: so many are compared with then
 * @begun: notes are wanted
 * @known: the rounds left everything as it was
 */
struct rounds {
	unsigned int generation;
	struct round_note *notes;
	size_t count, room;
	uint64_t *kept;
	size_t used, kept_room;
	uint64_t since, cycles, limit;
	bool begun, known;
};

/** rounds_forget() - another walk begins */
void rounds_forget(struct rounds *r);

/** rounds_note() - @words at @at may change from now on */
void rounds_note(struct rounds *r, const uint64_t *at, size_t words);

/** rounds_end() - one is over. Return: there is a new beginning, with no notes */
bool rounds_end(struct rounds *r, uint64_t cycles);

void rounds_free(struct rounds *r);

#endif
