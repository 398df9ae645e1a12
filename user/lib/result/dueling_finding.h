/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dueling_finding.h - which sets of a cache duel, and what leader sets have in
 * common.
 */
#ifndef PROBE_PHYS_RESULT_DUELING_FINDING_H
#define PROBE_PHYS_RESULT_DUELING_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum duel_role - what a set was seen to do */
enum duel_role {
	DUEL_UNTOLD,
	DUEL_FOLLOWS,
	/* always as the others after a push by thrashing: resists it */
	DUEL_LEADS_THRASH,
	/* always as the others after a push by reuse */
	DUEL_LEADS_REUSE,
	DUEL_ROLES,
};

/** enum duel_verdict - of the whole cache */
enum duel_verdict {
	DUEL_UNDECIDED,
	/* none of the sets that were tried changes */
	DUEL_NOT_SEEN,
	DUEL_SEEN,
};

/**
 * struct duel_relation - sets s with (s & @fixed) == @value and
 * ((s >> @shift ^ s) & @pairs) == @differ
 * @fixed: bits of the number that are alike in all; 0: there are none
 * @value: what they are
 * @shift: how far two bits lie apart that go together
 * @pairs: the lower ones of them; 0: there are none
 * @differ: of those, the ones that are not what the higher bit is
 */
struct duel_relation {
	uint64_t fixed;
	uint64_t value;
	unsigned int shift;
	uint64_t pairs;
	uint64_t differ;
};

/**
 * struct duel_finding - what became of it
 * @verdict: whether sets duel
 * @tried: sets that were tried first, at random
 * @seen_bound: bound on the probability that chance alone looks like DUEL_SEEN:
 *              what the tests have drawn
 * @sets: of the cache
 * @roles: enum duel_role of each set; NULL unless DUEL_SEEN
 * @counts: sets by role
 * @relations: what the sets of a role have in common and no other set has, where
 *             @related
 * @related: such a relation was found
 * @roles_bound: bound on the probability that the role of any set is wrong
 *               because of misread samples
 * @readings: had so far
 * @pushes: made
 * @reason: in words, why something is open
 */
struct duel_finding {
	enum duel_verdict verdict;
	size_t tried;
	double seen_bound;
	uint64_t sets;
	unsigned char *roles;
	uint64_t counts[DUEL_ROLES];
	struct duel_relation relations[DUEL_ROLES];
	bool related[DUEL_ROLES];
	double roles_bound;
	unsigned int readings;
	unsigned int pushes;
	char reason[256];
};

/** duel_finding_free() - its roles */
void duel_finding_free(struct duel_finding *found);

/**
 * struct duel_range - sets that have a role, one after the other
 * @first: set
 * @last: set
 */
struct duel_range {
	uint64_t first;
	uint64_t last;
};

/**
 * duel_ranges() - the sets of a role
 * @ranges: (out) ascending, room for @most
 * Return: how many there are, which may be more than @most.
 */
size_t duel_ranges(const struct duel_finding *found, enum duel_role role,
		   struct duel_range *ranges, size_t most);

/** duel_related() - does it hold of a set? */
bool duel_related(const struct duel_relation *relation, uint64_t set);

/** DUEL_RELATION_TEXT - room for duel_relation_text() */
#define DUEL_RELATION_TEXT 128

/** duel_relation_text() - as one writes it in C
 * @text: (out) of DUEL_RELATION_TEXT bytes
 */
void duel_relation_text(const struct duel_relation *relation, char *text);

#endif
