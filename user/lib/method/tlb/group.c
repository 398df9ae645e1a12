// SPDX-License-Identifier: GPL-2.0
/* group.c - adjacent pages that go together, in a set or in a line. */
#include <stdio.h>

#include "method/tlb/finding.h"

/* Two halves of an overfull set, the second one @d pages further on: elsewhere in
 * the level above as well, so that each of them has to miss there on its own.
 */
static struct shape shifted_halves(const struct tlb_finding *s, uint64_t d)
{
	const struct tlb_geometry *upper = s->x->upper;
	uint64_t shift = s->ways * s->sets + d;
	bool together = !upper || shift % upper->conflict == 0;
	struct shape w =
		tlb_shape(s->x, s->sets, together ? 2 * s->ways : s->ways);

	/* Shifted columns must not meet others. */
	while (w.inner > 1 && w.inner_stride < 2 * d)
		w.inner_stride *= 2;
	w.copies = 2;
	w.copy_stride = shift;
	w.outer = s->ways;
	return w;
}

/*
 * X-Ray 4.1.3, the line size: the halves part as soon as the shift leaves the
 * group of pages that go together.
 */
static int find_group(struct tlb_finding *s, bool *good, struct failure *f)
{
	s->group = 1;
	for (uint64_t d = 1; *good && d < s->sets; d *= 2) {
		struct shape w = shifted_halves(s, d);
		enum verdict verdict = VERDICT_UNDECIDED;
		int error = 0;

		if (w.inner * w.inner_stride <= s->sets)
			error = tlb_decide(s->x, &w, false, (double)s->ways,
					   &verdict, f);
		if (error && error != -ERANGE)
			return error;
		*good = !error && verdict != VERDICT_UNDECIDED;
		if (!*good)
			tlb_leave_open(
				s, s->sets, 2 * s->ways,
				"no clear verdict on what adjacent pages share");
		if (verdict == VERDICT_COMPACT)
			break;
		s->group *= 2;
	}
	return 0;
}

/* One set, overfull of pages that go together: as few of their groups as that
 * takes.
 */
static struct shape whole_groups(const struct tlb_finding *s)
{
	const struct tlb_geometry *upper = s->x->upper;
	size_t groups = s->ways / s->group + 1;
	struct shape w = tlb_shape(s->x, s->sets, groups);

	/* Pages of one group sweep sets of the level above together. */
	if (upper && upper->conflict < s->group)
		w.inner = 1 + (w.inner - 1) / (s->group / upper->conflict);
	while (w.inner > 1 && w.inner_stride < s->group)
		w.inner_stride *= 2;
	w.copies = s->group;
	w.copy_stride = 1;
	return w;
}

/*
 * A line of a page table holds entries of adjacent pages, and lines that fall
 * out of a cache make walks slow at distances that are as regular as those of
 * an array. But adjacent pages take no more of its room than one of them does;
 * in an array each has an entry of its own.
 */
static int check_entries(struct tlb_finding *s, bool *good, struct failure *f)
{
	struct shape w = whole_groups(s);
	size_t count = w.outer * w.copies;
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	if (w.inner * w.inner_stride <= s->sets)
		error = tlb_decide(s->x, &w, false, (double)count, &verdict, f);
	if (error && error != -ERANGE)
		return error;
	*good = !error && verdict == VERDICT_NON_COMPACT;
	if (*good)
		return 0;
	if (!error && verdict == VERDICT_COMPACT)
		snprintf(
			s->g->reason, sizeof(s->g->reason),
			"%zu pages in groups of %llu adjacent ones find room in %zu ways: these are lines of page tables, or entries of several pages",
			count, (unsigned long long)s->group, s->ways);
	else
		tlb_leave_open(
			s, 1, count,
			"no clear verdict on whether adjacent pages have entries of their own");
	return 0;
}

int tlb_find_group(struct tlb_finding *s, bool *good, struct failure *f)
{
	int error = find_group(s, good, f);

	if (error || !*good || s->group == 1)
		return error;
	return check_entries(s, good, f);
}
