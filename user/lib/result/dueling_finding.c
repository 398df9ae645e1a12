// SPDX-License-Identifier: GPL-2.0
#include "result/dueling_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void dueling_finding_free(struct dueling_finding *found)
{
	free(found->roles);
	found->roles = NULL;
}

size_t dueling_ranges(const struct dueling_finding *found,
		      enum dueling_role role, struct dueling_range *ranges,
		      size_t most)
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
			ranges[count] = (struct dueling_range){ set, set };
		count++;
	}
	return count;
}

bool dueling_related(const struct dueling_relation *relation, uint64_t set)
{
	return (set & relation->fixed) == relation->value &&
	       ((set >> relation->shift ^ set) & relation->pairs) ==
		       relation->differ;
}

void dueling_relation_text(const struct dueling_relation *relation, char *text)
{
	int n = 0;

	text[0] = '\0';
	if (relation->fixed)
		n = snprintf(text, DUELING_RELATION_TEXT,
			     "(s & 0x%" PRIx64 ") == 0x%" PRIx64,
			     relation->fixed, relation->value);
	if (relation->pairs)
		snprintf(text + n, DUELING_RELATION_TEXT - (size_t)n,
			 "%s((s >> %u ^ s) & 0x%" PRIx64 ") == 0x%" PRIx64,
			 n ? " && " : "", relation->shift, relation->pairs,
			 relation->differ);
}
