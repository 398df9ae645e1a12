/* SPDX-License-Identifier: GPL-2.0 */
/*
 * straw.h - the search for last straws that evset_reduce() is made of: the
 * smallest prefix of candidates that is not compact ends with a member, and so
 * does the next one beside that.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_STRAW_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_STRAW_H

#include "method/evset/oracle/oracle.h"

/** STRAW_MOST_FOUND - several sets may overflow at once; all but one are left
 * out again
 */
#define STRAW_MOST_FOUND 256

/**
 * struct straw_search - members among candidates, beside what is known already
 * @o: the oracle
 * @list: the members found, then candidates, then padding: what is asked for
 * @found: members at its beginning
 * @candidates: @upper of them suffice to be non-compact; @count in all
 * @padding: @padding_count lines beside
 * @returns: answers taken back
 * @begin: where the part ends that is searched now
 * @seen: members known behind @upper since, or expected
 * @among: so many candidates behind @begin are those that were expected
 */
struct straw_search {
	struct evset_oracle *o;
	uint64_t *list;
	uint64_t *found;
	size_t found_count;
	uint64_t *candidates;
	size_t count;
	size_t upper;
	const uint64_t *padding;
	size_t padding_count;
	int returns;
	size_t begin;
	size_t seen;
	size_t among;
};

/** straw_ask() - are the members found and the first @prefix candidates, beside
 * the padding, not compact?
 * Return: 0 or the oracle's -errno.
 */
int straw_ask(struct straw_search *s, size_t prefix, bool *misses,
	      struct failure *f);

/** straw_begin() - @upper candidates are not compact beside what is found; how
 * far from each other members lie is not known
 */
void straw_begin(struct straw_search *s, size_t upper);

/** straw_find_members() - members until they are not compact by themselves
 * @complete: (out) they are, beside the padding; false: answers contradicted
 *            each other too often
 * Return: 0 or the oracle's -errno.
 */
int straw_find_members(struct straw_search *s, bool *complete,
		       struct failure *f);

#endif
