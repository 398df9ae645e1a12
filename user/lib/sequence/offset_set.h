/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offset_set.h - which offsets a sequence has already: none may come twice,
 * since each holds the address of one successor.
 */
#ifndef PROBE_PHYS_SEQUENCE_OFFSET_SET_H
#define PROBE_PHYS_SEQUENCE_OFFSET_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct offset_set - offsets by hash; all zero: no room yet
 * @slots: @room of them, a power of two, at most half full
 * @stamp: slots of another one are empty
 */
struct offset_set {
	struct offset_slot {
		uint64_t stamp;
		uint64_t offset;
	} * slots;
	size_t room;
	uint64_t stamp;
};

/** offset_set_begin() - empty, with room for @count; 0 or -ENOMEM */
int offset_set_begin(struct offset_set *set, size_t count);

/** offset_set_add() - false when it is there already */
bool offset_set_add(struct offset_set *set, uint64_t offset);

void offset_set_free(struct offset_set *set);

#endif
