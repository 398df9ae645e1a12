// SPDX-License-Identifier: GPL-2.0
/* purify.c - lines that were sorted into classes of other sets. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/sort/sorting.h"

/* Are @n lines all of the set (NON_COMPACT)? At most half of its lines are replaced: that
 * many lines of another set would fit beside the rest, even under contention.
 */
static int all_members(struct sorting *s, const struct evset_set *set,
		       const uint64_t *lines, size_t n, enum verdict *all,
		       struct failure *f)
{
	uint64_t list[EVSET_MOST_WAYS + 1];

	memcpy(list, set->lines, set->count * sizeof(*list));
	memcpy(list + set->count - n, lines, n * sizeof(*list));
	return evset_ask_set(s->o, set, list, set->count, false, all, f);
}

/**
 * struct sieve - a class divided into lines of its set and foreign ones
 * @kept: lines of the set, @kept_count of them
 * @foreign: the others, @foreign_count of them
 */
struct sieve {
	uint64_t *kept;
	size_t kept_count;
	uint64_t *foreign;
	size_t foreign_count;
};

static int sift(struct sorting *s, const struct evset_set *set,
		const uint64_t *lines, size_t n, struct sieve *v,
		struct failure *f)
{
	enum verdict all = VERDICT_UNDECIDED;
	int error = n ? all_members(s, set, lines, n, &all, f) : 0;

	for (size_t i = 0; !error && i < n; i++) {
		enum verdict member = all;

		if (all != VERDICT_NON_COMPACT && n > 1)
			error = all_members(s, set, lines + i, 1, &member, f);
		if (member == VERDICT_NON_COMPACT)
			v->kept[v->kept_count++] = lines[i];
		else
			v->foreign[v->foreign_count++] = lines[i];
	}
	return error;
}

/* Foreign lines of a class, behind the others. */
static int find_foreign(struct sorting *s, size_t k, size_t *foreign_count,
			struct failure *f)
{
	struct evset_classes *c = s->c;
	const struct evset_set *set = &c->sets[k];
	uint64_t *class = c->lines + c->begin[k], some[EVSET_MOST_WAYS];
	size_t count = evset_class_lines(c, k), n = 0;
	struct sieve v = { .kept = calloc(2 * count + 1, sizeof(*class)) };
	int error = v.kept ? 0 : prober_out_of_memory(f);

	v.foreign = v.kept + count;
	for (size_t i = 0; !error && i < count; i++) {
		if (evset_holds(set->lines, set->count, class[i]))
			v.kept[v.kept_count++] = class[i];
		else if (evset_holds(set->evictors, set->evictor_count,
				     class[i]))
			v.foreign[v.foreign_count++] = class[i];
		else
			some[n++] = class[i];
		if (n < set->count / 2 && i + 1 < count)
			continue;
		error = sift(s, set, some, n, &v, f);
		n = 0;
	}
	if (!error) {
		memcpy(class, v.kept, v.kept_count * sizeof(*class));
		memcpy(class + v.kept_count, v.foreign,
		       v.foreign_count * sizeof(*class));
	}
	*foreign_count = error ? 0 : v.foreign_count;
	free(v.kept);
	return error;
}

int evset_purify(struct sorting *s, size_t *dropped, struct failure *f)
{
	struct evset_classes *c = s->c;
	int error = 0;

	*dropped = 0;
	for (size_t k = 0; !error && k < c->count;) {
		size_t lines = evset_class_lines(c, k), foreign_count = 0;

		error = find_foreign(s, k, &foreign_count, f);
		/* A set without any other line is not good itself. */
		if (foreign_count &&
		    foreign_count + c->sets[k].count >= lines) {
			evset_dissolve(c, k);
			*dropped += lines;
			continue;
		}
		evset_class_drop(c, k++, foreign_count);
		*dropped += foreign_count;
	}
	return error;
}
