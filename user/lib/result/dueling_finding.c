// SPDX-License-Identifier: GPL-2.0
#include "result/dueling_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void duel_finding_free(struct duel_finding *found)
{
	free(found->roles);
	found->roles = NULL;
}

size_t duel_ranges(const struct duel_finding *found, enum duel_role role,
		   struct duel_range *ranges, size_t most)
{
	size_t count = 0;

	for (uint64_t set = 0; found->roles && set < found->sets; set++) {
		if (found->roles[set] != role)
			continue;
		if (set && found->roles[set - 1] == role) {
			if (count <= most)
				ranges[count - 1].last = set;
			continue;
		}
		if (count < most)
			ranges[count] = (struct duel_range){ set, set };
		count++;
	}
	return count;
}

bool duel_related(const struct duel_relation *relation, uint64_t set)
{
	return (set & relation->fixed) == relation->value &&
	       ((set >> relation->shift ^ set) & relation->pairs) ==
		       relation->differ;
}

void duel_relation_text(const struct duel_relation *relation, char *text)
{
	int n = 0;

	text[0] = '\0';
	if (relation->fixed)
		n = snprintf(text, DUEL_RELATION_TEXT,
			     "(s & 0x%" PRIx64 ") == 0x%" PRIx64,
			     relation->fixed, relation->value);
	if (relation->pairs)
		snprintf(text + n, DUEL_RELATION_TEXT - (size_t)n,
			 "%s((s >> %u ^ s) & 0x%" PRIx64 ") == 0x%" PRIx64,
			 n ? " && " : "", relation->shift, relation->pairs,
			 relation->differ);
}
