/* SPDX-License-Identifier: GPL-2.0 */
/*
 * relation.h - what the numbers of leader sets have in common.
 *
 * Leaders are chosen by simple circuits: constant bits of the number of a set,
 * or two parts of it that are equal or complements of each other (Qureshi et
 * al., ISCA 2007, "complement-select"). A relation is stated only where it holds
 * of the sets that were found and of no others.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_RELATION_H
#define PROBE_PHYS_METHOD_DUELING_RELATION_H

#include "method/dueling/dueling.h"

/** DUEL_RELATION_TEXT - room for duel_relation_text() */
#define DUEL_RELATION_TEXT 128

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
 * duel_relate() - that of the sets of a role
 * @relation: (out)
 * Return: false when they are few, the sets of the cache are no power of two, or
 * no such relation has exactly these.
 */
bool duel_relate(const struct duel_finding *found, enum duel_role role,
		 struct duel_relation *relation);

/** duel_related() - does it hold of a set? */
bool duel_related(const struct duel_relation *relation, uint64_t set);

/** duel_relation_text() - as one writes it in C
 * @text: (out) of DUEL_RELATION_TEXT bytes
 */
void duel_relation_text(const struct duel_relation *relation, char *text);

#endif
