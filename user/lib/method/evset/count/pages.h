/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pages.h - from lines at one offset in their pages, sorted by set, to all
 * sets of a level: what the parts of that share.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGES_H

#include "method/evset/oracle/page_oracle.h"
#include "method/evset/sort/classes.h"

/** EVSET_PAGE_OFFSETS - places of a page, at most */
#define EVSET_PAGE_OFFSETS 4096

/** enum evset_filling - how many lines a list has of each set: as many as fit
 * under any policy, some less, half as many again as there are ways, or twice as many
 */
enum evset_filling {
	EVSET_FILL_MOST,
	EVSET_FILL_FEWER,
	EVSET_FILL_OVER,
	EVSET_FILL_TWICE,
	EVSET_FILLINGS,
};

/**
 * struct evset_pages - the classes of one offset, and the offsets that add to them
 * @e: the level
 * @set: a verified set of it
 * @c: its classes
 * @offsets: in the pages, none of whose sets are those of another;
 *           @offset_count of them
 * @folded: some bit of the offset leads to the same sets again
 * @disturbed: the list that was filled last was never undisturbed
 * @thin: of lists by how full they are, the least misses per load of one line in
 *        each of their pages; INFINITY: not walked yet
 * @overfull: misses per load of sets of one offset that overflow for certain, of
 *            which those that fit are a small part; INFINITY: classes have too few
 *            lines
 * @lines: the last list, @line_count of them; room for @room. The caller frees
 * @by_blocks: the classes are those of whole blocks, of all offsets at once
 * @blocks: their oracle
 * @by_each: lines are sorted by what each of their loads takes
 */
struct evset_pages {
	struct evset_machine *e;
	const struct evset_set *set;
	struct evset_classes c;
	uint64_t offsets[EVSET_PAGE_OFFSETS];
	size_t offset_count;
	bool folded;
	bool disturbed;
	double thin[EVSET_FILLINGS];
	double overfull;
	uint64_t *lines;
	size_t line_count;
	size_t room;
	bool by_blocks;
	struct evset_blocks blocks;
	bool by_each;
};

/** evset_page_lines() - number of lines of a class, @most at most */
size_t evset_page_lines(const struct evset_pages *p, size_t class, size_t most);

/** evset_page_list() - p->lines: lines of each class at all offsets
 * @per_class: so many of each, or all that it has
 * @bit: and as many that differ from them in it; 0: none
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_page_list(struct evset_pages *p, size_t per_class, uint64_t bit,
		    struct failure *f);

/** evset_page_list_thin() - p->lines: one line in each of the same pages
 * @of_set: so many lines of a class at one offset
 *
 * They all share a set of the levels above; of the first level, in as many sets as
 * there are.
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_page_list_thin(struct evset_pages *p, size_t per_class, size_t of_set,
			 struct failure *f);

/** evset_count_page_sets() - sets of sorted classes times the offsets that lead to
 * sets of their own
 * @p: its classes are sorted; (out) offsets
 * @sets: (out) 0: @reason says why
 * Return: 0 or -errno with @f set.
 */
int evset_count_page_sets(struct evset_pages *p, uint64_t line_bytes,
			  uint64_t *sets, char *reason, size_t size,
			  struct failure *f);

/** evset_page_sets() - number of sets in pages of which nothing is known: lines of
 * one offset sorted by set, times the offsets that have sets of their own
 */
int evset_page_sets(struct evset_machine *e, const struct evset_set *set,
		    uint64_t line_bytes, uint64_t *sets, enum index_kind *index,
		    char *reason, size_t size, struct failure *f);

#endif
