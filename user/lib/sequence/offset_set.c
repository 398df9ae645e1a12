// SPDX-License-Identifier: GPL-2.0
#include "sequence/offset_set.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST_ROOM 1024
/* Knuth 6.4: the golden ratio spreads numbers that differ in few bits. */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

int offset_set_begin(struct offset_set *set, size_t count)
{
	size_t room = LEAST_ROOM;

	while (room < 2 * count)
		room *= 2;
	set->stamp++;
	if (room <= set->room)
		return 0;
	free(set->slots);
	set->slots = calloc(room, sizeof(*set->slots));
	set->room = set->slots ? room : 0;
	set->stamp = 1;
	return set->slots ? 0 : -ENOMEM;
}

bool offset_set_add(struct offset_set *set, uint64_t offset)
{
	size_t at = (offset * SPREAD >> 32) & (set->room - 1);

	while (set->slots[at].stamp == set->stamp) {
		if (set->slots[at].offset == offset)
			return false;
		at = (at + 1) & (set->room - 1);
	}
	set->slots[at].stamp = set->stamp;
	set->slots[at].offset = offset;
	return true;
}

void offset_set_free(struct offset_set *set)
{
	free(set->slots);
	*set = (struct offset_set){ .slots = NULL };
}
