/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pages.h - from lines at one offset in their pages, sorted by set, to all
 * sets of a level: what the files of that share.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGES_H

#include "method/evset/count/count.h"
#include "method/evset/sort/classes.h"

/** EVSET_PAGE_OFFSETS - offsets in a page, at most */
#define EVSET_PAGE_OFFSETS 4096

/** enum evset_filling - how many lines of each set a list has: as many as fit
 * under any policy, fewer than these, half as many again as there are ways, or
 * twice as many as there are ways
 */
enum evset_filling {
	EVSET_FILL_MOST,
	EVSET_FILL_FEWER,
	EVSET_FILL_OVER,
	EVSET_FILL_TWICE,
	EVSET_FILLINGS,
};

/**
 * struct evset_pages - the classes of one offset, and the offsets that add to
 * them
 * @e: the level
 * @count: what is known of it; (out) the number of sets, or a reason
 * @c: its classes
 * @offsets: in the pages, no two of which lead to the same sets;
 * @offset_count of them
 * @folded: some bit of the offset leads to the same sets again
 * @disturbed: the list that was filled last was never undisturbed
 * @thin: by how full a list is, the fewest misses per load of a list with one
 *        line in each of the same pages; INFINITY: not walked yet
 * @overfull: misses per load of sets of one offset that overflow for certain; a
 *            list that fits has a small part of these; INFINITY: classes have
 *            too few lines to make such a list
 * @lines: the last list, @line_count of them; room for @room. The caller frees
 * @by_pages: the classes are those of whole pages, of all offsets at once
 * @page_oracle: the oracle of whole pages
 * @by_load: lines are sorted by the time of each load
 */
struct evset_pages {
	struct evset_machine *e;
	struct evset_count *count;
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
	bool by_pages;
	struct evset_page_oracle page_oracle;
	bool by_load;
};

/** evset_page_lines() - number of lines of a class, @most at most */
size_t evset_page_lines(const struct evset_pages *p, size_t class, size_t most);

/** evset_page_fill_begin() - learn p->overfull; forget the thin lists
 * Return: 0 or -errno with @f set.
 */
int evset_page_fill_begin(struct evset_pages *p, struct failure *f);

/** evset_page_forget() - lists have other pages from now on */
void evset_page_forget(struct evset_pages *p);

/**
 * evset_page_fill() - misses per load of a list of lines of each class at all
 * offsets, above those of a list with one line in each of the same pages
 * @w: how many lines of each class
 * @bit: as many lines again, which differ from these in @bit; 0: none
 * @misses: (out) INFINITY: no sample was undisturbed
 *
 * Both lists need the same translations.
 * Return: 0 or -errno with @f set.
 */
int evset_page_fill(struct evset_pages *p, enum evset_filling w, uint64_t bit,
		    double *misses, struct failure *f);

/** evset_page_fits() - are so few misses those of a list that fits? */
bool evset_page_fits(const struct evset_pages *p, double misses);

/** evset_count_page_sets() - sorted classes times the offsets that lead to sets
 * of their own
 * @p: its classes are sorted; (out) offsets, and p->count->sets or its reason
 * Return: 0 or -errno with @f set.
 */
int evset_count_page_sets(struct evset_pages *p, struct failure *f);

/** evset_page_sets() - number of sets in pages of unknown addresses: lines of
 * one offset, or whole pages, sorted by set; times the offsets with sets of
 * their own
 * @c: (in, out) 0 sets: its reason says why
 * Return: 0 or -errno with @f set.
 */
int evset_page_sets(struct evset_machine *e, struct evset_count *c,
		    struct failure *f);

#endif
