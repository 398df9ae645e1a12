/* SPDX-License-Identifier: GPL-2.0 */
/*
 * roundkit.h - whether rounds of accesses repeat. When a round leaves all words
 * as they were some rounds before, the rounds after it need not be simulated.
 */
#ifndef PROBE_PHYS_UNIT_KIT_ROUNDKIT_H
#define PROBE_PHYS_UNIT_KIT_ROUNDKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct round_note - @words at @at; @kept: index of the copies in rounds.kept
 */
struct round_note {
	const uint64_t *at;
	size_t words;
	size_t kept;
};

/**
 * struct rounds - the state at a beginning
 * @generation: number of the beginning
 * @notes: words that may have changed since, @count notes
 * @kept: copies of these words from the beginning
 * @since, @cycles: rounds since the beginning, and their cycles
 * @limit: number of rounds after which a new beginning is made
 * @begun: notes are taken
 * @known: the rounds since the beginning changed nothing
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

/**
 * rounds_end() - a round has ended. Return: whether a new beginning has no
 * notes
 */
bool rounds_end(struct rounds *r, uint64_t cycles);

void rounds_free(struct rounds *r);

#endif
