// SPDX-License-Identifier: GPL-2.0
/* group.c - adjacent pages that share a set, or an entry. */
#include <stdio.h>

#include "method/tlb/finding.h"

/*
 * Shifted columns must not fall on other columns: all lie before the shift, or each has
 * room for a shifted one. Where the sets end before, there are fewer.
 */
static void part_columns(const struct tlb_finding *s, uint64_t d,
			 struct shape *w)
{
	const size_t rows = w->copies * w->outer;
	uint64_t far = w->inner_stride, near;
	size_t fewer;

	if (w->inner <= 1)
		return;
	near = d / w->inner_stride;
	while (far < 2 * d)
		far *= 2;
	if (w->inner * far > s->sets && near > s->sets / far) {
		fewer = tlb_fewer_columns(s->x, rows, near);
	} else {
		fewer = tlb_fewer_columns(s->x, rows, s->sets / far);
		w->inner_stride = far;
	}
	if (fewer && w->inner > fewer)
		w->inner = fewer;
}

/*
 * Two halves of an overfull set, the second one @d pages further on. The shift
 * also moves it in the level above, so that each half must miss there on its
 * own.
 */
static struct shape shifted_halves(const struct tlb_finding *s, uint64_t d)
{
	const struct tlb_geometry *upper = s->x->upper;
	uint64_t shift = s->ways * s->sets + d;
	bool together = !upper || shift % upper->conflict == 0;
	struct shape w =
		tlb_shape(s->x, s->sets, together ? 2 * s->ways : s->ways);

	w.copies = 2;
	w.copy_stride = shift;
	w.outer = s->ways;
	part_columns(s, d, &w);
	return w;
}

/*
 * X-Ray 4.1.3, the test of the line size: the halves no longer share a set as
 * soon as the shift exceeds the group. Groups are aligned, and so is the view: a
 * column that began within one would end in the next.
 */
static int find_group(struct tlb_finding *s, enum outcome *outcome,
		      struct failure *f)
{
	s->group = 1;
	for (uint64_t d = 1; *outcome == OUTCOME_DECIDED && d < s->sets;
	     d *= 2) {
		struct shape w = shifted_halves(s, d);
		enum verdict verdict = VERDICT_UNDECIDED;
		int error = 0;

		if (w.inner * w.inner_stride <= s->sets)
			error = tlb_decide(s->x, &w, true, (double)s->ways,
					   &verdict, f);
		if (error && error != -ERANGE)
			return error;
		*outcome = outcome_if(!error && verdict != VERDICT_UNDECIDED,
				      OUTCOME_OPEN);
		if (*outcome != OUTCOME_DECIDED)
			tlb_leave_open(
				s, s->sets, 2 * s->ways,
				"no clear verdict on what adjacent pages share");
		if (verdict == VERDICT_COMPACT)
			break;
		s->group *= 2;
	}
	return 0;
}

/* One set, overfull with whole groups: as few groups as that takes. */
static struct shape whole_groups(const struct tlb_finding *s)
{
	const struct tlb_geometry *upper = s->x->upper;
	size_t groups = s->ways / s->group + 1;
	struct shape w = tlb_shape(s->x, s->sets, groups);

	/* Pages of one group together sweep sets of the level above. */
	if (upper && upper->conflict < s->group)
		w.inner = 1 + (w.inner - 1) / (s->group / upper->conflict);
	while (w.inner > 1 && w.inner_stride < s->group)
		w.inner_stride *= 2;
	w.copies = s->group;
	w.copy_stride = 1;
	return w;
}

/*
 * A line of a page table holds entries of adjacent pages. Such lines fall out
 * of a cache at distances as regular as those of an array, and make walks slow.
 * But adjacent pages take no more room there than one page does, while in an
 * array each has an entry of its own.
 */
static int check_entries(struct tlb_finding *s, enum outcome *outcome,
			 struct failure *f)
{
	struct shape w = whole_groups(s);
	size_t count = w.outer * w.copies;
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	if (w.inner * w.inner_stride <= s->sets)
		error = tlb_decide(s->x, &w, true, (double)count, &verdict, f);
	if (error && error != -ERANGE)
		return error;
	*outcome = outcome_if(!error && verdict == VERDICT_NON_COMPACT,
			      OUTCOME_OPEN);
	if (*outcome == OUTCOME_DECIDED)
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

int tlb_find_group(struct tlb_finding *s, enum outcome *outcome,
		   struct failure *f)
{
	int error = find_group(s, outcome, f);

	if (error || *outcome != OUTCOME_DECIDED || s->group == 1)
		return error;
	return check_entries(s, outcome, f);
}
