// SPDX-License-Identifier: GPL-2.0
/* sweep.c - all lines of the set of a minimal one. */
#include "method/evset/sort/sorting.h"

/* Those of @lines that share the set, at the end of @members. @some: at least
 * one of them does, if answers are right.
 */
static int find_members(struct sorting *s, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool some,
			uint64_t *members, size_t *member_count,
			struct failure *f)
{
	enum verdict verdict = VERDICT_NON_COMPACT;
	size_t before = *member_count;
	int error = 0;

	if (!count)
		return 0;
	if (!some || count == 1)
		error = evset_any_congruent(s->o, set, lines, count, false,
					    &verdict, f);
	if (error || verdict != VERDICT_NON_COMPACT)
		return error;
	if (count == 1) {
		members[(*member_count)++] = *lines;
		return 0;
	}
	error = find_members(s, set, lines, count / 2, false, members,
			     member_count, f);
	if (error)
		return error;
	return find_members(s, set, lines + count / 2, count - count / 2,
			    *member_count == before, members, member_count, f);
}

/* The lines of a group that share the set, unless the set misses without them.
 */
static int search_group(struct sorting *s, const struct evset_set *set,
			const uint64_t *group, size_t n, uint64_t *members,
			size_t *member_count, struct failure *f)
{
	enum verdict verdict = VERDICT_COMPACT;
	size_t before = *member_count;
	int error =
		find_members(s, set, group, n, false, members, member_count, f);

	if (!error && *member_count > before)
		error = evset_ask_set(s->o, set, set->lines, set->count - 1,
				      false, &verdict, f);
	if (verdict != VERDICT_COMPACT)
		*member_count = before;
	return error;
}

int evset_sweep(struct sorting *s, const struct evset_set *set,
		uint64_t *members, size_t *member_count, struct failure *f)
{
	const struct evset_classes *c = s->c;
	uint64_t group[EVSET_MOST_GROUP];
	size_t n = 0;
	int error = 0;

	for (size_t i = c->begin[c->count]; !error && i < c->line_count; i++) {
		uint64_t line = c->lines[i];

		if (!evset_set_holds(set, line))
			group[n++] = line;
		if (n < s->group && i + 1 < c->line_count)
			continue;
		error = search_group(s, set, group, n, members, member_count,
				     f);
		n = 0;
	}
	return error;
}
