/* SPDX-License-Identifier: GPL-2.0 */
/*
 * indexkit.h - an oracle over an index function that is known: eviction sets
 * of random lines, and answers that err as often as asked for.
 */
#ifndef PROBE_PHYS_UNIT_METHOD_INDEX_INDEXKIT_H
#define PROBE_PHYS_UNIT_METHOD_INDEX_INDEXKIT_H

#include "method/index/find.h"

#define KIT_LINE_BIT 6
#define KIT_WAYS 16
#define KIT_SETS 32

/**
 * struct kit - the truth and the oracle that knows it
 * @set_of: set of an address
 * @model: its argument
 * @masks: for kit_xor(): set bit i is the parity of address & mask i
 * @mask_count: their number
 * @modulo: not 0: line number modulo that
 * @oracle: for the method; change what it claims and allows as needed
 * @false_yes: how often yes is really wrong
 * @false_no: how often no is
 * @silent: how often there is no answer
 * @mute_from: tests of this number of lines and more have no answer; 0: all have
 * @rng: of errors
 * @measured: questions so far
 * @sets: eviction sets
 * @lines: their lines
 */
struct kit {
	uint64_t (*set_of)(const void *model, uint64_t address);
	const void *model;
	uint64_t masks[24];
	size_t mask_count;
	uint64_t modulo;
	struct index_oracle oracle;
	double false_yes;
	double false_no;
	double silent;
	size_t mute_from;
	struct rng rng;
	uint64_t measured;
	struct index_set sets[KIT_SETS];
	uint64_t lines[KIT_SETS][KIT_WAYS];
};

/** kit_begin() - an oracle that never errs: one eviction set of KIT_WAYS
 * random lines that differ in bits KIT_LINE_BIT to @high_bit, 512 lines a
 * question, KIT_WAYS of them alike. kit->set_of and what it needs is set.
 */
void kit_begin(struct kit *kit, unsigned int high_bit, uint64_t seed);

/** kit_begin_masks() - an oracle for the masks of an index that XORs bits */
void kit_begin_masks(struct kit *kit, const uint64_t *masks, size_t count,
		     unsigned int high_bit, uint64_t seed);

/** kit_find() - the index that the method finds */
struct index_function kit_find(struct kit *kit, uint64_t seed);

/** kit_masks_are_right() - whether the masks found span the space of the true
 * ones, over the bits that were varied
 */
bool kit_masks_are_right(const struct kit *kit,
			 const struct index_function *found);

/** kit_errs() - answers err, and the oracle says how often they do at most */
void kit_errs(struct kit *kit, double false_yes, double false_no);

/** kit_add_slices() - an eviction set for each of @slices slices of a sliced
 * cache that have the sets of the first one's lines inside the slice
 * @inner_sets: sets of a slice
 */
void kit_add_slices(struct kit *kit, size_t slices, uint64_t inner_sets);

/** kit_xor_set() - for kit->set_of: masks, or modulo; @model is the kit */
uint64_t kit_xor_set(const void *model, uint64_t address);

/** kit_profile() - index of one level of a profile, for kit->set_of
 * @model: (out) for kit->model and kit_profile_free()
 * @sets: (out) sets
 * Return: function for kit->set_of; aborts where the profile has no such level
 */
uint64_t (*kit_profile(const char *path, int level, const void **model,
		       uint64_t *sets))(const void *model, uint64_t address);
void kit_profile_free(const void *model);

#endif
